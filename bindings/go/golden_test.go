package thaten

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// The cases of tests/golden/aten, whose format tests/ATen/table/cases.h describes.

// value is an argument or a result; its default is nil.
type value struct {
	is any
}

type none struct{}

func (v value) tensor() *Tensor {
	t, _ := v.is.(*Tensor)
	return t
}

func (v value) tensors() []*Tensor {
	list, _ := v.is.([]*Tensor)
	return list
}

func (v value) ints() []int64 {
	list, _ := v.is.([]int64)
	return list
}

func (v value) doubles() []float64 {
	list, _ := v.is.([]float64)
	return list
}

func (v value) number() Number {
	n, _ := v.is.(Number)
	return n
}

func (v value) bool() Bool {
	if v.is == nil {
		return 0
	}
	return boolOf(v.truth())
}

func (v value) dtype() Type {
	t, _ := v.is.(Type)
	return t
}

func (v value) generator() *Generator {
	g, _ := v.is.(*Generator)
	return g
}

func (v value) text() string {
	word, _ := v.is.(string)
	return word
}

func (v value) integer() int64  { return v.number().Int64() }
func (v value) double() float64 { return v.number().Float64() }
func (v value) truth() bool     { return v.integer() != 0 }

var typesByName = map[string]Type{"Byte": Byte, "Char": Char, "Short": Short, "Int": Int32, "Long": Long, "Float": Float32,
	"Double": Double, "Half": Half, "Bool": BoolType, "BFloat16": BFloat16}

func must[T any](result T, err error) T {
	return Must(result, err)
}

func numberOf(word string) Number {
	if i, err := strconv.ParseInt(word, 10, 64); err == nil {
		return Int(i)
	}
	return Float(must(strconv.ParseFloat(strings.Replace(word, "-nan", "nan", 1), 64)))
}

// Whether the elements are none that Go's slices make or read: complex ones, and integers beyond its own.
func isFurther(text string) bool {
	return strings.Contains(text, "Complex") || strings.Contains(text, "UInt")
}

func tensorOf(words []string) *Tensor {
	if isFurther(words[0]) {
		return nil
	}
	wanted, dims := typesByName[words[0]], must(strconv.Atoi(words[1]))
	sizes := []int64{}
	for _, word := range words[2 : 2+dims] {
		sizes = append(sizes, must(strconv.ParseInt(word, 10, 64)))
	}
	elements := words[3+dims:]
	if wanted.IsFloating() {
		numbers := make([]float64, len(elements))
		for i, word := range elements {
			numbers[i] = numberOf(word).Float64()
			if word == "-nan" {
				numbers[i] = math.Copysign(numbers[i], -1)
			}
		}
		return must(must(FromSlice(numbers, sizes...)).To(wanted))
	}
	numbers := make([]int64, len(elements))
	for i, word := range elements {
		numbers[i] = must(strconv.ParseInt(word, 10, 64))
	}
	return must(must(FromSlice(numbers, sizes...)).To(wanted))
}

type storedCase struct {
	name              string
	line              int
	arguments, wanted []value
	isError           bool
	isLeftOut         bool
	within            float64
}

type reader struct {
	lines []string
	at    int
}

func (r *reader) value(words []string) value {
	switch words[0] {
	case "tensor":
		return value{tensorOf(words[1:])}
	case "tensors", "list":
		list := make([]*Tensor, must(strconv.Atoi(words[1])))
		for i := range list {
			r.at++
			list[i] = r.value(strings.Fields(r.lines[r.at-1])).tensor()
		}
		return value{list}
	case "none", "undefined":
		return value{none{}}
	case "default":
		return value{nil}
	case "type":
		return value{typesByName[words[1]]}
	case "seed":
		return value{must(NewGenerator(must(strconv.ParseUint(words[1], 10, 64))))}
	case "ints":
		list := []int64{}
		for _, word := range words[2:] {
			list = append(list, must(strconv.ParseInt(word, 10, 64)))
		}
		return value{list}
	case "doubles":
		list := []float64{}
		for _, word := range words[2:] {
			list = append(list, numberOf(word).Float64())
		}
		return value{list}
	case "text":
		return value{strings.Join(words[1:], " ")}
	case "bool", "long", "double", "scalar":
		return value{numberOf(words[1])}
	}
	return value{tensorOf(words)}
}

