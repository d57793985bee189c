//! The lifecycles of a fleet's clients: what one client does next, and when. [`LifecycleOptions`] configures them.
//!
//! A lifecycle begins at birth or when the client comes back, gets a lease in one way or another, keeps it for a drawn
//! number of renewals and ends with a release or silently; after a while the client begins another. Everything drawn
//! follows from the seed, the client, the lifecycle and the turn within it, so that a fleet behaves the same whenever
//! and on however many machines it runs, as long as the server's answers are the same. Leases age faster by the time
//! scale; the time a client waits for an answer does not. It must not know a socket, a clock or a packet.

use super::Kind;
use super::dialogue::Times;
use super::presence::Change;
use crate::chance::mix;
use brunt_exchange::{Class, Moment, Outcome};
use std::time::Duration;

/// The lifecycles of a fleet's clients. Shares are between 0 and 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LifecycleOptions {
    /// The time between the births of two clients.
    pub births: Duration,
    /// Whether leases are renewed at T1 and rebound at T2. Without, a client stays for a part of
    /// its lease.
    pub renewals: bool,
    /// The share of lives that end with a release.
    pub release_share: f64,
    /// The share of leases that are declined.
    pub decline_share: f64,
    /// The share of lives that begin by asking for options only.
    pub inform_share: f64,
    /// The share of lives that begin by asking whether the last lease still holds, if there is one.
    pub reboot_share: f64,
    /// How much faster leases age than they say.
    pub time_scale: f64,
    /// When all lose their power at once, if ever.
    pub power_cut: Option<PowerCut>,
}

/// Every client disappears without releasing its lease and comes back, asking whether the lease is still valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PowerCut {
    /// When, counted from the beginning of the run.
    pub at: Duration,
    /// The time over which they come back.
    pub within: Duration,
}

impl LifecycleOptions {
    /// How often a lease is renewed on average: a number from nothing to twice as many is drawn.
    pub const RENEWALS_MEAN: u32 = 4;
    /// How long a client waits on average before it asks again that got no lease or declined one:
    /// RFC 2131 section 3.1.5 asks for at least ten seconds after a decline, from which it draws up
    /// to half as much again and less.
    pub const RETRY: Duration = Duration::from_secs(15);

    fn scaled(&self, time: Duration) -> Duration {
        if self.time_scale > 0.0 {
            let nanos = time.as_nanos() as f64 / self.time_scale;
            return Duration::from_nanos(nanos as u64);
        }
        time
    }
}

/// What is drawn.
#[derive(Clone, Copy)]
#[repr(u64)]
enum Drawn {
    Beginning,
    Renewals,
    Declines,
    Retry,
    Stay,
    Releases,
    Away,
    Return,
}

/// How an exchange of a lifecycle ended.
pub(super) struct ExchangeResult<L> {
    pub(super) kind: Kind,
    pub(super) outcome: Outcome,
    pub(super) lease: Option<L>,
    /// How long the client waited for the server.
    pub(super) waited: Duration,
    pub(super) at: Moment,
}

/// One client's lifecycle, and those that follow.
pub(super) struct Lifecycle<L> {
    lives: LifecycleOptions,
    times: fn(&L) -> Times,
    chance: u64,
    origin: Moment,
    /// How many lives there were before this one.
    number: u64,
    /// How many exchanges there were in this life.
    turn: u64,
    next: Option<(Kind, Moment)>,
    lease: Option<L>,
    renewals: u32,
    waited: Duration,
    /// Whether the power cut is over for this client.
    cut: bool,
    /// Whether it has had a lease.
    up: bool,
    /// Whether it has had none since it lost its power.
    away: bool,
    /// What became of it and was not taken yet.
    changes: [Option<Change>; 2],
}

impl<L> Lifecycle<L> {
    /// The lives of a client that is born as number `birth` of a run that begins at `origin`.
    pub(super) fn new(
        lives: LifecycleOptions,
        times: fn(&L) -> Times,
        seed: u64,
        birth: u32,
        origin: Moment,
    ) -> Self {
        let mut lifecycle = Self {
            lives,
            times,
            chance: mix(seed ^ mix(u64::from(birth))),
            origin,
            number: 0,
            turn: 0,
            next: None,
            lease: None,
            renewals: 0,
            waited: Duration::ZERO,
            cut: lives.power_cut.is_none(),
            up: false,
            away: false,
            changes: [None; 2],
        };
        lifecycle.begin(origin + lives.births.saturating_mul(birth));
        lifecycle
    }

