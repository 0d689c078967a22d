//! Every stored case of ATen's operations, whose format tests/ATen/table/cases.h describes.
#![allow(non_snake_case, clippy::all)]

use std::collections::HashMap;
use std::fs;
use std::path::PathBuf;
use thaten::ops::*;
use thaten::{Generator, Result, Scalar, Tensor, Type};

#[derive(Debug)]
enum Value {
    Default,
    None,
    Tensor(Tensor),
    Tensors(Vec<Tensor>),
    Optional(Vec<Option<Tensor>>),
    Scalar(Scalar),
    Ints(Vec<i64>),
    Doubles(Vec<f64>),
    Type(Type),
    Seed(GeneratorBox),
    Text(String),
}

struct GeneratorBox(Generator);
impl std::fmt::Debug for GeneratorBox {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str("a generator")
    }
}

macro_rules! values {
    ($($name:ident: $type:ty, $pattern:pat => $value:expr;)*) => {
        impl Value {
            $(fn $name(&self) -> $type {
                match self {
                    $pattern => $value,
                    other => panic!("{:?} is no {}", other, stringify!($name)),
                }
            })*
        }
    };
}
values! {
    tensor: &Tensor, Value::Tensor(t) => t;
    tensors: &[Tensor], Value::Tensors(list) => list;
    optional_tensors: &[Option<Tensor>], Value::Optional(list) => list;
    ints: &[i64], Value::Ints(list) => list;
    doubles: &[f64], Value::Doubles(list) => list;
    element_type: Type, Value::Type(t) => *t;
    generator: &Generator, Value::Seed(g) => &g.0;
    text: &str, Value::Text(word) => word;
    number: f64, Value::Scalar(s) => s.to_f64();
}

impl Value {
    fn is_given(&self) -> bool {
        !matches!(self, Value::Default)
    }

    fn optional(&self) -> Option<&Tensor> {
        match self {
            Value::None | Value::Default => None,
            other => Some(other.tensor()),
        }
    }

    fn scalar(&self) -> Scalar {
        match self {
            Value::None => Scalar::None,
            Value::Scalar(s) => *s,
            other => panic!("{other:?} is no scalar"),
        }
    }

    fn integer(&self) -> i64 {
        match self.scalar() {
            Scalar::Integer(v) => v,
            Scalar::None => i64::MIN,
            Scalar::Number(v) => v as i64,
        }
    }

    fn truth(&self) -> bool {
        self.integer() != 0
    }
}

impl From<Tensor> for Value {
    fn from(t: Tensor) -> Self {
        Value::Tensor(t)
    }
}
impl From<Option<Tensor>> for Value {
    fn from(t: Option<Tensor>) -> Self {
        t.map_or(Value::None, Value::Tensor)
    }
}
impl From<Vec<Tensor>> for Value {
    fn from(list: Vec<Tensor>) -> Self {
        Value::Tensors(list)
    }
}
impl From<i64> for Value {
    fn from(v: i64) -> Self {
        Value::Scalar(v.into())
    }
}
impl From<bool> for Value {
    fn from(v: bool) -> Self {
        Value::Scalar(i64::from(v).into())
    }
}

include!(concat!(env!("OUT_DIR"), "/cases.rs"));

// --- reading ---------------------------------------------------------------------------------------------

fn number(word: &str) -> f64 {
    let (sign, digits) = word.strip_prefix('-').map_or((1.0, word), |rest| (-1.0, rest));
    let magnitude = match digits {
        "nan" => f64::NAN,
        "inf" => f64::INFINITY,
        _ => match digits.strip_prefix("0x") {
            None => digits.parse().unwrap(),
            Some(hex) => {
                let (mantissa, exponent) = hex.split_once('p').unwrap();
                let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
                let bits = u64::from_str_radix(&format!("{whole}{fraction}"), 16).unwrap();
                let exponent = exponent.parse::<i32>().unwrap() - 4 * fraction.len() as i32;
                // In two steps, since 2^-1074 times 2^52 is the smallest number.
                bits as f64 * 2f64.powi(exponent / 2) * 2f64.powi(exponent - exponent / 2)
            }
        },
    };
    sign * magnitude
}

fn scalar(word: &str) -> Scalar {
    match word.parse::<i64>() {
        Ok(v) => Scalar::Integer(v),
        Err(_) => Scalar::Number(number(word)),
    }
}

