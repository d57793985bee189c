//! A trial in virtual time: Poisson arrivals at a simulated server, reported second by second.

use crate::chance::Chance;
use crate::server::Server;
use brunt_capacity::{
    Measured, Objectives, Order, Outcome, OwnEffect, Second, Tally, Times, Trial,
};
use brunt_record::{Bad, Histogram};
use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::time::Duration;

/// The generator between the search and the server.
#[derive(Clone, Copy, Default)]
pub(crate) struct Generator {
    /// The most exchanges that it makes a second.
    pub(crate) stops_at: Option<f64>,
    /// The number of its connections.
    pub(crate) sessions: Option<usize>,
    /// It sees an answer this number of seconds after it arrived, plus or minus a half, drawn again for each step.
    pub(crate) reacts_within: f64,
    /// It stands still once in each period of some seconds, for some seconds.
    pub(crate) stands_still: Option<(f64, f64)>,
    /// Of its connections, this share is never served.
    pub(crate) unserved: f64,
}

pub(crate) struct Simulation {
    pub(crate) server: Server,
    generator: Generator,
    chance: Chance,
    pub(crate) now: f64,
    free: Vec<f64>,
    /// How long it takes to see an answer, in this step.
    reaction: f64,
    /// One response time in a number of them is kept for percentiles.
    responses: Vec<f64>,
    services: Vec<f64>,
    lags: Vec<f64>,
    /// When each exchange was due, and when it was answered.
    ends: Vec<(f64, f64)>,
    with: Histogram,
    without: Histogram,
    /// How much of the time of the last exchange the generator caused.
    own: f64,
    /// Whether only one connection is used.
    alone: bool,
    count: u64,
    errors: u64,
    pub(crate) exchanges: u64,
}

const KEPT: u64 = 4;

/// An exchange that waits this long is given up; the server does not notice.
const TIMEOUT_S: f64 = 10.0;

impl Simulation {
    pub(crate) fn new(server: Server, generator: Generator, seed: u64) -> Self {
        Self {
            server,
            generator,
            chance: Chance::new(seed ^ 0xA5A5),
            now: 0.0,
            free: vec![0.0; generator.sessions.unwrap_or_default()],
            reaction: 0.0,
            responses: Vec::new(),
            services: Vec::new(),
            lags: Vec::new(),
            ends: Vec::new(),
            with: Histogram::new(),
            without: Histogram::new(),
            own: 0.0,
            alone: false,
            count: 0,
            errors: 0,
            exchanges: 0,
        }
    }

    /// Sends what is due as soon as a connection is free: returns when it was sent, and when it was answered, unless it
    /// was refused.
    fn exchange(&mut self, due: f64) -> (f64, Result<f64, f64>) {
        self.exchanges += 1;
        let slots = if self.alone { self.free.len().min(1) } else { self.free.len() };
        let slot = (0..slots).min_by(|a, b| self.free[*a].total_cmp(&self.free[*b]));
        let free = slot.map_or(due, |slot| self.free[slot].max(due));
        let sent = self.awake(free);
        let unserved = self.generator.unserved * self.free.len() as f64;
        let served = (slot.unwrap_or_default() as f64) < self.free.len() as f64 - unserved;
        let ended = if served || self.free.is_empty() {
            self.server.serve(sent)
        } else {
            Some(f64::INFINITY)
        };
        let ended = ended.map(|ended| ended.min(sent + TIMEOUT_S) + self.reaction);
        self.own = sent - free + ended.map_or(0.0, |ended| self.awake(ended) - ended);
        let ended = ended.map(|ended| self.awake(ended));
        if let Some(slot) = slot {
            self.free[slot] = ended.unwrap_or(sent);
        }
        (sent, ended.ok_or(sent))
    }

    /// The first moment from this one on at which the generator does not stand still.
    fn awake(&self, at: f64) -> f64 {
        let Some((each, lasting)) = self.generator.stands_still else { return at };
        let into = at % each;
        if into < lasting { at - into + lasting } else { at }
    }