    /// What it does next and when; nothing if it has nothing more to do.
    pub(super) fn next(&self) -> Option<(Kind, Moment)> {
        self.next
    }

    /// The lease that an exchange of this kind is about.
    pub(super) fn lease(&self, kind: Kind) -> Option<&L> {
        self.lease.as_ref().filter(|_| !matches!(kind, Kind::Acquire | Kind::Inform))
    }

    /// Takes the lease it has, or did not release, as the run is over.
    pub(super) fn take_lease(&mut self) -> Option<L> {
        self.lease.take()
    }

    /// Takes what became of the client since it was asked last.
    pub(super) fn take_changes(&mut self) -> impl Iterator<Item = Change> + use<L> {
        std::mem::take(&mut self.changes).into_iter().flatten()
    }

    /// Until when an exchange that begins now may take, and how it ends then.
    pub(super) fn until(&self, kind: Kind, now: Moment) -> Option<(Moment, Outcome)> {
        let times = self.lease.as_ref().map(self.times);
        let limit = times.and_then(|times| match kind {
            Kind::Renew => self.aged(&times, times.rebind),
            Kind::Rebind => self.aged(&times, times.ends),
            _ => None,
        });
        // However late it is, a server has a moment to answer.
        let limit = limit.map(|at| (at.max(now + Duration::from_secs(1)), Outcome::TimedOut));
        let cut = self.cut_at().map(|at| (at, Outcome::CutOff));
        limit.into_iter().chain(cut).min_by_key(|(at, _)| *at)
    }

    /// Takes in how an exchange ended and decides what comes next. If nothing more comes in this
    /// life that a client would wait for, says how long it waited for the server in all.
    pub(super) fn ended(&mut self, turn: ExchangeResult<L>) -> Option<Duration> {
        let ExchangeResult { kind, outcome, lease, waited, at } = turn;
        self.changes = [None; 2];
        self.turn += 1;
        self.waited += waited;
        let well = matches!(outcome, Outcome::Ok(_));
        let refused = matches!(outcome, Outcome::Failed(Class::Result | Class::Check, _));
        if well && lease.is_some() {
            self.lease = lease;
        }
        if self.cut_at().is_some_and(|cut| at >= cut) {
            return Some(self.lose_power());
        }
        match kind {
            Kind::Acquire if well && self.draw(Drawn::Declines) < self.lives.decline_share => {
                self.follow(Kind::Decline, at)
            }
            Kind::Acquire | Kind::Reboot if well => self.hold(at),
            Kind::Acquire | Kind::Decline => {
                self.lease = None;
                let retry = LifecycleOptions::RETRY
                    .mul_f64(2.0 / 3.0 + self.draw(Drawn::Retry) * 2.0 / 3.0);
                self.follow(Kind::Acquire, at + retry)
            }
            Kind::Inform => self.follow(Kind::Acquire, at),
            Kind::Renew | Kind::Rebind if well => {
                self.renewals = self.renewals.saturating_sub(1);
                self.hold(at)
            }
            // Nobody says that the lease does not hold, so it is used (RFC 2131 section 3.2 and
            // RFC 8415 section 18.2.3).
            Kind::Reboot if outcome == Outcome::TimedOut && self.is_valid(at) => self.hold(at),
            Kind::Renew if !refused => {
                let times = self.lease.as_ref().map(self.times);
                let rebind = times.and_then(|times| self.aged(&times, times.rebind));
                self.follow(Kind::Rebind, rebind.unwrap_or(at).max(at))
            }
            Kind::Renew | Kind::Rebind | Kind::Reboot => {
                self.lease = None;
                self.follow(Kind::Acquire, at)
            }
            Kind::Release => Some(self.depart(at)),
        }
    }

    /// Begins a life at a moment.
    fn begin(&mut self, at: Moment) {
        // A client that is away when the power fails is not affected.
        self.cut |= self.cut_at().is_some_and(|cut| at >= cut);
        let way = self.draw(Drawn::Beginning);
        let LifecycleOptions { inform_share, reboot_share, .. } = self.lives;
        let reboots = (inform_share..inform_share + reboot_share).contains(&way);
        let kind = match () {
            () if way < inform_share => Kind::Inform,
            () if reboots && self.is_valid(at) => Kind::Reboot,
            () => Kind::Acquire,
        };
        self.settle(kind, at);
    }

