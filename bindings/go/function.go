package thaten

// #include <pthread.h>
// #include <stdlib.h>
// #include <ATen/ATenCall.h>
// #include <ATen/ATenGrad.h>
// extern at_tensor *thatenHook(void *context, at_tensor *grad);
// extern at_tensor *thatenForward(void *context, at_tensors inputs);
// extern bool thatenBackward(void *context, at_tensor *grad, int count, at_tensor **gradients);
// extern void thatenRelease(void *context);
// static bool thaten_addHook(at_tensor *t, void *context)
// {
//   return (at_add_hook)(t, thatenHook, context);
// }
// static bool thaten_removeHook(at_tensor *t, void *context)
// {
//   return (at_remove_hook)(t, thatenHook, context);
// }
// static at_tensor *thaten_apply(void *context, at_tensors inputs)
// {
//   static const at_grad_function kind = {"Function", thatenForward, thatenBackward, thatenRelease};
//   return (at_apply)(&kind, context, inputs);
// }
// static at_tensor *thaten_undefined(void)
// {
//   return at_undefinedTensor;
// }
import "C"

import (
	"runtime"
	"runtime/cgo"
	"sync"
	"unsafe"
)

// failure is how a function of Go that the library called has ended.
type failure struct {
	err    error
	panics any
}

// failures are those of the threads whose calls of the library are going on.
var failures sync.Map

func takeFailure() *failure {
	own, _ := failures.LoadAndDelete(C.pthread_self())
	if own == nil {
		return nil
	}
	return own.(*failure)
}

// guarded calls f, whose error or panic becomes that of the call of the library that is going on.
func guarded(f func() error) (done bool) {
	defer func() {
		if panics := recover(); panics != nil {
			failures.LoadOrStore(C.pthread_self(), &failure{panics: panics})
			done = false
		}
	}()
	err := f()
	if err != nil {
		failures.LoadOrStore(C.pthread_self(), &failure{err: err})
	}
	return err == nil
}

// newContext is memory of C that has a handle of the value.
func newContext(value any) unsafe.Pointer {
	handle := cgo.NewHandle(value)
	context := C.malloc(C.size_t(unsafe.Sizeof(handle)))
	if context == nil {
		panic("thaten: no memory for a function")
	}
	*(*cgo.Handle)(context) = handle
	return context
}

func valueOf(context unsafe.Pointer) any {
	return (*(*cgo.Handle)(context)).Value()
}

func freeContext(context unsafe.Pointer) {
	(*(*cgo.Handle)(context)).Delete()
	C.free(context)
}

// given is a reference that the library takes over.
func given(t *Tensor) *C.at_tensor {
	if t == nil {
		return nil
	}
	defer runtime.KeepAlive(t)
	return C.at_retain(t.raw())
}

// --- hooks ----------------------------------------------------------------------------------------------

// Hook is a function that sees a gradient.
type Hook struct {
	tensor  *Tensor
	context unsafe.Pointer
}

type hookFunction func(grad *Tensor) (*Tensor, error)

//export thatenHook
func thatenHook(context unsafe.Pointer, grad *C.at_tensor) (other *C.at_tensor) {
	done := guarded(func() error {
		t, err := valueOf(context).(hookFunction)(wrap(C.at_retain(grad)))
		if err == nil {
			other = given(t)
		}
		return err
	})
	if !done {
		return C.thaten_undefined()
	}
	return other
}

// RegisterHook calls f with each gradient of the tensor that is complete; what it returns, unless that is nil, replaces the
// gradient.  The hook stays until Remove.
func (t *Tensor) RegisterHook(f func(grad *Tensor) (*Tensor, error)) (*Hook, error) {
	hook := &Hook{t, newContext(hookFunction(f))}
	if err := locked(func() { C.thaten_addHook(t.raw(), hook.context) }); err != nil {
		freeContext(hook.context)
		return nil, err
	}
	return hook, nil
}

// Remove ends the hook, but not while hooks run.
func (h *Hook) Remove() error {
	if h.context == nil {
		return nil
	}
	defer runtime.KeepAlive(h.tensor)
	err := locked(func() { C.thaten_removeHook(h.tensor.raw(), h.context) })
	if err == nil {
		freeContext(h.context)
		h.context = nil
	}
	return err
}

// --- functions ------------------------------------------------------------------------------------------

// Function is a function of tensors with a gradient of its own.  What Backward reads, Forward keeps in the value.
type Function interface {
	// Forward is the result; nothing is recorded.
	Forward(inputs ...*Tensor) (*Tensor, error)
	// Backward has the gradients of all inputs, nil for those that have none.
	Backward(grad *Tensor) ([]*Tensor, error)
}

//export thatenForward
func thatenForward(context unsafe.Pointer, inputs C.at_tensors) (result *C.at_tensor) {
	guarded(func() error {
		made, err := valueOf(context).(Function).Forward(retained(inputs)...)
		if err != nil || made == nil {
			return err
		}
		alias, err := made.Alias() // what the value keeps of it has no history
		if err == nil {
			result = given(alias)
		}
		return err
	})
	return result
}

//export thatenBackward
func thatenBackward(context unsafe.Pointer, grad *C.at_tensor, count C.int, gradients **C.at_tensor) C.bool {
	return C.bool(guarded(func() error {
		made, err := valueOf(context).(Function).Backward(wrap(C.at_retain(grad)))
		if err != nil {
			return err
		}
		if len(made) != int(count) {
			return argumentError("Backward returned %d gradients for %d inputs", len(made), int(count))
		}
		for i, one := range made {
			unsafe.Slice(gradients, int(count))[i] = given(one)
		}
		return nil
	}))
}

//export thatenRelease
func thatenRelease(context unsafe.Pointer) {
	freeContext(context)
}

// Apply calls the function, which is held until no backward pass can need it any more.
func Apply(function Function, inputs ...*Tensor) (t *Tensor, err error) {
	if function == nil {
		return nil, argumentError("Apply: the function is nil")
	}
	c := &call{}
	defer c.free()
	list, context := c.tensorsOf(inputs), newContext(function)
	err = locked(func() { t = wrap(C.thaten_apply(context, list)) })
	runtime.KeepAlive(c.kept)
	return t, err
}
