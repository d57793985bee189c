//! What a seat's thread does: readies its session, asks for work, does it and enters it in the books.
//!
//! In the closed model the moment one exchange ended is the moment the next is due and sent, so an exchange costs one
//! look at the clock. The thread holds the lock on its books except while it is away, and whenever it comes back it
//! looks first whether they are still its own.

use super::books::{Books, Doing};
use super::desk::{Desk, Fault};
use super::{TICK, Wait};
use crate::blocking_session_factory::BlockingSessionFactory;
use crate::worker::handing::{Answer, Given};
use brunt_exchange::{BlockingSession, Moment, Outcome, Watch};
use std::num::NonZeroU64;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::MutexGuard;

/// Everything thread number `me` of a seat does, to its end. Whatever becomes of it, the watchman learns of it.
pub(super) fn live<T: Wait, C: BlockingSessionFactory>(desk: &Desk<T>, factory: &C, me: u32) {
    // The kernel may otherwise be 50 us late, to save rings of its timer.
    let _ = rustix::thread::set_current_timer_slack(NonZeroU64::new(1));
    let lived = catch_unwind(AssertUnwindSafe(|| {
        let session = factory.session(desk.books().session);
        serve(desk, factory, session, me);
    }));
    if let Err(panic) = lived {
        desk.fail(Fault::Panic(panic));
        if let Some(mut books) = desk.books_of(me) {
            if books.origin().is_none() {
                desk.gate.give_up();
            }
            books.doing = Doing::Vacant;
        }
    }
}

fn serve<T: Wait, C: BlockingSessionFactory>(
    desk: &Desk<T>,
    factory: &C,
    mut session: C::Session,
    me: u32,
) {
    let Some((mut books, mut free)) = enter(desk, &mut session, me) else { return };
    let mut text = String::new();
    while !session.finished() {
        if !session.is_ready() {
            if books.dispatch.exhausted() {
                break;
            }
            let Some(again) = ready(desk, books, &mut session, me) else { return };
            books = again;
            free = desk.clock.now();
        }
        let Some((again, next)) = next(desk, books, free, me) else { return };
        books = again;
        let Some((given, began)) = next else { break };
        let ticket = books.begin(given, free, began);
        let wanted = books.recorder().wants_text();
        drop(books);
        text.clear();
        let mut watch = Watch::new(&desk.clock, wanted.then_some(&mut text));
        watch.sent_as(began);
        let outcome = session.exchange(&ticket, &mut watch);
        let now = desk.clock.now();
        let ended = watch.ended_at().unwrap_or(now);
        let operation = watch.named_operation();
        let Some(again) = desk.books_of(me) else { return };
        books = again;
        books.ended((&given, free), (ended, now), &watch, outcome);
        if wanted && matches!(outcome, Outcome::Failed(..) | Outcome::TimedOut) {
            books.recorder().explained(operation, outcome, ended, &text);
        }
        free = now;
    }
    books.driver_counts(|into| factory.counts(desk.number, into));
    books.conclude(desk.clock.now());
    drop(books);
    session.close();
}

/// Readies the session, and the first time waits with all others for the run to begin; says since when it is free.
fn enter<'a, T: Wait, S: BlockingSession>(
    desk: &'a Desk<T>,
    session: &mut S,
    me: u32,
) -> Option<(MutexGuard<'a, Books>, Moment)> {
    let mut books = desk.books_of(me)?;
    books = ready(desk, books, session, me)?;
    if books.origin().is_some() {
        books.recorder().moved();
        return Some((books, desk.clock.now()));
    }
    drop(books);
    let origin = desk.gate.arrive(|| desk.clock.now());
    let mut books = desk.books_of(me)?;
    books.start(origin);
    while desk.clock.now() < origin {
        desk.clock.wait_until(origin);
    }
    Some((books, origin))
}

/// Makes the session ready, away from the books.
fn ready<'a, T: Wait, S: BlockingSession>(
    desk: &'a Desk<T>,
    mut books: MutexGuard<'a, Books>,
    session: &mut S,
    me: u32,
) -> Option<MutexGuard<'a, Books>> {
    books.doing = Doing::Readying;
    drop(books);
    let mut watch = Watch::new(&desk.clock, None);
    session.ready(&mut watch);
    let mut books = desk.books_of(me)?;
    books.doing = Doing::Waiting;
    books.recorder().readied(&watch, desk.clock.now());
    Some(books)
}

/// The books, and what is to be done next with the moment at which it begins; nothing, if there is no more.
type Next<'a> = (MutexGuard<'a, Books>, Option<(Given, Moment)>);

/// Waits for the next exchange; `None` if the thread was left behind meanwhile.
#[inline]
fn next<'a, T: Wait>(
    desk: &'a Desk<T>,
    mut books: MutexGuard<'a, Books>,
    free: Moment,
    me: u32,
) -> Option<Next<'a>> {
    match books.ask(free) {
        Answer::Take(given) => return Some((books, Some((given, free)))),
        Answer::Leave => return Some((books, None)),
        Answer::Wait => {}
    }
    loop {
        let now = desk.clock.now();
        let given = books.handed(now);
        if given.is_some() || books.dispatch.exhausted() {
            return Some((books, given.map(|given| (given, now))));
        }
        let ring = books.next_ring().min(now + TICK);
        drop(books);
        desk.clock.wait_until(ring);
        books = desk.books_of(me)?;
    }
}
