//! The `brunt` program.

use std::process::ExitCode;

fn main() -> ExitCode {
    brunt_app::main()
}
