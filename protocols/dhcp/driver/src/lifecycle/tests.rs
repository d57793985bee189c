//! Lives of clients in virtual time, with scripted leases.

use super::*;
use crate::toy::at;

const PLAIN: LifecycleOptions = LifecycleOptions {
    births: Duration::from_millis(10),
    renewals: true,
    release_share: 0.0,
    decline_share: 0.0,
    inform_share: 0.0,
    reboot_share: 0.0,
    time_scale: 1.0,
    power_cut: None,
};
/// A lease of one hour.
const HOUR: Times = Times {
    given: Duration::ZERO,
    renew: Some(Duration::from_secs(1800)),
    rebind: Some(Duration::from_secs(3150)),
    ends: Some(Duration::from_secs(3600)),
};

fn lifecycle(lives: LifecycleOptions, birth: u32) -> Lifecycle<Times> {
    Lifecycle::new(lives, |times| *times, 7, birth, at(1000))
}

/// Performs the next exchange within a millisecond.
fn pass(lifecycle: &mut Lifecycle<Times>, outcome: Outcome) -> (Kind, Moment, Option<Duration>) {
    let (kind, begins) = lifecycle.next().expect("there is something to do");
    let waited = Duration::from_millis(1);
    let ends = begins + waited;
    let given = ends - at(1000);
    let lease = matches!(outcome, Outcome::Ok(_)).then_some(Times { given, ..HOUR });
    let turn = ExchangeResult { kind, outcome, lease, waited, at: ends };
    (kind, begins, lifecycle.ended(turn))
}

const OK: Outcome = Outcome::Ok(5);
const NAK: Outcome = Outcome::Failed(Class::Result, 6);

#[test]
fn births_follow_one_after_the_other() {
    for birth in [0, 1, 250] {
        let born = at(1000 + 10 * u64::from(birth));
        assert_eq!(lifecycle(PLAIN, birth).next(), Some((Kind::Acquire, born)));
    }
}

#[test]
fn lease_is_renewed_at_t1_as_often_as_drawn() {
    let (mut renewals, mut lives) = (0, 0);
    for birth in 0..500 {
        let mut lifecycle = lifecycle(PLAIN, birth);
        assert_eq!(pass(&mut lifecycle, OK).0, Kind::Acquire);
        let mut exchanges = 1;
        let mut given = at(1001 + 10 * u64::from(birth));
        while let Some((Kind::Renew, due)) = lifecycle.next() {
            assert_eq!(due, given + Duration::from_secs(1800));
            given = due + Duration::from_millis(1);
            exchanges += 1;
            let over = pass(&mut lifecycle, OK).2;
            let left = lifecycle.next().is_some_and(|(kind, _)| kind != Kind::Renew);
            assert_eq!(over, left.then_some(Duration::from_millis(exchanges)));
        }
        let (kind, back) = lifecycle.next().unwrap();
        assert_eq!((kind, lifecycle.number), (Kind::Acquire, 1));
        assert!(back >= given && back < given + Duration::from_secs(3 * 1800));
        renewals += exchanges - 1;
        lives += 1;
    }
    let mean = renewals as f64 / f64::from(lives);
    assert!((3.5..4.5).contains(&mean), "{mean} renewals a lifecycle");
}

