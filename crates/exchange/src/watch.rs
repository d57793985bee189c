//! The stopwatch of one exchange: the only access to time that a session has.

mod concurrent;

use crate::inert::{Layout, inert, is_inert};
use crate::{Clock, Moment, Outcome};
pub use concurrent::Concurrent;
use std::fmt::Display;
use std::time::Duration;

/// The moments of one exchange, from which every latency is derived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamps {
    /// When the schedule wanted the exchange to start.
    pub due: Moment,
    /// When the session was free to perform it.
    pub free: Moment,
    /// When the first byte of the request was sent, or the exchange began to open a connection of its own for it.
    pub sent: Moment,
    /// When the exchange ended.
    pub ended: Moment,
}

impl Stamps {
    /// Ended − due: what a user waits. The time of a stalled target is included for every user who waited.
    pub fn response(&self) -> Duration {
        self.ended - self.due
    }

    /// Ended − sent: how long the target took after the request was sent.
    pub fn service(&self) -> Duration {
        self.ended - self.sent
    }

    /// Sent − due: how long the request waited in the load generator, for a free session or for any other reason.
    pub fn lag(&self) -> Duration {
        self.sent - self.due
    }

    /// Sent − max(due, free): the part of the lag that a slow target does not explain and the load generator causes.
    pub fn lateness(&self) -> Duration {
        self.sent - self.due.max(self.free)
    }
}

/// The number of a part in the plan's list of part names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Part(pub u8);

const PARTS_MAX: usize = 8;

/// A stopwatch for one exchange, which the engine passes to the session.
pub struct Watch<'a> {
    clock: &'a dyn Clock,
    opening: Option<Moment>,
    sent: Option<Moment>,
    ended: Option<Moment>,
    operation: u16,
    server: Option<u16>,
    items: u64,
    parts: [(Part, Duration); PARTS_MAX],
    parts_len: usize,
    repeats: bool,
    text: Option<&'a mut String>,
    notes: Option<Box<Notes>>,
    unready: Option<Outcome>,
    reconnected: u32,
    resent: u32,
    free: Option<Moment>,
    answer_began: Option<Moment>,
}

/// What an exchange sent and what was answered, for a reader and without secrets, each in one line or several.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ShownExchange {
    /// A request line with fields and body, a DN, a kind of message.
    pub sent: Option<String>,
    /// A code with fields that say why, and the beginning of a body.
    pub answer: Option<String>,
}

/// A target to which no connection could be made: it was not reached, or it refused the connection or the login.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreached {
    /// Its address.
    pub address: String,
    /// Why, without what would help: `connection refused`.
    pub error: String,
}

/// What few exchanges report. It is kept elsewhere, because every exchange creates a watch and drops it.
#[derive(Default)]
struct Notes {
    /// What ended with this exchange and consists of several.
    spans: Vec<(u16, Outcome, Duration)>,
    /// What could not be reached.
    unreached: Option<Unreached>,
    /// What was sent and answered, for a reader.
    shown: ShownExchange,
    /// The text of this exchange, for a session that reports it elsewhere.
    words: Option<String>,
    /// What was made at the same time.
    concurrent: Vec<Concurrent>,
}

impl<'a> Watch<'a> {
    /// The maximum number of parts that one exchange can report.
    pub const PARTS_MAX: usize = PARTS_MAX;

    /// A watch on `clock`. If `text` is given, the caller wants the text of a failure.
    pub fn new(clock: &'a dyn Clock, text: Option<&'a mut String>) -> Self {
        Self {
            clock,
            opening: None,
            sent: None,
            ended: None,
            operation: 0,
            server: None,
            items: 0,
            parts: [(Part(0), Duration::ZERO); PARTS_MAX],
            parts_len: 0,
            repeats: false,
            text,
            notes: None,
            unready: None,
            reconnected: 0,
            resent: 0,
            free: None,
            answer_began: None,
        }
    }

    /// The time now, for measuring a part.
    pub fn now(&self) -> Moment {
        self.clock.now()
    }

    /// Records the moment when the first byte of the request is sent. Later calls have no effect.
    pub fn sent(&mut self) {
        if self.sent.is_none() {
            self.sent = Some(self.clock.now());
        }
    }

    /// Records that the exchange begins to open a connection of its own, because the run makes one for each exchange or
    /// replaces one after a number of them. From now on the time belongs to its service time. Only the first call has
    /// an effect, and none has after the request was sent.
    pub fn opens(&mut self) {
        if self.opening.is_none() && self.sent.is_none() {
            self.opening = Some(self.clock.now());
        }
    }

