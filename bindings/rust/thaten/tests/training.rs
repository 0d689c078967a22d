//! Modules, optimizers and schedules.  The losses are PyTorch's from the same seed.
use std::cell::Cell;
use std::rc::Rc;
use std::sync::Mutex;
use thaten::{apply, autocast, data, grad_fn, gradients_with, load, manual_seed, nn, ops, optim, save};
use thaten::{ErrorKind, Function, Gradients, Result, Tensor, Type};

/// Of what draws from the generator that all threads share, one test at a time.
static DRAWING: Mutex<()> = Mutex::new(());

fn net() -> Result<nn::Module> {
    let without_bias = nn::LinearOptions::new().bias(false);
    nn::Sequential(&[nn::Linear(3, 4)?, nn::Tanh()?, nn::Linear_with(4, 1, &without_bias)?])
}

#[test]
fn losses_are_pytorchs() -> Result<()> {
    let _drawing = DRAWING.lock();
    manual_seed(5);
    let net = net()?;
    let adam = optim::adam_with(&net.parameters()?, &optim::AdamOptions::new().lr(0.1).beta1(0.8))?;
    let schedule = optim::step_lr_with(&adam, 1, &optim::StepLrOptions::new().gamma(0.5))?;
    let x = ops::linspace_with(-1, 1, &ops::Linspace::new().steps(15))?.view(&[5, 3])?;
    let y = x.sum_dim_with(&[1], &ops::SumDim::new().keepdim(true))?.sin()?;
    for want in [0.231506109, 0.140786618, 0.132685423] {
        adam.zero_grad()?;
        let loss = net.forward(&x)?.mse_loss(&y)?;
        loss.backward()?;
        nn::clip_grad_norm(&net.parameters()?, 1.0)?;
        adam.step()?;
        schedule.step()?;
        let got = loss.value()?.to_f64();
        assert!((got - want).abs() < 1e-5, "{got} for {want}");
    }
    assert_eq!(adam.get(0, "lr")?, 0.0125);
    adam.set(0, "lr", 0.5)?;
    assert_eq!((adam.get(0, "lr")?, adam.add_group(&[ops::ones(&[1])?])?), (0.5, 1));
    Ok(())
}

#[test]
fn losses() -> Result<()> {
    let weight = ops::ones(&[2])?;
    let loss = nn::CrossEntropyLoss_with(&nn::CrossEntropyLossOptions::new().weight(Some(&weight)).reduction("sum"))?;
    let scores = ops::zeros(&[2, 2])?;
    let target = ops::zeros_with(&[2], &ops::Zeros::new().type_(Type::Long))?;
    let got = loss.call(&[scores.clone(), target])?.value()?.to_f64();
    assert!((got - 2.0 * 2f64.ln()).abs() < 1e-6, "{got}");
    assert!(loss.forward(&scores).is_err());
    Ok(())
}

#[test]
fn modules() -> Result<()> {
    let _drawing = DRAWING.lock();
    let (first, other) = (net()?, net()?);
    let names: Vec<String> = first.state_dict()?.into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["0.weight", "0.bias", "2.weight"]);
    assert_eq!(first.child("2")?.unwrap().to_string(), "Linear(in_features=4, out_features=1, bias=False)");
    assert!(first.child("none")?.is_none());
    let path = std::env::temp_dir().join(format!("thaten-net-{}.pt", std::process::id()));
    first.save(&path)?;
    other.load(&path)?;
    std::fs::remove_file(&path).unwrap();
    let path = path.with_extension("safetensors");
    save(&path, &first.state_dict()?)?;
    other.load_state_dict(&load(&path)?)?;
    std::fs::remove_file(&path).unwrap();
    let x = ops::ones(&[2, 3])?;
    other.eval();
    assert!(other.forward(&x)?.equal(&first.forward(&x)?)?);
    other.to(Type::Double)?;
    assert_eq!(other.forward(&x.to(Type::Double)?)?.element_type(), Type::Double);
    let reflect = nn::Conv2dOptions::new().padding(&[1, 1]).padding_mode("reflect");
    assert_eq!(nn::Conv2d_with(1, 2, &[3, 3], &reflect)?.forward(&ops::ones(&[1, 1, 4, 4])?)?.sizes(), [1, 2, 4, 4]);
    let layer = nn::TransformerEncoderLayer_with(4, 2, &nn::TransformerEncoderLayerOptions::new().dropout(0.0))?;
    let norm = nn::LayerNorm(&[4])?;
    let encoder = nn::TransformerEncoder_with(&layer, 2, &nn::TransformerEncoderOptions::new().norm(&norm))?;
    assert_eq!(encoder.forward(&ops::ones(&[2, 1, 4])?)?.sizes(), [2, 1, 4]);
    Ok(())
}

