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

func (c *cube) Forward(inputs ...*Tensor) (*Tensor, error) {
	if c.x = inputs[0]; c.fails {
		return nil, errors.New("no cube")
	}
	return c.x.PowScalar(Int(3))
}

func (c *cube) Backward(grad *Tensor) ([]*Tensor, error) {
	square, err := c.x.Mul(c.x)
	if err != nil || number(grad) == 7 {
		return nil, err
	}
	product, err := times(square, 30).Mul(grad)
	return []*Tensor{product, nil}, err
}

func TestFunctions(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	x := leaf(2)
	y := must(Apply(&cube{}, x, of(1)))
	if number(y) != 8 || !y.WantsGrad() {
		t.Error(y)
	}
	check(t, y.Backward())
	if number(x.Grad()) != 120 {
		t.Error(x.Grad())
	}
	fails(t, times(must(Apply(&cube{}, x, of(1))), 7).Backward(), "0 gradients for 2")
	if _, err := Apply(&cube{fails: true}, x); err == nil || err.Error() != "no cube" {
		t.Error(err)
	}
	_, err := Apply(nil, x)
	fails(t, err, "nil")
	if must(Apply(&cube{}, of(3))).WantsGrad() {
		t.Error("a gradient of what wants none")
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
