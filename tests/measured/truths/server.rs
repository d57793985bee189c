//! Servers whose capacity is arithmetic: a queue of exponential service times with one effect, and the rate it bears.

use std::collections::VecDeque;

/// How many requests a second the queues process, which is little beside what this machine can do.
pub(super) const SPEED: f64 = 500.0;
/// The objective of those that have one of time, `p99<50ms`.
const WITHIN_S: f64 = 0.05;
/// Allowed by `p99` and by `errors<1%`.
const BAD: f64 = 0.01;
/// In this time a server that fades loses this share of its speed.
const FADES: (f64, f64) = (1_200.0, 0.2);

/// What makes it hard to measure.
#[derive(Clone, Copy, Debug)]
pub(super) enum Effect {
    /// Nothing does.
    Plain,
    /// A bucket with so many tokens, refilled at the speed: a request that finds one is answered at once.
    Tokens(f64),
    /// Further requests are refused while so many are in the system.
    Room(i32),
    /// It takes three times as long once more than so many wait, until none waits.
    Tips(usize),
    /// It answers so many requests at once in each second of its clock, and refuses others.
    Window(u64),
    /// It loses a fifth of its speed in twenty minutes.
    Fades,
    /// Of its requests, this share takes so many seconds more, without keeping others waiting.
    Strays(f64, f64),
    /// Some of the connections are never served.
    Deaf,
}

impl Effect {
    /// The highest rate at which it meets its objective in the first `time` seconds, if all answers take `more` seconds
    /// longer than its script says. It is 0 if there is none.
    pub(super) fn bears(self, time: f64, more: f64) -> f64 {
        // The time in the system is exponential with the difference between speed and rate.
        let through = |speed: f64, within: f64, late: f64| speed + late.ln() / (within - more);
        match self {
            Self::Plain | Self::Tips(_) => through(SPEED, WITHIN_S, BAD),
            Self::Tokens(tokens) => through(SPEED, WITHIN_S + tokens / SPEED, BAD),
            Self::Fades => through(SPEED * left(time), WITHIN_S, BAD),
            // Of the others fewer may be late.
            Self::Strays(share, _) => through(SPEED, WITHIN_S, (BAD - share) / (1.0 - share)),
            Self::Room(room) => of_room(room),
            Self::Window(most) => of_window(most),
            Self::Deaf => 0.0,
        }
    }
}

/// The share of its speed that a server that fades has left.
fn left(time: f64) -> f64 {
    1.0 - FADES.1 * (time / FADES.0).min(1.0)
}

/// The greatest number below `most` of which something that grows with it is still allowed.
fn greatest(most: f64, allowed: impl Fn(f64) -> bool) -> f64 {
    let (mut low, mut high) = (0.0, most);
    while high - low > 1e-4 * most {
        let middle = f64::midpoint(low, high);
        if allowed(middle) { low = middle } else { high = middle }
    }
    low
}

/// The probability that a queue with room for K is full is (1 - r) r^K / (1 - r^(K + 1)).
fn of_room(room: i32) -> f64 {
    SPEED * greatest(0.9999, |r| (1.0 - r) * r.powi(room) / (1.0 - r.powi(room + 1)) <= BAD)
}

/// Of Poisson arrivals at some rate, the share that exceeds `most` in a second is the sum of (n - most) P(n) over the
/// rate.
fn of_window(most: u64) -> f64 {
    greatest(most as f64, |rate| {
        // P(n) is computed from P(n - 1).
        let (mut p, mut excess) = ((-rate).exp(), 0.0);
        for n in 1..2 * most {
            p *= rate / n as f64;
            excess += p * n.saturating_sub(most) as f64;
        }
        excess <= BAD * rate
    })
}

/// The state of a server.
pub(super) struct Server {
    effect: Effect,
    random: u64,
    /// When the requests in the system leave it, in order.
    leaving: VecDeque<f64>,
    tipped: bool,
    /// The second of its clock, and the requests in it.
    requested: (u64, u64),
}

impl Server {
    pub(super) fn new(effect: Effect, seed: u64) -> Self {
        Self { effect, random: seed, leaving: VecDeque::new(), tipped: false, requested: (0, 0) }
    }

    /// When a request of this moment is answered; `None` if it is refused. Moments must not decrease.
    pub(super) fn serve(&mut self, at: f64) -> Option<f64> {
        while self.leaving.front().is_some_and(|leaves| *leaves <= at) {
            self.leaving.pop_front();
        }
        let (effect, inside) = (self.effect, self.leaving.len());
        match effect {
            Effect::Window(most) => return self.counted(at, most),
            Effect::Room(room) if inside >= room as usize => return None,
            Effect::Tips(most) => self.tipped = inside > most || self.tipped && inside > 0,
            _ => {}
        }
        let leaves = self.leaving.back().map_or(at, |last| last.max(at)) + self.takes(at);
        self.leaving.push_back(leaves);
        Some(match effect {
            Effect::Tokens(tokens) => (leaves - tokens / SPEED).max(at),
            Effect::Strays(share, more) if self.share() <= share => leaves + more,
            _ => leaves,
        })
    }

    fn counted(&mut self, at: f64, most: u64) -> Option<f64> {
        if self.requested.0 != at as u64 {
            self.requested = (at as u64, 0);
        }
        self.requested.1 += 1;
        (self.requested.1 <= most).then_some(at)
    }

    fn takes(&mut self, at: f64) -> f64 {
        let speed = match self.effect {
            Effect::Fades => SPEED * left(at),
            _ if self.tipped => SPEED / 3.0,
            _ => SPEED,
        };
        -self.share().ln() / speed
    }

    /// A number above 0 and at most 1 (`SplitMix64`).
    fn share(&mut self) -> f64 {
        self.random = self.random.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.random;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (((z ^ (z >> 31)) >> 11) + 1) as f64 / (1_u64 << 53) as f64
    }
}

/// Poisson arrivals a little below what each server bears, and a little above it: the arithmetic is that of the server.
#[test]
fn simulated_servers_have_their_computed_capacity() {
    const ARRIVALS: u32 = 400_000;
    let bad = |effect: Effect, rate: f64| {
        let (mut server, mut chance) = (Server::new(effect, 1), Server::new(effect, 2));
        let (mut now, mut bad) = (0.0, 0_u32);
        for _ in 0..ARRIVALS {
            now -= chance.share().ln() / rate;
            bad += u32::from(server.serve(now).is_none_or(|ends| ends - now > WITHIN_S));
        }
        f64::from(bad) / f64::from(ARRIVALS)
    };
    for effect in [Effect::Plain, Effect::Tokens(50.0), Effect::Strays(0.005, 0.125)] {
        let bears = effect.bears(0.0, 0.0);
        assert!(bad(effect, 0.97 * bears) < BAD, "{effect:?}");
        assert!(bad(effect, 1.03 * bears) > BAD, "{effect:?}");
    }
    let refused = |effect: Effect, rate: f64| {
        let (mut server, mut chance) = (Server::new(effect, 1), Server::new(effect, 2));
        let mut now = 0.0;
        let refused = (0..ARRIVALS).filter(|_| {
            now -= chance.share().ln() / rate;
            server.serve(now).is_none()
        });
        refused.count() as f64 / f64::from(ARRIVALS)
    };
    for effect in [Effect::Room(40), Effect::Window(400)] {
        let bears = effect.bears(0.0, 0.0);
        assert!(refused(effect, 0.97 * bears) < BAD, "{effect:?}");
        assert!(refused(effect, 1.03 * bears) > BAD, "{effect:?}");
    }
}
