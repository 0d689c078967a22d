package thaten

import (
	"errors"
	"math"
	"path/filepath"
	"runtime"
	"testing"
)

func number(t *Tensor) float64 {
	return must(t.Value()).Float64()
}

func leaf(elements ...float32) *Tensor {
	return must(of(elements...).RequiresGrad())
}

func times(t *Tensor, factor float64) *Tensor {
	return must(t.MulScalar(Float(factor)))
}

// y = 3 x sees the gradient 2 and makes it 20.
func TestHooks(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	x, seen := leaf(1), 0.0
	y := times(x, 3)
	hook := must(y.RegisterHook(func(grad *Tensor) (*Tensor, error) {
		seen = number(grad)
		return times(grad, 10), nil
	}))
	check(t, times(y, 2).BackwardFrom(nil, true))
	if seen != 2 || number(x.Grad()) != 60 {
		t.Error(seen, x.Grad())
	}
	check(t, hook.Remove())
	check(t, hook.Remove())
	check(t, times(y, 2).Backward())
	if number(x.Grad()) != 66 {
		t.Error(x.Grad())
	}
	own := errors.New("own")
	hook = must(x.RegisterHook(func(*Tensor) (*Tensor, error) { return nil, own }))
	if err := times(x, 2).Backward(); err != own {
		t.Error(err)
	}
	check(t, hook.Remove())
	hook = must(x.RegisterHook(func(*Tensor) (*Tensor, error) { panic("seven") }))
	func() {
		defer func() {
			if recover() != "seven" {
				t.Error("no panic")
			}
		}()
		_ = times(x, 2).Backward()
	}()
	check(t, hook.Remove())
	if number(x.Grad()) != 66 {
		t.Error(x.Grad())
	}
	// one that removes itself and the one behind it
	var first, next *Hook
	z := times(x, 1)
	first = must(z.RegisterHook(func(grad *Tensor) (*Tensor, error) {
		check(t, first.Remove())
		return times(grad, 2), next.Remove()
	}))
	next = must(z.RegisterHook(func(grad *Tensor) (*Tensor, error) { return times(grad, 100), nil }))
	for _, expected := range []float64{68, 69} {
		check(t, z.BackwardFrom(nil, true))
		if number(x.Grad()) != expected {
			t.Error(x.Grad())
		}
	}
	_, err := of(1).RegisterHook(func(*Tensor) (*Tensor, error) { return nil, nil })
	fails(t, err, "gradient")
}

// cube's backward says 10 times its gradient.
type cube struct {
	x     *Tensor
	fails bool
}

func (c *cube) Forward(inputs ...*Tensor) ([]*Tensor, error) {
	if c.x = inputs[0]; c.fails {
		return nil, errors.New("no cube")
	}
	made, err := c.x.PowScalar(Int(3))
	return []*Tensor{made}, err
}

func (c *cube) Backward(grads ...*Tensor) ([]*Tensor, error) {
	square, err := c.x.Mul(c.x)
	if err != nil || number(grads[0]) == 7 {
		return nil, err
	}
	product, err := times(square, 30).Mul(grads[0])
	return []*Tensor{product, nil}, err
}

func TestFunctions(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	x := leaf(2)
	y := must(Apply(&cube{}, x, of(1)))[0]
	if number(y) != 8 || !y.WantsGrad() {
		t.Error(y)
	}
	check(t, y.Backward())
	if number(x.Grad()) != 120 {
		t.Error(x.Grad())
	}
	fails(t, times(must(Apply(&cube{}, x, of(1)))[0], 7).Backward(), "0 gradients for 2")
	if _, err := Apply(&cube{fails: true}, x); err == nil || err.Error() != "no cube" {
		t.Error(err)
	}
	_, err := Apply(nil, x)
	fails(t, err, "nil")
	if must(Apply(&cube{}, of(3)))[0].WantsGrad() {
		t.Error("a gradient of what wants none")
	}
}

// several is x x, the order of x, x y and x / 2 in Double, and counts the gradients that reach them.
type several struct {
	x, y    *Tensor
	reached [4]int
}

func (s *several) Forward(inputs ...*Tensor) ([]*Tensor, error) {
	s.x, s.y = inputs[0], inputs[1]
	order, half := must(s.x.Argsort()), must(times(s.x, 0.5).To(Double))
	return []*Tensor{must(s.x.Mul(s.x)), order, must(s.x.Mul(s.y)), half}, nil
}

