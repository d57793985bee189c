//! The bare programs that a tool is compared with, compiled when a bench begins.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Compiles a C or C++ source with `-O2` into the directory `into`, with further words for the compiler, each of which
/// may be several; where the program is.
pub fn compiled(source: &Path, into: &Path, flags: &[&str]) -> PathBuf {
    let name = source.file_stem().expect("a source has a name");
    let program = into.join(name);
    let of_cpp = source.extension().is_some_and(|ending| ending == "cc");
    let mut command = Command::new(if of_cpp { "c++" } else { "cc" });
    command.args(["-O2", "-Wall", "-Wextra", "-Werror", "-o"]).arg(&program).arg(source);
    command.args(flags.iter().flat_map(|flags| flags.split_whitespace()));
    succeeded(&mut command);
    program
}

/// Runs a command to its end; panics with its words unless it succeeds.
pub fn succeeded(command: &mut Command) -> Output {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn source_is_compiled_to_a_program() {
        let place = std::env::temp_dir().join(format!("bench-compiler-{}", std::process::id()));
        std::fs::create_dir_all(&place).unwrap();
        let source = place.join("said.c");
        std::fs::write(&source, "#include <stdio.h>\nint main(void) { return puts(WORD) < 0; }\n")
            .unwrap();
        let program = compiled(&source, &place, &["-DWORD=\"heard\""]);
        assert_eq!(succeeded(&mut Command::new(program)).stdout, b"heard\n");
        std::fs::remove_dir_all(place).unwrap();
    }
}
