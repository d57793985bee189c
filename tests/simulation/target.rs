//! [`Target`]: a server that is computed. It knows what it will answer, and when, as soon as a request arrives.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::Duration;

use brunt_exchange::{Class, Moment, Outcome};

use crate::dice::Dice;
use crate::script::TargetScript;

/// What it takes to refuse a request.
const REFUSING: Duration = Duration::from_micros(200);
const BUSY: Outcome = Outcome::Failed(Class::Result, 51);
const REFUSED: Outcome = Outcome::Failed(Class::Result, 80);
const NONSENSE: Outcome = Outcome::Failed(Class::Protocol, 0);
const CLOSED: Outcome = Outcome::Failed(Class::Closed, 0);

/// A server, for the sessions of one node.
pub(crate) struct Target {
    script: TargetScript,
    seed: u64,
    /// When what it works on will be done.
    ends: BinaryHeap<Reverse<Moment>>,
    /// When each of its workers is free.
    free: BinaryHeap<Reverse<Moment>>,
    /// How many of its restarts are over.
    restarts: usize,
}

/// The answer to a request, and when it arrives; never, if it is lost.
pub(crate) type Answer = Option<(Moment, Outcome)>;

impl Target {
    pub(crate) fn new(script: &TargetScript, seed: u64) -> Self {
        let mut target = Self {
            script: script.clone(),
            seed,
            ends: BinaryHeap::new(),
            free: BinaryHeap::new(),
            restarts: 0,
        };
        target.begins_at(Moment::ZERO);
        target
    }

    /// Whether a connection can be made now.
    pub(crate) fn is_up(&self, now: Moment) -> bool {
        !self.script.downs.iter().any(|(from, to)| *from <= now && now < *to)
    }

    /// Whether a connection that was made then is open now.
    pub(crate) fn has_kept(&self, made: Moment, now: Moment) -> bool {
        !self.script.downs.iter().any(|(from, _)| made < *from && *from <= now)
    }

    /// Takes a request.
    pub(crate) fn takes(&mut self, number: u64, now: Moment) -> Answer {
        self.restart(now);
        let answer = self.works(number, now);
        let down = self.script.downs.iter().map(|(from, _)| *from).find(|from| *from > now);
        match (answer, down) {
            (Some((at, _)), Some(down)) if at > down => Some((down, CLOSED)),
            (None, Some(down)) => Some((down, CLOSED)),
            _ => answer,
        }
    }

    fn works(&mut self, number: u64, now: Moment) -> Answer {
        let mut dice = Dice::new(self.seed, number);
        let service = if self.script.varies {
            dice.exponential(self.script.service)
        } else {
            self.script.service
        };
        let (lost, refused, garbled) = (
            dice.unit() < self.script.loses,
            dice.unit() < self.script.refuses,
            dice.unit() < self.script.garbles,
        );
        while self.ends.peek().is_some_and(|end| end.0 <= now) {
            self.ends.pop();
        }
        let room = self.script.queue.map(|queue| queue + self.script.servers);
        if self.script.servers > 0 && room.is_some_and(|room| self.ends.len() >= room) {
            return Some((self.after(now, REFUSING), BUSY));
        }
        let begins = match self.free.pop() {
            Some(Reverse(free)) => now.max(free),
            None => now,
        };
        let end = self.after(begins, service);
        self.ends.push(Reverse(end));
        if self.script.servers > 0 {
            self.free.push(Reverse(end));
        }
        match (lost, refused, garbled) {
            (true, ..) => None,
            (_, true, _) => Some((end, REFUSED)),
            (.., true) => Some((end, NONSENSE)),
            _ => Some((end, Outcome::Ok(0))),
        }
    }

    /// When it has worked for this long.
    fn after(&self, from: Moment, time: Duration) -> Moment {
        let mut at = from;
        let mut left = time;
        for (begin, end) in &self.script.pauses {
            if at >= *end {
                continue;
            }
            let before = *begin - at;
            if left < before {
                break;
            }
            left -= before;
            at = *end;
        }
        at + left
    }

    fn restart(&mut self, now: Moment) {
        let over = self.script.downs.iter().filter(|(_, to)| *to <= now).count();
        if over > self.restarts {
            self.restarts = over;
            let (_, up) = self.script.downs[over - 1];
            self.begins_at(up);
        }
    }

    fn begins_at(&mut self, at: Moment) {
        self.ends.clear();
        self.free = (0..self.script.servers).map(|_| Reverse(at)).collect();
    }
}