func (s *several) Backward(grads ...*Tensor) ([]*Tensor, error) {
	for i, grad := range grads {
		if grad != nil {
			s.reached[i]++
		}
	}
	ofX, ofY := times(s.x, 0), (*Tensor)(nil)
	if grads[0] != nil {
		ofX = must(ofX.Add(must(times(s.x, 2).Mul(grads[0]))))
	}
	if grads[2] != nil {
		ofX, ofY = must(ofX.Add(must(s.y.Mul(grads[2])))), must(s.x.Mul(grads[2]))
	}
	if grads[3] != nil {
		ofX = must(ofX.Add(must(times(grads[3], 0.5).To(Float32))))
	}
	return []*Tensor{ofX, ofY}, nil
}

// d/dx (x x) = 2 x, d/dx (x y) = y, d/dy (x y) = x, d/dx (x / 2) = 0.5.
func TestSeveralResults(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	function, x, y := &several{}, leaf(2, -3), leaf(5, 7)
	made := must(Apply(function, x, y))
	equal(t, made[0], 4, 9)
	equal(t, made[1], 1, 0)
	equal(t, made[2], 10, -21)
	equal(t, made[3], 1, -1.5)
	if len(made) != 4 || made[1].Type() != Long || made[3].Type() != Double || !made[0].WantsGrad() || made[1].WantsGrad() || !made[3].WantsGrad() {
		t.Error(made)
	}
	check(t, must(made[3].Sum()).BackwardFrom(nil, true))
	equal(t, x.Grad(), 0.5, 0.5)
	if y.Grad() != nil || function.reached != [4]int{0, 0, 0, 1} {
		t.Error(y.Grad(), function.reached)
	}
	check(t, must(must(made[0].Sum()).Add(times(must(made[2].Sum()), 10))).Backward())
	equal(t, x.Grad(), 0.5+4+50, 0.5-6+70)
	equal(t, y.Grad(), 20, -30)
	if function.reached != [4]int{1, 0, 1, 1} {
		t.Error(function.reached)
	}
}

// by is a function by what it does.
type by struct {
	forward, backward func(list ...*Tensor) ([]*Tensor, error)
}

func (b by) Forward(inputs ...*Tensor) ([]*Tensor, error) { return b.forward(inputs...) }
func (b by) Backward(grads ...*Tensor) ([]*Tensor, error) { return b.backward(grads...) }

// 3 x is doubled in place, is a result beside the other input, and has the gradient 3 * 2.
func TestResultsThatAreInputs(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	double := by{func(inputs ...*Tensor) ([]*Tensor, error) {
		_, err := inputs[0].MulScalar_(Int(2))
		return inputs, err
	}, func(grads ...*Tensor) ([]*Tensor, error) {
		return []*Tensor{times(grads[0], 2), grads[1]}, nil
	}}
	x, w := leaf(2, -3), leaf(1, 1)
	z := times(x, 3)
	made := must(Apply(double, z, w))
	if made[0].raw() != z.raw() || made[1].raw() == w.raw() || !made[1].WantsGrad() {
		t.Error(made)
	}
	equal(t, z, 12, -18)
	check(t, must(must(z.Sum()).Add(times(must(made[1].Sum()), 4))).Backward())
	equal(t, x.Grad(), 6, 6)
	equal(t, w.Grad(), 4, 4)
	_, err := Apply(double, w, x)
	fails(t, err, "leaf")
}