    /// Draws what a life is to be like that begins with an exchange of this kind.
    fn settle(&mut self, kind: Kind, at: Moment) {
        let most = f64::from(2 * LifecycleOptions::RENEWALS_MEAN + 1);
        self.renewals = (self.draw(Drawn::Renewals) * most) as u32;
        self.next = Some((kind, at));
    }

    /// Plans the next exchange of this life, unless the power fails before.
    fn follow(&mut self, kind: Kind, at: Moment) -> Option<Duration> {
        if self.cut_at().is_some_and(|cut| at >= cut) {
            return Some(self.lose_power());
        }
        self.next = Some((kind, at));
        None
    }

    /// Has a lease: renews it when its time has come, or leaves some time before that.
    fn hold(&mut self, at: Moment) -> Option<Duration> {
        let times = self.lease.as_ref().map(self.times)?;
        let since = at - self.origin;
        if !std::mem::replace(&mut self.up, true) {
            self.changed(Change::Up(since));
        } else if std::mem::take(&mut self.away) {
            self.changed(Change::Back(since));
        }
        let Some(renew) = self.aged(&times, times.renew) else {
            // It lasts forever.
            self.next = None;
            let over = std::mem::take(&mut self.waited);
            if !self.cut {
                self.lose_power();
            }
            return Some(over);
        };
        if self.lives.renewals && self.renewals > 0 {
            let due = renew.max(at);
            // Whoever comes back after T2 has no time left to ask its own server alone.
            let rebind = self.aged(&times, times.rebind).is_some_and(|rebind| rebind <= due);
            return self.follow(if rebind { Kind::Rebind } else { Kind::Renew }, due);
        }
        let end = if self.lives.renewals { times.renew } else { times.ends.or(times.renew) };
        let end = self.aged(&times, end).unwrap_or(renew).max(at);
        let leaves = at + (end - at).mul_f64(self.draw(Drawn::Stay));
        if self.draw(Drawn::Releases) < self.lives.release_share {
            return self.follow(Kind::Release, leaves);
        }
        if self.cut_at().is_some_and(|cut| leaves >= cut) {
            return Some(self.lose_power());
        }
        Some(self.depart(leaves))
    }

    /// Leaves, to begin another life after a while.
    fn depart(&mut self, at: Moment) -> Duration {
        let renew = self.lease.as_ref().and_then(|lease| (self.times)(lease).renew);
        let usual = self.lives.scaled(renew.unwrap_or(LifecycleOptions::RETRY));
        let away = usual.mul_f64(2.0 * self.draw(Drawn::Away));
        if matches!(self.next, Some((Kind::Release, _))) {
            self.lease = None;
        }
        self.number += 1;
        self.turn = 0;
        self.begin(at + away);
        std::mem::take(&mut self.waited)
    }

    /// Goes away as the power fails, and comes back when it does.
    fn lose_power(&mut self) -> Duration {
        self.cut = true;
        // Who never had a lease has none to get back.
        self.away = self.up;
        if self.away {
            self.changed(Change::Lost);
        }
        self.number += 1;
        self.turn = 0;
        if let Some(cut) = self.lives.power_cut {
            let back = self.origin + cut.at + cut.within.mul_f64(self.draw(Drawn::Return));
            let kind = if self.is_valid(back) { Kind::Reboot } else { Kind::Acquire };
            self.settle(kind, back);
        }
        std::mem::take(&mut self.waited)
    }

    fn changed(&mut self, change: Change) {
        let room = self.changes.iter_mut().find(|room| room.is_none());
        debug_assert!(room.is_some(), "an exchange brings two changes at most");
        if let Some(room) = room {
            *room = Some(change);
        }
    }

    /// When the power will fail.
    fn cut_at(&self) -> Option<Moment> {
        self.lives.power_cut.filter(|_| !self.cut).map(|cut| self.origin + cut.at)
    }

    /// Whether there is a lease that has not ended by then.
    fn is_valid(&self, at: Moment) -> bool {
        self.lease
            .as_ref()
            .map(self.times)
            .is_some_and(|times| self.aged(&times, times.ends).is_none_or(|end| end > at))
    }

    /// When a lease comes to a certain age.
    fn aged(&self, times: &Times, age: Option<Duration>) -> Option<Moment> {
        age.map(|age| self.origin + times.given + self.lives.scaled(age))
    }

