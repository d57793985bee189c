//! A simulated server: a queue in virtual time, with the effects that make real ones hard to measure.

use crate::chance::Chance;
use std::collections::VecDeque;

/// How long requests take without queueing, as a multiple of the mean.
#[derive(Clone, Copy)]
pub(crate) enum Work {
    Exponential,
    /// Always the same.
    Fixed,
    /// A mixture of two exponentials with a squared coefficient of variation of 4.
    Uneven,
    /// One in twenty takes ten times as long as the others.
    Mixed,
}

/// The parameters of a server.
#[derive(Clone, Copy)]
pub(crate) struct Design {
    /// How many requests are processed at once.
    pub(crate) servers: usize,
    /// The requests a second that all of them together can process.
    pub(crate) speed: f64,
    pub(crate) work: Work,
    /// The additional time of each response, in seconds.
    pub(crate) delay: f64,
    /// Further requests are refused while more than this are in the system.
    pub(crate) room: Option<usize>,
    /// With more than this in the system, half are refused.
    pub(crate) sheds_above: Option<usize>,
    /// Answers this number of requests in each second of its clock, and refuses others at once.
    pub(crate) allows: Option<u32>,
    /// A bucket with so many tokens, refilled at the speed: a request that finds enough of them is answered at once.
    pub(crate) tokens: Option<f64>,
    /// Of its requests, this share takes so many seconds more, without keeping others waiting.
    pub(crate) strays: Option<(f64, f64)>,
    /// Stands still for some seconds after a number of requests.
    pub(crate) pause_after: Option<(u64, f64)>,
    /// Stands still once in each period of some seconds, for some seconds.
    pub(crate) pause_each: Option<(f64, f64)>,
    /// Works at this share of its speed for some seconds of each period.
    pub(crate) neighbour: Option<(f64, f64, f64)>,
    /// Works at this share of its speed until it has worked for a number of seconds.
    pub(crate) cold: Option<(f64, f64)>,
    /// Once this many requests wait it works at a third of its speed, until none wait.
    pub(crate) tips_at: Option<usize>,
    /// Loses this share of its speed within a number of seconds.
    pub(crate) fades: Option<(f64, f64)>,
}

pub(crate) const PLAIN: Design = Design {
    servers: 1,
    speed: 1_000.0,
    work: Work::Exponential,
    delay: 0.0,
    room: None,
    sheds_above: None,
    allows: None,
    tokens: None,
    strays: None,
    pause_after: None,
    pause_each: None,
    neighbour: None,
    cold: None,
    tips_at: None,
    fades: None,
};

/// The state of a server.
pub(crate) struct Server {
    design: Design,
    chance: Chance,
    free: Vec<f64>,
    leaving: VecDeque<f64>,
    /// The second of its clock, and the requests in it.
    requested: (u64, u64),
    served: u64,
    began: Option<f64>,
    paused: u64,
    phase: f64,
    tipped: bool,
    /// Whether it ever tipped over.
    pub(crate) has_tipped: bool,
}

impl Server {
    pub(crate) fn new(design: Design, seed: u64) -> Self {
        let mut chance = Chance::new(seed);
        let phase = chance.share();
        let free = vec![0.0; design.servers];
        Self {
            design,
            chance,
            free,
            leaving: VecDeque::new(),
            requested: (0, 0),
            served: 0,
            began: None,
            paused: 0,
            phase,
            tipped: false,
            has_tipped: false,
        }
    }

    /// The share of its initial speed that is left.
    pub(crate) fn left(&self, at: f64) -> f64 {
        self.design.fades.map_or(1.0, |(share, within)| 1.0 - share * (at / within).min(1.0))
    }

    /// When the answer to a request of this moment is sent; `None` if the request is refused, at once. Moments must not
    /// decrease.
    pub(crate) fn serve(&mut self, at: f64) -> Option<f64> {
        self.began.get_or_insert(at);
        if !self.allows(at) {
            return None;
        }
        let counts = self.design.room.is_some()
            || self.design.sheds_above.is_some()
            || self.design.tips_at.is_some();
        if counts {
            while self.leaving.front().is_some_and(|left| *left <= at) {
                self.leaving.pop_front();
            }
        }
        let inside = self.leaving.len();
        if self.design.room.is_some_and(|room| inside >= room)
            || self.design.sheds_above.is_some_and(|most| inside > most)
                && self.chance.share() < 0.5
        {
            return None;
        }
        self.tip(inside);
        let slot = (0..self.free.len()).min_by(|a, b| self.free[*a].total_cmp(&self.free[*b]))?;
        let start = self.free[slot].max(at);
        let start = self.after_pauses(start);
        let mean = self.free.len() as f64 / (self.design.speed * self.pace(start));
        let done = start + mean * self.work();
        self.free[slot] = done;
        self.served += 1;
        if counts {
            self.leaving.push_back(done);
        }
        let saved = self.design.tokens.map_or(0.0, |tokens| tokens / self.design.speed);
        let stray =
            self.design.strays.map_or(
                0.0,
                |(share, lasting)| {
                    if self.chance.share() < share { lasting } else { 0.0 }
                },
            );
        Some((done - saved).max(at) + self.design.delay + stray)
    }

    fn allows(&mut self, at: f64) -> bool {
        let Some(most) = self.design.allows else { return true };
        if self.requested.0 != at as u64 {
            self.requested = (at as u64, 0);
        }
        self.requested.1 += 1;
        self.requested.1 <= u64::from(most)
    }

    fn tip(&mut self, inside: usize) {
        let Some(tips_at) = self.design.tips_at else { return };
        if inside > tips_at {
            (self.tipped, self.has_tipped) = (true, true);
        } else if inside == 0 {
            self.tipped = false;
        }
    }

    fn after_pauses(&mut self, start: f64) -> f64 {
        let mut start = start;
        if let Some((after, lasting)) = self.design.pause_after
            && self.served > 0
            && self.served.is_multiple_of(after)
        {
            start += lasting;
        }
        if let Some((each, lasting)) = self.design.pause_each {
            let number = (start / each + self.phase) as u64;
            if number > self.paused {
                self.paused = number;
                start += lasting;
            }
        }
        start
    }

    fn pace(&self, at: f64) -> f64 {
        let mut pace = self.left(at);
        if let Some((share, lasting, each)) = self.design.neighbour
            && (at + self.phase * each) % each < lasting
        {
            pace *= share;
        }
        if let Some((share, until)) = self.design.cold
            && at - self.began.unwrap_or(at) < until
        {
            pace *= share;
        }
        if self.tipped { pace / 3.0 } else { pace }
    }

    fn work(&mut self) -> f64 {
        match self.design.work {
            Work::Exponential => self.chance.exponential(),
            Work::Fixed => 1.0,
            Work::Uneven => {
                // Balanced means: p = (1 + sqrt((c - 1) / (c + 1))) / 2 for a squared coefficient of variation c.
                let p = f64::midpoint(1.0, (3.0_f64 / 5.0).sqrt());
                let share = if self.chance.share() < p { p } else { 1.0 - p };
                self.chance.exponential() / (2.0 * share)
            }
            Work::Mixed => {
                let slow = self.chance.share() < 0.05;
                // 0.95 x 1 + 0.05 x 10 = 1.45
                self.chance.exponential() * if slow { 10.0 } else { 1.0 } / 1.45
            }
        }
    }
}
