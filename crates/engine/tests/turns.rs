//! Which of several free sessions is given what is due: each in turn, unless they are alike.

use brunt_engine::schedule::{Rate, Schedule};
use brunt_engine::timer::MachineTime;
use brunt_engine::{Fleet, Plan, Settings, Stop, run};
use brunt_exchange::{Outcome, Session, Ticket, Watch};
use brunt_record::{Catalogue, Interval};
use std::ops::Range;
use std::sync::{Arc, Mutex};

type Done = Arc<Mutex<Vec<u32>>>;

struct Prompt(Done);

impl Session for Prompt {
    async fn ready(&mut self, _: &mut Watch<'_>) {}

    async fn exchange(&mut self, ticket: &Ticket, watch: &mut Watch<'_>) -> Outcome {
        watch.sent();
        self.0.lock().expect("nobody panicked").push(ticket.session);
        Outcome::Ok(0)
    }

    async fn close(&mut self) {}
}

struct Crowd<const ALIKE: bool>(Done);

impl<const ALIKE: bool> Fleet for Crowd<ALIKE> {
    type Session = Prompt;
    const ALIKE: bool = ALIKE;

    fn sessions(&self, _: usize, numbers: Range<u32>) -> Vec<Prompt> {
        numbers.map(|_| Prompt(Arc::clone(&self.0))).collect()
    }
}

/// Which of four sessions carried out each of forty exchanges that came one at a time.
fn turns<const ALIKE: bool>() -> Vec<u32> {
    let rate = Rate::per_second(200).expect("a rate");
    let mut settings = Settings::open(Schedule::constant(rate, None).expect("a schedule"), 4);
    settings.stop.count = Some(40);
    let plan = Plan::new(settings, 1).expect("a plan");
    let done = Done::default();
    let crowd = Crowd::<ALIKE>(Arc::clone(&done));
    let names = Catalogue::new(["exchange"], []);
    let (time, stop) = (MachineTime::new(), Stop::new());
    run(&plan, &names, &time, &crowd, &stop, &mut |_: &Interval| {}).expect("a run");
    let turns = done.lock().expect("nobody panicked").clone();
    assert_eq!(turns.len(), 40);
    turns
}

fn carried_out(turns: &[u32], session: u32) -> usize {
    turns.iter().filter(|one| **one == session).count()
}

#[test]
fn sessions_take_turns() {
    let turns = turns::<false>();
    for session in 0..4 {
        assert!((5..=15).contains(&carried_out(&turns, session)), "{turns:?}");
    }
}

#[test]
fn of_sessions_that_are_alike_the_one_freed_last_is_taken() {
    let turns = turns::<true>();
    // A machine that stands still for a moment lets several fall due at once.
    let busiest = (0..4).map(|session| carried_out(&turns, session)).max().unwrap();
    assert!(busiest >= 25, "{turns:?}");
}
