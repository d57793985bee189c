//! The bare programs, compiled when the bench begins.
//!
//! They are compiled with `-O2` by the C and C++ compilers of the machine, from the sources in `peers/`. SQLite's is
//! linked with the same archive that cargo made for brunt, so that both run the same library, compiled with the same
//! options.

use brunt_bench_tool::{compiled, succeeded};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A source.
fn source(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("peers").join(name)
}

/// Compiles a program without libraries of its own; where it is.
pub(crate) fn plain(name: &str, into: &Path) -> PathBuf {
    compiled(&source(name), into, &[])
}

/// Compiles the program that measures SQLite with nothing between; where it is.
pub(crate) fn sqlite(into: &Path) -> PathBuf {
    let made = made_by_cargo("libsqlite3-sys");
    let output = std::fs::read_to_string(made.with_file_name("output"));
    let output = output
        .unwrap_or_else(|error| panic!("failed to read what built {}: {error}", made.display()));
    let headers = output
        .lines()
        .find_map(|line| line.split_once("include=").map(|(_, path)| path))
        .expect("the build of SQLite says where its header is");
    let archive = made.join("libsqlite3.a");
    let arguments =
        [format!("-I{headers}"), archive.display().to_string(), "-lpthread -ldl -lm".to_owned()];
    compiled(&source("sqlite_bare.c"), into, &arguments.each_ref().map(String::as_str))
}

/// Compiles a program with a library of the system, by the flags that `config` prints.
pub(crate) fn with_system_library(name: &str, into: &Path, config: &str) -> PathBuf {
    let flags = shell(config);
    compiled(&source(name), into, &[&flags])
}

/// The directory in which the build script of a package leaves what it makes.
fn made_by_cargo(package: &str) -> PathBuf {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(env!("CARGO_MANIFEST_DIR"));
    command.args(["build", "--release", "--quiet", "--message-format=json", "-p", package]);
    let reported = succeeded(&mut command).stdout;
    let reported = String::from_utf8_lossy(&reported);
    let found = reported.lines().find_map(|line| {
        let message: serde_json::Value = serde_json::from_str(line).ok()?;
        let ours = message["reason"] == "build-script-executed"
            && message["package_id"].as_str()?.contains(package);
        ours.then(|| message["out_dir"].as_str().map(PathBuf::from))?
    });
    found.unwrap_or_else(|| panic!("cargo does not say where {package} is built"))
}

/// What a command says on one line.
fn shell(script: &str) -> String {
    let output = succeeded(Command::new("sh").args(["-c", script]));
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}
