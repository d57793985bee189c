//! [`VirtualMachine`]: what a machine in virtual time does to a generator, and what it shows of that.

use super::pause::{Pause, PauseCause};
use crate::machine::ThreadUse;
use brunt_exchange::Moment;
use brunt_exchange::chance::Stream;
use brunt_record::{Machine, Stall, TimerNoise};
use std::time::Duration;

/// A thread that only sleeps notices that it was kept from running for at least this long.
const STALL_MIN: Duration = Duration::from_millis(50);

/// The machine of a generator in virtual time.
#[derive(Clone, Debug)]
pub struct VirtualMachine {
    /// When nothing of the generator runs, in order and apart from each other.
    pub pauses: Vec<Pause>,
    /// Its cores.
    pub cores: u32,
    /// How late its timers are at most.
    pub late: Duration,
    /// What it measures of its timers before a run.
    pub noise: TimerNoise,
    used: ThreadUse,
    /// Until when it was observed.
    observed: Option<Moment>,
}

impl Default for VirtualMachine {
    fn default() -> Self {
        Self::new(Vec::new())
    }
}

impl VirtualMachine {
    /// A machine of two cores with exact timers and these pauses.
    pub fn new(pauses: Vec<Pause>) -> Self {
        let noise = TimerNoise { samples: 50, ..TimerNoise::default() };
        let (late, used) = (Duration::ZERO, ThreadUse::default());
        Self { pauses, cores: 2, late, noise, used, observed: None }
    }

    /// When a timer rings that was set to this moment.
    pub(super) fn rings(&self, at: Moment, chance: u64) -> Moment {
        if self.late.is_zero() { at } else { at + self.late.mul_f64(Stream::new(chance).unit()) }
    }

    /// When the generator runs that is woken at this moment.
    pub(super) fn woken(&mut self, at: Moment) -> Moment {
        self.used.runs += 1;
        let Some(pause) = self.pauses.iter().find(|pause| pause.holds_up(at)) else { return at };
        if pause.cause == PauseCause::Occupied {
            self.used.waited += pause.to - at;
        }
        pause.to
    }

    /// When the generator has worked for this long, from a moment at which it runs.
    pub(super) fn worked(&mut self, from: Moment, time: Duration) -> Moment {
        self.used.cpu += time;
        let mut to = from + time;
        for pause in self.pauses.iter().filter(|pause| pause.from >= from) {
            if pause.from >= to {
                break;
            }
            let held_up = pause.to - pause.from;
            to = to + held_up;
            if pause.cause == PauseCause::Occupied {
                self.used.waited += held_up;
            }
        }
        to
    }

    /// What a real machine would have shown since the last call, from the origin on.
    pub(super) fn observe(&mut self, origin: Option<Moment>, now: Moment) -> (Machine, Vec<Stall>) {
        let Some(origin) = origin else { return Default::default() };
        let since = self.observed.unwrap_or(origin).max(origin);
        self.observed = Some(now);
        let of = |cause: PauseCause| -> Duration {
            let of = self.pauses.iter().filter(|pause| pause.cause == cause);
            of.map(|pause| pause.within(since, now)).sum()
        };
        let machine = Machine {
            wall: now - since,
            cores: self.cores,
            others: of(PauseCause::Occupied),
            steal: of(PauseCause::Stolen),
            throttled: of(PauseCause::Throttled),
            pressure: of(PauseCause::Occupied),
            unseen: false,
        };
        let over = self.pauses.iter().filter(|pause| since < pause.to && pause.to <= now);
        let stalls = over.filter_map(|pause| {
            let lasted = pause.within(origin, now);
            let from = pause.from - origin;
            (lasted >= STALL_MIN).then_some(Stall { node: 0, from, lasted })
        });
        let stalls = stalls.collect();
        (machine, stalls)
    }

    /// What the thread of the workers has used.
    pub(super) fn used(&self) -> ThreadUse {
        self.used
    }
}
