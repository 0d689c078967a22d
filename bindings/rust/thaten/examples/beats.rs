//! Finds the beats in a noisy signal: slices, filters, masks and sorting, and files of arrays.
//!
//! usage: beats [BEATS.npz]
use std::path::PathBuf;
use thaten::{load, manual_seed, ops, save, Result, Tensor, Type};

const RATE: i64 = 100;
const COUNT: i64 = 2000;
const PERIOD: usize = 80;
const WIDTH: i64 = 21;

/// A slow wave with noise, and the shape of a beat at every period; and that shape.
fn signal() -> Result<(Tensor, Tensor)> {
    let time = ops::arange(COUNT)?.to(Type::Float)? / RATE;
    let noisy = (time * (0.4 * std::f64::consts::PI)).sin()? + ops::randn(&[COUNT])? * 0.1;
    let x = ops::linspace_with(-3, 3, &ops::Linspace::new().steps(WIDTH))?;
    let beat = (-(&x * &x)).exp()?;
    for start in (30..COUNT - WIDTH).step_by(PERIOD) {
        let part = noisy.i(start..start + WIDTH)?; // a view: what changes it changes the signal
        part.add__with(&beat, &ops::Add::new().alpha(2))?;
    }
    Ok((noisy, beat))
}

/// x weighted by the kernel around each sample.
fn filtered(x: &Tensor, kernel: &Tensor) -> Result<Tensor> {
    let (half, width) = (kernel.numel() / 2, kernel.numel());
    let padded = x.view(&[1, 1, -1])?.pad_with(&[half, width - 1 - half], &ops::Pad::new().mode("reflect"))?;
    padded.conv1d(&kernel.view(&[1, 1, -1])?)?.view(&[-1])
}

fn main() -> Result<()> {
    manual_seed(3);
    let (noisy, beat) = signal()?;
    let wave = filtered(&noisy, &ops::full(&[RATE], 1.0 / RATE as f64)?)?;
    let score = filtered(&(&noisy - &wave), &(&beat / (&beat * &beat).sum()?))?;

    // Beats are samples whose score is the highest of 41 around them, and high.
    let (pooled, _) = score.view(&[1, 1, -1])?.max_pool1d_with(&[41], &ops::MaxPool1d::new().stride(&[1]).padding(&[20]))?;
    let is_beat = score.eq(&pooled.view(&[-1])?)?.logical_and(&score.gt_scalar(0.8)?)?;
    let found = is_beat.nonzero()?.squeeze_dim(1)?;
    let gaps = &found.i(1..)? - &found.i(..-1)?;
    println!("{} beats, {} samples apart", found.numel(), gaps.median()?.item::<i64>()?);

    // The highest first, and the signal around each of them, a row each.
    let (values, order) = score.i(&found)?.sort_with(&ops::Sort::new().descending(true))?;
    let peaks = found.i(&order)?;
    let around = &peaks.unsqueeze(1)? + ops::arange(WIDTH)? - WIDTH / 2;
    let windows = noisy.i(&around)?;
    println!("the highest has {:.3} and the mean {}", values.i(0)?.item::<f64>()?, windows.mean_dim(&[0])?);

    let given = std::env::args().nth(1).map(PathBuf::from);
    let own = std::env::temp_dir().join(format!("beats-{}.npz", std::process::id()));
    let path = given.as_ref().unwrap_or(&own);
    save(path, &[("windows", &windows), ("peaks", &peaks)])?;
    for (name, stored) in load(path)? {
        assert!(stored.equal(if name == "windows" { &windows } else { &peaks })?, "{name}");
    }
    assert_eq!(found.numel(), 25);
    if given.is_none() {
        std::fs::remove_file(&own).expect("the file");
    }
    Ok(())
}
