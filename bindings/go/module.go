package thaten

// #include <ATen/ATenFile.h>
// #include <ATen/ATenModule.h>
// #include <ATen/ATenOptim.h>
// #include <ATen/ATenPrint.h>
// static at_module *thaten_Sequential(at_module *const *modules, int64_t count)
// {
//   return (at_Sequential)(modules, count);
// }
// static at_module *thaten_ModuleList(at_module *const *modules, int64_t count)
// {
//   return (at_ModuleList)(modules, count);
// }
// static at_tensor *thaten_module_call(at_module *self, at_tensors inputs)
// {
//   return (at_module_call)(self, inputs);
// }
import "C"

import (
	"runtime"
	"unsafe"
)

// Module is a reference to a module: parameters, children and a forward function.  NewLinear and its like make one.
type Module struct {
	pointer *C.at_module
}

func (m *Module) raw() *C.at_module {
	if m == nil {
		return nil
	}
	return m.pointer
}

// shared is another reference, which the constructor that it is given to takes over.
func (m *Module) shared() *C.at_module {
	return C.at_module_retain(m.raw())
}

func wrapModule(pointer *C.at_module) *Module {
	weigh(1024 + 4*int64(C.at_module_numel(pointer)))
	m := &Module{pointer}
	runtime.SetFinalizer(m, (*Module).Free)
	return m
}

// Free releases the reference now.
func (m *Module) Free() {
	if m != nil && m.pointer != nil {
		C.at_module_free(m.pointer)
		m.pointer = nil
		runtime.SetFinalizer(m, nil)
	}
}

// makeModule calls a constructor of C, with lists and words in memory that is freed afterwards.
func makeModule(f func(c *call) *C.at_module) (*Module, error) {
	c := &call{}
	defer c.free()
	var made *C.at_module
	if err := locked(func() { made = f(c) }); err != nil {
		return nil, err
	}
	return wrapModule(made), nil
}

func (c *call) modulesOf(list []*Module) **C.at_module {
	data := (**C.at_module)(c.allocate(len(list), int(unsafe.Sizeof(uintptr(0)))))
	for i, m := range list {
		unsafe.Slice(data, len(list))[i] = m.shared()
	}
	return data
}

// NewSequential makes a module whose children take one another's outputs.
func NewSequential(modules ...*Module) (*Module, error) {
	defer runtime.KeepAlive(modules)
	return makeModule(func(c *call) *C.at_module { return C.thaten_Sequential(c.modulesOf(modules), C.int64_t(len(modules))) })
}

// NewModuleList makes a module of children named 0, 1 and so on.
func NewModuleList(modules ...*Module) (*Module, error) {
	defer runtime.KeepAlive(modules)
	return makeModule(func(c *call) *C.at_module { return C.thaten_ModuleList(c.modulesOf(modules), C.int64_t(len(modules))) })
}

// Forward computes the output of a tensor, or of several, as for a loss: loss.Forward(output, target).
func (m *Module) Forward(inputs ...*Tensor) (output *Tensor, err error) {
	c := &call{}
	defer c.free()
	list := c.tensorsOf(inputs)
	err = locked(func() { output = wrap(C.thaten_module_call(m.raw(), list)) })
	runtime.KeepAlive(m)
	runtime.KeepAlive(inputs)
	return output, err
}

// mustBe is an error unless the module is of that kind.
func (m *Module) mustBe(kind string) error {
	own := "nil"
	if m.raw() != nil {
		own = C.GoString(C.at_module_kindOf(m.raw()).name)
	}
	runtime.KeepAlive(m)
	if own != kind {
		return argumentError("the module is a %s, and no %s", own, kind)
	}
	return nil
}

// Parameters are all parameters, each once.
func (m *Module) Parameters() (parameters []*Tensor, err error) {
	err = locked(func() {
		if list := C.at_module_parameters(m.raw()); list != nil {
			parameters = retained(*list)
			C.at_list_release(list)
		}
	})
	runtime.KeepAlive(m)
	return parameters, err
}

// StateDict has the parameters and buffers by name; they share memory with the module.
func (m *Module) StateDict() (tensors map[string]*Tensor, err error) {
	err = locked(func() {
		if dict := C.at_module_state_dict(m.raw()); dict != nil {
			tensors = entries(dict)
			C.at_dict_free(dict)
		}
	})
	runtime.KeepAlive(m)
	return tensors, err
}

func (m *Module) withText(text string, f func(text *C.char)) error {
	c, err := cString(text)
	if err != nil {
		return err
	}
	defer free(c)
	defer runtime.KeepAlive(m)
	return locked(func() { f(c) })
}

func namedTensors(dict *C.at_dict) map[string]*Tensor {
	if dict == nil {
		return nil
	}
	defer C.at_dict_free(dict)
	return entries(dict)
}

// NamedParameters has the parameters by name, NamedBuffers the other tensors that are saved.
func (m *Module) NamedParameters() (tensors map[string]*Tensor, err error) {
	err = locked(func() { tensors = namedTensors(C.at_module_named_parameters(m.raw())) })
	runtime.KeepAlive(m)
	return tensors, err
}