#[test]
fn errors() -> Result<()> {
    let fails = |result: Result<()>, words: &str| {
        let error = result.unwrap_err();
        assert!(error.kind == ErrorKind::Argument && error.message.contains(words), "{error}");
    };
    fails(nn::Linear(-1, 2).map(drop), "-1");
    fails(optim::sgd(&[]).map(drop), "param");
    let parameters: [Tensor; 1] = [ops::ones(&[2])?];
    fails(optim::sgd_with(&parameters, &optim::SgdOptions::new().lr(-1.0)).map(drop), "lr");
    fails(optim::sgd(&parameters)?.get(0, "none").map(drop), "none");
    Ok(())
}

fn close(got: &[f64], want: &[f64]) {
    assert!(got.len() == want.len() && got.iter().zip(want).all(|(g, w)| (g - w).abs() < 1e-5), "{got:?} for {want:?}");
}

fn sums(tensors: &[&Tensor]) -> Result<Vec<f64>> {
    tensors.iter().map(|t| t.sum()?.item::<f64>()).collect()
}

/// The values are PyTorch's from the same seeds.
#[test]
fn calls_of_modules() -> Result<()> {
    let _drawing = DRAWING.lock();
    let lines = |steps| ops::linspace_with(-1, 1, &ops::Linspace::new().steps(steps));
    manual_seed(5);
    let lstm = nn::LSTM_with(3, 4, &nn::LSTMOptions::new().num_layers(2))?;
    let x = lines(18)?.view(&[3, 2, 3])?;
    let (y, h, c) = nn::LSTM_forward(&lstm, &x)?;
    let (again, _, _) = nn::LSTM_forward_with(&lstm, &x, &nn::LSTMForwardOptions::new().h_0(Some(&h)).c_0(Some(&c)))?;
    close(&sums(&[&y, &h, &c, &again])?, &[-0.683112, -0.99456, -0.888156, -0.653838]);
    manual_seed(6);
    let attention = nn::MultiheadAttention(4, 2)?;
    let q = lines(24)?.view(&[3, 2, 4])?;
    let (y, w) = nn::MultiheadAttention_forward(&attention, &q, &q, &q)?;
    let w = w.unwrap();
    close(&sums(&[&y.abs()?, &w.i((0, 0, 0))?, &w.i((1, 2, 1))?])?, &[0.943133, 0.325966, 0.331916]);
    let without = nn::MultiheadAttentionForwardOptions::new().need_weights(false);
    assert!(nn::MultiheadAttention_forward_with(&attention, &q, &q, &q, &without)?.1.is_none());
    assert!(nn::LSTM_forward(&attention, &q).is_err());
    manual_seed(7);
    let (a, b) = (ops::empty(&[2, 3])?, ops::empty(&[2, 3])?);
    nn::init_xavier_uniform_(&a)?;
    nn::init_kaiming_normal__with(&b, &nn::InitKaimingNormalOptions::new().nonlinearity("relu"))?;
    close(&sums(&[&a, &b])?, &[-0.640505, -4.575136]);
    manual_seed(11);
    assert_eq!(ops::randint(0, 10, &[5])?.to_vec::<i64>()?, [1, 9, 0, 7, 3]);
    Ok(())
}

