//! Tests of the hub with an in-memory network, in the same kind of runtime that the engine creates.

use super::*;
use crate::run::Dhcp;
use crate::setup::Setup;
use crate::tally::{Counter, Overall};
use crate::task::Task;
use crate::toy::{
    ACK, DISCOVER, OFFER, REQUEST, Rules, Toy, ToyLease, message, obliging, parts, setup,
};
use crate::{Kind, LEASE_LIFE, LifecycleOptions, Mix, Session, Stage};
use brunt_exchange::{
    Class, Clock as _, Monotonic, Outcome, Session as _, Slots, Ticket, Want, Watch,
};
use brunt_net::wire::{Log, Server, Wire};
use tokio::runtime::{Builder, LocalOptions, LocalRuntime};

fn runtime() -> LocalRuntime {
    Builder::new_current_thread().enable_all().build_local(LocalOptions::default()).unwrap()
}

/// Runs sessions over an in-memory network, and returns the result.
fn play<F: Future>(
    setup: Setup<Toy, Wire>,
    server: Server,
    sessions: u32,
    act: impl FnOnce(Vec<Session<Toy, Wire>>, Rc<Log>) -> F,
) -> (Dhcp<Toy, Wire>, F::Output) {
    let runtime = runtime();
    let dhcp = Dhcp::new(
        Setup { sockets: vec![Box::new(|| Err(io::Error::other("unused")))], ..setup },
        1,
    );
    let log = Rc::new(Log::default());
    let output = runtime.block_on(async {
        let wire = Wire::new(server, Rc::clone(&log));
        let hub = Hub::start_on(Arc::clone(dhcp.shared()), Ok(wire), 0, sessions as usize);
        let sessions =
            (0..sessions).map(|slot| Session::new(Rc::clone(&hub), slot, slot)).collect();
        drop(hub);
        act(sessions, log).await
    });
    drop(runtime);
    (dhcp, output)
}

/// Every session performs an exchange; all begin in one turn of the runtime.
async fn at_once(sessions: Vec<Session<Toy, Wire>>) -> Vec<Outcome> {
    let tasks: Vec<_> = (0..)
        .zip(sessions)
        .map(|(number, mut session)| {
            tokio::task::spawn_local(async move {
                let clock = Monotonic::new();
                let mut watch = Watch::new(&clock, None);
                session.ready(&mut watch).await;
                let ticket = Ticket { number, session: 0, turn: 0, phase: 3 };
                let outcome = session.exchange(&ticket, &mut watch).await;
                session.close(&clock).await;
                outcome
            })
        })
        .collect();
    let mut outcomes = Vec::new();
    for task in tasks {
        outcomes.push(task.await.unwrap());
    }
    outcomes
}

#[test]
fn exchanges_due_together_are_sent_together_in_order() {
    let act = |sessions, log: Rc<Log>| async move {
        let outcomes = at_once(sessions).await;
        (outcomes, log)
    };
    let (dhcp, (outcomes, log)) = play(setup(Rules::default()), Box::new(obliging), 100, act);
    assert_eq!(outcomes, vec![Outcome::Ok(5); 100]);
    // The answers to the first batch arrive before the second is sent, so their REQUESTs join the second.
    assert_eq!(*log.batches.borrow(), [64, 64, 64, 8]);
    let of = |what| -> Vec<u32> {
        let messages = log.messages.borrow();
        messages.iter().map(|it| parts(it)).filter(|it| it.0 == what).map(|it| it.1).collect()
    };
    let all: Vec<u32> = (0..100).collect();
    assert_eq!((of(DISCOVER), of(REQUEST)), (all.clone(), all));
    let (mut tallies, mut by_phase) = (Vec::new(), [const { Vec::new() }; Ticket::PHASES]);
    let unmatched = dhcp.noticed(0, &mut tallies, &mut by_phase);
    assert_eq!((unmatched.orphans, unmatched.socket_drops), (0, 3));
    assert_eq!((tallies.len(), by_phase[3].iter().sum::<u64>()), (0, 400));
}

