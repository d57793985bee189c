//! [`RunTallies`]: the counts of servers and sessions, which the engine keeps if the catalogue names them.
//!
//! A driver names which of several servers an exchange went to; how it ended is known only here. Most runs have one
//! server, and count nothing.

use brunt_exchange::{Outcome, Watch};
use brunt_record::{
    Catalogue, Interval, SESSIONS_UNANSWERED, SESSIONS_USED, ServerEnd, server_tally,
};

/// What a session's exchanges came to.
#[derive(Clone, Copy, Default)]
pub(super) struct SessionUse {
    used: bool,
    answered: bool,
}

impl SessionUse {
    #[inline]
    pub(super) fn add(&mut self, outcome: Outcome) {
        self.used |= outcome != Outcome::Skipped;
        self.answered |= outcome.answered();
    }
}

/// The numbers of the tallies.
#[derive(Clone, Copy)]
pub(super) struct RunTallies {
    /// The first tally of the first server; those of the others follow.
    servers: Option<usize>,
    /// The tallies of the sessions that were used, and of those that never got an answer.
    sessions: Option<(usize, usize)>,
}

impl RunTallies {
    pub(super) fn new(catalogue: &Catalogue) -> Self {
        let used = catalogue.tally(SESSIONS_USED);
        Self {
            servers: catalogue.tallies.iter().position(|name| server_tally(name).is_some()),
            sessions: used.zip(catalogue.tally(SESSIONS_UNANSWERED)),
        }
    }

    /// The tally of an exchange that ended.
    #[inline]
    pub(super) fn of(&self, watch: &Watch<'_>, outcome: Outcome) -> Option<usize> {
        let server = watch.named_server()?;
        let end = ServerEnd::new(outcome)?;
        let first = self.servers?;
        Some(first + usize::from(server) * ServerEnd::ALL.len() + end as usize)
    }

    /// Counts a session that carries out nothing more.
    pub(super) fn left(self, session: SessionUse, step: &mut Interval) {
        let Some((used, unanswered)) = self.sessions.filter(|_| session.used) else { return };
        step.tally(used, 1);
        step.tally(unanswered, u64::from(!session.answered));
    }
}
