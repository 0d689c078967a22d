package thaten

// #include <stdlib.h>
// #include <ATen/ATenOptim.h>
// extern bool thatenClosure(void *context, double *loss);
// static bool thaten_stepBy(at_optimizer *optimizer, void *context, double *loss)
// {
//   return at_optimizer_step_by(optimizer, thatenClosure, context, loss);
// }
import "C"

import (
	"runtime"
	"runtime/cgo"
	"unsafe"
)

// closure is what the optimizer calls, and how it ended.
type closure struct {
	f      func() (*Tensor, error)
	err    error
	panics any
}

//export thatenClosure
func thatenClosure(context unsafe.Pointer, loss *C.double) (done C.bool) {
	own := (*(*cgo.Handle)(context)).Value().(*closure)
	defer func() {
		if own.panics = recover(); own.panics != nil {
			done = false
		}
	}()
	t, err := own.f()
	if err == nil {
		var value Number
		value, err = t.Value()
		*loss = C.double(value.Float64())
	}
	own.err = err
	return err == nil
}

// StepBy is a step of an optimizer that calls the function itself, as that of NewLbfgs does: it computes the loss, and the
// gradients anew.  The first loss is returned.
func (o *Optimizer) StepBy(f func() (*Tensor, error)) (float64, error) {
	own := &closure{f: f}
	handle := cgo.NewHandle(own)
	defer handle.Delete()
	context := C.malloc(C.size_t(unsafe.Sizeof(handle)))
	defer C.free(context)
	*(*cgo.Handle)(context) = handle
	var first C.double
	err := locked(func() { C.thaten_stepBy(o.raw(), context, &first) })
	runtime.KeepAlive(o)
	if own.panics != nil {
		panic(own.panics)
	}
	if own.err != nil {
		return 0, own.err
	}
	return float64(first), err
}
