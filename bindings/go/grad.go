package thaten

// #include <ATen/ATenGrad.h>
// static const at_tensors *thaten_gradients(at_tensors outputs, at_tensors inputs, const at_gradients_options *options)
// {
//   return (at_gradients)(outputs, inputs, options);
// }
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

// GradientsOptions says whether the graph stays for another pass, the gradients have gradients, and inputs may be
// unused, whose gradients are zeros.
type GradientsOptions struct {
	RetainGraph, CreateGraph, AllowUnused bool
}

// Gradients are those of the sum of the outputs with respect to the inputs; no leaf's gradient changes.
func Gradients(outputs, inputs []*Tensor, options ...GradientsOptions) (gradients []*Tensor, err error) {
	c := &call{}
	defer c.free()
	raw := C.at_gradients_defaults
	for _, o := range options {
		raw.retain_graph = C.bool(o.RetainGraph || o.CreateGraph)
		raw.create_graph, raw.allow_unused = C.bool(o.CreateGraph), C.bool(o.AllowUnused)
	}
	of, by := c.tensorsOf(outputs), c.tensorsOf(inputs)
	err = locked(func() {
		list := C.thaten_gradients(of, by, &raw)
		gradients = retained(*list)
		C.at_list_release(list)
	})
	runtime.KeepAlive(c.kept)
	if err != nil {
		return nil, err
	}
	return gradients, nil
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

// Autocast calls f in a thread whose operations compute in mixed precision meanwhile, as inside torch.autocast: products in the
// type, BFloat16 or Half, losses in Float32.  The backward pass comes after.
func Autocast(lower Type, f func()) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	devices := []C.at_autocast_device{C.AT_AUTOCAST_CPU, C.AT_AUTOCAST_CUDA}
	for _, device := range devices {
		before := C.at_autocast_get(device)
		if err := locked(func() { C.at_autocast_set(device, C.at_scalar_type(lower-1)) }); err != nil {
			return err
		}
		defer C.at_autocast_set(device, before)
	}
	f()
	return nil
}
