//! The identity of an exchange for the traces of the server, which its requests carry as a control (`--traceparent`).
//!
//! It is computed again whenever it is needed, so that a session that sends none keeps nothing for it. The requests of
//! one exchange, such as a search and the bind after it, have the same.

use super::plan::Plan;
use brunt_exchange::Watch;
use brunt_feed::TraceContext;
use brunt_ldap_wire::control;

impl Plan {
    /// The identity of the exchange of this number, if exchanges have one.
    fn trace_context(&self, number: u64) -> Option<TraceContext> {
        self.traceparent.then(|| TraceContext::new(self.seed, number, 0))
    }

    /// Adds it to the request that begins at this byte.
    pub(super) fn identify(&self, number: u64, from: usize, out: &mut Vec<u8>) {
        if let Some(trace) = self.trace_context(number) {
            control::add_trace_context(out, from, &trace.to_string());
        }
    }

    /// Keeps it for the text of a failure, also of one that only the caller sees, such as a time-out.
    pub(super) fn name_trace(&self, number: u64, watch: &mut Watch<'_>) {
        if let Some(trace) = self.trace_context(number).filter(|_| watch.wants_text()) {
            watch.requested(format_args!("{} {trace}", TraceContext::FIELD));
        }
    }

    /// The same after what an exchange is about.
    pub(super) fn traced(&self, number: u64, about: String) -> String {
        match self.trace_context(number) {
            Some(trace) => format!("{about} ({} {trace})", TraceContext::FIELD),
            None => about,
        }
    }
}
