//! The `brunt` program.
fn main() {}