#[test]
fn full_socket_is_awaited_and_a_send_error_is_counted_once() {
    let act = |sessions, log: Rc<Log>| async move {
        log.faults.borrow_mut().extend([libc::EAGAIN, libc::EPERM, libc::EAGAIN]);
        log.room.set(Some(7));
        (at_once(sessions).await, log)
    };
    let (dhcp, (outcomes, log)) = play(setup(Rules::default()), Box::new(obliging), 30, act);
    assert_eq!(outcomes[0], Outcome::Failed(Class::Unsent, libc::EPERM.cast_unsigned()));
    assert_eq!(outcomes[1..], vec![Outcome::Ok(5); 29]);
    assert!(log.batches.borrow().iter().all(|count| *count <= 7));
    assert_eq!(dhcp.tallies()[0].overall(Overall::LocalLimit), 1);
}

#[test]
fn unanswered_exchanges_end_with_the_drop_time() {
    let rules = Rules { wait: Duration::from_millis(30), ..Rules::default() };
    let act = |sessions, _| async move {
        let began = Monotonic::new();
        let outcomes = at_once(sessions).await;
        (outcomes, began.now().since_origin())
    };
    let (dhcp, (outcomes, took)) = play(setup(rules), Box::new(|_| vec![]), 5, act);
    assert_eq!(outcomes, vec![Outcome::TimedOut; 5]);
    assert!(took >= Duration::from_millis(30), "{took:?}");
    assert!(took < Duration::from_secs(10), "{took:?}");
    assert_eq!(dhcp.tallies()[0].stage(Stage::First, Counter::Drops), 5);
}

/// The thread stalls for longer than the drop time, while the answer is in the socket.
#[test]
fn answer_read_late_counts_by_its_kernel_timestamp() {
    let rules = Rules { wait: Duration::from_millis(30), first_only: true, ..Rules::default() };
    for (stamped, outcome) in [(false, Outcome::TimedOut), (true, Outcome::Ok(2))] {
        let setup = setup(rules.clone());
        let clock = Arc::clone(&setup.clock);
        let act = |sessions, log: Rc<Log>| async move {
            let now = clock.now();
            log.arrived.set(stamped.then_some(now));
            at_once(sessions).await
        };
        let server: Server = Box::new(|sent| {
            let since = Monotonic::new();
            while since.now().since_origin() < Duration::from_millis(60) {}
            obliging(sent)
        });
        let (dhcp, outcomes) = play(setup, server, 1, act);
        assert_eq!(outcomes, [outcome]);
        let late = dhcp.tallies()[0].stage(Stage::First, Counter::Late);
        assert_eq!(late, u64::from(!stamped), "by our own stamp it came too late");
    }
}

#[test]
fn preload_is_counted_separately() {
    let mut setup = setup(Rules::default());
    setup.preload = 50;
    setup.slots = Slots::even(1, 3);
    let server: Server = Box::new(|sent| match parts(sent) {
        (DISCOVER, xid, _) => vec![message(OFFER, xid, 1)],
        (_, xid, address) => vec![message(ACK, xid, address)],
    });
    let act = |sessions, log: Rc<Log>| async move { (at_once(sessions).await, log) };
    let (dhcp, (outcomes, log)) = play(setup, server, 2, act);
    assert_eq!(outcomes, [Outcome::Ok(5); 2]);
    let tally = &dhcp.tallies()[0];
    assert_eq!(tally.overall(Overall::PreloadSent), 50);
    assert_eq!(tally.overall(Overall::PreloadReceived), 50);
    assert_eq!((tally.orphans(), tally.stage(Stage::First, Counter::Sent)), (0, 2));
    let xids: Vec<u32> = log.messages.borrow()[..50].iter().map(|it| parts(it).1).collect();
    assert_eq!(xids[..2], [u32::MAX - 1, u32::MAX - 4], "those of the second node of three");
}

#[test]
fn renew_and_release_use_leases_or_are_skipped() {
    let mut setup = setup(Rules::default());
    setup.task = Task::Mix(Mix::new(2, 1, 1));
    setup.leases_max = 100;
    let act = |mut sessions: Vec<Session<Toy, Wire>>, log| async move {
        let mut session = sessions.remove(0);
        drop(sessions);
        let clock = Monotonic::new();
        let mut seen = Vec::new();
        for number in [1, 3, 0, 1, 2, 3] {
            let mut watch = Watch::new(&clock, None);
            let outcome = session
                .exchange(&Ticket { number, session: 0, turn: 0, phase: 0 }, &mut watch)
                .await;
            seen.push((watch.named_operation(), outcome, watch.sent_at().is_some()));
        }
        (seen, log)
    };
    let (dhcp, (seen, _)): (_, (Vec<_>, Rc<Log>)) = play(setup, Box::new(obliging), 1, act);
    let [acquire, renew, release] = [Kind::Acquire, Kind::Renew, Kind::Release].map(|it| it as u16);
    let expected = [
        (renew, Outcome::Skipped, false),
        (release, Outcome::Skipped, false),
        (acquire, Outcome::Ok(5), true),
        (renew, Outcome::Ok(5), true),
        (acquire, Outcome::Ok(5), true),
        (release, Outcome::Ok(0), true),
    ];
    assert_eq!(seen, expected);
    let left = dhcp.take_leases();
    assert_eq!(left.len(), 1, "two acquired, one renewed and kept, one released");
    assert_eq!(dhcp.take_leases(), []);
}

