//! [`Recomputed`]: a run whose record is compared with what a short Python program computes from the target's own log.
//!
//! The same load exists twice: once as a plan for brunt, once as a schedule for `recompute.py`, which is independent of
//! brunt's code and computes counts, rates, percentiles with their bounds, steps, phases and objectives by itself.

use std::fs;
use std::path::{Path, PathBuf};

use brunt_testbed::require;
use serde_json::Value;
use tempfile::TempDir;

use crate::{Ended, Program, command, scratch};

/// Half of all are answered at once, two in five after 50 ms, and so on.
const SHARES: &str = r#""shares": [[50, 0], [40, 50], [8, 100], [2, 200]]"#;

/// One run, and what is known of it beforehand.
pub struct Recomputed {
    case: String,
    directory: TempDir,
}

impl Recomputed {
    /// A run of this case, as the members of JSON that `recompute.py` reads, unless there is no Python.
    pub fn new(case: &str) -> Option<Self> {
        if !require(&["python3"]) {
            return None;
        }
        let case = format!("{{{case}}}").replace("SHARES", SHARES);
        let directory = scratch();
        fs::write(directory.path().join("case.json"), &case).expect("a file");
        Some(Self { case, directory })
    }

    /// The case, as JSON.
    pub fn case(&self) -> Value {
        serde_json::from_str(&self.case).expect("it is JSON")
    }

    /// A file of this run: `log` is what is compared, `record.json` with what.
    pub fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// What Python says of the record, given how brunt ended.
    pub fn recompute(&self, code: i32) -> Ended {
        let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("recomputed").join("recompute.py");
        let mut python = command(Path::new("python3"));
        // No compiled form is left beside the sources.
        python.arg("-B").arg(program);
        for name in ["case.json", "log", "record.json"] {
            python.arg(self.path(name));
        }
        Program::start(python.arg(code.to_string())).wait()
    }

    /// Makes one figure of the record another, and looks whether that is noticed, under this name.
    pub fn falsify(&self, figure: &str, value: &Value, name: &str) {
        let path = self.path("record.json");
        let text = fs::read_to_string(&path).expect("a record");
        let mut record: Value = serde_json::from_str(&text).expect("it is JSON");
        *record.pointer_mut(figure).expect("it is there") = value.clone();
        fs::write(&path, record.to_string()).expect("a file");
        let found = self.recompute(99);
        assert_ne!(found.code(), 0, "{figure}\n{found}");
        assert!(found.stdout.lines().any(|line| line.starts_with(name)), "{figure}\n{found}");
        fs::write(&path, text).expect("a file");
    }
}
