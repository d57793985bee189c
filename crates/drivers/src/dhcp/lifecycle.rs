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
mod tests;
