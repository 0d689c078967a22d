package thaten

// #include <ATen/ATenFile.h>
// #include <ATen/ATenOptim.h>
// #include <ATen/ATenSchedule.h>
// static at_tensor *thaten_scale(const at_scaler *scaler, at_tensor *loss)
// {
//   return (at_scaler_scale)(scaler, loss);
// }
import "C"

import "runtime"

// Optimizer changes parameters, which it holds, by their gradients.  NewAdam and its like make one.
type Optimizer struct {
	pointer *C.at_optimizer
}

func (o *Optimizer) raw() *C.at_optimizer {
	if o == nil {
		return nil
	}
	return o.pointer
}

func makeOptimizer(f func(c *call) *C.at_optimizer) (*Optimizer, error) {
	c, o := &call{}, &Optimizer{}
	defer c.free()
	err := locked(func() { o.pointer = f(c) })
	runtime.KeepAlive(c.kept)
	if err != nil {
		return nil, err
	}
	runtime.SetFinalizer(o, func(o *Optimizer) { C.at_optimizer_free(o.pointer) })
	return o, nil
}

// Step changes the parameters.
func (o *Optimizer) Step() error {
	defer runtime.KeepAlive(o)
	return locked(func() { C.at_optimizer_step(o.raw()) })
}

// ZeroGrad removes the gradients of the parameters.
func (o *Optimizer) ZeroGrad() error {
	defer runtime.KeepAlive(o)
	return locked(func() { C.at_optimizer_zero_grad(o.raw()) })
}

// AddGroup adds a group of parameters and returns its number, counted from 0.
func (o *Optimizer) AddGroup(parameters ...*Tensor) (group int, err error) {
	c := &call{}
	defer c.free()
	err = locked(func() { group = int(C.at_optimizer_add_group(o.raw(), c.tensorsOf(parameters))) })
	runtime.KeepAlive(o)
	runtime.KeepAlive(c.kept)
	return group, err
}

// Get is the option of a group.
func (o *Optimizer) Get(group int, option string) (value float64, err error) {
	text, err := cString(option)
	if err != nil {
		return 0, err
	}
	defer free(text)
	defer runtime.KeepAlive(o)
	err = locked(func() { value = float64(C.at_optimizer_get(o.raw(), C.int(group), text)) })
	return value, err
}

// Set changes the option of a group.
func (o *Optimizer) Set(group int, option string, value float64) error {
	text, err := cString(option)
	if err != nil {
		return err
	}
	defer free(text)
	defer runtime.KeepAlive(o)
	return locked(func() { C.at_optimizer_set(o.raw(), C.int(group), text, C.double(value)) })
}

// Save writes the state, as torch.save(optimizer.state_dict(), path).
func (o *Optimizer) Save(path string) error {
	text, err := cString(path)
	if err != nil {
		return err
	}
	defer free(text)
	defer runtime.KeepAlive(o)
	return locked(func() {
		if dict := C.at_optimizer_state_dict(o.raw()); dict != nil {
			C.at_save(text, dict)
			C.at_dict_free(dict)
		}
	})
}

// Load takes the state of a file, as Save writes it.
func (o *Optimizer) Load(path string) error {
	text, err := cString(path)
	if err != nil {
		return err
	}
	defer free(text)
	defer runtime.KeepAlive(o)
	return locked(func() {
		if dict := C.at_load(text, nil); dict != nil {
			C.at_optimizer_load(o.raw(), C.at_dict_values(dict))
			C.at_dict_free(dict)
		}
	})
}

// Groups is the number of groups of parameters.
func (o *Optimizer) Groups() int {
	defer runtime.KeepAlive(o)
	return int(C.at_optimizer_groups(o.raw()))
}

// Schedule changes an optimizer's learning rate.  NewStepLr and its like make one.
type Schedule struct {
	pointer   *C.at_schedule
	optimizer *Optimizer // lives as long
}

func makeSchedule(optimizer *Optimizer, f func(c *call) *C.at_schedule) (*Schedule, error) {
	c, s := &call{}, &Schedule{optimizer: optimizer}
	defer c.free()
	if err := locked(func() { s.pointer = f(c) }); err != nil {
		return nil, err
	}
	runtime.SetFinalizer(s, func(s *Schedule) { C.at_schedule_free(s.pointer) })
	return s, nil
}

