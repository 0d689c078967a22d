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

func sums(t *testing.T, tensors ...*Tensor) []float64 {
	t.Helper()
	var list []float64
	for _, one := range tensors {
		list = append(list, must(Item[float64](must(one.Sum()))))
	}
	return list
}

func close(t *testing.T, got []float64, want ...float64) {
	t.Helper()
	for i, w := range want {
		if len(got) != len(want) || math.Abs(got[i]-w) > 1e-5 {
			t.Fatalf("%v for %v", got, want)
		}
	}
}

// The values are PyTorch's from the same seeds.
func TestCallsOfModules(t *testing.T) {
	ManualSeed(5)
	lstm := must(NewLSTM(3, 4, LSTMConfig{NumLayers: Int(2)}))
	x := must(must(Linspace(Int(-1), Int(1), LinspaceOptions{Steps: Int(18)})).View([]int64{3, 2, 3}))
	y, h, c, err := lstm.LSTMForward(x)
	check(t, err)
	again, _, _, err := lstm.LSTMForward(x, LSTMForwardOptions{H0: h, C0: c})
	check(t, err)
	close(t, sums(t, y, h, c, again), -0.683112, -0.99456, -0.888156, -0.653838)
	ManualSeed(6)
	attention := must(NewMultiheadAttention(4, 2))
	q := must(must(Linspace(Int(-1), Int(1), LinspaceOptions{Steps: Int(24)})).View([]int64{3, 2, 4}))
	y, w, err := attention.MultiheadAttentionForward(q, q, q)
	check(t, err)
	close(t, sums(t, must(y.Abs()), must(w.At(0, 0, 0)), must(w.At(1, 2, 1))), 0.943133, 0.325966, 0.331916)
	if _, w, err = attention.MultiheadAttentionForward(q, q, q, MultiheadAttentionForwardOptions{NeedWeights: False}); w != nil || err != nil {
		t.Error(w, err)
	}
	_, _, _, err = lstm.LSTMForward(must(Ones([]int64{2, 2, 2})))
	fails(t, err, "")
	_, _, _, err = attention.LSTMForward(q)
	fails(t, err, "")
	ManualSeed(7)
	a, b := must(Empty([]int64{2, 3})), must(Empty([]int64{2, 3}))
	check(t, InitXavierUniform_(a))
	check(t, InitKaimingNormal_(b, InitKaimingNormalOptions{Nonlinearity: "relu"}))
	close(t, sums(t, a, b), -0.640505, -4.575136)
	ManualSeed(11)
	equal(t, must(Randint(0, 10, []int64{5})), 1, 9, 0, 7, 3)
}

func TestClosuresAndStates(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	p := must(must(Zeros([]int64{2})).RequiresGrad())
	target, scale := of(1, 2), of(1, 10)
	lbfgs := must(NewLbfgs([]*Tensor{p}, LbfgsOptions{Lr: Float(0.1)}))
	first := must(lbfgs.StepBy(func() (*Tensor, error) {
		check(t, lbfgs.ZeroGrad())
		d := must(p.Sub(target))
		loss := must(must(must(d.Mul(d)).Mul(scale)).Sum())
		return loss, loss.Backward()
	}))
	close(t, append(must(ToSlice[float64](p)), first), 0.645154, 1.753063, 41.0)
	if _, err := lbfgs.StepBy(func() (*Tensor, error) { return nil, fmt.Errorf("made here") }); fmt.Sprint(err) != "made here" {
		t.Error(err)
	}
	func() {
		defer func() {
			if recover() != "panics here" {
				t.Error("no panic")
			}
		}()
		lbfgs.StepBy(func() (*Tensor, error) { panic("panics here") })
	}()
	adam := must(NewAdam([]*Tensor{p}))
	path := filepath.Join(t.TempDir(), "adam.pt")
	check(t, adam.Set(0, "lr", 0.25))
	check(t, adam.Save(path))
	check(t, adam.Set(0, "lr", 3))
	check(t, adam.Load(path))
	check(t, must(NewExponentialLr(adam, 0.5)).Step())
	if lr := must(adam.Get(0, "lr")); lr != 0.125 {
		t.Error(lr)
	}
	fails(t, adam.Load("nothing.pt"), "nothing.pt")
	w := must(of(0.5, 1).RequiresGrad())
	cube := must(must(w.PowScalar(Int(3))).Sum())
	g := must(Gradients([]*Tensor{cube}, []*Tensor{w}, GradientsOptions{CreateGraph: true}))
	check(t, must(g[0].Sum()).Backward())
	close(t, must(ToSlice[float64](w.Grad())), 3.0, 6.0)
}

