//! The bare programs, compiled as the bench begins.
//!
//! With `-O2` by the C and C++ compilers of the machine, from the sources in `peers/`. SQLite's is linked with the very
//! archive that cargo made for brunt, so that both run the same library, compiled with the same options.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Where the sources are.
fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("peers")
}

/// Compiles a program without libraries of its own; where it is.
pub(crate) fn plain(source: &str, into: &Path) -> PathBuf {
    compiled(source, into, &[])
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
    compiled("sqlite_bare.c", into, &arguments.each_ref().map(String::as_str))
}

/// Compiles a program with a library of the system, by the flags that `config` prints.
pub(crate) fn with_system_library(source: &str, into: &Path, config: &str) -> PathBuf {
    let flags = shell(config);
    compiled(source, into, &[&flags])
}

fn compiled(source: &str, into: &Path, flags: &[&str]) -> PathBuf {
    let (name, ending) = source.split_once('.').expect("a source has a name and an ending");
    let program = into.join(name);
    let compiler = if ending == "cc" { "c++" } else { "cc" };
    let file = sources().join(source);
    let mut command = Command::new(compiler);
    command.args(["-O2", "-Wall", "-Wextra", "-Werror", "-o"]).arg(&program).arg(file);
    command.args(flags.iter().flat_map(|flags| flags.split_whitespace()));
    succeeded(&mut command);
    program
}

/// The directory in which the build script of a package leaves what it makes.
fn made_by_cargo(package: &str) -> PathBuf {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(env!("CARGO_MANIFEST_DIR"));
    command.args(["build", "--release", "--quiet", "--message-format=json", "-p", package]);
    let said = succeeded(&mut command).stdout;
    let said = String::from_utf8_lossy(&said);
    let found = said.lines().find_map(|line| {
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

/// Runs a command to its end; panics with its words unless it succeeds.
pub(crate) fn succeeded(command: &mut Command) -> Output {
    let output =
        command.output().unwrap_or_else(|error| panic!("failed to start {command:?}: {error}"));
    assert!(
        output.status.success(),
        "{command:?} ended with {}; it said:\n{}{}",
        output.status,
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    output
}
