//! [`LdapSessions`]: the sessions of a plan, for the engine.

use std::ops::Range;
use std::sync::Arc;

use brunt_engine::{DriverCounts, EngineRun, Finished, RunError, SessionFactory};
use brunt_ldap_driver::tally::Counts;
use brunt_ldap_driver::{self as ldap, Session};

/// Makes the sessions of one plan on the thread of the calling worker.
pub struct LdapSessions {
    plan: Arc<ldap::Plan>,
    /// What earlier runs have counted.
    before: Counts,
}

impl LdapSessions {
    /// Sessions that continue the counts `before`.
    pub fn new(plan: &Arc<ldap::Plan>, before: Counts) -> Self {
        Self { plan: Arc::clone(plan), before }
    }

    /// Carries out a run with these sessions.
    pub fn run(&self, run: EngineRun<'_>) -> Result<Finished, RunError> {
        run.with(self)
    }
}

impl SessionFactory for LdapSessions {
    type Session = Session;

    fn group(&self) -> u32 {
        self.plan.requests_per_connection()
    }

    fn sessions(&self, _: usize, numbers: Range<u32>) -> Vec<Session> {
        let group = self.group();
        ldap::open(&self.plan, numbers.start / group..numbers.end.div_ceil(group))
    }

    /// The driver counts for the whole process, so one worker reports for all.
    fn counts(&self, worker: usize, into: &mut DriverCounts) {
        if worker == 0 {
            let counts = self.plan.tally().counts().since(&self.before);
            into.orphans = counts.orphans + counts.late;
            into.tallies.clear();
            into.tallies.extend(counts.named());
        }
    }
}
