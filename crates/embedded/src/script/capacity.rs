//! [`Capacity`]: a server that serves one request after the other at a speed given by a script.
//!
//! Requests wait in one queue, whatever connection they arrived on. The service time of each is drawn from the seed and
//! its place in the queue, so the rate that a target sustains follows from the script by arithmetic: a search for that
//! rate is compared with it. The queue is virtual. It contains the moments at which requests leave it, and an answer is
//! held back until then; nothing computes or sleeps in it.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use serde::Deserialize;

use super::chance;
use super::period::Period;

/// The rule number of the queue's random numbers, which no rule has.
const LINE: usize = usize::MAX;
/// The longest queue if the script gives no limit: the number of waiting requests must be bounded.
const WAITING_MAX: usize = 100_000;

/// How fast a server is, and how it behaves under overload.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct Capacity {
    /// Requests that it serves in a second.
    rate: f64,
    /// Whether each takes the same time, or an exponentially distributed one.
    #[serde(default)]
    service: Service,
    /// The most requests in the queue; further ones are refused.
    queue: Option<usize>,
    /// The server stands still now and then.
    pause: Option<Pause>,
    /// It becomes slow when too many requests wait, until none waits.
    collapse: Option<Collapse>,
}

/// How the times of requests are distributed.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
enum Service {
    /// All are equal.
    #[default]
    Constant,
    /// Exponentially distributed, without memory.
    Exponential,
}

/// When the server stands still.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Pause {
    /// The number of requests after which it stands still.
    every: u64,
    /// How long it stands still.
    lasts: Period,
}

/// How the server becomes slower.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Collapse {
    /// The number of requests in the queue at which this begins.
    waiting: usize,
    /// The factor by which each request then takes longer, until the queue is empty.
    factor: f64,
}

/// Why a capacity cannot work, and what would be correct.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CapacityError {
    /// No request could be served, or more than a simulation can.
    #[error("its rate must be above 0 and at most 1000000")]
    Rate,
    /// The queue has no place, or is not bounded.
    #[error("its queue must be at least 1 and at most {WAITING_MAX}")]
    Queue,
    /// A pause before the first request.
    #[error("its pause comes after at least 1 request")]
    Pause,
    /// A collapse that would begin with an empty queue, or make the server faster.
    #[error("its collapse needs at least 1 that waits and a factor from 1 to 1000000")]
    Collapse,
}

impl Capacity {
    /// Refuses a capacity that cannot work.
    pub(super) fn check(&self) -> Result<(), CapacityError> {
        if !(self.rate > 0.0 && self.rate <= 1e6) {
            return Err(CapacityError::Rate);
        }
        if self.queue == Some(0) || self.queue.is_some_and(|queue| queue > WAITING_MAX) {
            return Err(CapacityError::Queue);
        }
        if self.pause.is_some_and(|pause| pause.every == 0) {
            return Err(CapacityError::Pause);
        }
        if self.collapse.is_some_and(|it| it.waiting == 0 || !(1.0..=1e6).contains(&it.factor)) {
            return Err(CapacityError::Collapse);
        }
        Ok(())
    }
}

/// The result of a request's arrival.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Served {
    /// It is answered after this time.
    After(Duration),
    /// There is no room for it in the queue.
    Refused,
}

/// The state of the queue.
#[derive(Debug)]
pub(super) struct Line {
    capacity: Capacity,
    seed: u64,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// When the requests in the queue leave it, in order.
    leaving: VecDeque<Duration>,
    /// How many were served before.
    served: u64,
    refused: u64,
    collapsed: bool,
}

impl Line {
    pub(super) fn new(capacity: Capacity, seed: u64) -> Self {
        Self { capacity, seed, state: Mutex::default() }
    }

    /// A request arrives at `now`.
    pub(super) fn serve(&self, now: Duration) -> Served {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        while state.leaving.front().is_some_and(|leaves| *leaves <= now) {
            state.leaving.pop_front();
        }
        let waiting = state.leaving.len();
        if let Some(collapse) = self.capacity.collapse {
            state.collapsed = waiting >= collapse.waiting || state.collapsed && waiting > 0;
        }
        if waiting >= self.capacity.queue.unwrap_or(WAITING_MAX) {
            state.refused += 1;
            return Served::Refused;
        }
        let free = state.leaving.back().copied().unwrap_or(now).max(now);
        let leaves = free + self.takes(state.served, state.collapsed);
        state.served += 1;
        state.leaving.push_back(leaves);
        Served::After(leaves.saturating_sub(now))
    }