    /// Records the moment when the request was actually sent, for a driver that sends in batches and learns this moment
    /// after it has queued the request.
    pub fn sent_as(&mut self, moment: Moment) {
        self.sent = Some(moment);
    }

    /// Records that nothing was sent: the exchange failed before there was a connection to send it over.
    pub fn never_sent(&mut self) {
        self.sent = None;
    }

    /// Records the moment when the answer arrived, if the driver knows it more precisely than its caller: replies are
    /// read in batches, and the kernel may have timestamped them.
    pub fn ended_as(&mut self, moment: Moment) {
        self.ended = Some(moment);
    }

    /// Records which of the plan's operations this exchange performed; if it is not called, the first.
    pub fn operation(&mut self, index: u16) {
        self.operation = index;
    }

    /// Records which of several servers the exchange goes to, by its number; the last call counts. If there is only
    /// one, no number is needed.
    pub fn server(&mut self, number: Option<u16>) {
        self.server = number;
    }

    /// Counts the items that the exchange returned: entries of a search, rows, octets.
    pub fn items(&mut self, count: u64) {
        self.items += count;
    }

    /// Reports how long a part took. After [`PARTS_MAX`](Self::PARTS_MAX) parts, further ones are discarded.
    pub fn part(&mut self, part: Part, took: Duration) {
        debug_assert!(self.parts_len < Self::PARTS_MAX, "more parts than an exchange can have");
        if let Some(slot) = self.parts.get_mut(self.parts_len) {
            *slot = (part, took);
            self.parts_len += 1;
        }
    }

    /// Reports that something ended with this exchange that consists of several and is measured as one: how it ended,
    /// and how long it took. It is counted beside the exchanges, in none of their figures.
    pub fn span(&mut self, number: u16, outcome: Outcome, took: Duration) {
        self.notes().spans.push((number, outcome, took));
    }

    /// Records that the exchange makes a request again that was made before, after a failure or because it has to wait.
    /// What the load offers was counted with the first.
    pub fn repeats(&mut self) {
        self.repeats = true;
    }

    /// Whether there is anything to record beside the exchange itself: parts, spans, or that it repeats another.
    pub fn has_beside(&self) -> bool {
        self.parts_len > 0 || !self.spans().is_empty() || self.repeats
    }

    /// Whether [`repeats`](Self::repeats) was called.
    pub fn is_repeat(&self) -> bool {
        self.repeats
    }

    /// Records that a session could not be prepared, and why. The exchange that then fails for this reason is counted
    /// separately: this counts the attempt, whether or not an exchange was waiting for it.
    pub fn not_ready(&mut self, why: Outcome) {
        self.unready = Some(why);
    }

    /// Counts a connection that the target had closed while it was idle, and that was reopened.
    pub fn reconnected(&mut self) {
        self.reconnected += 1;
        self.waited();
    }

    /// Records that the exchange waited for others until now: for a name server, or for a connection. Nothing could be
    /// sent before, so this is not lateness. It has no effect after the request was sent, or while the exchange opens a
    /// connection of its own, because that is part of the exchange.
    pub fn waited(&mut self) {
        if self.sent.is_none() && self.opening.is_none() {
            self.free = Some(self.clock.now());
        }
    }

    /// Records that an answer had begun to arrive at this moment, of an exchange that was called off before its end.
    pub fn answer_began_at(&mut self, moment: Moment) {
        self.answer_began = Some(moment);
    }

    /// Counts a request that was sent again on a new connection, because the first connection was closed before an
    /// octet of the answer arrived.
    pub fn resent(&mut self) {
        self.resent += 1;
    }

    /// Whether [`explain`](Self::explain) would keep its text, so that no text is made unnecessarily.
    pub fn wants_text(&self) -> bool {
        self.text.is_some() || self.keeps_words()
    }

    /// Keeps the text of this exchange for the session itself, whether or not the caller wants it.
    pub fn keep_words(&mut self) {
        self.notes().words = Some(String::new());
    }

    /// Whether [`keep_words`](Self::keep_words) was called.
    pub fn keeps_words(&self) -> bool {
        self.kept_words().is_some()
    }

    /// The text that was kept for the session itself; empty if there is none.
    pub fn words(&self) -> &str {
        self.kept_words().unwrap_or_default()
    }

