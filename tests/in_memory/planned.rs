//! [`InMemory`]: plans, and jobs of LoadGen, that the machine of this test carries out.

use brunt_test_program::Ended;
pub(crate) use brunt_test_program::{Files, Plan};

use crate::machine::own;

/// What is carried out with these words besides. The record is kept.
pub(crate) trait InMemory {
    fn run(&self, line: &[&str]) -> Ended;
}

impl InMemory for Plan {
    fn run(&self, line: &[&str]) -> Ended {
        // A failure can be reproduced.
        let seed = if line.contains(&"--seed") { &[][..] } else { &["--seed", "7"] };
        let path = self.path().display().to_string();
        own(|machine| machine.record(&[&["run", &path], seed].concat(), line))
    }
}

impl InMemory for Files {
    fn run(&self, line: &[&str]) -> Ended {
        let path = self.path().display().to_string();
        own(|machine| machine.record(&["loadgen", "--config", &path], line))
    }
}
