//! [`Tally`]: the outcome of a comparison, for its exit code.

use brunt_record::Record;
use brunt_run::judged;
use brunt_run::options::exit::Exit;
use brunt_run::signals::Signal;

/// What happened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is something that happened or did not")]
pub(crate) struct Tally {
    /// Something could not be carried out or written.
    pub broken: bool,
    /// The number of leases that a store counts does not match its answers.
    pub wrong: bool,
    /// A store was no longer available when its leases were counted.
    pub uncounted: bool,
    /// A condition of `--abort-on` ended it.
    pub aborted: bool,
    ok: u64,
    failed: u64,
    planned: u64,
    missed: bool,
    undecided: bool,
}

impl Tally {
    /// Adds a cell.
    pub(crate) fn record(&mut self, record: &Record) {
        let counts = &record.conservation.counts;
        self.planned += counts.planned;
        self.ok += counts.ok;
        self.failed += counts.failed + counts.timed_out;
        match judged(record) {
            Some(Exit::Missed) => self.missed = true,
            Some(_) => self.undecided = true,
            None => {}
        }
    }

    /// The exit code of the program.
    pub(crate) fn exit(self, signal: Option<Signal>) -> Exit {
        match signal {
            Some(signal) => signal.exit(),
            None if self.aborted => Exit::Aborted,
            None if self.broken || self.wrong || (self.planned > 0 && self.ok == 0) => Exit::Failed,
            None if self.missed => Exit::Missed,
            None if self.undecided => Exit::Undecided,
            None if self.failed > 0 || self.uncounted => Exit::SomeFailed,
            None => Exit::Ok,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exit_code_is_the_worst_outcome() {
        let good = Tally { ok: 5, planned: 5, ..Tally::default() };
        let failed = Tally { failed: 1, planned: 6, ..good };
        let missed = Tally { missed: true, ..failed };
        let undecided = Tally { undecided: true, ..failed };
        let wrong = Tally { wrong: true, ..missed };
        assert_eq!(good.exit(None), Exit::Ok);
        assert_eq!(failed.exit(None), Exit::SomeFailed);
        assert_eq!(Tally { uncounted: true, ..good }.exit(None), Exit::SomeFailed);
        assert_eq!(missed.exit(None), Exit::Missed);
        assert_eq!(undecided.exit(None), Exit::Undecided);
        assert_eq!(wrong.exit(None), Exit::Failed);
        assert_eq!(Tally { aborted: true, ..wrong }.exit(None), Exit::Aborted);
        assert_eq!(Tally { planned: 3, failed: 3, ..Tally::default() }.exit(None), Exit::Failed);
        assert_eq!(wrong.exit(Some(Signal::Interrupt)), Exit::Interrupted);
        assert_eq!(good.exit(Some(Signal::Terminate)), Exit::Terminated);
    }
}