// Step goes one step on.
func (s *Schedule) Step() error {
	defer runtime.KeepAlive(s)
	return locked(func() { C.at_schedule_step(s.pointer) })
}

// StepBy is the step of NewPlateauLr's schedule, which looks at a metric.
func (s *Schedule) StepBy(metric float64) error {
	defer runtime.KeepAlive(s)
	return locked(func() { C.at_schedule_step_by(s.pointer, C.double(metric)) })
}

// ScalerOptions are options of NewScaler; what is left out has its default.
type ScalerOptions struct {
	InitScale      Number // 65536
	GrowthFactor   Number // 2
	BackoffFactor  Number // 0.5
	GrowthInterval Number // 2000
}

// Scaler has the factor of losses of half precision, whose gradients would be too small for it otherwise: PyTorch's GradScaler.
//
//	loss, err = scaler.Scale(loss)
//	err = loss.Backward()
//	err = scaler.Step(adam)
//	err = scaler.Update()
type Scaler struct {
	raw C.at_scaler
}

// NewScaler makes a scaler.
func NewScaler(options ...ScalerOptions) *Scaler {
	s := &Scaler{C.at_scaler_defaults}
	for _, o := range options {
		for _, field := range []struct {
			given Number
			value *C.double
		}{{o.InitScale, &s.raw.scale}, {o.GrowthFactor, &s.raw.growth_factor}, {o.BackoffFactor, &s.raw.backoff_factor}} {
			if field.given.given {
				*field.value = C.double(field.given.toFloat())
			}
		}
		if o.GrowthInterval.given {
			s.raw.growth_interval = C.int64_t(o.GrowthInterval.toInt())
		}
	}
	return s
}

// Scale is the loss times the factor.
func (s *Scaler) Scale(loss *Tensor) (t *Tensor, err error) {
	defer runtime.KeepAlive(loss)
	err = locked(func() { t = wrap(C.thaten_scale(&s.raw, loss.raw())) })
	return t, err
}

// Unscale divides the gradients by the factor, before they are clipped; otherwise Step does.
func (s *Scaler) Unscale(optimizer *Optimizer) error {
	defer runtime.KeepAlive(optimizer)
	return locked(func() { C.at_scaler_unscale(&s.raw, optimizer.raw()) })
}

// Step is a step of the optimizer, unless a gradient is infinite or NaN.
func (s *Scaler) Step(optimizer *Optimizer) error {
	defer runtime.KeepAlive(optimizer)
	return locked(func() { C.at_scaler_step(&s.raw, optimizer.raw()) })
}

// Update changes the factor, once after the steps of all optimizers.
func (s *Scaler) Update() error {
	return locked(func() { C.at_scaler_update(&s.raw) })
}

// GetScale is the factor.
func (s *Scaler) GetScale() float64 {
	return float64(s.raw.scale)
}

// Save writes the state, as torch.save(scaler.state_dict(), path).
func (s *Scaler) Save(path string) error {
	text, err := cString(path)
	if err != nil {
		return err
	}
	defer free(text)
	return locked(func() {
		if dict := C.at_scaler_state_dict(&s.raw); dict != nil {
			C.at_save(text, dict)
			C.at_dict_free(dict)
		}
	})
}

// Load takes the state of a file, as Save writes it.
func (s *Scaler) Load(path string) error {
	text, err := cString(path)
	if err != nil {
		return err
	}
	defer free(text)
	return locked(func() {
		if dict := C.at_load(text, nil); dict != nil {
			C.at_scaler_load(&s.raw, C.at_dict_values(dict))
			C.at_dict_free(dict)
		}
	})
}

// ClipGradValue limits each element of the gradients to the range from -limit to limit.
func ClipGradValue(parameters []*Tensor, limit float64) error {
	c := &call{}
	defer c.free()
	defer runtime.KeepAlive(parameters)
	return locked(func() { C.at_clip_grad_value(c.tensorsOf(parameters), C.double(limit)) })
}

// ClipGradNorm scales the gradients together to at most that norm, and returns the norm before.
func ClipGradNorm(parameters []*Tensor, maxNorm float64) (norm float64, err error) {
	c := &call{}
	defer c.free()
	err = locked(func() { norm = float64(C.at_clip_grad_norm(c.tensorsOf(parameters), C.double(maxNorm), nil)) })
	runtime.KeepAlive(c.kept)
	return norm, err
}
