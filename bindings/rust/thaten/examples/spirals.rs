//! Tells three spirals apart: batches, a schedule, a network in a .safetensors file.
//!
//! usage: spirals [NETWORK.safetensors]
use std::f64::consts::PI;
use std::path::PathBuf;
use thaten::{data, manual_seed, nn, no_grad, ops, optim, save, Result, Tensor, Type};

const CLASSES: i64 = 3;
const POINTS: i64 = 150;

/// Points on a spiral arm for each class, and the class of each point.
fn spirals() -> Result<(Tensor, Tensor)> {
    let (mut xs, mut ys) = (Vec::new(), Vec::new());
    for class in 0..CLASSES {
        let radius = ops::linspace_with(0.05, 1, &ops::Linspace::new().steps(POINTS))?;
        let turn = 2.0 * PI * class as f64 / CLASSES as f64;
        let angle = &radius * 4 + turn + ops::randn(&[POINTS])? * 0.15;
        let point = [&radius * angle.cos()?, &radius * angle.sin()?];
        xs.push(ops::stack_with(&point, &ops::Stack::new().dim(1))?);
        ys.push(ops::full_with(&[POINTS], class, &ops::Full::new().type_(Type::Long))?);
    }
    Ok((ops::cat(&xs)?, ops::cat(&ys)?))
}

fn network() -> Result<nn::Module> {
    nn::Sequential(&[nn::Linear(2, 64)?, nn::ReLU()?, nn::Linear(64, 64)?, nn::ReLU()?, nn::Linear(64, CLASSES)?])
}

/// The part of points whose highest score is that of their class.
fn accuracy(net: &nn::Module, x: &Tensor, y: &Tensor) -> Result<f64> {
    let scores = no_grad(|| net.forward(x))?;
    let best = scores.argmax_with(&ops::Argmax::new().dim(1))?;
    best.eq(y)?.to(Type::Float)?.mean()?.item()
}

fn main() -> Result<()> {
    manual_seed(7);
    let (x, y) = spirals()?;
    let net = network()?;
    let parameters = net.parameters()?;
    let adam = optim::adam_with(&parameters, &optim::AdamOptions::new().lr(0.01))?;
    let schedule = optim::cosine_lr(&adam, 40)?;
    let mut loader = data::Loader::new(&data::Dataset::of_tensors(&[x.clone(), y.clone()])?, 50, true)?;
    for epoch in 1..=40 {
        let mut total = 0.0;
        for batch in loader.pass() {
            let batch = batch?;
            adam.zero_grad()?;
            let loss = net.forward(&batch[0])?.cross_entropy_loss(&batch[1])?;
            loss.backward()?;
            nn::clip_grad_norm(&parameters, 1.0)?;
            adam.step()?;
            total += loss.item::<f64>()?;
        }
        schedule.step()?;
        if epoch % 10 == 0 {
            println!("epoch {epoch}  loss {:.4}  rate {:.5}", total / 9.0, adam.get(0, "lr")?);
        }
    }
    let right = accuracy(&net, &x, &y)?;
    println!("{:.1} % of the points are right", 100.0 * right);

    let given = std::env::args().nth(1).map(PathBuf::from);
    let own = std::env::temp_dir().join(format!("spirals-{}.safetensors", std::process::id()));
    let path = given.as_ref().unwrap_or(&own);
    save(path, &net.state_dict()?)?;
    let again = network()?;
    again.load(path)?;
    assert!(accuracy(&again, &x, &y)? == right && right > 0.9);
    if given.is_none() {
        std::fs::remove_file(&own).expect("the file");
    }
    Ok(())
}
