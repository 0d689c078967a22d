package thaten

// #include <stdlib.h>
// #include <ATen/ATenContext.h>
// #include <ATen/ATenPrint.h>
// #include <ATen/ATenScope.h>
// #include <ATen/ATenStorage.h>
// #include <ATen/ATenTensor.h>
// static int64_t thaten_integer(at_scalar s)
// {
//   return s.value.integer;
// }
import "C"

import (
	"math"
	"runtime"
	"sync/atomic"
	"unsafe"
)

// Tensor is a reference to a tensor of ATen.  The collector frees it; Free, or the Scope that owns it, does so
// earlier.  A nil Tensor is one that is missing: for operations an error, in results None.
type Tensor struct {
	pointer *C.at_tensor
}

func (t *Tensor) raw() *C.at_tensor {
	if t == nil {
		return nil
	}
	return t.pointer
}

// Go's collector does not see the memory of tensors: whenever so many bytes have been made, it is called.
const collectAfter = 32 << 20

var made int64

func weigh(bytes int64) {
	if atomic.AddInt64(&made, bytes) > collectAfter {
		atomic.StoreInt64(&made, 0)
		runtime.GC()
	}
}

// wrap takes over the reference; nil for the undefined tensor.
func wrap(pointer *C.at_tensor) *Tensor {
	if !C.at_defined(pointer) {
		return nil
	}
	weigh(256 + int64(C.at_numel(pointer))*int64(C.at_type_elementSize(C.at_typeOf(pointer))))
	t := &Tensor{C.at_keep(pointer)} // passes call Go in a scope
	runtime.SetFinalizer(t, (*Tensor).Free)
	return t
}

func retained(list C.at_tensors) []*Tensor {
	tensors := make([]*Tensor, int(list.count))
	for i, pointer := range unsafe.Slice(list.data, int(list.count)) {
		tensors[i] = wrap(C.at_retain(pointer))
	}
	return tensors
}

// released is the list of tensors, which the caller owned.
func released(list *C.at_tensors) []*Tensor {
	defer C.at_list_release(list)
	return retained(*list)
}

// Free releases the reference now.
func (t *Tensor) Free() {
	if t != nil && t.pointer != nil {
		C.at_release(t.pointer)
		t.pointer = nil
		runtime.SetFinalizer(t, nil)
	}
}

// Scope owns tensors and remembers the first error, so that a chain of calls is checked once:
//
//	s := thaten.NewScope()
//	defer s.Close()
//	y := s.Own(s.Own(x.Mul(w)).Sum())
//	if s.Err() != nil { ... }
type Scope struct {
	owned []*Tensor
	err   error
}

// NewScope begins a scope, which one goroutine uses at a time.
func NewScope() *Scope {
	return &Scope{}
}

// Own gives the tensor to the scope, and keeps the error if it is the first.
func (s *Scope) Own(t *Tensor, err error) *Tensor {
	if s.err == nil {
		s.err = err
	}
	if t != nil {
		s.owned = append(s.owned, t)
	}
	return t
}

// Keep takes the tensor from the scope.
func (s *Scope) Keep(t *Tensor) *Tensor {
	for i, owned := range s.owned {
		if owned == t {
			s.owned[i] = nil
		}
	}
	return t
}

// Err is the first error.
func (s *Scope) Err() error {
	return s.err
}

// Close frees the tensors of the scope.
func (s *Scope) Close() {
	for _, t := range s.owned {
		t.Free()
	}
	s.owned = nil
}

// --- what it is -------------------------------------------------------------------------------------------

// Type is the element type.
func (t *Tensor) Type() Type {
	return Type(C.at_type_scalarType(C.at_typeOf(t.raw()))) + 1
}

// Dim is the number of dimensions.
func (t *Tensor) Dim() int {
	return int(C.at_dim(t.raw()))
}

// Numel is the number of elements.
func (t *Tensor) Numel() int64 {
	return int64(C.at_numel(t.raw()))
}

func copied(ints C.at_ints) []int64 {
	if ints.count < 0 { // of an input of any number of dimensions
		return nil
	}
	list := make([]int64, int(ints.count))
	for i, value := range unsafe.Slice(ints.data, int(ints.count)) {
		list[i] = int64(value)
	}
	return list
}

// Sizes has the size of each dimension.
func (t *Tensor) Sizes() []int64 {
	defer runtime.KeepAlive(t)
	return copied(C.at_sizes(t.raw()))
}

// Strides has the step in memory of each dimension.
func (t *Tensor) Strides() []int64 {
	defer runtime.KeepAlive(t)
	return copied(C.at_strides(t.raw()))
}

// Value is the element of a tensor that has one.
func (t *Tensor) Value() (value Number, err error) {
	err = locked(func() {
		scalar := C.at_item(t.raw())
		if scalar.is_float {
			value = Float(float64(C.at_item_double(t.raw())))
		} else {
			value = Int(int64(C.thaten_integer(scalar)))
		}
	})
	runtime.KeepAlive(t)
	return value, err
}