#[test]
fn unanswered_renewal_becomes_rebind_and_then_acquire() {
    let lives = LifecycleOptions { time_scale: 60.0, ..PLAIN };
    let mut lifecycle =
        (0..99).map(|birth| lifecycle(lives, birth)).find(|it| it.renewals > 0).unwrap();
    let born = lifecycle.next().unwrap().1;
    pass(&mut lifecycle, OK);
    let given = born + Duration::from_millis(1);
    let scaled = |seconds: u64| given + Duration::from_millis(seconds * 1000 / 60);
    assert_eq!(lifecycle.next(), Some((Kind::Renew, scaled(1800))));
    let until = lifecycle.until(Kind::Renew, scaled(1800));
    assert_eq!(until, Some((scaled(3150), Outcome::TimedOut)));
    let timed_out = |lifecycle: &mut Lifecycle<Times>, kind, at| {
        let (outcome, waited) = (Outcome::TimedOut, Duration::from_secs(22));
        lifecycle.ended(ExchangeResult { kind, outcome, lease: None, waited, at })
    };
    assert_eq!(timed_out(&mut lifecycle, Kind::Renew, scaled(3150)), None);
    assert_eq!(lifecycle.next(), Some((Kind::Rebind, scaled(3150))));
    let until = lifecycle.until(Kind::Rebind, scaled(3150));
    assert_eq!(until, Some((scaled(3600), Outcome::TimedOut)));
    assert_eq!(timed_out(&mut lifecycle, Kind::Rebind, scaled(3600)), None);
    assert_eq!(lifecycle.next(), Some((Kind::Acquire, scaled(3600))));
    assert!(lifecycle.take_lease().is_none());
    assert_eq!(lifecycle.until(Kind::Acquire, scaled(3600)), None);
}

#[test]
fn lease_confirmed_after_t2_is_rebound_at_once() {
    let mut lifecycle =
        (0..99).map(|birth| lifecycle(PLAIN, birth)).find(|it| it.renewals > 0).unwrap();
    let born = lifecycle.next().unwrap().1;
    pass(&mut lifecycle, OK);
    // An answer to CONFIRM contains no lease.
    let (kind, outcome, back) = (Kind::Reboot, Outcome::Ok(7), born + Duration::from_secs(3200));
    let waited = Duration::from_millis(1);
    let turn = ExchangeResult { kind, outcome, lease: None, waited, at: back };
    assert_eq!(lifecycle.ended(turn), None);
    assert_eq!(lifecycle.next(), Some((Kind::Rebind, back)));
}

#[test]
fn refused_renewal_restarts_and_refused_start_waits() {
    let mut lifecycle =
        (0..99).map(|birth| lifecycle(PLAIN, birth)).find(|it| it.renewals > 0).unwrap();
    pass(&mut lifecycle, OK);
    let (_, due, _) = pass(&mut lifecycle, NAK);
    let ended = due + Duration::from_millis(1);
    assert_eq!(lifecycle.next(), Some((Kind::Acquire, ended)));
    pass(&mut lifecycle, NAK);
    let (kind, again) = lifecycle.next().unwrap();
    let waits = again - (ended + Duration::from_millis(1));
    let range = Duration::from_secs(10)..=Duration::from_secs(20);
    assert!(kind == Kind::Acquire && range.contains(&waits), "{waits:?}");
}

/// Runs many lives of many clients, and counts each kind of exchange.
fn lived(lives: LifecycleOptions) -> [u64; 7] {
    let mut counts = [0; 7];
    for birth in 0..200 {
        let mut lifecycle = lifecycle(lives, birth);
        while lifecycle.number < 50 {
            counts[pass(&mut lifecycle, OK).0 as usize] += 1;
        }
    }
    counts
}

#[test]
fn lifecycle_shares_are_kept() {
    let lives = LifecycleOptions {
        release_share: 0.3,
        decline_share: 0.1,
        inform_share: 0.2,
        reboot_share: 0.25,
        ..PLAIN
    };
    let counts = lived(lives);
    let of = |kind: Kind| counts[kind as usize] as f64;
    let whole = 200.0 * 50.0;
    let near = |share: f64, expected: f64| (share - expected).abs() < 0.02;
    assert!(near(of(Kind::Release) / whole, 0.3), "{counts:?}");
    assert!(near(of(Kind::Inform) / whole, 0.2), "{counts:?}");
    assert!(near(of(Kind::Decline) / of(Kind::Acquire), 0.1), "{counts:?}");
    // Clients that released their lease have nothing to ask about, and neither have those whose
    // lease expired meanwhile.
    let reboots = of(Kind::Reboot) / whole;
    assert!((0.05..0.25 * 0.7).contains(&reboots), "{counts:?}");
    assert_eq!(counts[Kind::Rebind as usize], 0);
}

