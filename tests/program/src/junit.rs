//! Reports of JUnit, as xmllint reads them.

use std::path::Path;
use std::process::Command;

/// What xmllint makes of a file: whether it is content, and what it says.
pub fn xmllint(words: &[&str], file: &Path) -> (bool, String) {
    let run = Command::new("xmllint").args(words).arg(file).output().expect("xmllint runs");
    let message = String::from_utf8_lossy(&run.stdout) + String::from_utf8_lossy(&run.stderr);
    (run.status.success(), message.trim().to_owned())
}

/// Whether a report agrees with the schema, and what is wrong.
pub fn is_junit(report: &Path) -> (bool, String) {
    let schema = concat!(env!("CARGO_MANIFEST_DIR"), "/junit.xsd");
    xmllint(&["--noout", "--schema", schema], report)
}
