// Command run runs a program that torch.export.save wrote.
//
// usage: run PROGRAM.pt2 INPUTS.npz
//
// The inputs are the arrays input0, input1 and so on.
package main

import (
	"fmt"
	"log"
	"os"
	"thaten"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 3 {
		log.Fatal("usage: run PROGRAM.pt2 INPUTS.npz")
	}
	net, err := thaten.LoadProgram(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	stored, err := thaten.Load(os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	var inputs []*thaten.Tensor
	for i, input := range net.Inputs() {
		t := stored[fmt.Sprintf("input%d", i)]
		fmt.Println(input.Name, t.Sizes())
		inputs = append(inputs, t)
	}
	outputs, err := net.Run(inputs...)
	if err != nil {
		log.Fatal(err)
	}
	for _, output := range outputs {
		fmt.Println(output)
	}
}
