package thaten

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func of(elements ...float32) *Tensor {
	return must(FromSlice(elements, int64(len(elements))))
}

// equal compares the elements, as text.
func equal(t *testing.T, got *Tensor, want ...float64) {
	t.Helper()
	elements := must(ToSlice[float64](got))
	if fmt.Sprint(elements) != fmt.Sprint(want) {
		t.Errorf("%v for %v", elements, want)
	}
}

func fails(t *testing.T, err error, words string) {
	t.Helper()
	var mine *Error
	if err == nil || !errors.As(err, &mine) || !strings.Contains(err.Error(), words) {
		t.Errorf("%v for an error with %q", err, words)
	}
}

func TestConversions(t *testing.T) {
	x := must(FromSlice([]int64{1, 1<<63 - 1, -1 << 63}, 3, 1))
	if x.Type() != Long || fmt.Sprint(x.Sizes(), x.Strides(), x.Dim(), x.Numel()) != "[3 1] [1 1] 2 3" {
		t.Error(x.Type(), x.Sizes(), x.Strides())
	}
	if fmt.Sprint(must(ToSlice[int64](x))) != "[1 9223372036854775807 -9223372036854775808]" {
		t.Error(x)
	}
	if must(must(FromSlice([]float64{2.5})).Value()) != Float(2.5) || must(must(x.Select(0, 1)).Value()) != Int(1<<63-1) {
		t.Error("values")
	}
	if len(must(ToSlice[uint8](must(FromSlice([]uint8{}, 0, 3))))) != 0 {
		t.Error("an empty tensor")
	}
	for _, sizes := range [][]int64{{2}, {-1}, {1 << 62, 1 << 62}, {0}} {
		_, err := FromSlice([]float32{1}, sizes...)
		fails(t, err, "do not fill")
	}
	if of(1.5, -2).String() != "tensor([ 1.5000, -2.0000])" {
		t.Error(of(1.5, -2).String())
	}
}

func TestOperations(t *testing.T) {
	x, y := of(5, -7, 9), of(2, 4, -4)
	equal(t, must(x.Add(y)), 7, -3, 5)
	equal(t, must(x.Add(y, AddOptions{Alpha: Int(10)})), 25, 33, -31)
	equal(t, must(x.MulScalar(Float(0.5))), 2.5, -3.5, 4.5)
	values, indices, err := must(FromSlice([]float32{1, 3, 5, 2}, 2, 2)).MaxDim(1)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, values, 3, 5)
	equal(t, indices, 1, 0)
	if len(must(x.Split(2))) != 2 || must(Cat([]*Tensor{x, y})).Numel() != 6 || !must(x.Equal(must(x.Clone()))) {
		t.Error("lists")
	}
	ones := must(Ones([]int64{1, 1, 5}))
	equal(t, must(ones.Conv1d(must(Ones([]int64{1, 1, 3})), Conv1dOptions{Padding: []int64{1}})), 2, 3, 3, 3, 2)
	kept := must(x.Clone())
	if must(kept.Mul_(y)) != kept {
		t.Error("in place")
	}
	equal(t, kept, 10, -28, -36)
	out := must(Empty([]int64{0}))
	if err := AddOut(out, x, y); err != nil {
		t.Error(err)
	}
	equal(t, out, 7, -3, 5)
	ManualSeed(3)
	drawn := must(ToSlice[float64](must(Rand([]int64{3}))))
	equal(t, must(Rand([]int64{3}, RandOptions{Generator: must(NewGenerator(3))})), drawn...)
}

func TestErrors(t *testing.T) {
	_, err := of(1, 2).Add(of(1, 2, 3))
	fails(t, err, "add")
	if err.(*Error).Kind != Argument {
		t.Error(err.(*Error).Kind)
	}
	_, err = of(1, 2).Value()
	fails(t, err, "element")
	_, err = of(1).Add(nil)
	fails(t, err, "add")
	_, err = of(1).Gelu(GeluOptions{Approximate: "nothing"})
	fails(t, err, "gelu")
	_, err = Load("nothing.pt")
	fails(t, err, "nothing.pt")
	_, err = Load("no\x00thing")
	fails(t, err, "0 inside")
	_, err = LoadProgram("nothing.pt2")
	fails(t, err, "nothing.pt2")
	fails(t, of(1).Backward(), "")
	freed := of(1)
	freed.Free()
	freed.Free()
	_, err = freed.Neg()
	fails(t, err, "neg")
	equal(t, must(of(1).Neg()), -1) // no error is left
}

