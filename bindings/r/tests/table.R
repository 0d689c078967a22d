# Stored cases of tests/golden/aten, whose format tests/ATen/table/cases.h describes, called by name: the first of each form.
library(thaten)

types <- c(Byte = "uint8", Char = "int8", Short = "int16", Int = "int32", Long = "int64", Float = "float32", Double = "float64",
           Half = "float16", Bool = "bool", BFloat16 = "bfloat16")
digits <- c(float64 = 2^-49, float16 = 2^-10, bfloat16 = 2^-7)
missing_value <- structure(list(), class = "missing_value")

number <- function(words) {
  special <- c(nan = NaN, "-nan" = NaN, inf = Inf, "-inf" = -Inf)
  ifelse(words %in% names(special), special[words], suppressWarnings(as.numeric(words)))
}
tensor <- function(words) {
  dims <- as.integer(words[[2]])
  values <- number(words[-seq_len(3 + dims)])
  t <- th$tensor(unname(values), type = if (grepl("Float|Double|Half", words[[1]])) "float64" else "int64")
  th$reshape(th$to(t, types[[words[[1]]]]), if (dims > 0) number(words[2 + seq_len(dims)]) else numeric())
}

# The value that begins at a line, and the line behind it.
value_at <- function(lines, at, words) {
  kind <- words[[1]]
  if (kind %in% c("tensors", "list")) {
    count <- as.integer(words[[2]])
    list <- lapply(seq_len(count), function(i) value_at(lines, at + i, lines[[at + i]])$value)
    return(list(value = lapply(list, function(v) if (inherits(v, "missing_value")) NULL else v), at = at + count + 1))
  }
  value <- switch(kind,
    tensor = tensor(words[-1]), none = , undefined = missing_value, default = NULL, type = types[[words[[2]]]],
    seed = th$generator(number(words[[2]])), ints = number(words[-(1:2)]), doubles = number(words[-(1:2)]),
    text = paste(words[-1], collapse = " "), bool = words[[2]] == "1",
    scalar = if (grepl("[pxni]", words[[2]])) th$number(number(words[[2]])) else number(words[[2]]),
    long = , double = number(words[[2]]), tensor(words))
  list(value = value, at = at + 1)
}

difference <- function(got, want, units) {
  if (inherits(want, "missing_value")) return(!is.null(got))
  if (is.list(want)) return(length(got) != length(want) || any(mapply(difference, got, want, units)))
  if (!th$is_tensor(want)) return(got != want)
  if (!th$is_tensor(got) || got$type() != want$type() || !identical(dim(got), dim(want))) return(TRUE)
  a <- as.numeric(got); b <- as.numeric(want)
  exact <- !grepl("float", want$type())
  same <- a == b | (is.nan(a) & is.nan(b)) | (!exact & abs(a - b) <= units * pmax(1, abs(b)))
  !all(same %in% TRUE)
}

units_of <- function(values) {
  tensors <- Filter(th$is_tensor, values)
  found <- vapply(tensors, function(t) if (t$type() %in% names(digits)) digits[[t$type()]] else 2^-22, 0)
  if (length(found)) max(found) else 2^-49
}

# Reads the case whose lines these are and calls it; NULL or what is wrong.
run <- function(lines) {
  name <- strsplit(lines[[1]][[2]], ".", fixed = TRUE)[[1]]
  overload <- if (length(name) > 1) name[[2]] else ""
  given <- list(); wanted <- list(); error <- FALSE; within <- 0
  at <- 2
  while (at <= length(lines)) {
    words <- lines[[at]]
    if (words[[1]] == "error") error <- TRUE
    if (words[[1]] == "within") within <- number(words[[2]])
    if (words[[1]] %in% c("error", "within", "strides", "#")) {
      at <- at + 1
      next
    }
    wants <- words[[1]] == "want"
    read <- value_at(lines, at, if (wants) words[-1] else words)
    if (wants) wanted <- c(wanted, list(read$value)) else given <- c(given, list(read$value))
    at <- read$at
  }
  units <- if (within > 0) within else units_of(c(given, wanted))
  given <- lapply(given, function(v) if (inherits(v, "missing_value")) NULL else v)
  got <- tryCatch(do.call(th$overload(name[[1]], overload), given), error = function(e) e)
  if (inherits(got, "error")) return(if (error) NULL else conditionMessage(got))
  if (error) return("no error")
  got <- if (length(wanted) > 1) unname(got) else list(got)
  if (any(mapply(difference, got, wanted, units))) "another value"
}

called <- character()
faults <- character()
for (file in dir(file.path(Sys.getenv("TH_GOLDEN"), "aten"), full.names = TRUE)) {
  lines <- readLines(file)
  first <- grep("^case ", lines)
  last <- c(first[-1] - 1, length(lines))
  form <- sub("^case ", "", lines[first])
  # Of each form the first two cases: R reads numbers slowly.
  for (i in which(ave(seq_along(form), form, FUN = seq_along) <= 2)) {
    # Elements that the package neither makes nor reads: complex ones, and integers that are no doubles.
    text <- lines[first[[i]]:last[[i]]]
    long <- unlist(regmatches(text, gregexpr("(?<= )-?[0-9]{16,}(?= |$)", text, perl = TRUE)))
    if (any(grepl("Complex|UInt", text)) || any(sprintf("%.0f", as.numeric(long)) != long)) next
    fault <- run(strsplit(trimws(lines[first[[i]]:last[[i]]]), " +"))
    if (!is.null(fault)) faults <- c(faults, paste0(basename(file), ":", first[[i]], " ", form[[i]], ": ", fault))
    called <- c(called, form[[i]])
  }
}
cat(length(called), "cases of", length(unique(called)), "forms\n")
if (length(faults)) stop(length(faults), " faults:\n", paste(head(faults, 30), collapse = "\n"))
stopifnot(length(unique(called)) > 1200)
