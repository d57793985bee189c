//! [`Made`]: the packages of the binary under test.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use tempfile::TempDir;

pub(crate) const ROOT: &str = env!("CARGO_MANIFEST_DIR");
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");
/// What a package is made of here.
pub(crate) const BINARY: &str = env!("CARGO_BIN_EXE_brunt");
/// The date of every file in them.
pub(crate) const DATE: &str = "1750000000";

/// A directory of packages.
pub(crate) struct Made {
    directory: TempDir,
}

impl Made {
    /// The packages for glibc, made once for all tests.
    pub(crate) fn packages() -> &'static Self {
        static MADE: OnceLock<Made> = OnceLock::new();
        MADE.get_or_init(|| {
            let made = Self::empty();
            made.packaging("build", &["--binary", stripped().to_str().expect("a plain path")]);
            made
        })
    }

    pub(crate) fn empty() -> Self {
        Self { directory: tempfile::tempdir().expect("a directory") }
    }

    pub(crate) fn path(&self) -> &Path {
        self.directory.path()
    }

    /// Runs `packaging/build` with these arguments for the glibc of this machine.
    pub(crate) fn packaging(&self, program: &str, args: &[&str]) {
        let mut command = Command::new(Path::new(ROOT).join("packaging").join(program));
        command.args(["--target", &target("gnu"), "--pages-by", BINARY, "--level", "1", "--out"]);
        command.arg(self.path()).args(args).env("SOURCE_DATE_EPOCH", DATE);
        succeed(&mut command);
    }

    /// The file whose name ends so.
    pub(crate) fn file(&self, end: &str) -> PathBuf {
        let entries = fs::read_dir(self.path()).expect("packages");
        let mut paths = entries.map(|entry| entry.expect("an entry").path());
        let found = paths.find(|path| path.to_string_lossy().ends_with(end));
        found.unwrap_or_else(|| panic!("no *{end} in {}", self.path().display()))
    }
}

/// What this machine is called by compilers, with this C library.
pub(crate) fn target(library: &str) -> String {
    format!("{}-unknown-linux-{library}", std::env::consts::ARCH)
}

/// The binary under test without what is for debuggers.
pub(crate) fn stripped() -> &'static Path {
    static STRIPPED: OnceLock<(TempDir, PathBuf)> = OnceLock::new();
    let (_, path) = STRIPPED.get_or_init(|| {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("brunt");
        succeed(Command::new("strip").arg("-o").arg(&path).arg(BINARY));
        (directory, path)
    });
    path
}

/// What a command says that succeeds.
pub(crate) fn succeed(command: &mut Command) -> String {
    let ended = command.output().expect("it starts");
    let reply = String::from_utf8_lossy(&ended.stderr);
    assert!(ended.status.success(), "{command:?}: {reply}");
    String::from_utf8_lossy(&ended.stdout).into_owned()
}
