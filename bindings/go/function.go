package thaten

// #include <pthread.h>
// #include <stdlib.h>
// #include <ATen/ATenCall.h>
// #include <ATen/ATenGrad.h>
// extern at_tensor *thatenHook(void *context, at_tensor *grad);
// extern int thatenForward(void *context, at_tensors inputs, int most, at_tensor **results);
// extern bool thatenBackward(void *context, at_tensors grads, int count, at_tensor **gradients);
// extern void thatenRelease(void *context);
// static bool thaten_addHook(at_tensor *t, void *context)
// {
//   return (at_add_hook)(t, thatenHook, context);
// }
// static bool thaten_removeHook(at_tensor *t, void *context)
// {
//   return (at_remove_hook)(t, thatenHook, context);
// }
// enum { MOST_RESULTS = 256 }; // more no function has
// static const at_tensors *thaten_apply(void *context, at_tensors inputs)
// {
//   static const at_grad_list_function kind = {"Function", thatenForward, thatenBackward, thatenRelease};
//   return (at_apply_list)(&kind, context, inputs, MOST_RESULTS);
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

// Function is a function of tensors with a gradient of its own, of one result or several.  What Backward reads, Forward
// keeps in the value.
type Function interface {
	// Forward is the results, also of several types; nothing is recorded.  An input that is changed here and returned is a
	// result itself.
	Forward(inputs ...*Tensor) ([]*Tensor, error)
	// Backward has the gradients of all inputs, nil for those that have none.  grads has one for each result, nil where none
	// has reached it, as of types without gradient.
	Backward(grads ...*Tensor) ([]*Tensor, error)
}

// resultsOf is the results of the function: inputs that it has changed, and of others aliases, so that what the value keeps
// of them has no history.
func resultsOf(function Function, inputs []*Tensor, most int) ([]*Tensor, error) {
	before := map[*C.at_tensor]C.int64_t{}
	for _, t := range inputs {
		before[t.raw()] = C.at_tensor_version(t.raw())
	}
	made, err := function.Forward(inputs...)
	if err != nil {
		return nil, err
	}
	if len(made) > most {
		return nil, argumentError("Forward returned %d tensors, which are more than %d", len(made), most)
	}
	results := make([]*Tensor, len(made))
	for i, t := range made {
		results[i] = t
		if t == nil {
			continue
		}
		if version, isInput := before[t.raw()]; isInput && version != C.at_tensor_version(t.raw()) {
			continue
		}
		if results[i], err = t.Alias(); err != nil {
			return nil, err
		}
	}
	return results, nil
}

//export thatenForward
func thatenForward(context unsafe.Pointer, inputs C.at_tensors, most C.int, results **C.at_tensor) (count C.int) {
	done := guarded(func() error {
		list := retained(inputs)
		made, err := resultsOf(valueOf(context).(Function), list, int(most))
		for i, t := range made {
			unsafe.Slice(results, int(most))[i] = given(t)
		}
		runtime.KeepAlive(list)
		count = C.int(len(made))
		return err
	})
	if !done {
		return -1
	}
	return count
}

//export thatenBackward
func thatenBackward(context unsafe.Pointer, grads C.at_tensors, count C.int, gradients **C.at_tensor) C.bool {
	return C.bool(guarded(func() error {
		made, err := valueOf(context).(Function).Backward(retained(grads)...)
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

// Apply is the results of the function, which is held until no backward pass can need it any more.
func Apply(function Function, inputs ...*Tensor) (results []*Tensor, err error) {
	if function == nil {
		return nil, argumentError("Apply: the function is nil")
	}
	c := &call{}
	defer c.free()
	list, context := c.tensorsOf(inputs), newContext(function)
	err = locked(func() {
		if made := C.thaten_apply(context, list); made.count > 0 {
			results = released(made)
		}
	})
	runtime.KeepAlive(c.kept)
	return results, err
}