    /// Whether the generator stood still between two moments.
    fn stood_still(&self, from: f64, to: f64) -> bool {
        self.generator.stands_still.is_some_and(|(each, lasting)| {
            (from / each).floor() < (to / each).floor() || from % each < lasting
        })
    }

    fn keep(&mut self, due: f64, sent: f64, ended: Result<f64, f64>) {
        self.count += 1;
        self.errors += u64::from(ended.is_err());
        self.ends.push((due, ended.unwrap_or_else(|at| at)));
        if let Ok(ended) = ended
            && self.generator.stands_still.is_some()
        {
            let took = ended - due;
            self.with.record(Duration::from_secs_f64(took));
            self.without.record(Duration::from_secs_f64((took - self.own).max(0.0)));
        }
        if self.count.is_multiple_of(KEPT)
            && let Ok(ended) = ended
        {
            self.responses.push(ended - due);
            self.services.push(ended - sent);
            self.lags.push(sent - due);
        }
    }

    /// The share of what was due that was answered while the load ran: both windows are shorter by the service time
    /// that 99 of 100 exchanges do not exceed.
    fn share(&mut self, from: f64, to: f64, service: Times) -> f64 {
        let f = service.p99_s.min((to - from) / 2.0);
        let count = |within: &dyn Fn(&(f64, f64)) -> bool| {
            self.ends.iter().filter(|one| within(one)).count() as f64
        };
        let due = count(&|(due, _)| *due < to - f);
        let in_time = |(due, at): &(f64, f64)| *at >= from + f && *at < to && *at < due + TIMEOUT_S;
        let answered = count(&in_time);
        self.ends.clear();
        if due > 0.0 { (answered / due).min(1.0) } else { 0.0 }
    }

    fn measured(&mut self, from: f64, to: f64, limited: bool) -> Measured {
        let seconds = to - from;
        let offered = self.count as f64 / seconds;
        let service = times(&mut self.services);
        let share = self.share(from, to, service);
        let effect =
            OwnEffect::on("", std::mem::take(&mut self.with), std::mem::take(&mut self.without));
        let lags = times(&mut self.lags);
        let response = times(&mut self.responses);
        let measured = Measured {
            offered: Some(offered),
            achieved: Some(share * offered),
            response,
            service,
            own: self.generator.stands_still.map(|_| effect),
            errors: self.errors as f64 / self.count.max(1) as f64,
            lag_p50_s: lags.p50_s,
            lateness_p50_s: self.reaction,
            limited: limited.then(|| "its workers had no core to run on".to_owned()),
            relative_to: [("p99".to_owned(), response.p99_s)].into(),
            ..Measured::default()
        };
        (self.count, self.errors) = (0, 0);
        measured
    }

    fn closed(&mut self, order: &Order) -> Outcome {
        let lasting = f64::from(order.seconds) + order.warm_up.as_secs_f64();
        let (begin, end) = (self.now, self.now + lasting);
        self.alone = true;
        while self.now < end {
            let due = self.now;
            let (sent, ended) = self.exchange(due);
            self.now = ended.unwrap_or(sent + 1e-4);
            self.now += order.most.map_or(0.0, |most| 1.0 / most);
            self.keep(due, sent, ended);
        }
        self.alone = false;
        let mut measured = self.measured(begin, end, false);
        // A closed loop offers as much as it achieves.
        measured.achieved = measured.offered;
        Outcome { took_s: lasting, measured, ..Outcome::default() }
    }
}

