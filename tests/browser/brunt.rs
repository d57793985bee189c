//! brunt as these tests start it: a target in memory, and a run that is shown in browsers.

use std::process::Command;
use std::time::Duration;

use brunt_testbed::{Ended, Running, Trial, until};

/// How long a program may take to say where it is.
const PATIENCE: Duration = Duration::from_secs(90);

/// The program under test.
pub(crate) fn program() -> Command {
    Command::new(env!("CARGO_BIN_EXE_brunt"))
}

/// An identity API in memory.
pub(crate) struct Target {
    running: Option<Running>,
    address: String,
}

impl Target {
    /// Starts it on a free port.
    pub(crate) fn start() -> Self {
        let running = Trial::new(program()).typed("target rest --listen 127.0.0.1:0").start();
        let address = output(|| running.report(), "http://");
        Self { running: Some(running), address: address.trim_end_matches('/').to_owned() }
    }

    /// The address of a path.
    pub(crate) fn url(&self, path: &str) -> String {
        format!("{}{path}", self.address)
    }
}

impl Drop for Target {
    fn drop(&mut self) {
        if let Some(running) = self.running.take() {
            running.interrupt();
            running.wait();
        }
    }
}

/// A run that shows itself.
pub(crate) struct Shown {
    running: Running,
    /// Where its page is.
    pub(crate) page: String,
}

impl Shown {
    /// Starts a run that was prepared by [`trial`].
    pub(crate) fn new(trial: Trial) -> Self {
        let running = trial.start();
        let page = output(|| running.notes(), "web: http://").replace("web: ", "");
        Self { running, page }
    }

    /// The same, after each look at the most memory that it has had, in bytes.
    pub(crate) fn ended_after(self, mut look: impl FnMut(u64)) -> Ended {
        let over = until(PATIENCE, || {
            let memory = self.running.peak_memory();
            memory.into_iter().for_each(&mut look);
            memory.is_none()
        });
        assert!(over, "it did not end");
        self.ended()
    }

    /// Presses ^C.
    pub(crate) fn interrupt(&self) {
        self.running.interrupt();
    }

    /// Waits for its end, which must be a success.
    pub(crate) fn ended(self) -> Ended {
        self.ended_with(0)
    }

    /// Waits for its end, which is to have this exit code.
    pub(crate) fn ended_with(self, code: i32) -> Ended {
        self.running.wait().ended_with(code)
    }
}

/// A run with `--web`, for files to be added.
pub(crate) fn trial(words: &[&str]) -> Trial {
    Trial::brunt(program(), words).arg("--web")
}

/// Waits for the word that begins so, of what a program says.
fn output(text: impl Fn() -> String, begin: &str) -> String {
    let mut found = None;
    let come = until(PATIENCE, || {
        let text = text();
        let at = text.find(begin).map(|at| &text[at..]);
        let whole = at.filter(|rest| rest.contains('\n')).and_then(|rest| rest.lines().next());
        found = whole.map(|line| {
            let skipped = begin.find("http").unwrap_or_default();
            let end =
                line[skipped..].find(char::is_whitespace).map_or(line.len(), |end| skipped + end);
            line[..end].to_owned()
        });
        found.is_some()
    });
    assert!(come, "nothing begins with {begin}: {}", text());
    found.unwrap_or_default()
}
