//! [`Resend`]: whether a request may be sent again after its connection was closed before any answer; [`repeating`]:
//! how a session that waits for its answers does that.
//!
//! A server may close an idle connection at any time, without knowing that a client is about to use it. A request that
//! is sent at that moment finds the connection closed. It was most likely not processed, but that is not certain: so
//! what may be sent again depends on whether carrying it out twice has the effect of carrying it out once (RFC 9110
//! section 9.2.2). This module knows no protocol; the driver of the protocol decides whether a request is safe.
//!
//! Every driver decides by [`Resend::repeats`]. A driver whose exchange is a future awaits its request itself, so that
//! this adds no future to the path of every exchange.

use brunt_exchange::Watch;
use std::time::Duration;

/// A connection that was opened in advance and was idle for this time counts as kept, like one that was used before:
/// its end does not show what the request did to the server.
pub const KEPT: Duration = Duration::from_millis(20);

/// The shortest and the longest time that is taken for a round trip. A machine that is busy notices the end of a
/// connection a little later than it arrives, and a connection that took long to open lost packets.
const ROUND_TRIP: [Duration; 2] = [Duration::from_millis(20), Duration::from_millis(500)];

/// Whether a request that had been in flight for this time when its connection ended may have crossed that end: the
/// server can have closed the connection before the request arrived. `round_trip` is how long connecting took. A server
/// that ends a connection later has received the request, and its end is what became of it.
fn crossed(in_flight: Duration, round_trip: Duration) -> bool {
    let [least, most] = ROUND_TRIP;
    in_flight <= round_trip.clamp(least, most)
}

/// Which requests are sent again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Resend {
    /// None: the exchange fails.
    Never,
    /// Those that may be carried out twice without another effect.
    #[default]
    Safe,
    /// All requests.
    Always,
}

impl Resend {
    /// Whether a request may be sent again; `safe` is whether it may be carried out twice.
    pub const fn allows(self, safe: bool) -> bool {
        match self {
            Self::Never => false,
            Self::Safe => safe,
            Self::Always => true,
        }
    }

    /// Whether this request is sent again over a new connection: its connection was kept and ended within a round trip,
    /// and the rule allows it.
    pub fn repeats(self, request: &Unanswered) -> bool {
        let Unanswered { kept, in_flight, round_trip, safe } = *request;
        kept && self.allows(safe) && crossed(in_flight, round_trip)
    }
}

/// What is known of a request whose connection ended before any part of an answer arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unanswered {
    /// The connection was kept: used before, or idle until the request was sent.
    pub kept: bool,
    /// How long the request had been in flight.
    pub in_flight: Duration,
    /// How long connecting took.
    pub round_trip: Duration,
    /// It may be carried out twice, or was not carried out.
    pub safe: bool,
}