func TestOwnModules(t *testing.T) {
	own, fc := must(NewModule()), must(NewLinear(2, 3))
	check(t, own.Add("fc", fc))
	check(t, own.AddParameter("scale", of(1)))
	check(t, own.AddBuffer("seen", of(0)))
	if state := must(own.StateDict()); len(state) != 4 || state["fc.weight"] == nil || own.Numel() != 10 {
		t.Error(state)
	}
	if len(must(own.NamedParameters())) != 3 || len(must(own.NamedBuffers())) != 1 || fmt.Sprint(own.ChildNames()) != "[fc]" || len(own.Children()) != 1 {
		t.Error("members")
	}
	copied := must(fc.Clone())
	check(t, own.RequiresGrad(false))
	if must(own.Get("fc.weight")).WantsGrad() || !must(copied.Get("weight")).WantsGrad() || !own.IsTraining() {
		t.Error("gradients")
	}
	check(t, copied.LoadStateDict(map[string]*Tensor{"weight": must(Ones([]int64{3, 2})), "bias": must(Zeros([]int64{3}))}))
	equal(t, must(copied.Forward(must(Ones([]int64{1, 2})))), 2, 2, 2)
	fails(t, copied.LoadStateDict(map[string]*Tensor{"bias": must(Zeros([]int64{3}))}), "weight")
	fails(t, own.Add("fc", fc), "fc")
	_, err := own.Get("nothing")
	fails(t, err, "nothing")
}

// The order is that of PyTorch's DataLoader.
func TestLoader(t *testing.T) {
	ManualSeed(8)
	data := must(NewDataset(must(must(Arange(Int(10))).View([]int64{5, 2})), must(Arange(Int(5)))))
	loader := must(NewLoader(data, LoaderOptions{BatchSize: 2, Shuffle: true}))
	var order []int64
	for pass := 0; pass < 2; pass++ {
		for loader.Next() {
			order = append(order, must(ToSlice[int64](loader.Batch()[1]))...)
		}
		check(t, loader.Err())
	}
	if fmt.Sprint(order) != "[0 3 1 2 4 4 3 2 0 1]" || data.Count() != 5 || loader.Batches() != 3 {
		t.Error(order)
	}
	_, err := NewLoader(nil)
	fails(t, err, "")
	_, err = LoadIdx("nothing.idx")
	fails(t, err, "nothing.idx")
}

// d/dx x^3 along (1, 10, 100) is 3 x^2 times that.
func TestPlainFunctions(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	x := Must(Must(FromSlice([]float64{0, 1, 2}, 3)).RequiresGrad())
	cubes := []*Tensor{Must(x.PowScalar(Int(3)))}
	along := Must(FromSlice([]float64{1, 10, 100}, 3))
	got := Must(ToSlice[float64](Must(Jvp(cubes, []*Tensor{x}, []*Tensor{along}, false))[0]))
	for i, want := range []float64{0, 30, 1200} {
		if got[i] != want {
			t.Errorf("derivative %d is %v, and has to be %v", i, got[i], want)
		}
	}
	if _, err := Jvp(cubes, []*Tensor{x}, []*Tensor{Must(Ones([]int64{2}))}, false); err == nil {
		t.Error("a tangent of another size is no error")
	}
	if !Must(AutocastSetCache(false)) || Must(AutocastSetCache(true)) {
		t.Error("the cache of autocast is on, then off")
	}
	generator := Must(NewGenerator(4))
	state := Must(GeneratorState(generator))
	drawn := Must(Rand([]int64{3}, RandOptions{Generator: generator}))
	Must(GeneratorSetState(generator, state))
	if !Must(Must(Rand([]int64{3}, RandOptions{Generator: generator})).Equal(drawn)) {
		t.Error("the state gives other numbers")
	}
	if _, err := SetNumThreads(0); err == nil || Must(GetNumThreads()) < 1 {
		t.Error("no threads are no error")
	}
}

// Rows of a tensor without gradient that are set to some with one.
func TestRowsWithGradients(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	rows := Must(Zeros([]int64{3, 2}))
	w := Must(Must(FromSlice([]float32{3, 4}, 2)).RequiresGrad())
	for _, err := range []error{rows.SetAt(Must(w.MulScalar(Int(2))), 0), rows.SetAt(w, 2), rows.SetAt(Must(w.Sum()), 1, 1)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if got := fmt.Sprint(Must(ToSlice[float32](Must(rows.Detach())))); got != "[6 8 0 7 3 4]" {
		t.Error(got)
	}
	if err := Must(rows.Sum()).Backward(); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(Must(ToSlice[float32](w.Grad()))); got != "[4 4]" {
		t.Error(got)
	}
	if got := fmt.Sprint(Float32, Long, ComplexDouble); got != "Float Long ComplexDouble" {
		t.Error(got)
	}
}
