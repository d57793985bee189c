//! The name of this program and its version, as records and `--version` show them.

use brunt_record::Tool;

/// The program that made a record.
pub fn tool() -> Tool {
    Tool { name: "brunt".to_owned(), version: env!("CARGO_PKG_VERSION").to_owned() }
}

/// The output of `--version`.
pub fn version() -> String {
    let Tool { name, version } = tool();
    format!("{name} {version}\n")
}