/// Makes a request, and makes it once more if `again` permits it and has opened the connection again. `carrier` is what
/// the connection belongs to, and is lent to both.
// Each nested call above a system call costs a return that the processor mispredicts.
#[inline]
pub fn repeating<C, T, E>(
    carrier: &mut C,
    watch: &mut Watch<'_>,
    mut attempt: impl FnMut(&mut C) -> Result<T, E>,
    again: impl FnOnce(&mut C, &E, &mut Watch<'_>) -> bool,
) -> Result<T, E> {
    match attempt(carrier) {
        Err(failure) if again(carrier, &failure, watch) => {
            watch.resent();
            attempt(carrier)
        }
        answer => answer,
    }
}

/// Opens a connection again that was closed while it was idle, for an exchange that is about to send its request:
/// `open` returns whether it could. The request is sent only afterwards.
pub fn reopening(watch: &mut Watch<'_>, open: impl FnOnce(&mut Watch<'_>) -> bool) -> bool {
    watch.never_sent();
    let opened = open(watch);
    if opened {
        watch.sent_as(watch.now());
    }
    opened
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::opening::Opening;
    use brunt_exchange::{Clock, Moment, Part};
    use std::cell::Cell;

    const CONNECT: Part = Part(0);
    const RECONNECT: Part = Part(1);

    /// Time that passes only when a server takes some.
    #[derive(Default)]
    struct Virtual(Cell<Moment>);

    impl Clock for Virtual {
        fn now(&self) -> Moment {
            self.0.get()
        }
    }

    impl Virtual {
        fn pass(&self, millis: u64) {
            self.0.set(self.0.get() + Duration::from_millis(millis));
        }
    }

    /// A server that ends each connection after `answers` answers and closes it `late` milliseconds after the request.
    struct Server<'a> {
        clock: &'a Virtual,
        answers: u32,
        late: u64,
        /// How many connections it accepts.
        accepts: u32,
        /// How many requests were answered over the present connection.
        answered: u32,
        requested: u32,
    }

    impl Server<'_> {
        fn attempt(&mut self) -> Result<u32, &'static str> {
            self.requested += 1;
            if self.answered == self.answers {
                self.clock.pass(self.late);
                return Err("closed");
            }
            self.clock.pass(3);
            self.answered += 1;
            Ok(self.requested)
        }

        fn open(&mut self, watch: &mut Watch<'_>) -> bool {
            if self.accepts == 0 {
                return false;
            }
            let opening = Opening::begin(true, watch);
            self.clock.pass(7);
            (self.accepts, self.answered) = (self.accepts - 1, 0);
            opening.part(CONNECT, watch.now() - opening.began(), watch);
            opening.succeeded(RECONNECT, watch);
            true
        }

        /// One exchange over it.
        fn exchange(
            &mut self,
            rule: Resend,
            safe: bool,
            watch: &mut Watch<'_>,
        ) -> Result<u32, &'static str> {
            watch.sent();
            let kept = self.answered > 0;
            repeating(self, watch, Self::attempt, |server, _, watch| {
                let in_flight = watch.sent_at().map_or(Duration::ZERO, |sent| watch.now() - sent);
                let round_trip = Duration::from_millis(7);
                rule.repeats(&Unanswered { kept, in_flight, round_trip, safe })
                    && server.open(watch)
            })
        }
    }

    fn server(clock: &Virtual, answers: u32, late: u64, accepts: u32) -> Server<'_> {
        Server { clock, answers, late, accepts, answered: 0, requested: 0 }
    }

    #[test]
    fn resend_requires_a_close_within_a_round_trip() {
        let crossed = |in_flight, round_trip| {
            super::crossed(Duration::from_millis(in_flight), Duration::from_millis(round_trip))
        };
        assert_eq!([0, 20, 21, 500].map(|at| crossed(at, 0)), [true, true, false, false]);
        assert_eq!([20, 150, 151].map(|at| crossed(at, 150)), [true, true, false]);
        // If its first packet was lost, the time that a connection took is not that of a round trip.
        assert_eq!([500, 501, 1_000].map(|at| crossed(at, 1_003)), [true, false, false]);
    }

    #[test]
    fn resend_repeats_a_request_once_and_counts_it() {
        let clock = Virtual::default();
        let mut server = server(&clock, 2, 1, 9);
        for number in 0..5 {
            let mut watch = Watch::new(&clock, None);
            let answer = server.exchange(Resend::Safe, true, &mut watch);
            // Every third request meets the end of a connection, and is the next one's first.
            let again = u32::from(number == 2 || number == 4);
            assert!(answer.is_ok(), "{number}");
            assert_eq!((watch.times_resent(), watch.times_reconnected()), (again, again));
            let parts = [(RECONNECT, Duration::from_millis(7))];
            assert_eq!(watch.parts(), if again == 1 { &parts[..] } else { &[] }, "{number}");
            // The time from the first attempt on belongs to the exchange.
            let took = watch.now() - watch.sent_at().unwrap();
            assert_eq!(took, Duration::from_millis(if again == 1 { 11 } else { 3 }));
        }
        assert_eq!((server.requested, server.accepts), (7, 7));
    }

    #[test]
    fn resend_is_refused_for_each_reason() {
        // The rule, whether it is safe, requests before it, how late the end comes, and connections accepted.
        for (rule, safe, before, late, accepts, why) in [
            (Resend::Never, true, 1, 1, 9, "the rule"),
            (Resend::Safe, false, 1, 1, 9, "it may have been carried out"),
            (Resend::Always, false, 0, 1, 9, "a new connection is not a kept one"),
            (Resend::Always, true, 1, 21, 9, "the server had received it"),
            (Resend::Always, true, 1, 1, 0, "no other connection can be opened"),
        ] {
            let clock = Virtual::default();
            let mut server = server(&clock, before, late, accepts);
            for _ in 0..before {
                server.exchange(rule, safe, &mut Watch::new(&clock, None)).unwrap();
            }
            let mut watch = Watch::new(&clock, None);
            assert_eq!(server.exchange(rule, safe, &mut watch), Err("closed"), "{why}");
            assert_eq!((server.requested, watch.times_resent()), (before + 1, 0), "{why}");
        }
    }

    #[test]
    fn resend_happens_at_most_once() {
        let clock = Virtual::default();
        let mut server = server(&clock, 1, 1, 9);
        server.exchange(Resend::Always, true, &mut Watch::new(&clock, None)).unwrap();
        server.answers = 0;
        server.answered = 0;
        let mut watch = Watch::new(&clock, None);
        watch.sent();
        let again = |server: &mut Server<'_>, _: &_, watch: &mut Watch<'_>| server.open(watch);
        assert_eq!(repeating(&mut server, &mut watch, Server::attempt, again), Err("closed"));
        assert_eq!((server.requested, watch.times_resent(), watch.times_reconnected()), (3, 1, 1));
    }

    #[test]
    fn reopening_before_a_request_is_not_a_resend() {
        let clock = Virtual::default();
        clock.pass(1);
        let mut server = server(&clock, 1, 1, 1);
        let mut watch = Watch::new(&clock, None);
        watch.sent();
        assert!(reopening(&mut watch, |watch| server.open(watch)));
        assert_eq!(watch.sent_at(), Some(Moment::ZERO + Duration::from_millis(8)));
        assert_eq!((watch.times_resent(), watch.times_reconnected()), (0, 1));
        assert!(!reopening(&mut watch, |watch| server.open(watch)));
        assert_eq!(watch.sent_at(), None, "nothing was sent");
    }
}
