//! Modules, optimizers and schedules.  The losses are PyTorch's from the same seed.
use std::sync::Mutex;
use thaten::{manual_seed, nn, ops, optim, ErrorKind, Result, Tensor, Type};

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
