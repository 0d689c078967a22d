// Package thaten has tensors with the operations of PyTorch, through libATen.
//
//	x, err := thaten.FromSlice([]float32{1, 2, 3, 4}, 2, 2)
//	y, err := x.Add(x, thaten.AddOptions{Alpha: thaten.Int(2)})
//
// Operations whose first argument is a tensor are methods of Tensor, others functions.  What has a default is a
// field of the operation's options, of which one value may be given; what is left out there has its default.
package thaten

//go:generate sh -c "d=/usr/local/share/th; [ -d $d ] || d=/usr/share/th; python3 generate $d/aten-ops.json . && python3 generate_layers $d/aten-api.json ."

// #cgo LDFLAGS: -lATen
// #include <stdlib.h>
// #include <ATen/ATenError.h>
// #include <ATen/ATenTable.h>
// static bool thaten_call(const at_op *op, const at_value *arguments, at_value *results)
// {
//   return op->call(arguments, results);
// }
// static const at_op *thaten_op(int i)
// {
//   return &at_ops[i];
// }
// static at_scalar thaten_scalar(bool isFloat, int64_t integer, double number)
// {
//   return isFloat ? at_scalar_double(number) : at_scalar_long(integer);
// }
import "C"

import (
	"fmt"
	"runtime"
	"unsafe"
)

// Kind says what is wrong with a call.
type Kind int

// The kinds of errors.
const (
	Argument Kind = C.AT_ERROR_ARGUMENT // a shape, index, range or value that the operation does not take
	BadType  Kind = C.AT_ERROR_TYPE     // an element type that it does not take
	Null     Kind = C.AT_ERROR_NULL     // a tensor is missing
	Runtime  Kind = C.AT_ERROR_RUNTIME  // anything else: no memory, a file, a singular matrix
)

// Error is an error of ATen.
type Error struct {
	Kind    Kind
	Message string
}

func (e *Error) Error() string {
	return e.Message
}

func argumentError(format string, values ...any) error {
	return &Error{Argument, fmt.Sprintf(format, values...)}
}

// Must is the result of a call that may not fail; it panics after an error: thaten.Must(x.Add(y)).
func Must[T any](result T, err error) T {
	Check(err)
	return result
}

// Must2 is Must of a call that has two results: values, indices := thaten.Must2(x.MaxDim(1)).
func Must2[A, B any](first A, second B, err error) (A, B) {
	Check(err)
	return first, second
}

// Try calls f, which uses Must, and returns the error that ended it. Meanwhile the goroutine stays in one thread, as one that
// computes gradients has to:
//
//	err := thaten.Try(func() {
//		loss := thaten.Must(thaten.Must(net.Forward(x)).MseLoss(y))
//		thaten.Check(loss.Backward())
//	})
func Try(f func()) (err error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	defer func() {
		switch reason := recover().(type) {
		case nil:
		case stop:
			err = reason.error
		default:
			panic(reason)
		}
	}()
	f()
	return nil
}

// Check is Must of a call that has an error and no result.
func Check(err error) {
	if err != nil {
		panic(stop{err})
	}
}

// What Must and Check panic with; Try takes no others.
type stop struct{ error }

// locked calls f and returns the error that ATen keeps for the thread, in which the goroutine stays meanwhile.
func locked(f func()) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	f()
	kind := C.at_error()
	if kind == C.AT_OK {
		return nil
	}
	err := &Error{Kind(kind), C.GoString(C.at_error_message())}
	C.at_error_clear()
	if own := takeFailure(); own != nil {
		if own.panics != nil {
			panic(own.panics)
		}
		return own.err
	}
	return err
}

var table = func() map[string]*C.at_op {
	if C.at_tableVersion != C.AT_TABLE_VERSION {
		panic("thaten: libATen has another version of its table than its headers")
	}
	rows := make(map[string]*C.at_op, int(C.at_opCount))
	for i := 0; i < int(C.at_opCount); i++ {
		op := C.thaten_op(C.int(i))
		rows[C.GoString(op.name)+"."+C.GoString(op.overload)] = op
	}
	return rows
}()

// call is a row of ATen's table and its arguments.  These are in memory of C, since they point to each other; what is
// zero there stands for the default.
type call struct {
	op        *C.at_op
	arguments []C.at_value
	results   []C.at_value
	owned     []unsafe.Pointer
	kept      []any // what finalizers have to leave alone until the call is over
}

func begin(name, overload string) *call {
	op := table[name+"."+overload]
	if op == nil {
		panic("thaten: libATen has no operation " + name + "." + overload)
	}
	c := &call{op: op}
	count := int(op.argumentCount + op.resultCount)
	memory := c.allocate(count, int(unsafe.Sizeof(C.at_value{})))
	values := unsafe.Slice((*C.at_value)(memory), count)
	c.arguments, c.results = values[:op.argumentCount], values[op.argumentCount:]
	return c
}

func (c *call) allocate(count, size int) unsafe.Pointer {
	if count == 0 {
		count = 1
	}
	memory := C.calloc(C.size_t(count), C.size_t(size))
	if memory == nil {
		panic("thaten: no memory for the arguments of a call")
	}
	c.owned = append(c.owned, memory)
	return memory
}

// --- arguments ------------------------------------------------------------------------------------------

func (c *call) tensor(i int, t *Tensor) {
	c.arguments[i].given = true
	c.arguments[i].tensor = t.raw()
	c.kept = append(c.kept, t)
}

func (c *call) optional(i int, t *Tensor) {
	if t != nil {
		c.tensor(i, t)
	}
}

