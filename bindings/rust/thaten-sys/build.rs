#[path = "../build_support.rs"]
mod support;

fn main() {
    support::write("sys", "raw.rs");
    println!("cargo:rerun-if-env-changed=THATEN_LIBRARY_FOLDER");
    if let Ok(folder) = std::env::var("THATEN_LIBRARY_FOLDER") {
        println!("cargo:rustc-link-search=native={folder}");
    }
    println!("cargo:rustc-link-lib=dylib=ATen");
}
