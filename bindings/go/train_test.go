package thaten

import (
	"fmt"
	"math"
	"path/filepath"
	"runtime"
	"testing"
)

func smallNet() *Module {
	return must(NewSequential(must(NewLinear(3, 4)), must(NewTanh()), must(NewLinear(4, 1, LinearConfig{Bias: False}))))
}

// The losses are PyTorch's from the same seed.
func TestTraining(t *testing.T) {
	runtime.LockOSThread() // gradients are recorded by thread
	defer runtime.UnlockOSThread()
	ManualSeed(5)
	net := smallNet()
	adam := must(NewAdam(must(net.Parameters()), AdamOptions{Lr: Float(0.1), Beta1: Float(0.8)}))
	schedule := must(NewStepLr(adam, 1, StepLrOptions{Gamma: Float(0.5)}))
	x := must(must(Linspace(Int(-1), Int(1), LinspaceOptions{Steps: Int(15)})).View([]int64{5, 3}))
	y := must(must(x.SumDim([]int64{1}, SumDimOptions{Keepdim: True})).Sin())
	for _, want := range []float64{0.231506109, 0.140786618, 0.132685423} {
		check(t, adam.ZeroGrad())
		loss := must(must(net.Forward(x)).MseLoss(y))
		check(t, loss.Backward())
		must(ClipGradNorm(must(net.Parameters()), 1))
		check(t, adam.Step())
		check(t, schedule.Step())
		if got := must(loss.Value()).Float64(); math.Abs(got-want) > 1e-5 {
			t.Errorf("%v for %v", got, want)
		}
	}
	if lr := must(adam.Get(0, "lr")); lr != 0.0125 {
		t.Error(lr)
	}
	check(t, adam.Set(0, "lr", 0.5))
	if must(adam.Get(0, "lr")) != 0.5 || must(adam.AddGroup(of(1))) != 1 {
		t.Error("groups")
	}
}

func TestLosses(t *testing.T) {
	loss := must(NewCrossEntropyLoss(CrossEntropyLossConfig{Weight: must(Ones([]int64{2})), Reduction: "sum"}))
	scores := must(Zeros([]int64{2, 2}))
	target := must(Zeros([]int64{2}, ZerosOptions{Type: Long}))
	if got := must(must(loss.Forward(scores, target)).Value()).Float64(); math.Abs(got-2*math.Log(2)) > 1e-6 {
		t.Error(got)
	}
	if _, err := loss.Forward(scores); err == nil {
		t.Error("one tensor")
	}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Error(err)
	}
}

func TestModules(t *testing.T) {
	net, other := smallNet(), smallNet()
	if fmt.Sprint(must(net.Child("2"))) != "Linear(in_features=4, out_features=1, bias=False)" || must(net.Child("none")) != nil {
		t.Error("children")
	}
	if state := must(net.StateDict()); len(state) != 3 || state["0.bias"] == nil {
		t.Error(state)
	}
	path := filepath.Join(t.TempDir(), "net.pt")
	check(t, net.Save(path))
	check(t, other.Load(path))
	x := must(Ones([]int64{2, 3}))
	other.Eval()
	if !must(must(other.Forward(x)).Equal(must(net.Forward(x)))) {
		t.Error("another network")
	}
	check(t, other.To(Double))
	if must(other.Forward(must(x.To(Double)))).Type() != Double {
		t.Error("types")
	}
	reflect := Conv2dConfig{Padding: []int64{1, 1}, PaddingMode: "reflect"}
	image := must(must(NewConv2d(1, 2, []int64{3, 3}, reflect)).Forward(must(Ones([]int64{1, 1, 4, 4}))))
	layer := must(NewTransformerEncoderLayer(4, 2, TransformerEncoderLayerConfig{Dropout: Float(0), Activation: "gelu"}))
	encoder := must(NewTransformerEncoder(layer, 2, TransformerEncoderConfig{Norm: must(NewLayerNorm([]int64{4}))}))
	encoded := must(encoder.Forward(must(Ones([]int64{2, 1, 4}))))
	if fmt.Sprint(image.Sizes(), encoded.Sizes()) != "[1 2 4 4] [2 1 4]" {
		t.Error(image.Sizes(), encoded.Sizes())
	}
	net.Free()
	net.Free()
}

