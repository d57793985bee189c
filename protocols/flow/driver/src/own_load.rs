//! [`OwnLoads`]: scenarios of which each has a load of its own.
//!
//! Each user belongs to one scenario. Users are dealt to scenarios evenly over their numbers, so that each node, which
//! has some of the numbers, has its part of each scenario. To the engine the load is closed: a user of a scenario with
//! a rate takes the scenario's next arrival when it is free and waits until that is due; one that was due before is
//! late from then on. So a slow target shows in response times, and arrivals that no user took remain.

use super::pause::Pause;
use std::fmt::Debug;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

/// When iterations of a scenario are due, after its beginning.
pub trait Arrivals: Send + Sync + Debug {
    /// Takes the next.
    fn take(&self) -> Option<Duration>;

    /// How many are due from the first of these times on and before the second.
    fn due_between(&self, from: Duration, to: Duration) -> u64;
}

/// The loads of the scenarios.
#[derive(Debug, Default)]
pub struct OwnLoads {
    /// By scenario.
    pub loads: Vec<OwnLoad>,
    /// By number of the user: its scenario, and its place among the scenario's users.
    users: Vec<(u16, u32)>,
}

/// The load of one scenario.
#[derive(Clone, Debug, Default)]
pub struct OwnLoad {
    /// How many users it has.
    pub users: u32,
    /// How long after the beginning of the run it begins.
    pub start: Duration,
    /// The time over which its users begin, one after the other.
    pub ramp_up: Duration,
    /// When no iteration begins any more, after the beginning of the run.
    pub ends: Option<Duration>,
    /// How many iterations each user performs.
    pub iterations: Option<u64>,
    /// The pause of a user between two iterations.
    pub think: Option<Pause>,
    /// When iterations are due, if not when a user is free.
    pub arrivals: Option<Arc<dyn Arrivals>>,
    /// The number of the span from when an iteration is due to its beginning, if it has arrivals.
    pub lag: u16,
}

impl OwnLoads {
    /// Whether each load ends by itself.
    pub fn are_bounded(&self) -> bool {
        self.loads.iter().all(|load| load.ends.is_some() || load.iterations.is_some())
    }

    /// Deals the users to the scenarios.
    pub fn new(loads: Vec<OwnLoad>) -> Self {
        let all: i64 = loads.iter().map(|load| i64::from(load.users)).sum();
        let mut credit = vec![0_i64; loads.len()];
        let mut taken = vec![0_u32; loads.len()];
        let mut users = Vec::new();
        for _ in 0..all {
            credit
                .iter_mut()
                .zip(&loads)
                .for_each(|(credit, load)| *credit += i64::from(load.users));
            let most = (0..loads.len()).max_by_key(|at| (credit[*at], std::cmp::Reverse(*at)));
            let scenario = most.unwrap_or_default();
            credit[scenario] -= all;
            users.push((scenario as u16, taken[scenario]));
            taken[scenario] += 1;
        }
        Self { loads, users }
    }

    /// The scenario of a user.
    pub fn scenario(&self, user: u32) -> usize {
        self.users.get(user as usize).map_or(0, |(scenario, _)| usize::from(*scenario))
    }

    /// How many users each scenario has among those with these numbers.
    pub fn users_among(&self, numbers: Range<u32>) -> Vec<u64> {
        let mut users = vec![0; self.loads.len()];
        for number in numbers {
            if let Some((scenario, _)) = self.users.get(number as usize) {
                users[usize::from(*scenario)] += 1;
            }
        }
        users
    }

    /// The load that a user belongs to.
    pub(super) fn of(&self, user: u32) -> Option<&OwnLoad> {
        self.loads.get(self.scenario(user))
    }

    /// How long after the beginning of the run a user begins.
    pub(super) fn begins(&self, user: u32) -> Duration {
        let Some((scenario, place)) = self.users.get(user as usize) else { return Duration::ZERO };
        let load = &self.loads[usize::from(*scenario)];
        let share = f64::from(*place) / f64::from(load.users.max(1));
        load.start + load.ramp_up.mul_f64(share.min(1.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scenario_users_are_distributed_evenly() {
        let load = |users| OwnLoad { users, ..OwnLoad::default() };
        let own = OwnLoads::new(vec![load(6), load(2), load(1)]);
        let scenarios: Vec<usize> = (0..9).map(|user| own.scenario(user)).collect();
        for third in scenarios.chunks(3) {
            assert_eq!(third.iter().filter(|scenario| **scenario == 0).count(), 2, "{scenarios:?}");
        }
        let count = |of| scenarios.iter().filter(|scenario| **scenario == of).count();
        assert_eq!((count(0), count(1), count(2)), (6, 2, 1));
        assert_eq!(own.users_among(3..9), [4, 1, 1]);
        assert_eq!(own.users_among(8..20), [1, 0, 0]);
    }

    #[test]
    fn scenario_users_start_one_after_the_other() {
        let (start, ramp_up) = (Duration::from_secs(30), Duration::from_secs(10));
        let own = OwnLoads::new(vec![OwnLoad { users: 4, start, ramp_up, ..OwnLoad::default() }]);
        let begins: Vec<f64> = (0..4).map(|user| own.begins(user).as_secs_f64()).collect();
        assert_eq!(begins, [30.0, 32.5, 35.0, 37.5]);
    }
}