func TestScopes(t *testing.T) {
	s := NewScope()
	x := s.Own(of(1, 2), nil)
	y := s.Keep(s.Own(s.Own(x.Mul(x)).Sum()))
	if s.Err() != nil {
		t.Error(s.Err())
	}
	s.Own(s.Own(x.Add(of(1, 2, 3))).Neg())
	fails(t, s.Err(), "add")
	s.Close()
	if x.pointer != nil {
		t.Error("the scope has not freed its tensor")
	}
	equal(t, y, 5)
}

func TestGradients(t *testing.T) {
	// (w * a).sum() ^ 2 has the gradient 2 * (w * a).sum() * a
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	w, a := must(of(1, 2).RequiresGrad()), of(3, -1)
	if !w.WantsGrad() || w.Grad() != nil {
		t.Error("a leaf")
	}
	loss := must(must(must(w.Mul(a)).Sum()).Square())
	if err := loss.BackwardFrom(nil, true); err != nil {
		t.Fatal(err)
	}
	equal(t, w.Grad(), 6, -2)
	if err := loss.Backward(); err != nil {
		t.Fatal(err)
	}
	equal(t, w.Grad(), 12, -4)
	if w.SetGrad(nil) != nil || w.Grad() != nil {
		t.Error("the gradient stays")
	}
	NoGrad(func() {
		if must(w.Neg()).WantsGrad() {
			t.Error("recorded")
		}
	})
	if !must(w.Neg()).WantsGrad() {
		t.Error("not recorded")
	}
	square := must(Ones([]int64{2, 2}))
	for _, lower := range []Type{BFloat16, Half, Float32} {
		check(t, Autocast(lower, func() {
			if product := must(square.Mm(square)); product.Type() != lower {
				t.Error(product.Type(), lower)
			}
		}))
	}
	fails(t, Autocast(Double, func() { t.Error("ran") }), "Double")
	if must(square.Mm(square)).Type() != Float32 {
		t.Error("autocast stays")
	}
}

func TestFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.safetensors")
	if err := Save(path, map[string]*Tensor{"net.w": of(1, 2), "a": of(3)}); err != nil {
		t.Fatal(err)
	}
	loaded := must(Load(path))
	equal(t, loaded["net.w"], 1, 2)
	equal(t, loaded["a"], 3)
	path = filepath.Join(t.TempDir(), "x.npy")
	check(t, SaveNpy(path, of(4, 5)))
	equal(t, must(LoadNpy(path)), 4, 5)
	_, err := LoadNpy("nothing.npy")
	fails(t, err, "nothing.npy")
}

// storedList is the list of that input or output in a file.
func storedList(data map[string]*Tensor, word string, i int) []*Tensor {
	list := []*Tensor{}
	for data[fmt.Sprintf("%s%d.%d", word, i, len(list))] != nil {
		list = append(list, data[fmt.Sprintf("%s%d.%d", word, i, len(list))])
	}
	return list
}

func TestLists(t *testing.T) {
	path := filepath.Join(os.Getenv("TH_GOLDEN"), "programs", "onnx", "listed")
	net, data := must(LoadProgram(path+".onnx")), must(Load(path+".npz"))
	var inputs [][]*Tensor
	named := map[string][]*Tensor{}
	for i, input := range net.Inputs() {
		inputs = append(inputs, storedList(data, "input", i))
		named[input.Name] = inputs[i]
		if input.IsList != (i != 2) || input.MayMiss != (i >= 2) {
			t.Error(input)
		}
	}
	outputs, byName := must(net.RunLists(inputs...)), must(net.RunNamed(named))
	for i, output := range net.Outputs() {
		want := storedList(data, "output", i)
		for _, got := range [][]*Tensor{outputs[i], byName[output.Name]} {
			if len(got) != len(want) || output.IsList != (i != 3 && i != 5) {
				t.Fatal(output, got, want)
			}
			for k := range want {
				if !must(got[k].Equal(want[k])) {
					t.Error(output, k, got[k], want[k])
				}
			}
		}
	}
	without := must(net.RunNamed(map[string][]*Tensor{"parts": {of(1), of(1, 1)}, "others": {of(0), of(1)}}))
	if without["kept"][0] != nil || len(without["chosen"]) != 0 || len(without["mapped"]) != 2 {
		t.Error(without)
	}
	equal(t, without["count"][0], 0)
	_, err := net.RunNamed(map[string][]*Tensor{"ys": {of(1)}})
	fails(t, err, "none of the program's")
	_, err = net.RunLists(inputs[0])
	fails(t, err, "")
	_, err = net.RunLists(inputs[0], inputs[1], inputs[0], inputs[3])
	fails(t, err, "is a list of 3 tensors")
}