    /// Explains why the exchange failed. Only the first few explanations of a run are kept.
    pub fn explain(&mut self, why: std::fmt::Arguments<'_>) {
        let kept = self.notes.as_mut().and_then(|notes| notes.words.as_mut());
        for text in self.text.as_deref_mut().into_iter().chain(kept) {
            text.clear();
            // Writing to a String cannot fail.
            let _ = std::fmt::Write::write_fmt(text, why);
            if !is_inert(text, Layout::Line) {
                *text = inert(text, Layout::Line);
            }
        }
    }

    /// Names the address of the target to which no connection could be made, and the error. They are kept with the text
    /// of the failure.
    pub fn could_not_reach(&mut self, address: impl Display, error: impl Display) {
        if self.text.is_some() {
            let [address, error] =
                [address.to_string(), error.to_string()].map(|text| inert(&text, Layout::Line));
            self.notes().unreached = Some(Unreached { address, error });
        }
    }

    /// What [`could_not_reach`](Self::could_not_reach) named.
    pub fn take_unreached(&mut self) -> Option<Unreached> {
        self.notes.as_mut()?.unreached.take()
    }

    /// Says what the exchange sent, as a reader knows it: a request line, a DN, a kind of message, without secrets. It
    /// is kept with the text of the failure.
    pub fn requested(&mut self, what: std::fmt::Arguments<'_>) {
        if self.text.is_some() {
            self.notes().shown.sent = Some(inert(&what.to_string(), Layout::Lines));
        }
    }

    /// Says what was answered, likewise.
    pub fn answered(&mut self, what: std::fmt::Arguments<'_>) {
        if self.text.is_some() {
            self.notes().shown.answer = Some(inert(&what.to_string(), Layout::Lines));
        }
    }

    /// What [`requested`](Self::requested) and [`answered`](Self::answered) recorded.
    pub fn take_shown(&mut self) -> ShownExchange {
        self.notes.as_mut().map(|notes| std::mem::take(&mut notes.shown)).unwrap_or_default()
    }

    /// The moment recorded by [`sent`](Self::sent) or [`sent_as`](Self::sent_as), if one was called.
    pub fn sent_at(&self) -> Option<Moment> {
        self.sent
    }

    /// When the exchange began to use the target, if its request was sent: the moment recorded by
    /// [`opens`](Self::opens), or else that of the request.
    pub fn began_at(&self) -> Option<Moment> {
        self.sent.map(|sent| self.opening.unwrap_or(sent))
    }

    /// The moment recorded by [`ended_as`](Self::ended_as), if it was called.
    pub fn ended_at(&self) -> Option<Moment> {
        self.ended
    }

    /// The operation that the session recorded.
    pub fn named_operation(&self) -> u16 {
        self.operation
    }

    /// The server that the session recorded.
    pub fn named_server(&self) -> Option<u16> {
        self.server
    }

    /// The number of items counted.
    pub fn counted_items(&self) -> u64 {
        self.items
    }

    /// Why the session is not ready, if it is not.
    pub fn why_not_ready(&self) -> Option<Outcome> {
        self.unready
    }

    /// How many connections were reopened because they had been closed while idle.
    pub fn times_reconnected(&self) -> u32 {
        self.reconnected
    }

    /// The last moment of [`waited`](Self::waited): until then the session was not free to send the request.
    pub fn free_at(&self) -> Option<Moment> {
        self.free
    }

    /// The moment recorded by [`answer_began_at`](Self::answer_began_at), if it was called.
    pub fn answer_began(&self) -> Option<Moment> {
        self.answer_began
    }

    /// How many times the request was sent again.
    pub fn times_resent(&self) -> u32 {
        self.resent
    }

    /// What ended with this exchange, in order.
    pub fn spans(&self) -> &[(u16, Outcome, Duration)] {
        self.notes.as_ref().map_or(&[], |notes| &notes.spans)
    }

    /// The reported parts, in order.
    pub fn parts(&self) -> &[(Part, Duration)] {
        &self.parts[..self.parts_len]
    }

    fn kept_words(&self) -> Option<&str> {
        self.notes.as_ref()?.words.as_deref()
    }