#[test]
fn closures_and_states() -> Result<()> {
    let p = ops::zeros(&[2])?.requires_grad_()?;
    let (target, scale) = (Tensor::from_slice(&[1f32, 2.0], &[2])?, Tensor::from_slice(&[1f32, 10.0], &[2])?);
    let lbfgs = optim::lbfgs_with(&[p.clone()], &optim::LbfgsOptions::new().lr(0.1))?;
    let first = lbfgs.step_by(|| {
        lbfgs.zero_grad()?;
        let loss = ((&p - &target) * (&p - &target) * &scale).sum()?;
        loss.backward()?;
        Ok(loss)
    })?;
    close(&[first], &[41.0]);
    close(&p.to_vec::<f64>()?, &[0.645154, 1.753063]);
    assert!(lbfgs.step_by(|| p.mm(&p)).unwrap_err().message.contains("mm"));
    let panics = std::panic::AssertUnwindSafe(|| lbfgs.step_by(|| panic!("here")));
    assert!(std::panic::catch_unwind(panics).is_err());
    let adam = optim::adam(&[p.clone()])?;
    let path = std::env::temp_dir().join(format!("thaten-adam-{}.pt", std::process::id()));
    adam.set(0, "lr", 0.25)?;
    adam.save(&path)?;
    adam.set(0, "lr", 3.0)?;
    adam.load(&path)?;
    std::fs::remove_file(&path).unwrap();
    optim::exponential_lr(&adam, 0.5)?.step()?;
    assert_eq!(adam.get(0, "lr")?, 0.125);
    let w = Tensor::from_slice(&[0.5f64, 1.0], &[2])?.requires_grad_()?;
    let cube = (&w * &w * &w).sum()?;
    gradients_with(&[cube], &[w.clone()], Gradients { create_graph: true, ..Gradients::default() })?[0].sum()?.backward()?;
    close(&w.grad().unwrap().to_vec::<f64>()?, &[3.0, 6.0]);
    Ok(())
}

#[test]
fn own_modules() -> Result<()> {
    let (own, fc) = (nn::Module::new()?, nn::Linear(2, 3)?);
    own.add("fc", &fc)?;
    own.add_parameter("scale", &ops::ones(&[1])?)?;
    own.add_buffer("seen", &ops::zeros(&[1])?)?;
    let names: Vec<String> = own.state_dict()?.into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["scale", "seen", "fc.weight", "fc.bias"]);
    assert_eq!((own.named_parameters()?.len(), own.named_buffers()?.len(), own.numel(), own.children().len()), (3, 1, 10, 1));
    let copied = fc.copy()?;
    own.requires_grad_(false)?;
    assert!(!own.get("fc.weight")?.requires_grad() && copied.get("weight")?.requires_grad() && own.is_training());
    copied.load_state_dict(&[("weight", &ops::ones(&[3, 2])?), ("bias", &ops::zeros(&[3])?)])?;
    assert_eq!(copied.forward(&ops::ones(&[1, 2])?)?.to_vec::<f32>()?, [2.0, 2.0, 2.0]);
    assert!(copied.load_state_dict(&[("bias", &ops::zeros(&[3])?)]).is_err() && own.add("fc", &fc).is_err() && own.get("nothing").is_err());
    Ok(())
}

/// The order is that of PyTorch's DataLoader.
#[test]
fn batches() -> Result<()> {
    let _drawing = DRAWING.lock();
    manual_seed(8);
    let numbers = ops::arange(5)?;
    let set = data::Dataset::of_tensors(&[ops::arange(10)?.view(&[5, 2])?, numbers])?;
    let mut loader = data::Loader::new(&set, 2, true)?;
    let mut order = Vec::new();
    for _ in 0..2 {
        for batch in loader.pass() {
            order.extend(batch?[1].to_vec::<i64>()?);
        }
    }
    assert_eq!(order, [0, 3, 1, 2, 4, 4, 3, 2, 0, 1]);
    assert_eq!((set.count(), loader.batches()), (5, 3));
    assert!(data::Loader::new(&set, 0, false).is_err() && data::load_idx("nothing.idx").is_err());
    Ok(())
}