func TestPrograms(t *testing.T) {
	paths, _ := filepath.Glob(filepath.Join(os.Getenv("TH_GOLDEN"), "programs", "*.pt2"))
	if len(paths) < 10 {
		t.Fatal(paths)
	}
	for _, path := range paths {
		if base := filepath.Base(path); base == "own.pt2" || strings.HasPrefix(base, "accumulated") { // they call operations of their own
			continue
		}
		net, data := must(LoadProgram(path)), must(Load(strings.TrimSuffix(path, "pt2")+"npz"))
		var inputs []*Tensor
		for i := range net.Inputs() {
			inputs = append(inputs, data[fmt.Sprintf("input%d", i)])
		}
		count := 0
		ManualSeed(3) // of the one that draws
		for _, output := range must(net.Run(inputs...)) {
			if output == nil { // None is not stored
				continue
			}
			want := must(data[fmt.Sprintf("output%d", count)].To(Double))
			if !must(must(output.To(Double)).Allclose(want, AllcloseOptions{Rtol: Float(1e-4), Atol: Float(1e-4)})) {
				t.Errorf("%s: %v for %v", path, output, want)
			}
			count++
		}
		if data[fmt.Sprintf("output%d", count)] != nil {
			t.Errorf("%s has more outputs", path)
		}
		_, err := net.Run()
		fails(t, err, "")
		if net.String() == "" {
			t.Error("no text")
		}
	}
}

// The kilobytes of memory that this process has.
func resident() (pages int64) {
	var size int64
	fmt.Sscan(string(must(os.ReadFile("/proc/self/statm"))), &size, &pages)
	return pages * 4
}

func TestNothingLeaks(t *testing.T) {
	x, w := must(Rand([]int64{64, 64})), must(must(Rand([]int64{64, 64})).RequiresGrad())
	net := must(LoadProgram(filepath.Join(os.Getenv("TH_GOLDEN"), "programs", "tiny.pt2")))
	input := must(Rand([]int64{2, 3}))
	round := func() {
		s := NewScope()
		defer s.Close()
		s.Own(s.Own(x.Mul(w)).Sum()).Backward()
		s.Own(x.Gelu(GeluOptions{Approximate: "tanh"}))
		must(x.Split(16))     // the collector's
		must(x.Neg())         // the collector's
		x.View([]int64{7})    // an error
		must(net.Run(input))  // the collector's
		must(NewGenerator(1)) // the collector's
		must(x.Storage())     // the collector's
	}
	for i := 0; i < 2000; i++ {
		round()
	}
	runtime.GC()
	before := resident()
	for i := 0; i < 10000; i++ {
		round()
	}
	runtime.GC()
	// One tensor of 16 KB in each round would be 160,000 KB, two of them 320,000.
	if grown := resident() - before; grown > 100*1024 {
		t.Errorf("%d KB", grown)
	}
}

func TestTry(t *testing.T) {
	err := Try(func() {
		Must(of(1, 2).Add(of(1, 2, 3)))
		t.Error("went on")
	})
	var own *Error
	if !errors.As(err, &own) || own.Kind != Argument {
		t.Error(err)
	}
	if err := Try(func() { Check(nil) }); err != nil {
		t.Error(err)
	}
	defer func() {
		if recover() != "other" {
			t.Error("another panic was taken")
		}
	}()
	Try(func() { panic("other") })
}