    fn notes(&mut self) -> &mut Notes {
        self.notes.get_or_insert_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    struct Scripted(Cell<u64>);

    impl Clock for Scripted {
        fn now(&self) -> Moment {
            let now = self.0.get();
            self.0.set(now + 5);
            Moment::from_nanos(now)
        }
    }

    #[test]
    fn response_service_and_lag_add_up() {
        let stamps = Stamps {
            due: Moment::from_nanos(100),
            free: Moment::from_nanos(150),
            sent: Moment::from_nanos(170),
            ended: Moment::from_nanos(400),
        };
        assert_eq!(stamps.response(), stamps.lag() + stamps.service());
        assert_eq!(stamps.lag(), Duration::from_nanos(70));
        assert_eq!(stamps.lateness(), Duration::from_nanos(20));
    }

    #[test]
    fn first_sent_stamp_is_kept() {
        let clock = Scripted(Cell::new(10));
        let mut watch = Watch::new(&clock, None);
        watch.sent();
        watch.sent();
        assert_eq!(watch.sent_at(), Some(Moment::from_nanos(10)));
    }

    #[test]
    fn stamps_given_by_a_driver_are_used() {
        let clock = Scripted(Cell::new(10));
        let mut watch = Watch::new(&clock, None);
        assert_eq!((watch.sent_at(), watch.ended_at()), (None, None));
        watch.sent();
        watch.sent_as(Moment::from_nanos(12));
        watch.ended_as(Moment::from_nanos(90));
        let both = (watch.sent_at(), watch.ended_at());
        assert_eq!(both, (Some(Moment::from_nanos(12)), Some(Moment::from_nanos(90))));
    }

    #[test]
    fn reconnected_session_is_free_after_reconnecting() {
        let clock = Scripted(Cell::new(10));
        let mut watch = Watch::new(&clock, None);
        assert_eq!(watch.free_at(), None);
        watch.reconnected();
        watch.sent();
        // Reopening after the request was first sent is part of its service time.
        watch.reconnected();
        let free = Some(Moment::from_nanos(10));
        assert_eq!((watch.free_at(), watch.times_reconnected()), (free, 2));
    }

    #[test]
    fn waiting_session_is_free_after_its_last_wait() {
        let clock = Scripted(Cell::new(10));
        let mut watch = Watch::new(&clock, None);
        watch.waited();
        watch.waited();
        watch.sent();
        watch.waited();
        assert_eq!(watch.free_at(), Some(Moment::from_nanos(15)));
        assert_eq!(watch.times_reconnected(), 0);
    }

    #[test]
    fn connection_opened_for_an_exchange_belongs_to_it() {
        let clock = Scripted(Cell::new(10));
        let mut watch = Watch::new(&clock, None);
        watch.waited();
        watch.opens();
        assert_eq!(watch.began_at(), None, "no request was sent");
        watch.waited();
        watch.opens();
        watch.sent();
        watch.opens();
        let (began, sent) = (Some(Moment::from_nanos(15)), Some(Moment::from_nanos(20)));
        assert_eq!((watch.began_at(), watch.sent_at()), (began, sent));
        assert_eq!(watch.free_at(), Some(Moment::from_nanos(10)), "before it opened anything");
        let mut kept = Watch::new(&clock, None);
        kept.sent();
        assert_eq!(kept.began_at(), kept.sent_at());
    }

    #[test]
    fn explanation_is_made_only_if_wanted() {
        let clock = Scripted(Cell::new(0));
        let mut kept = String::from("before");
        let mut watch = Watch::new(&clock, Some(&mut kept));
        assert!(watch.wants_text());
        watch.explain(format_args!("result {}", 49));
        assert_eq!(kept, "result 49");
        let mut watch = Watch::new(&clock, Some(&mut kept));
        watch.requested(format_args!("GET /a\nb\u{1b}"));
        watch.answered(format_args!("500"));
        let shown = watch.take_shown();
        let (sent, answer) = (Some("GET /a\nb\\u{1b}".to_owned()), Some("500".to_owned()));
        assert_eq!(shown, ShownExchange { sent, answer });
        assert_eq!(watch.take_shown(), ShownExchange::default());
        Watch::new(&clock, Some(&mut kept)).explain(format_args!("said \u{1b}[2J\nnot ok"));
        assert_eq!(kept, "said \\u{1b}[2J not ok");
        assert!(!Watch::new(&clock, None).wants_text());
    }

    #[test]
    fn explanation_may_be_kept_by_the_session() {
        let clock = Scripted(Cell::new(0));
        let mut watch = Watch::new(&clock, None);
        watch.explain(format_args!("before"));
        assert_eq!((watch.words(), watch.keeps_words()), ("", false));
        watch.keep_words();
        assert!(watch.wants_text() && watch.keeps_words());
        watch.explain(format_args!("result {}", 49));
        assert_eq!(watch.words(), "result 49");
        let mut kept = String::new();
        let mut watch = Watch::new(&clock, Some(&mut kept));
        watch.keep_words();
        watch.explain(format_args!("both"));
        assert_eq!((watch.words().to_owned(), kept.as_str()), ("both".to_owned(), "both"));
    }
}
