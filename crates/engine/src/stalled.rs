//! Runs whose process stands still for a while, in virtual time: what was due meanwhile waited for the generator, and
//! so did what waited behind it.
//!
//! In each run the process stops for a second: its clock is moved on, and whatever should have been done in that
//! second is late. The target answers as always.

use crate::plan::Settings;
use crate::session_factory::SessionFactory;
use crate::simulation::{Simulated, at_least, ms, open, pass, simulate_with};
use crate::stop::Stop;
use brunt_exchange::{Clock, Outcome, Session, Ticket, Watch};
use std::future::poll_fn;
use std::ops::Range;
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

/// How long the process stands still.
const STALL: Duration = ms(1_000);

/// When the process stops.
#[derive(Clone, Copy)]
enum StallPoint {
    /// So long after this exchange began, while every task waits.
    Idle(u64, Duration),
    /// Once the answer to this exchange has arrived, before it is reported.
    Answered(u64),
}

/// Sessions whose exchanges take as long as this.
#[derive(Clone, Copy)]
struct Stalling {
    service: Duration,
    stops: StallPoint,
}

/// Stops the process while a task runs: it goes on before any other.
async fn stand_still() {
    let mut stall = pin!(tokio::time::advance(STALL));
    poll_fn(|cx| {
        let _ = stall.as_mut().poll(cx);
        Poll::Ready(())
    })
    .await;
}

impl Session for Stalling {
    async fn ready(&mut self, _: &mut Watch<'_>) {}

    async fn exchange(&mut self, ticket: &Ticket, watch: &mut Watch<'_>) -> Outcome {
        if let StallPoint::Idle(number, after) = self.stops
            && ticket.number == number
        {
            tokio::task::spawn_local(async move {
                pass(after).await;
                tokio::time::advance(STALL).await;
            });
        }
        watch.sent();
        pass(self.service).await;
        if let StallPoint::Answered(number) = self.stops
            && ticket.number == number
        {
            stand_still().await;
        }
        Outcome::Ok(0)
    }

    async fn close(&mut self, _: &dyn Clock) {}
}

impl SessionFactory for Stalling {
    type Session = Self;

    fn sessions(&self, _: usize, numbers: Range<u32>) -> Vec<Self> {
        numbers.map(|_| *self).collect()
    }
}

fn stalled(settings: Settings, sessions: &Stalling) -> Simulated {
    simulate_with(settings, sessions, &Stop::new(), async {})
}

/// Exchange n is due at 10·n ms. The process stops at 495 ms, while none is in flight, and wants to release exchange 50
/// at 500. At 1,495 ms it releases a hundred at once, of which exchange 50 + j is answered after 1 + j ms: a response
/// time of 996 - 9·j ms, of which the target took 1. What becomes due until exchange 160 is behind these.
#[test]
fn stalled_generator_is_charged_with_the_backlog_that_it_left() {
    let sessions = Stalling { service: ms(1), stops: StallPoint::Idle(49, ms(5)) };
    let run = stalled(open(100, 3, 1), &sessions);
    let exchange = &run.steady().operations[0];
    assert_eq!((exchange.counts.planned, exchange.counts.ok), (300, 300));
    assert_eq!(at_least(&exchange.response.due(), ms(100)), 100);
    assert_eq!(at_least(&exchange.response.due(), ms(2)), 111);
    // Only the first of them found a session free and left late; the others waited behind it.
    assert_eq!(at_least(&run.steady().lateness, ms(1)), 1);
    assert_eq!(exchange.service.max(), Some(ms(1)));
    assert_eq!(exchange.response.cleared().count(), 300);
    assert_eq!(exchange.response.cleared().max(), Some(ms(1)));
    // For 995 - 10·j ms of its time the process stood still: a tenth or more, up to j = 98.
    assert_eq!(exchange.tainted.ok, 99);
}

/// Exchange n is due at 100·n ms and takes 30. The process stops at 410 ms, while exchange 4 is in flight, and wants to
/// look at the run at 450. At 1,410 ms it finds the answer, and releases ten more.
#[test]
fn stalled_generator_is_charged_with_the_answer_that_it_did_not_read() {
    let sessions = Stalling { service: ms(30), stops: StallPoint::Idle(4, ms(10)) };
    let run = stalled(open(10, 3, 1), &sessions);
    let exchange = &run.steady().operations[0];
    assert_eq!((exchange.counts.planned, exchange.counts.ok), (30, 30));
    assert_eq!(exchange.response.due().max(), Some(ms(1_010)));
    // The 20 ms until 450 may have been the target's.
    assert_eq!(exchange.response.cleared().max(), Some(ms(50)));
    assert_eq!(at_least(exchange.response.cleared(), ms(31)), 1);
    // Exchange 4, and those of the ten that spent a tenth of their time in the stall: 5 + j spent 910 - 100·j of its
    // 940 - 70·j ms in it.
    assert_eq!(exchange.tainted.ok, 1 + 9);
}

/// The same, but the process stops at 430 ms, when the answer to exchange 4 has arrived. At 1,430 ms its session is the
/// first to go on, before anything was done that was wanted at 450.
#[test]
fn stalled_generator_is_charged_by_the_session_that_goes_on_first() {
    let sessions = Stalling { service: ms(30), stops: StallPoint::Answered(4) };
    let run = stalled(open(10, 3, 1), &sessions);
    let exchange = &run.steady().operations[0];
    assert_eq!((exchange.counts.planned, exchange.counts.ok), (30, 30));
    assert_eq!(exchange.response.due().max(), Some(ms(1_030)));
    assert_eq!(exchange.response.cleared().max(), Some(ms(50)));
    assert_eq!(at_least(exchange.response.cleared(), ms(31)), 1);
    // Exchange 4, and 5 + j up to j = 8, which spent 930 - 100·j of their 960 - 70·j ms in the stall.
    assert_eq!(exchange.tainted.ok, 1 + 9);
}