/// Of w = 1 with the gradient 3: a step of 0.1 is one to 0.7, and none where the gradient is infinite.
#[test]
fn scaler() -> Result<()> {
    let w = ops::ones(&[1])?.requires_grad_()?;
    let sgd = optim::sgd_with(&[w.clone()], &optim::SgdOptions::new().lr(0.1))?;
    let mut scaler = optim::Scaler::new().init_scale(8.0).growth_interval(1);
    scaler.scale(&(&w * 3).sum()?)?.backward()?;
    assert_eq!(w.grad().unwrap().to_vec::<f32>()?, [24.0]);
    scaler.unscale(&sgd)?;
    assert_eq!(w.grad().unwrap().to_vec::<f32>()?, [3.0]);
    assert!(scaler.unscale(&sgd).is_err());
    scaler.step(&sgd)?;
    scaler.update()?;
    assert!((w.value()?.to_f64() - 0.7).abs() < 1e-6 && scaler.get_scale() == 16.0);
    sgd.zero_grad()?;
    scaler.scale(&(&w * f64::INFINITY).sum()?)?.backward()?;
    scaler.step(&sgd)?;
    scaler.update()?;
    assert!((w.value()?.to_f64() - 0.7).abs() < 1e-6 && scaler.get_scale() == 8.0);
    let path = std::env::temp_dir().join(format!("thaten-scaler-{}.pt", std::process::id()));
    scaler.save(&path)?;
    let mut other = optim::Scaler::new();
    other.load(&path)?;
    std::fs::remove_file(&path).unwrap();
    assert_eq!(other.get_scale(), 8.0);
    Ok(())
}

#[test]
fn mixed_precision() -> Result<()> {
    let square = ops::ones(&[2, 2])?;
    for lower in [Type::BFloat16, Type::Half] {
        assert_eq!(autocast(lower, || square.mm(&square))??.element_type(), lower);
    }
    assert!(autocast(Type::Double, || panic!("ran")).is_err());
    assert_eq!(square.mm(&square)?.element_type(), Type::Float);
    Ok(())
}

/// Rows of a tensor without gradient that are set to some with one.
#[test]
fn rows_with_gradients() -> Result<()> {
    let (rows, w) = (ops::zeros(&[3, 2])?, Tensor::from_slice(&[3.0f32, 4.0], &[2])?.requires_grad_()?);
    rows.set_i(0, &(&w * 2))?;
    rows.set_i(2, &w)?;
    rows.set_i((1, 1), &w.sum()?)?;
    assert_eq!(rows.detach()?.to_vec::<f32>()?, [6.0, 8.0, 0.0, 7.0, 3.0, 4.0]);
    rows.sum()?.backward()?;
    assert_eq!(w.grad().unwrap().to_vec::<f32>()?, [4.0, 4.0]);
    Ok(())
}

/// d/dx x^3 along (1, 10, 100) is 3 x^2 times that.
#[test]
fn plain_functions() -> Result<()> {
    let x = Tensor::from_slice(&[0.0f64, 1.0, 2.0], &[3])?.requires_grad_()?;
    let (cubes, along) = ([x.pow_scalar(3)?], Tensor::from_slice(&[1.0f64, 10.0, 100.0], &[3])?);
    assert_eq!(thaten::jvp(&cubes, &[x.clone()], &[along], false)?[0].to_vec::<f64>()?, [0.0, 30.0, 1200.0]);
    let error = thaten::jvp(&cubes, &[x.clone()], &[ops::ones(&[2])?], false).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Argument);
    assert!(thaten::autocast_setCache(false)? && !thaten::autocast_setCache(true)?);
    let generator = thaten::Generator::with_seed(4)?;
    let (state, drawn) = (thaten::generator_state(&generator)?, ops::rand_with(&[3], &ops::Rand::new().generator(&generator))?);
    assert!(thaten::generator_setState(&generator, &state)?);
    assert_eq!(ops::rand_with(&[3], &ops::Rand::new().generator(&generator))?.to_vec::<f32>()?, drawn.to_vec::<f32>()?);
    assert!(thaten::setNumThreads(0).is_err() && thaten::getNumThreads()? > 0);
    assert!(!thaten::retain_grad(&(&x * 2))?.is_leaf());
    Ok(())
}

/// x cubed, whose backward says 10 times its gradient; it fails for a gradient of 7.
struct Cube(Option<Tensor>, Rc<Cell<i32>>);

impl Function for Cube {
    fn forward(&mut self, inputs: &[Tensor]) -> Result<Vec<Tensor>> {
        self.0 = Some(inputs[0].clone());
        Ok(vec![inputs[0].pow_scalar(3)?])
    }

