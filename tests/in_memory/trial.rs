//! [`Trial`]: a command line that the machine of this test carries out once, with the files that it names.
//!
//! It is used, and its result read, as that of a process is (`brunt_testbed`).

use std::ffi::OsStr;
use std::fs;
use std::path::PathBuf;

use brunt_test_program::scratch;
pub(crate) use brunt_testbed::Ended as Run;
use tempfile::TempDir;

use crate::machine::own;

/// A command line in the making.
pub(crate) struct Trial {
    words: Vec<String>,
    directory: TempDir,
}

/// `brunt TOOL`.
pub(crate) fn command(tool: &str) -> Trial {
    Trial { words: vec![tool.to_owned()], directory: scratch() }
}

/// `brunt run` with this plan, and with the seed given so that a failure can be reproduced.
pub(crate) fn planned(plan: &str) -> Trial {
    let trial = command("run").args(["--seed", "7"]);
    let path = trial.file("plan.toml", plan);
    trial.arg(path)
}

impl Trial {
    /// A further argument.
    #[must_use]
    pub(crate) fn arg(self, word: impl AsRef<OsStr>) -> Self {
        self.args([word])
    }

    /// Further arguments.
    #[must_use]
    pub(crate) fn args<W: AsRef<OsStr>>(mut self, words: impl IntoIterator<Item = W>) -> Self {
        let text = |word: W| word.as_ref().to_str().expect("words are text").to_owned();
        self.words.extend(words.into_iter().map(text));
        self
    }

    /// Further arguments, as one would type them, divided at spaces.
    #[must_use]
    pub(crate) fn typed(self, words: &str) -> Self {
        self.args(words.split_whitespace())
    }

    /// Writes a file that lives as long as the run and gives its path.
    pub(crate) fn file(&self, name: &str, content: &str) -> PathBuf {
        let path = self.directory.path().join(name);
        fs::write(&path, content).expect("the directory is ours");
        path
    }

    /// Executes the run to its end.
    pub(crate) fn run(self) -> Run {
        let words: Vec<&str> = self.words.iter().map(String::as_str).collect();
        let ended = own(|machine| machine.record(&words[..1], &words[1..]));
        let texts = (ended.stdout.clone(), ended.stderr.clone());
        Run::in_process(self.words.join(" "), ended.code(), texts, ended.record_path())
    }
}