func TestWrongFunctions(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	x := leaf(1, 1)
	for words, forward := range map[string]func(...*Tensor) ([]*Tensor, error){
		"Forward returned 257 tensors": func(...*Tensor) ([]*Tensor, error) { return make([]*Tensor, 257), nil },
		"returned 0":                   func(...*Tensor) ([]*Tensor, error) { return nil, nil },
		"not stored result 1 of 2":     func(inputs ...*Tensor) ([]*Tensor, error) { return []*Tensor{inputs[0], nil}, nil },
		"inside":                       func(...*Tensor) ([]*Tensor, error) { return nil, argumentError("inside") },
	} {
		made, err := Apply(by{forward, nil}, x)
		fails(t, err, words)
		if made != nil {
			t.Error(made)
		}
	}
	two := func(inputs ...*Tensor) ([]*Tensor, error) {
		return []*Tensor{times(inputs[0], 1), times(inputs[0], 2)}, nil
	}
	for words, backward := range map[string]func(...*Tensor) ([]*Tensor, error){
		"2 gradients for 1 inputs":    func(grads ...*Tensor) ([]*Tensor, error) { return grads, nil },
		"0 gradients for 1 inputs":    func(...*Tensor) ([]*Tensor, error) { return nil, nil },
		"of another size than the op": func(...*Tensor) ([]*Tensor, error) { return []*Tensor{of(1, 2, 3)}, nil },
		"inside":                      func(...*Tensor) ([]*Tensor, error) { return nil, argumentError("inside") },
	} {
		fails(t, must(must(Apply(by{two, backward}, x))[1].Sum()).Backward(), words)
	}
	for _, panics := range []func(){
		func() { _, _ = Apply(by{func(...*Tensor) ([]*Tensor, error) { panic("six") }, nil}, x) },
		func() {
			made := must(Apply(by{two, func(...*Tensor) ([]*Tensor, error) { panic("six") }}, x))
			_ = must(made[0].Sum()).Backward()
		},
	} {
		func() {
			defer func() {
				if recover() != "six" {
					t.Error("no panic")
				}
			}()
			panics()
		}()
	}
	if x.Grad() != nil {
		t.Error(x.Grad())
	}
}

// Of w = 1 with the gradient 3, a step of 0.1 is one to 0.7, and none where the gradient is infinite.
func TestScaler(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	w := leaf(1)
	sgd := must(NewSgd([]*Tensor{w}, SgdOptions{Lr: Float(0.1)}))
	scaler := NewScaler(ScalerOptions{InitScale: Int(8), GrowthInterval: Int(1)})
	step := func(factor float64) {
		check(t, sgd.ZeroGrad())
		check(t, must(scaler.Scale(times(w, factor))).Backward())
	}
	step(3)
	if number(w.Grad()) != 24 {
		t.Error(w.Grad())
	}
	check(t, scaler.Unscale(sgd))
	if number(w.Grad()) != 3 {
		t.Error(w.Grad())
	}
	fails(t, scaler.Unscale(sgd), "unscale")
	for i, want := range []float64{16, 8} {
		if i == 1 {
			step(math.Inf(1))
		}
		check(t, scaler.Step(sgd))
		check(t, scaler.Update())
		if math.Abs(number(w)-0.7) > 1e-6 || scaler.GetScale() != want {
			t.Error(w, scaler.GetScale())
		}
	}
	path, other := filepath.Join(t.TempDir(), "scaler.pt"), NewScaler()
	check(t, scaler.Save(path))
	check(t, other.Load(path))
	if other.GetScale() != 8 || NewScaler().GetScale() != 65536 {
		t.Error(other.GetScale())
	}
}

// Packed sequences give what each sequence gives alone.
func TestPackedSequences(t *testing.T) {
	ManualSeed(3)
	lstm := must(NewLSTM(2, 3))
	var sequences []*Tensor
	for _, length := range []int64{4, 2, 3} {
		sequences = append(sequences, must(Rand([]int64{length, 2})))
	}
	padded := must(PadSequence(sequences))
	data, sizes, sorted, unsorted, err := PackPaddedSequence(padded, must(FromSlice([]int64{4, 2, 3}, 3)),
		PackPaddedSequenceOptions{EnforceSorted: False})
	check(t, err)
	equal(t, sizes, 3, 3, 2, 1)
	equal(t, sorted, 0, 2, 1)
	output, h, _, err := lstm.LSTMForwardPacked(data, sizes, LSTMForwardPackedOptions{UnsortedIndices: unsorted})
	check(t, err)
	output, counts, err := PadPackedSequence(output, sizes, PadPackedSequenceOptions{UnsortedIndices: unsorted})
	check(t, err)
	equal(t, counts, 4, 2, 3)
	for i, sequence := range sequences {
		alone, last, _, err := lstm.LSTMForward(must(sequence.Unsqueeze(1)))
		check(t, err)
		part := must(must(output.Select(1, int64(i))).Narrow(0, 0, sequence.Sizes()[0]))
		if !must(part.Allclose(must(alone.SqueezeDim(1)))) || !must(must(h.Select(1, int64(i))).Allclose(must(last.SqueezeDim(1)))) {
			t.Error(i)
		}
	}
	_, _, _, err = must(NewGRU(2, 3)).LSTMForwardPacked(data, sizes)
	fails(t, err, "LSTM")
	if gain, err := InitGain("relu"); err != nil || math.Abs(gain-math.Sqrt2) > 1e-12 {
		t.Error(gain, err)
	}
}
