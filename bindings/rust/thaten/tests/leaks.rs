//! That nothing leaks; in a process of its own, whose memory no other test uses.
use std::path::PathBuf;
use thaten::{apply, nn, ops, optim, Function, Generator, Index, Program, Result, Tensor};

/// Two results, of which it keeps one; it fails for a gradient that is missing.
struct Halves(Vec<Tensor>);

impl Function for Halves {
    fn forward(&mut self, inputs: &[Tensor]) -> Result<Vec<Tensor>> {
        self.0 = vec![&inputs[0] * 0.5, inputs[0].clone()];
        Ok(self.0.clone())
    }

    fn backward(&mut self, grads: &[Option<Tensor>]) -> Result<Vec<Option<Tensor>>> {
        Ok(if grads[1].is_none() { vec![] } else { vec![Some(&self.0[0] * grads[1].as_ref().unwrap())] })
    }
}

#[test]
fn nothing_leaks() -> Result<()> {
    let resident = || {
        let statm = std::fs::read_to_string("/proc/self/statm").unwrap();
        statm.split(' ').nth(1).unwrap().parse::<i64>().unwrap() * 4
    };
    let golden = std::env::var("TH_GOLDEN").expect("TH_GOLDEN is tests/golden");
    let path = PathBuf::from(golden).join("programs/tiny.pt2");
    let (x, w) = (ops::rand(&[64, 64])?, ops::rand(&[64, 64])?.requires_grad_()?);
    let (mut net, input) = (Program::load(path)?, ops::rand(&[2, 3])?);
    let mut round = || -> Result<()> {
        let _ = &(&x + 1) * &x;
        let _ = (x.at(&[Index::from(1..3), 2.into()])?, x.at(&[(&x.gt_scalar(0.5)?).into()])?);
        let _ = (x.split(16)?, x.max_dim(1)?, x.gelu_with(&ops::Gelu::new().approximate("tanh"))?);
        assert!(x.view(&[7]).is_err());
        (&x * &w).sum()?.backward()?;
        let halves = apply(Halves(vec![]), &[w.clone()])?;
        halves[1].sum()?.backward()?;
        assert!(apply(Halves(vec![]), &[w.clone()])?[0].sum()?.backward().is_err());
        let layers = nn::Sequential(&[nn::Linear(64, 8)?, nn::ReLU()?])?;
        let sgd = optim::sgd(&layers.parameters()?)?;
        layers.forward(&x)?.sum()?.backward()?;
        optim::step_lr(&sgd, 1).and_then(|s| sgd.step().and(s.step()))?;
        assert!(nn::Linear(-1, 2).is_err());
        let _ = (net.run(&[input.clone()])?, Generator::with_seed(1)?, x.storage()?, x.parcel()?);
        Ok(())
    };
    for _ in 0..1000 {
        round()?;
    }
    let before = resident();
    for _ in 0..10000 {
        round()?;
    }
    // One result of 16 KB in each round would be 160,000 KB.
    assert!(resident() - before < 16 * 1024, "{} KB", resident() - before);
    Ok(())
}