fn element_type(word: &str) -> Option<Type> {
    use Type::*;
    [Byte, Char, Short, Int, Long, Float, Double, Half, Bool, BFloat16].into_iter().find(|t| format!("{t:?}") == word)
}

fn tensor_of(words: &[&str]) -> Tensor {
    let wanted = element_type(words[0]).unwrap();
    let dims: usize = words[1].parse().unwrap();
    let sizes: Vec<i64> = words[2..2 + dims].iter().map(|w| w.parse().unwrap()).collect();
    let elements = &words[3 + dims..];
    let wide = if wanted.is_floating() {
        Tensor::from_slice(&elements.iter().map(|w| number(w)).collect::<Vec<_>>(), &sizes)
    } else {
        Tensor::from_slice(&elements.iter().map(|w| w.parse::<i64>().unwrap()).collect::<Vec<_>>(), &sizes)
    };
    wide.unwrap().to(wanted).unwrap()
}

struct Case {
    name: String,
    overload: String,
    line: usize,
    arguments: Vec<Value>,
    wanted: Vec<Value>,
    error: bool,
    within: f64,
}

struct Reader<'a> {
    lines: Vec<Vec<&'a str>>,
    at: usize,
}

impl<'a> Reader<'a> {
    fn value(&mut self, words: &[&'a str]) -> Value {
        match words[0] {
            "tensor" => Value::Tensor(tensor_of(&words[1..])),
            "tensors" | "list" => {
                let count = words[1].parse().unwrap();
                let entries: Vec<Value> = (0..count)
                    .map(|_| {
                        self.at += 1;
                        let line = self.lines[self.at - 1].clone();
                        self.value(&line)
                    })
                    .collect();
                let optional: Vec<Option<Tensor>> = entries.iter().map(|v| v.optional().cloned()).collect();
                Value::Optional(optional)
            }
            "none" | "undefined" => Value::None,
            "default" => Value::Default,
            "type" => Value::Type(element_type(words[1]).unwrap()),
            "seed" => Value::Seed(GeneratorBox(Generator::with_seed(words[1].parse().unwrap()).unwrap())),
            "ints" => Value::Ints(words[2..].iter().map(|w| w.parse().unwrap()).collect()),
            "doubles" => Value::Doubles(words[2..].iter().map(|w| number(w)).collect()),
            "text" => Value::Text(words[1..].join(" ")),
            "bool" | "long" | "double" | "scalar" => Value::Scalar(scalar(words[1])),
            _ => Value::Tensor(tensor_of(words)),
        }
    }

    fn cases(mut self) -> Vec<Case> {
        let mut cases: Vec<Case> = Vec::new();
        while self.at < self.lines.len() {
            let words = self.lines[self.at].clone();
            self.at += 1;
            match words[0] {
                "case" => {
                    let (name, overload) = words[1].split_once('.').unwrap_or((words[1], ""));
                    let (name, overload) = (name.to_string(), overload.to_string());
                    let (arguments, wanted) = (Vec::new(), Vec::new());
                    cases.push(Case { name, overload, line: self.at, arguments, wanted, error: false, within: 0.0 });
                }
                "#" | "strides" => {}
                "error" => cases.last_mut().unwrap().error = true,
                "within" => cases.last_mut().unwrap().within = number(words[1]),
                "want" => {
                    let value = self.value(&words[1..]);
                    cases.last_mut().unwrap().wanted.push(value);
                }
                _ => {
                    let value = self.value(&words);
                    cases.last_mut().unwrap().arguments.push(value);
                }
            }
        }
        cases
    }
}

// --- comparing -------------------------------------------------------------------------------------------

fn near(a: f64, b: f64, units: f64) -> bool {
    a == b || (a.is_nan() && b.is_nan()) || (a - b).abs() <= units * b.abs().max(1.0)
}

fn differs(got: &Tensor, want: &Tensor, units: f64) -> bool {
    if got.element_type() != want.element_type() || got.sizes() != want.sizes() {
        return true;
    }
    if !want.element_type().is_floating() {
        return got.to_vec::<i64>().unwrap() != want.to_vec::<i64>().unwrap();
    }
    let (a, b) = (got.to_vec::<f64>().unwrap(), want.to_vec::<f64>().unwrap());
    a.iter().zip(&b).any(|(a, b)| !near(*a, *b, units))
}

fn difference(got: &Value, want: &Value, units: f64) -> bool {
    match (got, want) {
        (Value::None, Value::None) => false,
        (Value::Tensor(a), Value::Tensor(b)) => differs(a, b, units),
        (Value::Tensors(a), Value::Optional(b)) => {
            a.len() != b.len() || a.iter().zip(b).any(|(a, b)| differs(a, b.as_ref().unwrap(), units))
        }
        (Value::Scalar(a), Value::Scalar(b)) => !near(a.to_f64(), b.to_f64(), units),
        _ => true,
    }
}

fn tolerance(case: &Case) -> f64 {
    if case.within != 0.0 {
        return case.within;
    }
    let digits = |t: &Tensor| match t.element_type() {
        Type::Double => 2f64.powi(-49),
        Type::Half => 2f64.powi(-10),
        Type::BFloat16 => 2f64.powi(-7),
        _ => 2f64.powi(-22),
    };
    let all = case.arguments.iter().chain(&case.wanted);
    let most = all.filter_map(|v| if let Value::Tensor(t) = v { Some(digits(t)) } else { None }).fold(0.0, f64::max);
    if most == 0.0 { 2f64.powi(-49) } else { most }
}

/// The list of tensors, none of which may be missing, where the operation takes such a list.
fn plain(arguments: Vec<Value>) -> Vec<Value> {
    let all = |list: &Vec<Option<Tensor>>| list.iter().cloned().collect::<Option<Vec<_>>>();
    arguments.into_iter().map(|v| if let Value::Optional(list) = &v { all(list).map_or(v, Value::Tensors) } else { v }).collect()
}

#[test]
fn cases_of_pytorch() {
    let known: HashMap<_, _> = CASES.iter().map(|row| ((row.0, row.1), row.2)).collect();
    let takes_missing = ["index", "index_put", "index_put_", "index_put_out", "index_out", "_index_put_impl_", "index_add", "_unsafe_masked_index",
                         "_unsafe_masked_index_put_accumulate"];
    std::panic::set_hook(Box::new(|_| {})); // quiet
    let (mut called, mut faults, mut names) = (0, Vec::new(), std::collections::HashSet::new());
    let folder = PathBuf::from(std::env::var("TH_GOLDEN").expect("TH_GOLDEN is tests/golden")).join("aten");
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        // Without the cases of elements that the reader here does not read: complex numbers, and wide unsigned integers.
        let known_to_rust = |case: &&str| !case.contains("Complex") && !case.contains("UInt");
        let text = text.split_inclusive("\ncase ").filter(known_to_rust).collect::<String>();
        let text = text.strip_suffix("\ncase ").unwrap_or(&text); // the name of a case that is left out
        let reader = Reader { lines: text.lines().map(|line| line.split_whitespace().collect()).collect(), at: 0 };
        for mut case in reader.cases() {
            let function = match known.get(&(case.name.as_str(), case.overload.as_str())) {
                Some(function) => function,
                None => continue,
            };
            if !takes_missing.contains(&case.name.as_str()) {
                case.arguments = plain(case.arguments);
            }
            let what = format!("{}:{} {}", path.display(), case.line, case.name);
            // An argument that Rust's types do not allow is an error too.
            let call = std::panic::AssertUnwindSafe(|| function(&case.arguments).map_err(|e| e.message));
            match std::panic::catch_unwind(call).unwrap_or_else(|_| Err("a panic".to_string())) {
                Err(error) if !case.error => faults.push(format!("{what}: {error}")),
                Ok(_) if case.error => faults.push(format!("{what}: no error")),
                Ok(got) if got.iter().zip(&case.wanted).any(|(g, w)| difference(g, w, tolerance(&case))) => {
                    faults.push(format!("{what}: {got:?} for {:?}", case.wanted));
                }
                _ => {}
            }
            called += 1;
            names.insert(case.name);
        }
    }
    let _ = std::panic::take_hook();
    println!("{called} cases of {} names", names.len());
    assert!(faults.is_empty(), "{} of {called}:\n{}", faults.len(), faults[..faults.len().min(20)].join("\n"));
    assert!(names.len() > 1200);
}
