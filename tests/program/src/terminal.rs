//! [`Terminal`]: a shell on a real terminal, which is tmux, and the content of its screen.

use std::cell::Cell;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use brunt_testbed::{BASE_DN, Slapd, require, until};
use rustix::process::Pid;
use tempfile::TempDir;

use crate::{binary, scratch};

/// Longer than anything takes to appear, on however busy a machine.
const PATIENCE: Duration = Duration::from_secs(90);

/// A hundred searches a second, without an end.
pub fn searching(slapd: &Slapd, more: &str) -> String {
    let (brunt, port) = (binary().display(), slapd.port());
    format!(
        "{brunt} searchrate -h 127.0.0.1 -p {port} -F -c 4 -i 1 -M 100 -b {BASE_DN} -s base --live {more} \
         '(objectClass=*)'"
    )
}

/// A shell on a terminal of its own.
pub struct Terminal {
    directory: TempDir,
    checks: Cell<u32>,
}

impl Terminal {
    /// A terminal of this size, or nothing where tmux is not installed.
    pub fn new((columns, rows): (u16, u16)) -> Option<Self> {
        if !require(&["tmux", "bash"]) {
            return None;
        }
        let terminal = Self { directory: scratch(), checks: Cell::new(0) };
        let (columns, rows) = (columns.to_string(), rows.to_string());
        let size = ["-x", &columns, "-y", &rows];
        let shell = ["bash --norc --noprofile -i"];
        terminal.tmux(&[&["-f", "/dev/null", "new-session", "-d"], &size[..], &shell].concat());
        terminal.enter("PS1='$ '");
        Some(terminal)
    }

    fn tmux(&self, words: &[&str]) -> String {
        let mut tmux = Command::new("tmux");
        tmux.arg("-S").arg(self.directory.path().join("socket")).args(words);
        tmux.env("LC_ALL", "C.UTF-8").env_remove("NO_COLOR").env_remove("TMUX");
        let done = tmux.output().unwrap_or_else(|error| panic!("failed to start tmux: {error}"));
        assert!(done.status.success(), "tmux {words:?}: {}", String::from_utf8_lossy(&done.stderr));
        String::from_utf8_lossy(&done.stdout).into_owned()
    }

    /// Types a line.
    pub fn enter(&self, line: &str) {
        self.tmux(&["send-keys", "-l", line]);
        self.key("Enter");
    }

    /// Presses a key, by tmux's name for it.
    pub fn key(&self, key: &str) {
        self.tmux(&["send-keys", key]);
    }

    /// What is on the screen.
    pub fn screen(&self) -> String {
        self.tmux(&["capture-pane", "-p"])
    }

    /// The same with what has left it at the top.
    pub fn everything(&self) -> String {
        self.tmux(&["capture-pane", "-p", "-J", "-S", "-"])
    }

    fn format(&self, format: &str) -> String {
        self.tmux(&["display-message", "-p", format]).trim().to_owned()
    }

    /// What the terminal is called, which programs may change.
    pub fn title(&self) -> String {
        self.format("#{pane_title}")
    }

    /// Has every byte that is written to the terminal from now on kept in a file.
    pub fn keep_output(&self, path: &Path) {
        self.tmux(&["pipe-pane", "-O", &format!("cat > {}", path.display())]);
    }

    /// Whether a view has the whole screen.
    pub fn has_view(&self) -> bool {
        self.format("#{alternate_on}") == "1"
    }

    /// Waits until what is on the screen is as a test wants it, and gives it.
    pub fn wait(&self, what: &str, mut there: impl FnMut(&str) -> bool) -> String {
        let mut screen = String::new();
        let come = until(PATIENCE, || {
            until(Duration::from_millis(50), || false);
            screen = self.screen();
            there(&screen)
        });
        assert!(come, "waited for {what} in vain\n{screen}\n---\n{}", self.everything());
        screen
    }

    /// Waits until the shell has the terminal again, and checks that it is as it was.
    #[track_caller]
    pub fn check_given_back(&self) {
        let come = until(PATIENCE, || {
            until(Duration::from_millis(50), || false);
            !self.has_view()
        });
        assert!(come, "the view stays\n{}", self.screen());
        // Each time with another number, which is not what is typed.
        let number = self.checks.replace(self.checks.get() + 1);
        let stty = "$(stty -a | grep -ow -e '-*icanon' -e '-*echo' -e '-*ixon' -e '-*isig')";
        self.enter(&format!("echo modes $((100 + {number})) {stty}"));
        let begin = format!("modes {} ", 100 + number);
        let line =
            |screen: &str| screen.lines().find(|line| line.starts_with(&begin)).map(str::to_owned);
        let screen = self.wait("the shell", |screen| line(screen).is_some());
        let modes = line(&screen).expect("it is there");
        // The shell's own editor is off while stty runs.
        for mode in ["icanon", "echo", "ixon", "isig"] {
            let found = modes.split(' ').any(|word| word == mode);
            assert!(found, "{mode} is not set: {modes}\n{screen}");
        }
        assert_eq!(self.format("#{cursor_flag}"), "1", "the cursor is hidden\n{screen}");
    }

    /// The process that the shell runs.
    pub fn process(&self) -> Pid {
        let shell = self.format("#{pane_pid}");
        let path = format!("/proc/{shell}/task/{shell}/children");
        let mut child = None;
        until(PATIENCE, || {
            let children = std::fs::read_to_string(Path::new(&path)).unwrap_or_default();
            child = children.split_whitespace().next().and_then(|id| id.parse().ok());
            child.is_some()
        });
        child.and_then(Pid::from_raw).unwrap_or_else(|| panic!("no process\n{}", self.screen()))
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let mut tmux = Command::new("tmux");
        tmux.arg("-S").arg(self.directory.path().join("socket")).arg("kill-server");
        let _ = tmux.output();
    }
}
