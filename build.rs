//! Asks the linker to pack the relocations of the program.
//!
//! A position-independent program is relocated as it starts: the loader reads a table of 24 bytes for each pointer, all
//! of which is memory that the program occupies from then on. Packed (RELR), the table has a bit or two for each. Only
//! glibc 2.36 and later can read that, so it is requested only where the program is built for the machine that builds
//! it; packages are linked for older ones (docs/decisions/010-builds.md).

use std::env;
use std::process::Command;

/// The first glibc that reads packed relocations.
const GLIBC: (u32, u32) = (2, 36);

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if is_for_this_machine() && glibc().is_some_and(|version| version >= GLIBC) {
        println!("cargo::rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
    }
}

/// Whether the target is this machine and its own C library. A linker of another kind may link to another one.
fn is_for_this_machine() -> bool {
    let is = |name: &str, value: &str| env::var(name).is_ok_and(|it| it == value);
    env::var("HOST").ok() == env::var("TARGET").ok()
        && is("CARGO_CFG_TARGET_OS", "linux")
        && is("CARGO_CFG_TARGET_ENV", "gnu")
        && env::var_os("RUSTC_LINKER").is_none()
}

/// The version of glibc, if it can be found out.
fn glibc() -> Option<(u32, u32)> {
    let answer = Command::new("getconf").arg("GNU_LIBC_VERSION").output().ok()?;
    let text = String::from_utf8(answer.stdout).ok()?;
    let (major, minor) = text.trim().strip_prefix("glibc ")?.split_once('.')?;
    // A release within a series has a third number.
    let minor = minor.split('.').next()?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}
