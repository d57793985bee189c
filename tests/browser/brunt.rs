//! [`Shown`]: a run that is shown in browsers.

use std::time::Duration;

use brunt_test_program::{Ended, Program, Trial, brunt};
use brunt_testbed::until;

/// How long a run may take to end.
const PATIENCE: Duration = Duration::from_secs(90);

/// A run that shows itself.
pub(crate) struct Shown {
    running: Program,
    /// Where its page is.
    pub(crate) page: String,
}

impl Shown {
    /// Starts a run that was prepared by [`trial`].
    pub(crate) fn new(trial: Trial) -> Self {
        let mut running = trial.start();
        let page = running.wait_for_url("web: ") + "/";
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
        self.running.wait().expect(code)
    }
}

/// A run with `--web`, for files to be added.
pub(crate) fn trial(words: &[&str]) -> Trial {
    brunt("").args(words).recorded().arg("--web")
}
