//! [`Installed`]: what the .deb installs, and its service as systemd would start it.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, chown};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use brunt_test_program::Program;
use rustix::process::{Signal, geteuid};
use tempfile::TempDir;

use crate::made::{Made, ROOT, succeed};

/// A user of the service, as systemd makes one up; tests that do not run as root have their own.
const USER: u32 = 65_534;
/// The unit of the site.
const UNIT: &str = "usr/lib/systemd/system/brunt-serve.service";

/// A package that was unpacked, and the directory of states.
pub(crate) struct Installed {
    directory: TempDir,
}

impl Installed {
    /// Unpacks the package as dpkg does.
    pub(crate) fn new(made: &Made) -> Self {
        let directory = tempfile::tempdir().expect("a directory");
        // Others than the owner of the test start what is in it.
        fs::set_permissions(directory.path(), fs::Permissions::from_mode(0o755))
            .expect("it is ours");
        succeed(
            Command::new("dpkg-deb")
                .arg("-x")
                .arg(made.file(".deb"))
                .arg(directory.path().join("root")),
        );
        for name in ["state", "run"] {
            fs::create_dir(directory.path().join(name)).expect("a directory");
        }
        fs::set_permissions(directory.path().join("run"), fs::Permissions::from_mode(0o777))
            .expect("it is ours");
        Self { directory }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// The directory of the site, by its name in that of states.
    pub(crate) fn state(&self, name: &str) -> PathBuf {
        self.path("state").join(name)
    }

    /// The line that the unit starts, with this drop-in.
    fn line(&self, drop_in: &str) -> String {
        let unit =
            fs::read_to_string(self.path("root").join(UNIT)).expect("the package has the unit");
        let whole = format!("{unit}\n{drop_in}");
        let lines = whole.lines().filter_map(|line| line.strip_prefix("ExecStart="));
        // An empty one takes back those before it, and a service has exactly one.
        let mut kept: Vec<&str> = Vec::new();
        for line in lines {
            if line.is_empty() { kept.clear() } else { kept.push(line) }
        }
        let [line] = kept[..] else { panic!("one line of {kept:?}") };
        line.to_owned()
    }

    /// Starts the service with this drop-in. `places` are what the test has elsewhere than an administrator would.
    pub(crate) fn start(&self, drop_in: &str, places: &[(&str, &str)]) -> Program {
        let state = self.path("state").display().to_string();
        let mut line = self.line(drop_in).replace("%S", &state).replace("/usr/bin", &self.bin());
        for (from, to) in places {
            assert!(line.contains(from), "{line}");
            line = line.replace(from, to);
        }
        let words: Vec<&str> = line.split(' ').collect();
        let directory =
            words.iter().skip_while(|word| **word != "--dir").nth(1).expect("a directory");
        give(Path::new(directory));
        let mut command = Command::new("sh");
        // UMask=0077.
        command.args(["-c", "umask 0077 && exec \"$@\"", "unit"]).args(&words);
        command.env_clear().env("PATH", "/usr/bin:/bin").env("HOME", "/").current_dir(directory);
        // Its runs do not wait for those of other tests.
        command.env("XDG_RUNTIME_DIR", self.path("run"));
        if geteuid().is_root() {
            command.uid(USER).gid(USER);
        }
        Program::start(&mut command)
    }

    /// Carries out a line of the page for administrators, as one of them does in a shell.
    pub(crate) fn shell(&self, line: &str) -> String {
        let path = format!("{}:/usr/bin:/bin", self.bin());
        succeed(Command::new("sh").args(["-c", line]).env_clear().env("PATH", path))
    }

    fn bin(&self) -> String {
        self.path("root/usr/bin").display().to_string()
    }
}

/// `StateDirectory=`: the directory is there, and all in it belongs to the user of the service.
fn give(directory: &Path) {
    fs::create_dir_all(directory).expect("a directory");
    fs::set_permissions(directory, fs::Permissions::from_mode(0o700)).expect("it is ours");
    if geteuid().is_root() {
        own(directory);
    }
}

fn own(path: &Path) {
    chown(path, Some(USER), Some(USER)).expect("root may");
    if path.is_dir() && !path.is_symlink() {
        for entry in fs::read_dir(path).expect("a directory") {
            own(&entry.expect("an entry").path());
        }
    }
}

/// Ends a service as systemd does.
pub(crate) fn stop(service: Program) {
    service.signal(Signal::TERM);
    service.wait();
}

/// The page for administrators.
pub(crate) struct Page(String);

impl Page {
    pub(crate) fn read() -> Self {
        Self(fs::read_to_string(format!("{ROOT}/docs/website.md")).expect("a page"))
    }

    /// Its block in this language that has these words.
    pub(crate) fn block(&self, language: &str, words: &str) -> String {
        let address_policy = format!("```{language}\n");
        let blocks =
            self.0.split(&address_policy).skip(1).filter_map(|rest| rest.split_once("\n```"));
        let found: Vec<&str> =
            blocks.map(|(block, _)| block).filter(|block| block.contains(words)).collect();
        let [block] = found[..] else { panic!("{} blocks have {words}", found.len()) };
        block.to_owned()
    }

    /// The block with these words, with the places of the test in place of those that the page names.
    pub(crate) fn placed(&self, language: &str, words: &str, places: &[(&str, &str)]) -> String {
        let mut block = self.block(language, words);
        for (from, to) in places {
            assert!(block.contains(from), "{from} is not in {block}");
            block = block.replace(from, to);
        }
        block
    }
}
