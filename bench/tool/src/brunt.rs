//! The path of the brunt that is measured.

use std::path::PathBuf;

/// The program named in `BRUNT`, or else the release build.
pub fn brunt() -> PathBuf {
    std::env::var_os("BRUNT").map_or_else(|| PathBuf::from("target/release/brunt"), PathBuf::from)
}
