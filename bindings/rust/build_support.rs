// What both build scripts do: run the generator on the description of ATen's interface.
use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The folder with aten-ops.json and aten-api.json: THATEN_DESCRIPTION, or where an installation has them.
fn description() -> PathBuf {
    println!("cargo:rerun-if-env-changed=THATEN_DESCRIPTION");
    let given = env::var_os("THATEN_DESCRIPTION").map(PathBuf::from);
    let installed = ["/usr/local/share/th", "/usr/share/th"].map(PathBuf::from);
    given.or_else(|| installed.into_iter().find(|folder| folder.exists())).unwrap_or_default()
}

pub fn write(kind: &str, file: &str) {
    let folder = description();
    let generator = Path::new(&env::var_os("CARGO_MANIFEST_DIR").unwrap()).join("../generate");
    let inputs = [folder.join("aten-ops.json"), folder.join("aten-api.json")];
    println!("cargo:rerun-if-changed={}", generator.display());
    for input in &inputs {
        println!("cargo:rerun-if-changed={}", input.display());
    }
    let result = Path::new(&env::var_os("OUT_DIR").unwrap()).join(file);
    let status = Command::new("python3").arg(&generator).arg(kind).args(&inputs).arg(&result).status();
    assert!(matches!(status, Ok(s) if s.success()), "{} failed: THATEN_DESCRIPTION names the folder of aten-ops.json", generator.display());
}
