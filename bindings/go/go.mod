module thaten

go 1.19
