//! The identity of an exchange for the traces of the server, which its requests carry as a control (`--traceparent`).
//!
//! It is computed again whenever it is needed, so that a session that sends none keeps nothing for it. The requests of
//! one exchange, such as a search and the bind after it, have the same.

use brunt_exchange::Watch;
use brunt_feed::TraceContext;
use brunt_ldap_wire::control;

/// The identities of the exchanges of a run, if they have any.
#[derive(Clone, Copy, Debug)]
pub(super) struct TraceIds {
    seed: u64,
    sent: bool,
}

impl TraceIds {
    /// Those of a run with this seed.
    pub(super) const fn new(seed: u64, sent: bool) -> Self {
        Self { seed, sent }
    }

    /// The identity of the exchange of this number, if exchanges have one.
    fn context(self, number: u64) -> Option<TraceContext> {
        self.sent.then(|| TraceContext::new(self.seed, number, 0))
    }

    /// Adds it to the request that begins at this byte.
    pub(super) fn identify(self, number: u64, from: usize, out: &mut Vec<u8>) {
        if let Some(trace) = self.context(number) {
            control::add_trace_context(out, from, &trace.to_string());
        }
    }

    /// Keeps it for the text of a failure, also of one that only the caller sees, such as a time-out.
    pub(super) fn name(self, number: u64, watch: &mut Watch<'_>) {
        if let Some(trace) = self.context(number).filter(|_| watch.wants_text()) {
            watch.requested(format_args!("{} {trace}", TraceContext::FIELD));
        }
    }

    /// The same after what an exchange is about.
    pub(super) fn about(self, number: u64, about: String) -> String {
        match self.context(number) {
            Some(trace) => format!("{about} ({} {trace})", TraceContext::FIELD),
            None => about,
        }
    }
}