// NamedBuffers has the tensors that are saved with the module, but not trained.
func (m *Module) NamedBuffers() (tensors map[string]*Tensor, err error) {
	err = locked(func() { tensors = namedTensors(C.at_module_named_buffers(m.raw())) })
	runtime.KeepAlive(m)
	return tensors, err
}

// LoadStateDict copies the tensors to those of the same names, of which none may be left over on either side.
func (m *Module) LoadStateDict(tensors map[string]*Tensor) error {
	dict, err := dictOf(tensors)
	if err != nil {
		return err
	}
	defer C.at_dict_free(dict)
	defer runtime.KeepAlive(m)
	return locked(func() { C.at_module_load_state_dict(m.raw(), dict, nil) })
}

// NewModule makes a module without members, for those of one's own: Add, AddParameter, AddBuffer.
func NewModule() (*Module, error) {
	return NewModuleDict()
}

// Add adds a child under that name, which the module shares.
func (m *Module) Add(name string, child *Module) error {
	defer runtime.KeepAlive(child)
	return m.withText(name, func(text *C.char) { C.at_module_add(m.raw(), text, child.shared()) })
}

// AddParameter adds a parameter, which becomes a leaf that wants a gradient.
func (m *Module) AddParameter(name string, t *Tensor) error {
	defer runtime.KeepAlive(t)
	return m.withText(name, func(text *C.char) { C.at_module_add_parameter(m.raw(), text, t.raw()) })
}

// AddBuffer adds a tensor that is saved with the module, but not trained.
func (m *Module) AddBuffer(name string, t *Tensor) error {
	defer runtime.KeepAlive(t)
	return m.withText(name, func(text *C.char) { C.at_module_add_buffer(m.raw(), text, t.raw()) })
}

// Get is the parameter or buffer of that name, with dots for those of children.
func (m *Module) Get(name string) (t *Tensor, err error) {
	err = m.withText(name, func(text *C.char) { t = wrap(C.at_retain(C.at_module_get(m.raw(), text))) })
	return t, err
}

// Children are the children in order, and ChildNames their names.
func (m *Module) Children() []*Module {
	defer runtime.KeepAlive(m)
	children := make([]*Module, int(C.at_module_count(m.raw())))
	for i := range children {
		children[i] = wrapModule(C.at_module_retain(C.at_module_childAt(m.raw(), C.int64_t(i))))
	}
	return children
}

// ChildNames are the names of the children in order.
func (m *Module) ChildNames() []string {
	defer runtime.KeepAlive(m)
	names := make([]string, int(C.at_module_count(m.raw())))
	for i := range names {
		names[i] = C.GoString(C.at_module_childName(m.raw(), C.int64_t(i)))
	}
	return names
}

// Numel is the number of elements of all parameters.
func (m *Module) Numel() int64 {
	defer runtime.KeepAlive(m)
	return int64(C.at_module_numel(m.raw()))
}

// Clone is a module with copies of the parameters and buffers.
func (m *Module) Clone() (copied *Module, err error) {
	err = locked(func() {
		if pointer := C.at_module_clone(m.raw()); pointer != nil {
			copied = wrapModule(pointer)
		}
	})
	runtime.KeepAlive(m)
	return copied, err
}

// RequiresGrad says whether parameters want gradients; false freezes the module.
func (m *Module) RequiresGrad(wanted bool) error {
	defer runtime.KeepAlive(m)
	return locked(func() { C.at_module_requires_grad_(m.raw(), C.bool(wanted)) })
}

// IsTraining says whether the module is in training mode.
func (m *Module) IsTraining() bool {
	defer runtime.KeepAlive(m)
	return bool(C.at_module_training(m.raw()))
}

// Load copies the tensors of a file to those of the same names, of which none may be left over on either side.
func (m *Module) Load(path string) error {
	return m.withText(path, func(text *C.char) { C.at_module_load(m.raw(), text, nil) })
}

// Save writes the tensors of StateDict to a file.
func (m *Module) Save(path string) error {
	return m.withText(path, func(text *C.char) { C.at_module_save(m.raw(), text) })
}

// Child is the child of that name or, with dots, one further down; nil if there is none.
func (m *Module) Child(name string) (child *Module, err error) {
	err = m.withText(name, func(text *C.char) {
		if pointer := C.at_module_child(m.raw(), text); pointer != nil {
			child = wrapModule(C.at_module_retain(pointer))
		}
	})
	return child, err
}

// Train sets training mode, for all children too.
func (m *Module) Train() {
	C.at_module_train(m.raw())
	runtime.KeepAlive(m)
}

// Eval ends training mode.
func (m *Module) Eval() {
	C.at_module_eval(m.raw())
	runtime.KeepAlive(m)
}

// To converts floating parameters and buffers to the type.
func (m *Module) To(t Type) error {
	defer runtime.KeepAlive(m)
	return locked(func() { C.at_module_to(m.raw(), t.raw()) })
}

// ZeroGrad removes the gradients of the parameters.
func (m *Module) ZeroGrad() {
	C.at_module_zero_grad(m.raw())
	runtime.KeepAlive(m)
}

// String is the text that PyTorch prints.
func (m *Module) String() string {
	text := C.at_module_toString(m.raw())
	runtime.KeepAlive(m)
	if text == nil {
		return "module(no memory for its text)"
	}
	defer C.at_string_free(text)
	return C.GoString(text)
}
