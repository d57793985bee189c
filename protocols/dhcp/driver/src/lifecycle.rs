//! The lifecycles of a fleet's clients: what one client does next, and when. [`LifecycleOptions`] configures them.
//!
//! A lifecycle begins when the client starts or comes back. The client gets a lease in one of several ways, keeps it
//! for a random number of renewals, and then releases it or disappears silently; after a while it begins another
//! lifecycle. All random values are derived from the seed, the client, the lifecycle and the turn within it. A fleet
//! therefore behaves the same in every run and on any number of machines, as long as the server's answers are the same.
//! Leases age faster by the time scale; the time that a client waits for an answer does not. It must not depend on a
//! socket, a clock or a packet.

use super::Kind;
use super::dialogue::Times;
use super::presence::Change;
use brunt_exchange::{Class, Moment, Outcome};
use brunt_net::chance::mix;
use std::time::Duration;

/// The lifecycles of a fleet's clients. Shares are between 0 and 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LifecycleOptions {
    /// The time between the starts of two clients.
    pub births: Duration,
    /// Whether leases are renewed at T1 and rebound at T2. If not, a client stays for a part of its lease time.
    pub renewals: bool,
    /// The share of lives that end with a release.
    pub release_share: f64,
    /// The share of leases that are declined.
    pub decline_share: f64,
    /// The share of lives that begin by requesting only options.
    pub inform_share: f64,
    /// The share of lives that begin by asking whether the last lease is still valid, if there is one.
    pub reboot_share: f64,
    /// How many times faster leases age than real time.
    pub time_scale: f64,
    /// When all clients lose power at once, if ever.
    pub power_cut: Option<PowerCut>,
}

/// Every client disappears without releasing its lease, then comes back and asks whether the lease is still valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PowerCut {
    /// When, counted from the beginning of the run.
    pub at: Duration,
    /// The time over which they come back.
    pub within: Duration,
}

impl LifecycleOptions {
    /// How many times a lease is renewed on average: the number is drawn from 0 to twice this mean.
    pub const RENEWALS_MEAN: u32 = 4;
    /// How long a client that got no lease, or declined one, waits on average before it asks again. The wait is drawn
    /// from two thirds to four thirds of this, because RFC 2131 section 3.1.5 requires at least ten seconds after a
    /// decline.
    pub const RETRY: Duration = Duration::from_secs(15);

    fn scaled(&self, time: Duration) -> Duration {
        if self.time_scale > 0.0 {
            let nanos = time.as_nanos() as f64 / self.time_scale;
            return Duration::from_nanos(nanos as u64);
        }
        time
    }
}

/// The random values that are drawn.
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
    /// How many lives the client had before this one.
    number: u64,
    /// How many exchanges this life has had so far.
    turn: u64,
    next: Option<(Kind, Moment)>,
    lease: Option<L>,
    renewals: u32,
    waited: Duration,
    /// Whether the power cut has already happened for this client.
    cut: bool,
    /// Whether it has had a lease.
    up: bool,
    /// Whether it has had no lease since it lost power.
    away: bool,
    /// Changes of the client's state that have not been taken yet.
    changes: [Option<Change>; 2],
}

impl<L> Lifecycle<L> {
    /// Creates the lives of the client that starts as number `birth` of a run that begins at `origin`.
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

    /// What it does next and when; `None` if it does nothing more.
    pub(super) fn next(&self) -> Option<(Kind, Moment)> {
        self.next
    }

    /// The lease that an exchange of this kind concerns.
    pub(super) fn lease(&self, kind: Kind) -> Option<&L> {
        self.lease.as_ref().filter(|_| !matches!(kind, Kind::Acquire | Kind::Inform))
    }

    /// Removes and returns the lease that it still has or did not release, at the end of the run.
    pub(super) fn take_lease(&mut self) -> Option<L> {
        self.lease.take()
    }

    /// Removes and returns the changes of the client's state since the last call.
    pub(super) fn take_changes(&mut self) -> impl Iterator<Item = Change> + use<L> {
        std::mem::take(&mut self.changes).into_iter().flatten()
    }

    /// The latest end of an exchange that begins now, and the outcome that it ends with then.
    pub(super) fn until(&self, kind: Kind, now: Moment) -> Option<(Moment, Outcome)> {
        let times = self.lease.as_ref().map(self.times);
        let limit = times.and_then(|times| match kind {
            Kind::Renew => self.aged(&times, times.rebind),
            Kind::Rebind => self.aged(&times, times.ends),
            _ => None,
        });
        // Even if the exchange is late, the server gets a moment to answer.
        let limit = limit.map(|at| (at.max(now + Duration::from_secs(1)), Outcome::TimedOut));
        let cut = self.cut_at().map(|at| (at, Outcome::CutOff));
        limit.into_iter().chain(cut).min_by_key(|(at, _)| *at)
    }

    /// Records how an exchange ended and decides what comes next. If this life has no further exchange that the client
    /// would wait for, returns how long it waited for the server in total.
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
            // No server said that the lease is invalid, so it is used (RFC 2131 section 3.2 and RFC 8415 section
            // 18.2.3).
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

    /// Begins a life at the given moment.
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

    /// Draws the random values of a life that begins with an exchange of this kind.
    fn settle(&mut self, kind: Kind, at: Moment) {
        let most = f64::from(2 * LifecycleOptions::RENEWALS_MEAN + 1);
        self.renewals = (self.draw(Drawn::Renewals) * most) as u32;
        self.next = Some((kind, at));
    }

    /// Plans the next exchange of this life, unless the power fails first.
    fn follow(&mut self, kind: Kind, at: Moment) -> Option<Duration> {
        if self.cut_at().is_some_and(|cut| at >= cut) {
            return Some(self.lose_power());
        }
        self.next = Some((kind, at));
        None
    }

    /// Uses a lease: plans its renewal for the right time, or the departure some time before that.
    fn hold(&mut self, at: Moment) -> Option<Duration> {
        let times = self.lease.as_ref().map(self.times)?;
        let since = at - self.origin;
        if !std::mem::replace(&mut self.up, true) {
            self.changed(Change::Up(since));
        } else if std::mem::take(&mut self.away) {
            self.changed(Change::Back(since));
        }
        let Some(renew) = self.aged(&times, times.renew) else {
            // The lease never expires.
            self.next = None;
            let over = std::mem::take(&mut self.waited);
            if !self.cut {
                self.lose_power();
            }
            return Some(over);
        };
        if self.lives.renewals && self.renewals > 0 {
            let due = renew.max(at);
            // A client that comes back after T2 has no time left to ask only its own server.
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

    /// Plans the departure; another life begins after a while.
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

    /// Disappears at the power failure, and plans the return afterwards.
    fn lose_power(&mut self) -> Duration {
        self.cut = true;
        // A client that never had a lease has none to recover.
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

    /// Whether there is a lease that has not expired by then.
    fn is_valid(&self, at: Moment) -> bool {
        self.lease
            .as_ref()
            .map(self.times)
            .is_some_and(|times| self.aged(&times, times.ends).is_none_or(|end| end > at))
    }

    /// When a lease reaches a certain age.
    fn aged(&self, times: &Times, age: Option<Duration>) -> Option<Moment> {
        age.map(|age| self.origin + times.given + self.lives.scaled(age))
    }

    /// A random number from 0 to below 1.
    fn draw(&self, what: Drawn) -> f64 {
        let turn = (self.number << 32) ^ (self.turn << 8) ^ what as u64;
        (mix(self.chance ^ mix(turn)) >> 11) as f64 / (1_u64 << 53) as f64
    }
}

#[cfg(test)]
mod tests;