#[test]
fn leases_are_released_one_per_exchange() {
    let mut setup = setup(Rules::default());
    let lease = |n| ToyLease { client: n, address: 1000 + n as u32 };
    setup.task = Task::Release((0..3).map(lease).collect());
    let act = |sessions, log: Rc<Log>| async move { (at_once(sessions).await, log) };
    let (_, (outcomes, log)) = play(setup, Box::new(obliging), 4, act);
    let ok = Outcome::Ok(0);
    assert_eq!(outcomes, [ok, ok, ok, Outcome::Skipped]);
    let mut released: Vec<u32> = log.messages.borrow().iter().map(|it| parts(it).2).collect();
    released.sort_unstable();
    assert_eq!(released, [1000, 1001, 1002]);
}

#[test]
fn worker_without_a_socket_fails_its_exchanges() {
    let setup = Setup {
        sockets: vec![Box::new(|| Err(io::Error::from_raw_os_error(libc::EMFILE)))],
        ..setup(Rules::default())
    };
    let dhcp: Dhcp<Toy, Wire> = Dhcp::new(setup, 1);
    let runtime = runtime();
    let outcomes = runtime.block_on(async { at_once(dhcp.sessions(0, 0..2)).await });
    let ours = Outcome::Failed(Class::Descriptors, libc::EMFILE.cast_unsigned());
    assert_eq!(outcomes, [ours; 2], "the server was asked for nothing");
    assert_eq!(dhcp.tallies()[0].overall(Overall::LocalLimit), 2);
}

#[test]
fn fleet_clients_decide_when_they_are_due() {
    let mut setup = setup(Rules::default());
    let lives = LifecycleOptions {
        births: Duration::from_millis(3),
        renewals: true,
        release_share: 1.0,
        decline_share: 0.0,
        inform_share: 1.0,
        reboot_share: 0.0,
        time_scale: 1.0,
        power_cut: None,
    };
    setup.task = Task::Live(lives);
    setup.leases_max = 1;
    let act = |mut sessions: Vec<Session<Toy, Wire>>, log: Rc<Log>| async move {
        let mut session = sessions.remove(2);
        drop(sessions);
        let clock = Monotonic::new();
        let origin = clock.now();
        let born = session.wants(origin);
        let mut seen = Vec::new();
        for number in 20..22 {
            let mut watch = Watch::new(&clock, None);
            let ticket =
                Ticket { number, session: 2, turn: number, phase: (number % 20) as u8 + 1 };
            let outcome = session.exchange(&ticket, &mut watch).await;
            let lifecycle = watch.parts().iter().any(|(part, _)| *part == LEASE_LIFE);
            seen.push((watch.named_operation(), outcome, lifecycle));
        }
        let after = session.wants(clock.now());
        session.close(&clock).await;
        (born == Want::At(origin + Duration::from_millis(6)), seen, after, log)
    };
    let (dhcp, (born, seen, after, log)) = play(setup, Box::new(obliging), 3, act);
    assert!(born, "the third of them");
    let [inform, acquire] = [Kind::Inform, Kind::Acquire].map(|kind| kind as u16);
    let ok = Outcome::Ok(5);
    // The toy's leases never expire, so there is nothing left to wait for.
    assert_eq!(seen, [(inform, ok, false), (acquire, ok, true)]);
    assert_eq!(after, Want::Nothing);
    assert_eq!(log.messages.borrow().len(), 3);
    let sent = |phase, stage| dhcp.tallies()[0].stage_in(phase, stage, Counter::Sent);
    assert_eq!((sent(1, Stage::Inform), sent(2, Stage::First), sent(2, Stage::Second)), (1, 1, 1));
    let left = dhcp.take_leases();
    assert_eq!(left, [ToyLease { client: 2, address: 22 }], "its session's number is the client's");
}