func (c *call) scalar(i int, n Number) {
	if n.given {
		c.arguments[i].given = true
		c.arguments[i].scalar = C.thaten_scalar(C.bool(n.isFloat), C.int64_t(n.integer), C.double(n.number))
	}
}

func (c *call) long(i int, n Number) {
	if n.given {
		c.arguments[i].given = true
		c.arguments[i].integer = C.int64_t(n.toInt())
	}
}

func (c *call) double(i int, n Number) {
	if n.given {
		c.arguments[i].given = true
		c.arguments[i].number = C.double(n.toFloat())
	}
}

func (c *call) bool(i int, b Bool) {
	if b != 0 {
		c.arguments[i].given = true
		c.arguments[i].truth = b == True
	}
}

func (c *call) dtype(i int, t Type) {
	if t != 0 {
		c.arguments[i].given = true
		c.arguments[i]._type = t.raw()
	}
}

func (c *call) generator(i int, g *Generator) {
	if g != nil {
		c.arguments[i].given = true
		c.arguments[i].generator = g.raw
		c.kept = append(c.kept, g)
	}
}

func (c *call) storage(i int, s *Storage) {
	c.arguments[i].given = true
	if s != nil {
		c.arguments[i].storage = s.raw
		c.kept = append(c.kept, s)
	}
}

func (c *call) text(i int, word string) {
	if word != "" {
		c.arguments[i].given = true
		c.arguments[i].string = c.word(word)
	}
}

// The lists of options, where nil is one that is left out.
func (c *call) ints(i int, list []int64) {
	if list != nil {
		c.requiredInts(i, list)
	}
}

func (c *call) doubles(i int, list []float64) {
	if list != nil {
		c.requiredDoubles(i, list)
	}
}

func (c *call) tensors(i int, list []*Tensor) {
	if list != nil {
		c.requiredTensors(i, list)
	}
}

// intsOf is the list in memory of C.
func (c *call) intsOf(list []int64) C.at_ints {
	data := (*C.int64_t)(c.allocate(len(list), 8))
	for j, value := range list {
		unsafe.Slice(data, len(list))[j] = C.int64_t(value)
	}
	return C.at_ints{data: data, count: C.int(len(list))}
}

func (c *call) tensorsOf(list []*Tensor) C.at_tensors {
	data := (**C.at_tensor)(c.allocate(len(list), int(unsafe.Sizeof(uintptr(0)))))
	for j, t := range list {
		unsafe.Slice(data, len(list))[j] = t.raw()
	}
	c.kept = append(c.kept, list)
	return C.at_tensors{data: data, count: C.int(len(list))}
}

// listsOf is a list of C of lists of tensors.
func (c *call) listsOf(lists [][]*Tensor) *C.at_tensors {
	data := (*C.at_tensors)(c.allocate(len(lists), int(unsafe.Sizeof(C.at_tensors{}))))
	for i, list := range lists {
		unsafe.Slice(data, len(lists))[i] = c.tensorsOf(list)
	}
	return data
}

// word is the text in memory of C; one with a 0 inside is another word.
func (c *call) word(word string) *C.char {
	text := C.CString(word)
	c.owned = append(c.owned, unsafe.Pointer(text))
	return text
}

func (c *call) requiredInts(i int, list []int64) {
	c.arguments[i].given = true
	c.arguments[i].ints = c.intsOf(list)
}

func (c *call) requiredDoubles(i int, list []float64) {
	data := (*C.double)(c.allocate(len(list), 8))
	for j, value := range list {
		unsafe.Slice(data, len(list))[j] = C.double(value)
	}
	c.arguments[i].given = true
	c.arguments[i].doubles.data, c.arguments[i].doubles.count = data, C.int(len(list))
}

func (c *call) requiredTensors(i int, list []*Tensor) {
	c.arguments[i].given = true
	c.arguments[i].tensors = c.tensorsOf(list)
}

// --- results --------------------------------------------------------------------------------------------

func first(values []C.at_value) *C.at_value {
	if len(values) == 0 {
		return nil
	}
	return &values[0]
}

// run calls the operation and, where take is not nil, takes its results before their memory is freed.
func (c *call) run(take func(results []C.at_value)) error {
	err := locked(func() { C.thaten_call(c.op, first(c.arguments), &c.results[0]) })
	if err == nil && take != nil {
		take(c.results)
	}
	c.free()
	runtime.KeepAlive(c.kept)
	return err
}

func (c *call) free() {
	for _, memory := range c.owned {
		C.free(memory)
	}
}

func (c *call) same(t *Tensor) (*Tensor, error) {
	if err := c.run(nil); err != nil {
		return nil, err
	}
	return t, nil
}

func (c *call) one() (t *Tensor, err error) {
	err = c.run(func(results []C.at_value) { t = wrap(results[0].tensor) })
	return t, err
}

func (c *call) several(count int) ([]*Tensor, error) {
	list := make([]*Tensor, count)
	err := c.run(func(results []C.at_value) {
		for i := range list {
			list[i] = wrap(results[i].tensor)
		}
	})
	return list, err
}

func (c *call) list() (list []*Tensor, err error) {
	err = c.run(func(results []C.at_value) {
		list = retained(results[0].tensors)
		C.at_list_release(results[0].list)
	})
	return list, err
}

func (c *call) integer() (value int64, err error) {
	err = c.run(func(results []C.at_value) { value = int64(results[0].integer) })
	return value, err
}

func (c *call) truth() (value bool, err error) {
	err = c.run(func(results []C.at_value) { value = bool(results[0].truth) })
	return value, err
}
