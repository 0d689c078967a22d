package thaten

// #include <ATen/ATenGrad.h>
import "C"

import "runtime"

// RequiresGrad makes the tensor a leaf that wants a gradient.
func (t *Tensor) RequiresGrad() (*Tensor, error) {
	err := locked(func() { C.at_requires_grad_(t.raw()) })
	runtime.KeepAlive(t)
	return t, err
}

// WantsGrad says whether the tensor wants a gradient.
func (t *Tensor) WantsGrad() bool {
	defer runtime.KeepAlive(t)
	return bool(C.at_requiresGrad(t.raw()))
}

// Grad is the gradient, or nil if there is none yet.
func (t *Tensor) Grad() *Tensor {
	pointer := C.at_grad(t.raw())
	if pointer == nil {
		return nil
	}
	defer runtime.KeepAlive(t)
	return wrap(C.at_retain(pointer))
}

// SetGrad sets the gradient, or with nil removes it.
func (t *Tensor) SetGrad(grad *Tensor) error {
	defer runtime.KeepAlive([]*Tensor{t, grad})
	return locked(func() { C.at_set_grad(t.raw(), grad.raw()) })
}

// Backward adds the gradients of a tensor of one element to those of all leaves.
func (t *Tensor) Backward() error {
	defer runtime.KeepAlive(t)
	return locked(func() { C.at_backward(t.raw(), nil) })
}

// BackwardFrom does so with the gradient of the tensor itself, and keeps the graph for another pass if wanted.
func (t *Tensor) BackwardFrom(gradient *Tensor, retainGraph bool) error {
	options := C.at_backward_defaults
	options.gradient, options.retain_graph = gradient.raw(), C.bool(retainGraph)
	defer runtime.KeepAlive([]*Tensor{t, gradient})
	return locked(func() { C.at_backward(t.raw(), &options) })
}

// NoGrad calls f in a thread that records nothing meanwhile.
func NoGrad(f func()) {
	runtime.LockOSThread()
	wasOn := C.at_grad_setOn(false)
	defer func() {
		C.at_grad_setOn(wasOn)
		runtime.UnlockOSThread()
	}()
	f()
}
