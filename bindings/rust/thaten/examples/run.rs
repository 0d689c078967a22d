//! Runs a program that torch.export.save wrote.
//!
//! usage: run PROGRAM.pt2 INPUTS.npz
//!
//! The inputs are the arrays input0, input1 and so on.
use thaten::{load, Program, Tensor};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (program, inputs) = match arguments.as_slice() {
        [program, inputs] => (program, inputs),
        _ => return Err("usage: run PROGRAM.pt2 INPUTS.npz".into()),
    };
    let (mut net, stored) = (Program::load(program)?, load(inputs)?);
    let mut inputs: Vec<Tensor> = Vec::new();
    for (i, input) in net.inputs().iter().enumerate() {
        let (_, t) = stored.iter().find(|(name, _)| *name == format!("input{i}")).ok_or("an input is missing")?;
        println!("{} {:?}", input.name, t.sizes());
        inputs.push(t.clone());
    }
    for output in net.run(&inputs)?.iter().flatten() {
        println!("{output}");
    }
    Ok(())
}
