#[path = "../build_support.rs"]
mod support;

fn main() {
    support::write("operations", "operations.rs");
    support::write("cases", "cases.rs");
    support::write("modules", "modules.rs");
    support::write("training", "training.rs");
    support::write("plain", "plain.rs");
}