func TestTrainingErrors(t *testing.T) {
	_, err := NewLinear(-1, 2)
	fails(t, err, "-1")
	_, err = NewSgd(nil)
	fails(t, err, "param")
	_, err = NewSgd([]*Tensor{of(1)}, SgdOptions{Lr: Float(-1)})
	fails(t, err, "lr")
	_, err = must(NewSgd([]*Tensor{of(1)})).Get(0, "none")
	fails(t, err, "none")
	_, err = must(NewLinear(1, 2)).Forward(nil)
	fails(t, err, "")
	_, err = NewStepLr(nil, 1)
	fails(t, err, "")
	fails(t, must(NewLinear(1, 2)).Load("nothing.pt"), "nothing.pt")
}

func TestNoModuleLeaks(t *testing.T) {
	x := must(Ones([]int64{1, 60}))
	round := func() {
		net := must(NewSequential(must(NewLinear(60, 60)), must(NewLinear(60, 1))))
		sgd := must(NewSgd(must(net.Parameters())))
		check(t, must(must(net.Forward(x)).Sum()).Backward())
		check(t, sgd.Step())
		NewLinear(-1, 2)
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for i := 0; i < 1000; i++ {
		round()
	}
	runtime.GC()
	before := resident()
	for i := 0; i < 3000; i++ {
		round()
	}
	runtime.GC()
	// The parameters of one network in each round would be 43,000 KB, their gradients as many.
	if grown := resident() - before; grown > 30*1024 {
		t.Errorf("%d KB", grown)
	}
}

func TestIndices(t *testing.T) {
	x := must(must(Arange(Int(24))).View([]int64{2, 3, 4}))
	equal(t, must(x.At(1, 2, 3)), 23)
	equal(t, must(x.At(0, -1)), 8, 9, 10, 11)
	equal(t, must(x.At(0, Between(1, 3), From(3))), 7, 11)
	equal(t, must(x.At(Ellipsis, 1)), 1, 5, 9, 13, 17, 21)
	equal(t, must(x.At(1, All, All.By(2))), 12, 14, 16, 18, 20, 22)
	equal(t, must(x.At(1, Ellipsis, To(1))), 12, 16, 20)
	rows := must(FromSlice([]int64{1, 0}, 2))
	equal(t, must(x.At(rows, 0, 0)), 12, 0)
	equal(t, must(x.At(Ellipsis, rows, 1)), 5, 1, 17, 13)
	equal(t, must(x.At(must(x.GtScalar(Int(21))))), 22, 23)
	mask := must(must(x.Select(2, 0)).GtScalar(Int(10)))
	equal(t, must(x.At(mask, 3)), 15, 19, 23)
	if sizes := must(x.At(NewAxis, 0, NewAxis, Between(0, 2))).Sizes(); fmt.Sprint(sizes) != "[1 1 2 4]" {
		t.Error(sizes)
	}
	check(t, x.SetAt(must(Full([]int64{}, Int(-1), FullOptions{Type: Long})), 0, 0))
	check(t, x.SetAt(must(FromSlice([]int64{5, 6}, 2)), 1, 0, rows))
	equal(t, must(x.At(All, 0)), -1, -1, -1, -1, 6, 5, 14, 15)
	for _, bad := range [][]any{{0, 0, 0, 0}, {"a"}, {(*Tensor)(nil)}, {2}, {All, All, All, All}} {
		_, err := x.At(bad...)
		fails(t, err, "")
	}
}

func TestComplexNumbers(t *testing.T) {
	z := must(FromSlice([]complex64{1 + 2i, 2i}, 2))
	if z.Type() != ComplexFloat || fmt.Sprint(must(ToSlice[complex128](must(z.Mul(z))))) != "[(-3+4i) (-4+0i)]" {
		t.Error(must(z.Mul(z)))
	}
	equal(t, must(must(z.Real()).Clone()), 1, 0)
}