    fn backward(&mut self, grads: &[Option<Tensor>]) -> Result<Vec<Option<Tensor>>> {
        let grad = grads[0].as_ref().unwrap();
        if grad.value()?.to_f64() == 7.0 {
            panic!("seven");
        }
        let x = self.0.as_ref().unwrap();
        Ok(vec![Some(&(x * x) * 30 * grad), None])
    }
}

impl Drop for Cube {
    fn drop(&mut self) {
        self.1.set(self.1.get() + 1);
    }
}

#[test]
fn own_functions() -> Result<()> {
    let dropped = Rc::new(Cell::new(0));
    let x = (ops::ones(&[1])? * 2).detach()?.requires_grad_()?;
    let cubed = |weight: i64| apply(Cube(None, dropped.clone()), &[x.clone(), ops::ones(&[1])?])?[0].mul_scalar(weight)?.sum();
    let y = cubed(1)?;
    assert_eq!((y.value()?.to_f64(), dropped.get()), (8.0, 0));
    y.backward()?;
    assert_eq!((x.grad().unwrap().value()?.to_f64(), dropped.get()), (120.0, 1));
    let seven = cubed(7)?;
    assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| seven.backward())).is_err());
    drop(seven);
    assert_eq!(dropped.get(), 2);
    assert_eq!(grad_fn(&cubed(1)?).as_deref(), Some("SumBackward0"));
    Ok(())
}

/// Of x and y: x x, the order of x, x y and x / 2 in Float, and how often each of them got a gradient.
struct Several(Vec<Tensor>, Rc<Cell<[i32; 4]>>);

impl Function for Several {
    fn forward(&mut self, inputs: &[Tensor]) -> Result<Vec<Tensor>> {
        self.0 = inputs.to_vec();
        let (x, y) = (&inputs[0], &inputs[1]);
        Ok(vec![x * x, x.argsort()?, x * y, (x * 0.5).to(Type::Float)?])
    }

    fn backward(&mut self, grads: &[Option<Tensor>]) -> Result<Vec<Option<Tensor>>> {
        let mut seen = self.1.get();
        for (count, grad) in seen.iter_mut().zip(grads) {
            *count += grad.is_some() as i32;
        }
        self.1.set(seen);
        let (x, y) = (&self.0[0], &self.0[1]);
        let mut of_x = x.zeros_like()?;
        if let Some(g) = &grads[0] {
            of_x = of_x + x * 2 * g;
        }
        if let Some(g) = &grads[2] {
            of_x = of_x + y * g;
        }
        if let Some(g) = &grads[3] {
            of_x = of_x + g.to(Type::Double)? * 0.5;
        }
        Ok(vec![Some(of_x), grads[2].as_ref().map(|g| x * g)])
    }
}

fn elements(t: &Tensor) -> Vec<f64> {
    t.to(Type::Double).and_then(|t| t.to_vec()).unwrap()
}

/// d/dx (x x) = 2 x, d/dx (x y) = y, d/dy (x y) = x, d/dx (x / 2) = 0.5.
#[test]
fn several_results() -> Result<()> {
    let reached = Rc::new(Cell::new([0; 4]));
    let x = Tensor::from_slice(&[2.0f64, -3.0], &[2])?.requires_grad_()?;
    let y = Tensor::from_slice(&[5.0f64, 7.0], &[2])?.requires_grad_()?;
    let made = apply(Several(vec![], reached.clone()), &[x.clone(), y.clone()])?;
    let (values, types): (Vec<_>, Vec<_>) = made.iter().map(|t| (elements(t), t.element_type())).unzip();
    assert_eq!(values, [[4.0, 9.0], [1.0, 0.0], [10.0, -21.0], [1.0, -1.5]]);
    assert_eq!(types, [Type::Double, Type::Long, Type::Double, Type::Float]);
    assert_eq!(made.iter().map(|t| t.requires_grad()).collect::<Vec<_>>(), [true, false, true, true]);
    made[3].sum()?.backward_from(None, true, false)?;
    assert_eq!((elements(&x.grad().unwrap()), y.grad().is_none(), reached.get()), (vec![0.5, 0.5], true, [0, 0, 0, 1]));
    x.set_grad(None)?;
    (made[0].sum()? + made[2].sum()? * 10).backward()?;
    assert_eq!(elements(&x.grad().unwrap()), [2.0 * 2.0 + 50.0, 2.0 * -3.0 + 70.0]);
    assert_eq!(elements(&y.grad().unwrap()), [20.0, -30.0]);
    assert_eq!(reached.get(), [1, 0, 1, 1]);
    Ok(())
}