    /// How many requests found no room.
    pub(super) fn refused(&self) -> u64 {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).refused
    }

    fn takes(&self, place: u64, collapsed: bool) -> Duration {
        let drawn = match self.capacity.service {
            Service::Constant => 1.0,
            Service::Exponential => {
                let random = chance(self.seed, LINE, place);
                -(((random >> 11) + 1) as f64 / (1_u64 << 53) as f64).ln()
            }
        };
        let slower = self.capacity.collapse.filter(|_| collapsed).map_or(1.0, |it| it.factor);
        let takes = Duration::from_secs_f64(drawn * slower / self.capacity.rate);
        match self.capacity.pause {
            Some(pause) if (place + 1).is_multiple_of(pause.every) => takes + pause.lasts.0,
            _ => takes,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> Line {
        let capacity: Capacity = toml::from_str(text).unwrap();
        capacity.check().unwrap();
        Line::new(capacity, 7)
    }

    const fn ms(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    #[test]
    fn capacity_serves_in_turn_and_refuses_beyond_its_queue() {
        let line = line("rate = 1000\nqueue = 3");
        let at_once: Vec<Served> = (0..4).map(|_| line.serve(ms(10))).collect();
        let after = |millis| Served::After(ms(millis));
        assert_eq!(at_once, [after(1), after(2), after(3), Served::Refused]);
        // One request has left, and two are before it.
        assert_eq!(line.serve(ms(11)), after(3));
        assert_eq!((line.serve(ms(50)), line.refused()), (after(1), 1));
    }

    #[test]
    fn capacity_pauses_after_its_count() {
        let line = line("rate = 1000\npause = { every = 3, lasts = '20ms' }");
        let each: Vec<Served> = (0..6).map(|n| line.serve(ms(100 * n))).collect();
        let (one, long) = (Served::After(ms(1)), Served::After(ms(21)));
        assert_eq!(each, [one, one, long, one, one, long]);
    }

    #[test]
    fn capacity_collapse_lasts_until_the_queue_is_empty() {
        let line = line("rate = 1000\ncollapse = { waiting = 2, factor = 5 }");
        let taken: Vec<Served> = (0..3).map(|_| line.serve(ms(0))).collect();
        assert_eq!(taken, [1, 2, 7].map(|millis| Served::After(ms(millis))));
        // A fifth of the speed while the third is in the queue, although fewer wait than made it slow.
        assert_eq!(line.serve(ms(3)), Served::After(ms(4 + 5)));
        assert_eq!(line.serve(ms(50)), Served::After(ms(1)));
    }

    #[test]
    fn capacity_exponential_times_have_the_mean_of_the_rate() {
        let of = |rate: u32| {
            let line = line(&format!("rate = {rate}\nservice = 'exponential'"));
            let each = (0..4_000_u64).map(|n| match line.serve(Duration::from_secs(n)) {
                Served::After(time) => time.as_secs_f64(),
                Served::Refused => panic!("there is room"),
            });
            each.collect::<Vec<f64>>()
        };
        let times = of(500);
        let mean = times.iter().sum::<f64>() / times.len() as f64;
        // The standard error of the mean of 4,000 is a sixty-third of it.
        assert!((mean * 500.0 - 1.0).abs() < 0.06, "{mean}");
        assert_eq!(times, of(500));
    }

    #[test]
    fn capacity_errors_are_explained() {
        for (text, expected) in [
            ("rate = 0", "above 0"),
            ("rate = 5\nqueue = 0", "at least 1"),
            ("rate = 5\npause = { every = 0, lasts = '1ms' }", "at least 1"),
            ("rate = 5\ncollapse = { waiting = 3, factor = 0.5 }", "from 1"),
        ] {
            let capacity: Capacity = toml::from_str(text).unwrap();
            let why = capacity.check().unwrap_err().to_string();
            assert!(why.contains(expected), "{why}");
        }
        assert!(toml::from_str::<Capacity>("speed = 3").is_err());
    }
}