impl Trial for Simulation {
    fn step(
        &mut self,
        order: &Order,
        judge: &mut dyn FnMut(&Second) -> ControlFlow<()>,
    ) -> Outcome {
        let began = self.now;
        self.now += order.idle.as_secs_f64();
        self.reaction = self.generator.reacts_within * (0.5 + self.chance.share());
        let Some(rate) = order.rate else { return self.closed(order) };
        let limited = self.generator.stops_at.is_some_and(|most| rate > most);
        let rate = rate.min(self.generator.stops_at.unwrap_or(f64::INFINITY));
        let start = self.now + order.warm_up.as_secs_f64();
        let mut seconds: VecDeque<Second> = VecDeque::new();
        let mut due = self.now + self.chance.exponential() / rate;
        let mut judged = 0;
        while judged < order.seconds {
            let end = start + f64::from(judged + 1);
            while due < end {
                let (sent, ended) = self.exchange(due);
                let at = ended.unwrap_or(sent) - start;
                if at >= 0.0 {
                    let number = (at as u32 - judged.min(at as u32)) as usize;
                    let exchange = Exchange {
                        response: ended.ok().map(|ended| ended - due),
                        service: ended.ok().map(|ended| ended - sent),
                    };
                    count(&mut seconds, number, &order.objectives, exchange);
                }
                if due >= start {
                    self.keep(due, sent, ended);
                }
                due += self.chance.exponential() / rate;
            }
            judged += 1;
            let mut second = seconds.pop_front().unwrap_or_default();
            second.seconds = 1.0;
            second.disturbed = self.stood_still(end - 1.0, end);
            second.tallies.resize(order.objectives.iter().len(), Tally::default());
            if judge(&second).is_break() {
                break;
            }
        }
        self.now = start + f64::from(judged);
        // A connection in use waits for its answer, and the next step has connections of its own.
        self.free.fill(self.now);
        let end = start + f64::from(judged.max(1));
        let measured = self.measured(start, end, limited);
        Outcome { took_s: self.now - began, measured, ..Outcome::default() }
    }
}

#[derive(Clone, Copy)]
struct Exchange {
    response: Option<f64>,
    service: Option<f64>,
}

fn count(
    seconds: &mut VecDeque<Second>,
    number: usize,
    objectives: &Objectives,
    exchange: Exchange,
) {
    // Exchanges that end after the step are never seen.
    if number >= 4_096 {
        return;
    }
    while seconds.len() <= number {
        let tallies = vec![Tally::default(); objectives.iter().len()];
        seconds.push_back(Second { tallies, ..Second::default() });
    }
    let second = &mut seconds[number];
    let timed_out = |took: f64| took >= TIMEOUT_S;
    for (tally, objective) in second.tallies.iter_mut().zip(objectives.iter()) {
        tally.of += 1;
        tally.sum_s += exchange.response.unwrap_or_default();
        tally.timed += u64::from(exchange.response.is_some());
        let bad = match objective.allowance.bad {
            Bad::Later(limit) => exchange.response.is_some_and(|took| took > limit.as_secs_f64()),
            Bad::ServedLater(limit) => {
                exchange.service.is_some_and(|took| took > limit.as_secs_f64())
            }
            Bad::Missed => exchange.response.is_none_or(timed_out),
            Bad::TimedOut | Bad::NotCompleted => exchange.response.is_some_and(timed_out),
            Bad::Dropped | Bad::MeanAbove(_) => false,
        };
        tally.bad += u64::from(bad);
    }
    second.response_s += exchange.response.unwrap_or_default();
    second.responses += u64::from(exchange.response.is_some());
}

fn times(values: &mut Vec<f64>) -> Times {
    if values.is_empty() {
        return Times::default();
    }
    let count = values.len();
    let mean_s = values.iter().sum::<f64>() / count as f64;
    let square = values.iter().map(|value| (value - mean_s).powi(2)).sum::<f64>() / count as f64;
    let mut at = |share: f64| {
        let rank = ((share * count as f64) as usize).min(count - 1);
        *values.select_nth_unstable_by(rank, f64::total_cmp).1
    };
    let [median, late, latest] = [0.5, 0.99, 0.999].map(&mut at);
    values.clear();
    Times {
        count: count as u64,
        mean_s,
        deviation_s: square.sqrt(),
        p50_s: median,
        p99_s: late,
        p999_s: latest,
    }
}
