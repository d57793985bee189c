//! [`Concurrent`]: an exchange that a session makes at the same time as another.
//!
//! The engine knows one exchange of a session at a time. A session that makes several at once, as a browser that loads
//! a page does, measures each with a watch of its own and reports all of them with one. Each is then counted like any
//! other exchange, due when the reported one was.

use super::{Notes, ShownExchange, Unreached, Watch};
use crate::{Clock, Moment, Outcome, Part};
use std::time::Duration;

/// An exchange that is over, as its own watch knows it.
#[derive(Clone, Debug)]
pub struct Concurrent {
    /// How it ended.
    pub outcome: Outcome,
    /// When it ended.
    pub ended: Moment,
    /// Why it failed; empty if nobody wants to know.
    pub text: String,
    opening: Option<Moment>,
    sent: Option<Moment>,
    operation: u16,
    server: Option<u16>,
    items: u64,
    parts: Vec<(Part, Duration)>,
    reconnected: u32,
    resent: u32,
    free: Option<Moment>,
    answer_began: Option<Moment>,
    unreached: Option<Unreached>,
    shown: ShownExchange,
}

impl Concurrent {
    /// What a watch knows of an exchange that ended like this.
    pub fn new(watch: &mut Watch<'_>, outcome: Outcome) -> Self {
        Self {
            outcome,
            ended: watch.ended.unwrap_or_else(|| watch.now()),
            text: String::new(),
            opening: watch.opening,
            sent: watch.sent,
            operation: watch.operation,
            server: watch.server,
            items: watch.items,
            parts: watch.parts().to_vec(),
            reconnected: watch.reconnected,
            resent: watch.resent,
            free: watch.free,
            answer_began: watch.answer_began,
            unreached: watch.take_unreached(),
            shown: watch.take_shown(),
        }
    }

    /// The same, with this text of its failure.
    #[must_use]
    pub fn explained(self, text: String) -> Self {
        Self { text, ..self }
    }

    /// A watch that knows the same.
    pub fn watch<'a>(&self, clock: &'a dyn Clock, text: Option<&'a mut String>) -> Watch<'a> {
        let mut watch = Watch::new(clock, text);
        self.report(&mut watch);
        watch
    }

    /// Tells a watch everything. Its own text is kept unless there is one here.
    fn report(&self, watch: &mut Watch<'_>) {
        (watch.opening, watch.sent, watch.ended) = (self.opening, self.sent, Some(self.ended));
        (watch.operation, watch.server) = (self.operation, self.server);
        (watch.items, watch.parts_len) = (self.items, 0);
        self.parts.iter().for_each(|(part, took)| watch.part(*part, *took));
        (watch.reconnected, watch.resent) = (self.reconnected, self.resent);
        (watch.free, watch.answer_began) = (self.free, self.answer_began);
        if !self.text.is_empty() {
            watch.explain(format_args!("{}", self.text));
        }
        if self.unreached.is_some() || self.shown != ShownExchange::default() {
            let notes = watch.notes();
            (notes.unreached, notes.shown) = (self.unreached.clone(), self.shown.clone());
        }
    }
}

impl<'a> Watch<'a> {
    /// The clock that it reads, for the watches of exchanges that are made at the same time.
    pub fn clock(&self) -> &'a dyn Clock {
        self.clock
    }

    /// Reports one of several exchanges that were made at once as the exchange of this watch.
    pub fn stands_for(&mut self, exchange: &Concurrent) {
        exchange.report(self);
    }

    /// Reports an exchange that was made at the same time as the one of this watch.
    pub fn beside(&mut self, exchange: Concurrent) {
        self.notes().concurrent.push(exchange);
    }

    /// Whether [`beside`](Self::beside) reported any.
    #[inline]
    pub fn has_concurrent(&self) -> bool {
        self.notes.as_ref().is_some_and(|notes| !notes.concurrent.is_empty())
    }

    /// The exchanges that [`beside`](Self::beside) reported.
    pub fn take_concurrent(&mut self) -> Vec<Concurrent> {
        let taken = |notes: &mut Box<Notes>| std::mem::take(&mut notes.concurrent);
        self.notes.as_mut().map(taken).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Class;
    use std::cell::Cell;

    struct Scripted(Cell<u64>);

    impl Clock for Scripted {
        fn now(&self) -> Moment {
            Moment::from_nanos(self.0.replace(self.0.get() + 5))
        }
    }

    #[test]
    fn concurrent_exchange_is_reported_as_its_watch_knew_it() {
        let clock = Scripted(Cell::new(10));
        let mut text = String::new();
        let mut own = Watch::new(&clock, Some(&mut text));
        own.operation(3);
        own.waited();
        own.sent();
        own.part(Part(4), Duration::from_nanos(7));
        own.items(12);
        own.requested(format_args!("GET /a"));
        own.ended_as(Moment::from_nanos(90));
        let refused = Outcome::Failed(Class::Result, 503);
        let done = Concurrent::new(&mut own, refused).explained("503".to_owned());
        let mut message = String::new();
        let mut all = Watch::new(&clock, Some(&mut message));
        assert!(all.take_concurrent().is_empty());
        all.span(1, refused, Duration::from_nanos(80));
        all.stands_for(&done);
        all.beside(done.clone());
        let kept = (all.sent_at(), all.ended_at(), all.named_operation(), all.counted_items());
        let (sent, ended) = (Some(Moment::from_nanos(15)), Some(Moment::from_nanos(90)));
        assert_eq!(kept, (sent, ended, 3, 12));
        assert_eq!((all.parts().len(), all.spans().len()), (1, 1));
        assert_eq!(all.take_shown().sent.as_deref(), Some("GET /a"));
        let other = all.take_concurrent().pop().unwrap();
        let watch = other.watch(&clock, None);
        assert_eq!((watch.began_at(), watch.free_at()), (sent, Some(Moment::from_nanos(10))));
        assert_eq!((other.outcome, other.ended), (refused, Moment::from_nanos(90)));
        assert_eq!(message, "503");
    }
}