    /// A number from 0 to below 1.
    fn draw(&self, what: Drawn) -> f64 {
        let turn = (self.number << 32) ^ (self.turn << 8) ^ what as u64;
        (mix(self.chance ^ mix(turn)) >> 11) as f64 / (1_u64 << 53) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dhcp::toy::at;

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
    /// A lease of an hour.
    const HOUR: Times = Times {
        given: Duration::ZERO,
        renew: Some(Duration::from_secs(1800)),
        rebind: Some(Duration::from_secs(3150)),
        ends: Some(Duration::from_secs(3600)),
    };

    fn lifecycle(lives: LifecycleOptions, birth: u32) -> Lifecycle<Times> {
        Lifecycle::new(lives, |times| *times, 7, birth, at(1000))
    }

    /// Carries out what is next within a millisecond.
    fn pass(
        lifecycle: &mut Lifecycle<Times>,
        outcome: Outcome,
    ) -> (Kind, Moment, Option<Duration>) {
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
    fn clients_are_born_one_after_the_other() {
        for birth in [0, 1, 250] {
            let born = at(1000 + 10 * u64::from(birth));
            assert_eq!(lifecycle(PLAIN, birth).next(), Some((Kind::Acquire, born)));
        }
    }

    #[test]
    fn a_lease_is_renewed_at_t1_as_often_as_was_drawn_and_then_left() {
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
    fn without_an_answer_a_renewal_becomes_a_rebinding_and_that_a_new_beginning() {
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
    fn a_lease_that_was_confirmed_after_t2_is_rebound_at_once() {
        let mut lifecycle =
            (0..99).map(|birth| lifecycle(PLAIN, birth)).find(|it| it.renewals > 0).unwrap();
        let born = lifecycle.next().unwrap().1;
        pass(&mut lifecycle, OK);
        // An answer to CONFIRM brings no lease.
        let (kind, outcome, back) =
            (Kind::Reboot, Outcome::Ok(7), born + Duration::from_secs(3200));
        let waited = Duration::from_millis(1);
        let turn = ExchangeResult { kind, outcome, lease: None, waited, at: back };
        assert_eq!(lifecycle.ended(turn), None);
        assert_eq!(lifecycle.next(), Some((Kind::Rebind, back)));
    }

    #[test]
    fn a_refused_renewal_is_a_new_beginning_and_a_refused_beginning_waits() {
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

    /// Many lives of many clients, and how often each kind of exchange came.
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
    fn shares_are_kept() {
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
        // Those that had released have nothing to ask about, nor has a lease that ended meanwhile.
        let reboots = of(Kind::Reboot) / whole;
        assert!((0.05..0.25 * 0.7).contains(&reboots), "{counts:?}");
        assert_eq!(counts[Kind::Rebind as usize], 0);
    }

    #[test]
    fn without_renewals_nobody_renews() {
        let counts = lived(LifecycleOptions { renewals: false, release_share: 1.0, ..PLAIN });
        assert_eq!(counts[Kind::Renew as usize], 0);
        assert_eq!(counts[Kind::Acquire as usize], counts[Kind::Release as usize]);
    }

    #[test]
    fn when_the_power_fails_all_go_and_come_back_in_time() {
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
                // It left before, and began another life.
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
    fn an_exchange_that_the_power_cut_short_is_over_and_done_with() {
        let cut = PowerCut { at: Duration::from_secs(3), within: Duration::ZERO };
        let mut lifecycle = lifecycle(LifecycleOptions { power_cut: Some(cut), ..PLAIN }, 0);
        let (outcome, waited, fails) = (Outcome::CutOff, Duration::from_secs(3), at(4000));
        let turn = ExchangeResult { kind: Kind::Acquire, outcome, lease: None, waited, at: fails };
        assert_eq!(lifecycle.ended(turn), Some(waited));
        assert_eq!(lifecycle.next(), Some((Kind::Acquire, fails)));
    }

    #[test]
    fn a_lease_for_ever_is_never_left() {
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
    fn the_same_seed_lives_the_same_lives() {
        let lives =
            LifecycleOptions { release_share: 0.5, decline_share: 0.2, reboot_share: 0.5, ..PLAIN };
        let story = |birth| {
            let mut lifecycle = lifecycle(lives, birth);
            (0..100).map(|_| pass(&mut lifecycle, OK)).collect::<Vec<_>>()
        };
        assert_eq!(story(3), story(3));
        assert_ne!(story(3), story(4));
    }
}