#[test]
fn renewals_disabled_never_happen() {
    let counts = lived(LifecycleOptions { renewals: false, release_share: 1.0, ..PLAIN });
    assert_eq!(counts[Kind::Renew as usize], 0);
    assert_eq!(counts[Kind::Acquire as usize], counts[Kind::Release as usize]);
}

#[test]
fn power_cut_ends_all_lives_and_restarts_them_in_time() {
    let seconds = Duration::from_secs;
    let cut = PowerCut { at: seconds(600), within: seconds(5) };
    let lives = LifecycleOptions { power_cut: Some(cut), ..PLAIN };
    let fails = at(1000) + seconds(600);
    let mut returns = Vec::new();
    for birth in 0..300 {
        let mut lifecycle = lifecycle(lives, birth);
        assert_eq!(lifecycle.until(Kind::Acquire, at(1000)), Some((fails, Outcome::CutOff)));
        let over = pass(&mut lifecycle, OK).2;
        let changes: Vec<Change> = lifecycle.take_changes().collect();
        let up = Change::Up(lives.births * birth + Duration::from_millis(1));
        assert_eq!(changes[0], up);
        let (kind, back) = lifecycle.next().unwrap();
        if back < fails {
            // It left before that time, and began another life.
            continue;
        }
        if kind == Kind::Acquire {
            assert!(back > fails, "it was away");
            continue;
        }
        assert_eq!((kind, over), (Kind::Reboot, Some(Duration::from_millis(1))));
        assert!(back >= fails && back <= fails + seconds(5), "{back:?}");
        returns.push(back);
        assert_eq!(lifecycle.until(Kind::Reboot, back), None, "it fails once");
        assert_eq!(changes[1..], [Change::Lost]);
        let again = pass(&mut lifecycle, OK).2;
        let since = back - at(1000) + Duration::from_millis(1);
        assert_eq!(lifecycle.take_changes().collect::<Vec<_>>(), [Change::Back(since)]);
        let stays = lifecycle.next().is_some_and(|(kind, _)| kind == Kind::Renew);
        assert_eq!(again.is_none(), stays);
        assert!(lifecycle.take_lease().is_some());
    }
    assert!(returns.len() > 200, "{}", returns.len());
    returns.sort_unstable();
    let half = returns[returns.len() / 2] - fails;
    assert!((seconds(2)..seconds(3)).contains(&half), "evenly: {half:?}");
}

#[test]
fn power_cut_ends_an_exchange_in_progress() {
    let cut = PowerCut { at: Duration::from_secs(3), within: Duration::ZERO };
    let mut lifecycle = lifecycle(LifecycleOptions { power_cut: Some(cut), ..PLAIN }, 0);
    let (outcome, waited, fails) = (Outcome::CutOff, Duration::from_secs(3), at(4000));
    let turn = ExchangeResult { kind: Kind::Acquire, outcome, lease: None, waited, at: fails };
    assert_eq!(lifecycle.ended(turn), Some(waited));
    assert_eq!(lifecycle.next(), Some((Kind::Acquire, fails)));
}

#[test]
fn infinite_lease_is_never_left() {
    let mut lifecycle = lifecycle(PLAIN, 0);
    let lease = Some(Times { renew: None, rebind: None, ends: None, ..HOUR });
    let waited = Duration::from_millis(1);
    let over = lifecycle.ended(ExchangeResult {
        kind: Kind::Acquire,
        outcome: OK,
        lease,
        waited,
        at: at(1001),
    });
    assert_eq!((lifecycle.next(), over), (None, Some(waited)));
}

#[test]
fn seed_repeats_the_lives() {
    let lives =
        LifecycleOptions { release_share: 0.5, decline_share: 0.2, reboot_share: 0.5, ..PLAIN };
    let story = |birth| {
        let mut lifecycle = lifecycle(lives, birth);
        (0..100).map(|_| pass(&mut lifecycle, OK)).collect::<Vec<_>>()
    };
    assert_eq!(story(3), story(3));
    assert_ne!(story(3), story(4));
}
