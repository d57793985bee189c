//! Tests that state nothing, skipped or inconclusive: each is reported at once, and `./test` lists them all at its end.

use std::env;
use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::path::Path;
use std::thread;

/// The variables that name the files in which `./test` collects what was skipped, and what was inconclusive.
const SKIPPED: &str = "BRUNT_SKIPPED";
const INCONCLUSIVE: &str = "BRUNT_INCONCLUSIVE";

/// Reports that the calling test is skipped, and why. In CI (`CI=true`) it panics instead: nothing is skipped there.
pub fn skip(why: &str) {
    assert!(env::var("CI").as_deref() != Ok("true"), "{why}, and in CI no test is skipped");
    skip_anywhere(why);
}

/// The same for what CI does not have either: software that `tests/setup` does not install.
pub fn skip_anywhere(why: &str) {
    report("skipped", SKIPPED, why);
}

/// Reports that the calling test failed on a machine on which its failure says nothing, and why.
pub fn inconclusive(why: &str) {
    report("inconclusive", INCONCLUSIVE, why);
}

fn report(what: &str, variable: &str, why: &str) {
    let test = thread::current().name().unwrap_or_default().to_owned();
    let program = env::current_exe().unwrap_or_default();
    let line = line(why, &env::var("CARGO_MANIFEST_DIR").unwrap_or_default(), &program, &test);
    // Not eprintln!, whose output cargo test hides if the test passes.
    let _ = io::stderr().write_all(format!("{what}: {line}").as_bytes());
    if let Some(file) = env::var_os(variable) {
        let file = OpenOptions::new().create(true).append(true).open(file);
        // One write a line, as test programs may run side by side.
        let written = file.and_then(|mut file| file.write_all(line.as_bytes()));
        written
            .unwrap_or_else(|error| panic!("failed to append to the file in {variable}: {error}"));
    }
}

/// Why, a tab, the test program and the test.
fn line(why: &str, package: &str, program: &Path, test: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2);
    let package = root.and_then(|root| Path::new(package).strip_prefix(root).ok());
    let program = program.file_stem().unwrap_or_default().to_string_lossy();
    // Cargo appends a hash.
    let program = program.rsplit_once('-').map_or(&*program, |(name, _)| name);
    let tests = package.unwrap_or_else(|| Path::new("")).join("tests").join(program);
    format!("{}\t{}: {test}\n", why.replace(['\t', '\n'], " "), tests.display())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn skip_line_names_reason_and_test() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap();
        let of = |package: &str| {
            let package = root.join(package).display().to_string();
            line("no slapd", &package, Path::new("/target/debug/deps/ldap-0a1b2c"), "binds::again")
        };
        assert_eq!(of(""), "no slapd\ttests/ldap: binds::again\n");
        assert_eq!(of("crates/net"), "no slapd\tcrates/net/tests/ldap: binds::again\n");
    }

    #[test]
    fn skip_summary_counts_by_reason_and_names_tests() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("skipped");
        let summary = |what: &str| {
            let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../summary");
            let output = Command::new(script).arg(what).arg(&file).output().unwrap();
            assert!(output.status.success(), "{output:?}");
            String::from_utf8(output.stdout).unwrap()
        };
        std::fs::write(&file, "").unwrap();
        assert_eq!(summary("skipped"), "");
        let lines = [
            line("no slapd", "", Path::new("ldap-1"), "a"),
            line("no mariadbd, no psql", "", Path::new("leases-1"), "b"),
            line("no slapd", "", Path::new("ldap-1"), "c"),
            line("no slapd", "", Path::new("ldap-1"), "c"),
        ];
        std::fs::write(&file, lines.concat()).unwrap();
        assert_eq!(
            summary("skipped"),
            "1 test was skipped: no mariadbd, no psql (tests/leases: b)\n\
             2 tests were skipped: no slapd (tests/ldap: a, c)\n"
        );
        std::fs::write(&file, &lines[0]).unwrap();
        assert_eq!(summary("inconclusive"), "1 test was inconclusive: no slapd (tests/ldap: a)\n");
    }
}