// String is the text that PyTorch prints.
func (t *Tensor) String() string {
	text := C.at_toString(t.raw())
	runtime.KeepAlive(t)
	if text == nil {
		return "tensor(no memory for its text)"
	}
	defer C.at_string_free(text)
	return C.GoString(text)
}

// --- elements -----------------------------------------------------------------------------------------------

// Element is what elements are in Go.
type Element interface {
	uint8 | uint16 | uint32 | uint64 | int8 | int16 | int32 | int64 | float32 | float64 | complex64 | complex128
}

func typeOf[E Element]() Type {
	var zero E
	switch any(zero).(type) {
	case uint8:
		return Byte
	case uint16:
		return UInt16
	case uint32:
		return UInt32
	case uint64:
		return UInt64
	case int8:
		return Char
	case int16:
		return Short
	case int32:
		return Int32
	case int64:
		return Long
	case float32:
		return Float32
	case complex64:
		return ComplexFloat
	case complex128:
		return ComplexDouble
	}
	return Double
}

// FromSlice makes a tensor of a copy of the elements, in row-major order.
func FromSlice[E Element](elements []E, sizes ...int64) (*Tensor, error) {
	count := int64(1)
	for _, size := range sizes {
		if size < 0 || (size > 0 && count > math.MaxInt64/size) {
			count = -1
			break
		}
		count *= size
	}
	if count != int64(len(elements)) {
		return nil, argumentError("%d elements do not fill a tensor of sizes %v", len(elements), sizes)
	}
	if sizes == nil {
		sizes = []int64{}
	}
	t, err := Empty(sizes, EmptyOptions{Type: typeOf[E]()})
	if err == nil && len(elements) > 0 {
		copy(unsafe.Slice((*E)(C.at_data(t.raw())), len(elements)), elements)
	}
	runtime.KeepAlive(t)
	return t, err
}

// ToSlice copies the elements in row-major order, converted to the type.
func ToSlice[E Element](t *Tensor) ([]E, error) {
	s := NewScope()
	defer s.Close()
	plain := s.Own(s.Own(s.Own(t.Detach()).To(typeOf[E]())).Contiguous())
	if s.Err() != nil {
		return nil, s.Err()
	}
	elements := make([]E, plain.Numel())
	copy(elements, unsafe.Slice((*E)(C.at_data(plain.raw())), len(elements)))
	runtime.KeepAlive(plain)
	return elements, nil
}

// --- storages and generators --------------------------------------------------------------------------------

// Storage is the memory of a tensor.
type Storage struct {
	raw *C.at_storage
}

// Storage is the memory that the tensor is a view of.
func (t *Tensor) Storage() (*Storage, error) {
	s := &Storage{}
	err := locked(func() { s.raw = C.at_storageOf(t.raw()) })
	runtime.KeepAlive(t)
	if err != nil {
		return nil, err
	}
	runtime.SetFinalizer(s, func(s *Storage) { C.at_storage_release(s.raw) })
	return s, nil
}

// Generator draws random numbers.
type Generator struct {
	raw *C.at_generator
}

// NewGenerator makes a generator with that seed.
func NewGenerator(seed uint64) (*Generator, error) {
	g := &Generator{}
	if err := locked(func() { g.raw = C.at_generator_new(C.AT_BACKEND_CPU) }); err != nil {
		return nil, err
	}
	C.at_generator_manualSeed(g.raw, C.uint64_t(seed))
	weigh(64 << 10)
	runtime.SetFinalizer(g, func(g *Generator) { C.at_generator_free(g.raw) })
	return g, nil
}

// RandintOptions are options of Randint; what is left out has its default.
type RandintOptions struct {
	Type      Type
	Generator *Generator
}

// Randint draws integers from low to high - 1, of Long unless an option says otherwise.
func Randint(low, high int64, sizes []int64, options ...RandintOptions) (*Tensor, error) {
	o := RandintOptions{Type: Long}
	for _, given := range options {
		o.Generator = given.Generator
		if given.Type != 0 {
			o.Type = given.Type
		}
	}
	t, err := Empty(sizes, EmptyOptions{Type: o.Type})
	if err != nil {
		return nil, err
	}
	return t.RandomBetween_(low, high, RandomBetweenOptions{Generator: o.Generator})
}

// Item is the element of a tensor with one, converted to the type: thaten.Item[float64](loss).
func Item[E Element](t *Tensor) (item E, err error) {
	if count := t.Numel(); count != 1 {
		return item, argumentError("item: the tensor has %d elements", count)
	}
	elements, err := ToSlice[E](t)
	if err != nil {
		return item, err
	}
	return elements[0], nil
}

// ManualSeed seeds the generator that operations use if none is given.
func ManualSeed(seed uint64) {
	C.at_manualSeed(C.uint64_t(seed))
}
