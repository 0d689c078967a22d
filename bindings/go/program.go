package thaten

// #include <ATen/ATenPrint.h>
// #include <ATen/ATenProgram.h>
import "C"

import (
	"runtime"
	"unsafe"
)

// Program is a program that torch.export.save wrote; one goroutine uses it at a time.
type Program struct {
	raw *C.at_program
}

// Info is an input or output: its type, or 0 if it is no tensor, the least and the greatest sizes, which are nil if it
// may have any number of dimensions, whether it is a list of such tensors, and whether it may be missing.
type Info struct {
	Name            string
	Type            Type
	Least, Most     []int64
	IsList, MayMiss bool
}

// LoadProgram loads a program.
func LoadProgram(path string) (*Program, error) {
	text, err := cString(path)
	if err != nil {
		return nil, err
	}
	defer free(text)
	p := &Program{}
	if err := locked(func() { p.raw = C.at_program_load(text) }); err != nil {
		return nil, err
	}
	weigh(1 << 20)
	runtime.SetFinalizer(p, (*Program).Free)
	return p, nil
}

// Free frees the program now.
func (p *Program) Free() {
	C.at_program_free(p.raw)
	p.raw = nil
	runtime.SetFinalizer(p, nil)
}

// Run computes the outputs; what is None in Python is nil.
func (p *Program) Run(inputs ...*Tensor) ([]*Tensor, error) {
	// The pointers are in memory of C, as arguments of operations are.
	c := &call{}
	data := unsafe.Slice((**C.at_tensor)(c.allocate(len(inputs)+1, int(unsafe.Sizeof(uintptr(0))))), len(inputs)+1)
	for i, t := range inputs {
		data[i] = t.raw()
	}
	var outputs []*Tensor
	err := locked(func() {
		list := C.at_program_run(p.raw, C.at_tensors{data: &data[0], count: C.int(len(inputs))})
		outputs = retained(*list)
	})
	c.free()
	runtime.KeepAlive(inputs)
	runtime.KeepAlive(p)
	if err != nil {
		return nil, err
	}
	return outputs, nil
}

// RunLists computes the outputs of a program some of whose inputs and outputs are lists: each is a list, of one tensor if it is
// no list itself.  An input that is missing, where the program allows that, is a list of nil; an output that is missing, too.
func (p *Program) RunLists(inputs ...[]*Tensor) ([][]*Tensor, error) {
	if _, err := ProgramRunLists(p, inputs); err != nil {
		return nil, err
	}
	outputs := make([][]*Tensor, int(C.at_program_outputCount(p.raw)))
	for i := range outputs {
		var err error
		if outputs[i], err = ProgramResult(p, int64(i)); err != nil {
			return nil, err
		}
	}
	return outputs, nil
}

// RunNamed is RunLists with inputs and outputs by name; an input without a list is missing.
func (p *Program) RunNamed(inputs map[string][]*Tensor) (map[string][]*Tensor, error) {
	lists, found := [][]*Tensor{}, 0
	for _, i := range p.Inputs() {
		list, isGiven := inputs[i.Name]
		if !isGiven {
			list = []*Tensor{nil}
		} else {
			found++
		}
		lists = append(lists, list)
	}
	if found < len(inputs) {
		return nil, argumentError("RunNamed: %d of the %d inputs that are given are none of the program's", len(inputs)-found, len(inputs))
	}
	results, err := p.RunLists(lists...)
	if err != nil {
		return nil, err
	}
	named := map[string][]*Tensor{}
	for i, o := range p.Outputs() {
		named[o.Name] = results[i]
	}
	return named, nil
}

func info(raw C.at_program_info) Info {
	i := Info{Name: C.GoString(raw.name), Least: copied(raw.least), Most: copied(raw.most), IsList: bool(raw.isList), MayMiss: bool(raw.mayMiss)}
	if raw._type != nil {
		i.Type = Type(C.at_type_scalarType(raw._type)) + 1
	}
	return i
}

// Inputs describes the inputs.
func (p *Program) Inputs() []Info {
	list := make([]Info, int(C.at_program_inputCount(p.raw)))
	for i := range list {
		list[i] = info(C.at_program_input(p.raw, C.int(i)))
	}
	runtime.KeepAlive(p)
	return list
}

// Outputs describes the outputs.
func (p *Program) Outputs() []Info {
	list := make([]Info, int(C.at_program_outputCount(p.raw)))
	for i := range list {
		list[i] = info(C.at_program_output(p.raw, C.int(i)))
	}
	runtime.KeepAlive(p)
	return list
}

// Parameters are the weights by name; to change one, copy to its tensor.
func (p *Program) Parameters() map[string]*Tensor {
	defer runtime.KeepAlive(p)
	return entries(C.at_program_parameters(p.raw))
}

// String lists what is in the program.
func (p *Program) String() string {
	text := C.at_program_toString(p.raw)
	runtime.KeepAlive(p)
	if text == nil {
		return "program(no memory for its text)"
	}
	defer C.at_string_free(text)
	return C.GoString(text)
}