func (r *reader) cases() []*storedCase {
	var list []*storedCase
	var last *storedCase
	for r.at < len(r.lines) {
		words := strings.Fields(r.lines[r.at])
		r.at++
		if len(words) == 0 {
			continue
		}
		switch words[0] {
		case "case":
			last = &storedCase{name: words[1], line: r.at}
			if !strings.Contains(last.name, ".") {
				last.name += "."
			}
			for i := r.at; i < len(r.lines) && !strings.HasPrefix(r.lines[i], "case "); i++ {
				last.isLeftOut = last.isLeftOut || isFurther(r.lines[i])
			}
			list = append(list, last)
		case "#", "strides":
		case "error":
			last.isError = true
		case "within":
			last.within = numberOf(words[1]).Float64()
		case "want":
			last.wanted = append(last.wanted, r.value(words[1:]))
		default:
			last.arguments = append(last.arguments, r.value(words))
		}
	}
	return list
}

// --- comparing --------------------------------------------------------------------------------------------

func near(a, b, units float64) bool {
	return a == b || (math.IsNaN(a) && math.IsNaN(b)) || math.Abs(a-b) <= units*math.Max(1, math.Abs(b))
}

func sameTensor(got, want *Tensor, units float64) bool {
	if got == nil || got.Type() != want.Type() || fmt.Sprint(got.Sizes()) != fmt.Sprint(want.Sizes()) {
		return false
	}
	if !want.Type().IsFloating() {
		return fmt.Sprint(must(ToSlice[int64](got))) == fmt.Sprint(must(ToSlice[int64](want)))
	}
	a, b := must(ToSlice[float64](got)), must(ToSlice[float64](want))
	for i := range a {
		if !near(a[i], b[i], units) {
			return false
		}
	}
	return true
}

func same(got any, want value, units float64) bool {
	switch want := want.is.(type) {
	case none:
		t, isTensor := got.(*Tensor)
		return isTensor && t == nil
	case *Tensor:
		t, isTensor := got.(*Tensor)
		return isTensor && sameTensor(t, want, units)
	case []*Tensor:
		list, isList := got.([]*Tensor)
		if !isList || len(list) != len(want) {
			return false
		}
		for i := range list {
			if !sameTensor(list[i], want[i], units) {
				return false
			}
		}
		return true
	case Number:
		if truth, isBool := got.(bool); isBool {
			return truth == (want.Int64() != 0)
		}
		return got.(int64) == want.Int64()
	}
	return false
}

func (c *storedCase) tolerance() float64 {
	if c.within != 0 {
		return c.within
	}
	most := 0.0
	for _, v := range append(append([]value{}, c.arguments...), c.wanted...) {
		if t := v.tensor(); t != nil {
			units := map[Type]float64{Double: math.Pow(2, -49), Half: math.Pow(2, -10), BFloat16: math.Pow(2, -7)}[t.Type()]
			if units == 0 {
				units = math.Pow(2, -22)
			}
			most = math.Max(most, units)
		}
	}
	if most == 0 {
		return math.Pow(2, -49)
	}
	return most
}

func TestStoredCases(t *testing.T) {
	paths, _ := filepath.Glob(filepath.Join(os.Getenv("TH_GOLDEN"), "aten", "*.txt"))
	called, names := 0, map[string]bool{}
	for _, path := range paths {
		text := string(must(os.ReadFile(path)))
		for _, c := range (&reader{lines: strings.Split(strings.TrimSpace(text), "\n")}).cases() {
			function := storedCalls[c.name]
			if function == nil || c.isLeftOut {
				continue
			}
			called++
			names[c.name] = true
			got, err := function(c.arguments)
			switch {
			case err != nil && !c.isError:
				t.Errorf("%s:%d %s: %v", path, c.line, c.name, err)
			case err == nil && c.isError:
				t.Errorf("%s:%d %s: no error", path, c.line, c.name)
			case err == nil:
				for i, want := range c.wanted {
					if !same(got[i], want, c.tolerance()) {
						t.Errorf("%s:%d %s: %v for %v", path, c.line, c.name, got[i], want.is)
					}
				}
			}
		}
	}
	t.Logf("%d cases of %d forms", called, len(names))
	if len(names) < 1200 {
		t.Errorf("only %d forms", len(names))
	}
}