/// A function by what it does, for those that are wrong.
struct By<F, B>(F, B);

impl<F: FnMut(&[Tensor]) -> Result<Vec<Tensor>>, B: FnMut(&[Option<Tensor>]) -> Result<Vec<Option<Tensor>>>> Function for By<F, B> {
    fn forward(&mut self, inputs: &[Tensor]) -> Result<Vec<Tensor>> {
        (self.0)(inputs)
    }

    fn backward(&mut self, grads: &[Option<Tensor>]) -> Result<Vec<Option<Tensor>>> {
        (self.1)(grads)
    }
}

/// 3 x is doubled in place, is a result beside its sum, and has the gradient 3 * 2 of the first and 6 of the other.
#[test]
fn results_that_are_inputs() -> Result<()> {
    let double = |inputs: &[Tensor]| Ok(vec![inputs[0].mul_scalar_(2)?.clone(), inputs[0].sum()?, inputs[1].clone()]);
    let back = |grads: &[Option<Tensor>]| {
        let of_sum = grads[1].as_ref().map_or(ops::zeros(&[2]), |g| g.expand(&[2]))?;
        Ok(vec![Some((grads[0].as_ref().map_or(Ok(of_sum.clone()), |g| g.add(&of_sum))? * 2).to(Type::Double)?), grads[2].clone()])
    };
    let x = Tensor::from_slice(&[2.0f64, -3.0], &[2])?.requires_grad_()?;
    let (z, w) = (&x * 3, Tensor::from_slice(&[1.0f64, 1.0], &[2])?.requires_grad_()?);
    let made = apply(By(double, back), &[z.clone(), w.clone()])?;
    assert_eq!(made[0].as_raw(), z.as_raw());
    assert_eq!((elements(&z), elements(&made[1])), (vec![12.0, -18.0], vec![-6.0]));
    assert!(made[2].as_raw() != w.as_raw() && made[2].requires_grad()); // which was not changed
    (z.sum()? + &made[1] + (&made[2] * 4).sum()?).backward()?;
    assert_eq!(elements(&x.grad().unwrap()), [12.0, 12.0]);
    assert_eq!(elements(&w.grad().unwrap()), [4.0, 4.0]);
    let error = apply(By(double, back), &[w.clone(), x.clone()]).unwrap_err();
    assert!(error.message.contains("leaf"), "{}", error.message);
    Ok(())
}

#[test]
fn wrong_functions() -> Result<()> {
    let x = ops::ones(&[2])?.requires_grad_()?;
    let two = |inputs: &[Tensor]| Ok(vec![&inputs[0] * 1, &inputs[0] * 2]);
    let none = |_: &[Option<Tensor>]| Ok(vec![]);
    let of_forward = |f: fn(&[Tensor]) -> Result<Vec<Tensor>>| apply(By(f, none), &[x.clone()]).unwrap_err().message;
    assert!(of_forward(|_| Ok(vec![])).contains("forward returned 0"));
    assert!(of_forward(|inputs| Ok(vec![inputs[0].clone(); 257])).contains("257 tensors, which are more than 256"));
    assert!(of_forward(|inputs| Ok(vec![inputs[0].view(&[3])?])).contains("view"));
    assert!(std::panic::catch_unwind(|| apply(By(|_: &[Tensor]| panic!("six"), none), &[])).is_err());
    let of_backward = |f: fn(&[Option<Tensor>]) -> Result<Vec<Option<Tensor>>>| {
        let made = apply(By(two, f), &[x.clone()]).unwrap();
        made[1].sum().unwrap().backward().unwrap_err().message
    };
    assert!(of_backward(|_| Ok(vec![])).contains("0 gradients for 1 inputs"));
    assert!(of_backward(|grads| Ok(grads.to_vec())).contains("2 gradients for 1 inputs"));
    assert!(of_backward(|_| Ok(vec![Some(ops::ones(&[3])?)])).contains("of another size than the operand"));
    assert!(of_backward(|grads| Ok(vec![Some(grads[1].as_ref().unwrap().view(&[3])?)])).contains("view"));
    assert!(x.grad().is_none());
    Ok(())
}

#[test]
fn hooks() -> Result<()> {
    let seen = Rc::new(Cell::new(0.0));
    let (x, notes) = (ops::ones(&[1])?.requires_grad_()?, seen.clone());
    let y = &x * 3;
    let hook = y.register_hook(move |grad| {
        notes.set(grad.value()?.to_f64());
        Ok(Some(grad * 10))
    })?;
    (&y * 2).sum()?.backward_from(None, true, false)?;
    assert_eq!((seen.get(), x.grad().unwrap().value()?.to_f64()), (2.0, 60.0));
    drop(hook);
    (&y * 2).sum()?.backward_from(None, true, false)?;
    assert_eq!(x.grad().unwrap().value()?.to_f64(), 66.0);
    let failing = x.register_hook(|_| ops::ones(&[-1]).map(Some))?;
    let error = (&x * 2).sum()?.backward().unwrap_err();
    assert!(error.message.contains("-1"), "{error}");
    assert_eq!(x.grad().unwrap().value()?.to_f64(), 66.0);
    drop(failing);
    assert!(ops::ones(&[1])?.register_hook(|_| Ok(None)).is_err());
    // one that drops itself and the one behind it, and goes on
    let all = Rc::new(std::cell::RefCell::new(Vec::new()));
    let (own, text) = (all.clone(), String::from("dropped hooks"));
    let first = y.register_hook(move |grad| {
        own.borrow_mut().clear();
        assert_eq!(text, "dropped hooks");
        Ok(Some(grad * 2))
    })?;
    let next = y.register_hook(|grad| Ok(Some(grad * 100)))?;
    all.borrow_mut().extend([first, next]);
    for expected in [66.0 + 6.0, 72.0 + 3.0] {
        y.sum()?.backward_from(None, true, false)?;
        assert_eq!(x.grad().unwrap().value()?.to_f64(), expected);
    }
    Ok(())
}

/// PyTorch's numbers are those of whole sequences: what pads them is not looked at.
#[test]
fn packed_sequences() -> Result<()> {
    let _drawing = DRAWING.lock();
    manual_seed(3);
    let lstm = nn::LSTM(2, 3)?;
    let sequences = [ops::rand(&[4, 2])?, ops::rand(&[2, 2])?, ops::rand(&[3, 2])?];
    let padded = nn::pad_sequence(&sequences)?;
    assert_eq!(padded.sizes(), [4, 3, 2]);
    let lengths = Tensor::from_slice(&[4i64, 2, 3], &[3])?;
    let (data, batch_sizes, sorted, unsorted) =
        nn::pack_padded_sequence_with(&padded, &lengths, &nn::PackPaddedSequenceOptions::new().enforce_sorted(false))?;
    assert_eq!(batch_sizes.to_vec::<i64>()?, [3, 3, 2, 1]);
    assert_eq!(sorted.unwrap().to_vec::<i64>()?, [0, 2, 1]);
    let unsorted = unsorted.unwrap();
    let options = nn::LSTMForwardPackedOptions::new().unsorted_indices(Some(&unsorted));
    let (output, h, _) = nn::LSTM_forward_packed_with(&lstm, &data, &batch_sizes, &options)?;
    let options = nn::PadPackedSequenceOptions::new().unsorted_indices(Some(&unsorted));
    let (output, counts) = nn::pad_packed_sequence_with(&output, &batch_sizes, &options)?;
    assert_eq!(counts.to_vec::<i64>()?, [4, 2, 3]);
    for (i, sequence) in sequences.iter().enumerate() {
        let (alone, last, _) = nn::LSTM_forward(&lstm, &sequence.unsqueeze(1)?)?;
        let part = output.select(1, i as i64)?.narrow(0, 0, sequence.sizes()[0])?;
        assert!(part.allclose(&alone.squeeze_dim(1)?)? && h.select(1, i as i64)?.allclose(&last.squeeze_dim(1)?)?);
    }
    assert!(nn::LSTM_forward_packed(&nn::GRU(2, 3)?, &data, &batch_sizes).is_err());
    Ok(())
}
