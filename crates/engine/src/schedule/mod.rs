//! When exchanges are due: a [`Schedule`] of [`Stage`]s, and the [`Share`] of it that one worker carries out.
//!
//! A schedule is a pure function from the number of an exchange to its due time. It has no clock and no state, so hour
//! three is tested in a microsecond, and shares need no coordinator: worker r of N takes the numbers n with n ≡ r (mod
//! N). A [`Share`] only remembers which stage it is in. This module must not know what is due or who carries it out.

mod parse;
mod poisson;
mod rate;
mod shape;
mod trace;

pub use parse::{RateError, StagesError};
pub use rate::Rate;
pub use shape::Shape;
pub use trace::{TraceError, read_offsets};

use brunt_exchange::chance::mix;
use brunt_exchange::{Numbers, Slots};
use brunt_record::Phase;
use std::time::Duration;

/// One stretch of a schedule with one shape.
#[derive(Clone, Debug, PartialEq)]
pub struct Stage {
    /// The phase of its exchanges.
    pub phase: Phase,
    /// How its arrivals are distributed.
    pub shape: Shape,
    /// How long it lasts; without end if `None`, which is allowed only for the last stage.
    pub lasting: Option<Duration>,
}

/// One exchange of a schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Due {
    /// The number of the exchange in the whole schedule.
    pub number: u64,
    /// When it is due, in nanoseconds from the beginning of the schedule.
    pub nanos: u64,
    /// The phase it belongs to.
    pub phase: Phase,
    /// How many exchanges of the steady phase come before it.
    pub steady_before: u64,
}

/// Why stages are not a valid schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ScheduleError {
    /// There are no stages.
    #[error("make a schedule: it has no stage; give at least one, such as '100/s for 10s'")]
    Empty,
    /// A stage without end is followed by another or repeated.
    #[error(
        "make a schedule: stage {0} has no end, so what follows would never be due; add its duration"
    )]
    Endless(usize),
    /// A stage lasts no time at all, or more than five hundred years.
    #[error("make a schedule: stage {0} must last longer than 0 s and less than 500 years")]
    Lasting(usize),
    /// A ramp without a duration.
    #[error(
        "make a schedule: stage {0} changes its rate over its whole length, so it needs a length"
    )]
    RampEndless(usize),
    /// A sine would have a negative rate.
    #[error(
        "make a schedule: the amplitude of the sine of stage {0} exceeds its mean, so its rate would be negative; \
         lower the amplitude"
    )]
    Amplitude(usize),
    /// A sine without a period.
    #[error("make a schedule: the sine of stage {0} needs a period longer than 0 s")]
    Period(usize),
    /// The offsets of a trace are not in order.
    #[error(
        "make a schedule: offset {offset} of the trace of stage {stage} is earlier than the one before; sort the trace"
    )]
    Unsorted {
        /// The stage, counted from 1.
        stage: usize,
        /// The offset, counted from 1.
        offset: usize,
    },
    /// Nothing would ever be due.
    #[error("make a schedule: no stage has any operation due; give a rate above 0")]
    Idle,
}

/// When every exchange of a run is due.
#[derive(Clone, Debug, PartialEq)]
pub struct Schedule {
    /// Stages that occur once, before the others.
    lead: Vec<Stage>,
    stages: Vec<Stage>,
    cycles: u64,
}

impl Schedule {
    /// A schedule of these stages in order.
    pub fn new(stages: Vec<Stage>) -> Result<Self, ScheduleError> {
        check(&stages)?;
        Ok(Self { lead: Vec::new(), stages, cycles: 1 })
    }

    /// One rate, in the steady phase, for the given time or without end.
    pub fn constant(rate: Rate, lasting: Option<Duration>) -> Result<Self, ScheduleError> {
        Self::new(vec![Stage { phase: Phase::Steady, shape: Shape::Constant(rate), lasting }])
    }

    /// Independent arrivals, in the steady phase, for the given time or without end.
    pub fn poisson(rate: Rate, lasting: Option<Duration>) -> Result<Self, ScheduleError> {
        Self::new(vec![Stage { phase: Phase::Steady, shape: Shape::Poisson(rate), lasting }])
    }

    /// Rates in turn, each for its time, in the steady phase; repeated without end if `repeat`.
    pub fn steps(steps: &[(Rate, Duration)], repeat: bool) -> Result<Self, ScheduleError> {
        let stage = |&(rate, lasting): &(Rate, Duration)| Stage {
            phase: Phase::Steady,
            shape: Shape::Constant(rate),
            lasting: Some(lasting),
        };
        let mut schedule = Self::new(steps.iter().map(stage).collect())?;
        if repeat {
            if let Some(endless) = schedule.stages.iter().position(|s| s.lasting.is_none()) {
                return Err(ScheduleError::Endless(endless + 1));
            }
            schedule.cycles = u64::MAX;
        }
        Ok(schedule)
    }

    /// Stages from text such as `1000/s for 30s, ramp 1000..5000 over 1m`.
    ///
    /// ```
    /// use brunt_engine::schedule::Schedule;
    ///
    /// let schedule = Schedule::parse("10/s for 2s, poisson 100/s for 1m")?;
    /// assert_eq!(schedule.due(19, 0).unwrap().nanos, 1_900_000_000);
    /// assert!(Schedule::parse("10/s for two seconds").is_err());
    /// # Ok::<(), brunt_engine::schedule::StagesError>(())
    /// ```
    pub fn parse(text: &str) -> Result<Self, StagesError> {
        parse::schedule(text)
    }

    /// The same schedule after a warm-up at its opening rate. `None` if it opens with a trace,
    /// which has no rate to warm up at.
    pub fn after_warm_up(mut self, lasting: Duration) -> Option<Self> {
        if lasting.is_zero() {
            return Some(self);
        }
        let shape = match &self.stages.first()?.shape {
            Shape::Poisson(rate) => Shape::Poisson(*rate),
            shape => Shape::Constant(shape.opening_rate()?),
        };
        self.lead.insert(0, Stage { phase: Phase::WarmUp, shape, lasting: Some(lasting) });
        Some(self)
    }

    /// The exchange with this number; `None` if the schedule has no more than `number`.
    pub fn due(&self, number: u64, seed: u64) -> Option<Due> {
        Share::new(self.clone(), Slots::default().numbers(number, 1), seed).next()
    }

    /// The exchanges with these numbers, in ascending order.
    pub fn share(&self, numbers: Numbers, seed: u64) -> Share {
        Share::new(self.clone(), numbers, seed)
    }

    /// Its stages in order, without those that occur once before the others.
    pub fn stages(&self) -> &[Stage] {
        &self.stages
    }

    /// How long the schedule lasts; `None` if it has no end.
    pub fn lasting(&self) -> Option<Duration> {
        let sum = |stages: &[Stage]| stages.iter().map(|s| s.lasting).sum::<Option<Duration>>();
        if self.cycles == u64::MAX {
            return None;
        }
        Some(sum(&self.lead)? + sum(&self.stages)?)
    }

    /// The phases in order, each with the time at which it begins.
    pub fn phases(&self) -> Vec<(Phase, Duration)> {
        let mut phases: Vec<(Phase, Duration)> = Vec::new();
        let mut at = Duration::ZERO;
        for stage in self.lead.iter().chain(&self.stages) {
            if phases.last().is_none_or(|(phase, _)| *phase != stage.phase) {
                phases.push((stage.phase, at));
            }
            at += stage.lasting.unwrap_or(Duration::ZERO);
        }
        phases
    }

    /// When each stage of the steady phase begins, from the beginning of that phase; none if there is only one, or if
    /// they are repeated.
    pub fn steady_stages(&self) -> Vec<Duration> {
        let mut at = Duration::ZERO;
        let mut begins = Vec::new();
        let stages = self.lead.iter().chain(&self.stages);
        let before = |stage: &&Stage| stage.phase != Phase::Steady;
        for stage in stages.skip_while(before).take_while(|stage| stage.phase == Phase::Steady) {
            begins.push(at);
            at += stage.lasting.unwrap_or(Duration::ZERO);
        }
        if begins.len() == 1 || self.cycles > 1 { Vec::new() } else { begins }
    }

    /// The highest rate a second of the schedule, as far as its shapes have rates.
    pub fn peak_per_second(&self) -> Option<f64> {
        let peak = |stage: &Stage| match &stage.shape {
            Shape::Ramp { from, to } => Some(from.as_per_second().max(to.as_per_second())),
            Shape::Sine { mean, amplitude, .. } => {
                Some(mean.as_per_second() + amplitude.as_per_second())
            }
            shape => shape.opening_rate().map(Rate::as_per_second),
        };
        self.lead.iter().chain(&self.stages).filter_map(peak).reduce(f64::max)
    }

    /// The most arrivals that are due in any second of a stage; an average if they are random.
    pub fn most_per_second(&self) -> f64 {
        let stages = self.lead.iter().chain(&self.stages);
        stages.map(|stage| stage.shape.most_per_second()).fold(0.0, f64::max)
    }

    /// The mean rate a second of the steady phase, where its stages have rates and an end or
    /// there is only one.
    pub fn steady_per_second(&self) -> Option<f64> {
        let steady: Vec<&Stage> = self.stages.iter().filter(|s| s.phase == Phase::Steady).collect();
        if let [only] = steady[..] {
            return only.shape.mean_per_second();
        }
        let lasting = steady.iter().map(|s| s.lasting).sum::<Option<Duration>>()?.as_secs_f64();
        let weighed = |s: &&Stage| Some(s.shape.mean_per_second()? * s.lasting?.as_secs_f64());
        (lasting > 0.0).then_some(steady.iter().map(weighed).sum::<Option<f64>>()? / lasting)
    }

    fn stage(&self, place: u64) -> Option<&Stage> {
        let lead = self.lead.len() as u64;
        if place < lead {
            return self.lead.get(place as usize);
        }
        let length = self.stages.len() as u64;
        let (cycle, at) = ((place - lead) / length, (place - lead) % length);
        (cycle < self.cycles).then(|| &self.stages[at as usize])
    }

    /// Whether a cycle begins at this position, and the contents of a whole cycle: numbers and time. `None` if there is
    /// nothing to skip or if arrivals must be computed one by one to be counted.
    fn cycle(&self, place: u64) -> Option<(u64, u64)> {
        let begins = (place.checked_sub(self.lead.len() as u64)?) % self.stages.len() as u64 == 0;
        let random = self.stages.iter().any(|s| matches!(s.shape, Shape::Poisson(_)));
        (self.cycles > 1 && begins && !random).then(|| {
            self.stages.iter().fold((0, 0), |(count, time), stage| {
                let lasting = nanos(stage.lasting);
                (count + stage.shape.arrivals(lasting), time + lasting)
            })
        })
    }
}

/// The part of a schedule that one worker carries out, as an iterator.
#[derive(Clone, Debug)]
pub struct Share {
    schedule: Schedule,
    seed: u64,
    /// The numbers of this share after the next.
    numbers: Numbers,
    place: u64,
    /// The next number of this share, counted from the beginning of the stage.
    next: u64,
    number_base: u64,
    steady_base: u64,
    time_base: u64,
    stage: Option<ActiveStage>,
}

/// The stage that a share is in.
#[derive(Clone, Debug)]
struct ActiveStage {
    phase: Phase,
    lasting: u64,
    arrivals: Arrivals,
}

#[derive(Clone, Debug)]
enum Arrivals {
    Computed { shape: Shape, count: u64 },
    Poisson(poisson::PoissonArrivals),
}

impl Share {
    fn new(schedule: Schedule, mut numbers: Numbers, seed: u64) -> Self {
        let next = numbers.following();
        let mut share = Self {
            schedule,
            seed,
            numbers,
            place: 0,
            next,
            number_base: 0,
            steady_base: 0,
            time_base: 0,
            stage: None,
        };
        share.enter();
        share
    }

    fn enter(&mut self) {
        if let Some((count, time)) = self.schedule.cycle(self.place).filter(|(count, _)| *count > 0)
        {
            let whole = self.next / count;
            self.place += whole * self.schedule.stages.len() as u64;
            self.pass(whole * count, whole.saturating_mul(time), Phase::Steady);
        }
        self.stage = self.schedule.stage(self.place).map(|stage| {
            let lasting = nanos(stage.lasting);
            let arrivals = match &stage.shape {
                Shape::Poisson(rate) => {
                    let seed = mix(self.seed, self.place);
                    Arrivals::Poisson(poisson::PoissonArrivals::new(*rate, seed, lasting))
                }
                shape => {
                    Arrivals::Computed { shape: shape.clone(), count: shape.arrivals(lasting) }
                }
            };
            ActiveStage { phase: stage.phase, lasting, arrivals }
        });
    }

    fn pass(&mut self, count: u64, time: u64, phase: Phase) {
        self.next -= count;
        self.number_base += count;
        self.steady_base += if phase == Phase::Steady { count } else { 0 };
        self.time_base = self.time_base.saturating_add(time);
    }
}

impl Iterator for Share {
    type Item = Due;

    fn next(&mut self) -> Option<Due> {
        loop {
            let stage = self.stage.as_mut()?;
            let (phase, lasting) = (stage.phase, stage.lasting);
            let found = match &mut stage.arrivals {
                Arrivals::Computed { shape, count } if self.next < *count => {
                    Ok(shape.offset(self.next, lasting))
                }
                Arrivals::Computed { count, .. } => Err(*count),
                Arrivals::Poisson(arrivals) => arrivals.at(self.next),
            };
            match found {
                Ok(offset) => {
                    let due = Due {
                        number: self.number_base + self.next,
                        nanos: self.time_base.saturating_add(offset),
                        phase,
                        steady_before: self.steady_base
                            + if phase == Phase::Steady { self.next } else { 0 },
                    };
                    self.next = self.numbers.following().wrapping_sub(self.number_base);
                    return Some(due);
                }
                Err(count) => {
                    self.pass(count, lasting, phase);
                    self.place += 1;
                    self.enter();
                }
            }
        }
    }
}

fn nanos(lasting: Option<Duration>) -> u64 {
    lasting.map_or(u64::MAX, |lasting| u64::try_from(lasting.as_nanos()).unwrap_or(u64::MAX))
}

fn check(stages: &[Stage]) -> Result<(), ScheduleError> {
    const LONGEST: Duration = Duration::from_secs(500 * 365 * 86_400);
    if stages.is_empty() {
        return Err(ScheduleError::Empty);
    }
    for (at, stage) in stages.iter().enumerate() {
        let number = at + 1;
        if stage.lasting.is_none() && number < stages.len() {
            return Err(ScheduleError::Endless(number));
        }
        if stage.lasting.is_some_and(|lasting| lasting.is_zero() || lasting > LONGEST) {
            return Err(ScheduleError::Lasting(number));
        }
        match &stage.shape {
            Shape::Ramp { .. } if stage.lasting.is_none() => {
                return Err(ScheduleError::RampEndless(number));
            }
            Shape::Sine { period, .. } if period.is_zero() => {
                return Err(ScheduleError::Period(number));
            }
            Shape::Sine { mean, amplitude, .. }
                if amplitude.as_per_second() > mean.as_per_second() =>
            {
                return Err(ScheduleError::Amplitude(number));
            }
            Shape::Trace(offsets) => {
                if let Some(before) = offsets.windows(2).position(|pair| pair[1] < pair[0]) {
                    return Err(ScheduleError::Unsorted { stage: number, offset: before + 2 });
                }
            }
            _ => {}
        }
    }
    // Computing arrivals is cheap for every shape, and a run without any would only wait.
    if stages.iter().all(|stage| stage.shape.arrivals(nanos(stage.lasting)) == 0) {
        return Err(ScheduleError::Idle);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::sync::Arc;

    const SECOND: u64 = 1_000_000_000;

    #[test]
    fn stages_follow_without_a_gap() {
        let schedule = Schedule::parse("10/s for 2s, 5/s for 1s").unwrap();
        let all: Vec<Due> = schedule.share(Slots::default().numbers(0, 1), 0).collect();
        assert_eq!(all.len(), 25);
        assert_eq!(all[19].nanos, 1_900_000_000);
        assert_eq!(all[20].nanos, 2 * SECOND);
        assert_eq!(all[21].nanos, 2_200_000_000);
        assert_eq!(schedule.due(25, 0), None);
        assert_eq!(schedule.lasting(), Some(Duration::from_secs(3)));
    }

    #[test]
    fn repeated_steps_begin_again_exactly() {
        let rate = |n| Rate::per_second(n).unwrap();
        let steps = [(rate(10), Duration::from_secs(1)), (rate(30), Duration::from_secs(2))];
        let schedule = Schedule::steps(&steps, true).unwrap();
        // A cycle contains 70 exchanges in 3 s. Cycle 3,600 begins at hour three.
        let due = schedule.due(70 * 3_600 + 11, 0).unwrap();
        assert_eq!(due.nanos, 3 * 3_600 * SECOND + SECOND + SECOND / 30);
        assert_eq!(due.steady_before, due.number);
        let walked = schedule.share(Slots::default().numbers(0, 1), 0).nth(70 * 40 + 11).unwrap();
        assert_eq!(walked, schedule.due(70 * 40 + 11, 0).unwrap());
        assert_eq!(schedule.lasting(), None);
    }

    #[test]
    fn warm_up_comes_first_and_counts_separately() {
        let schedule = Schedule::constant(Rate::per_second(100).unwrap(), None).unwrap();
        let warmed = schedule.after_warm_up(Duration::from_secs(2)).unwrap();
        let first_steady = warmed.due(200, 0).unwrap();
        assert_eq!((first_steady.phase, first_steady.steady_before), (Phase::Steady, 0));
        assert_eq!(first_steady.nanos, 2 * SECOND);
        assert_eq!(warmed.due(199, 0).unwrap().phase, Phase::WarmUp);
        let phases = [(Phase::WarmUp, Duration::ZERO), (Phase::Steady, Duration::from_secs(2))];
        assert_eq!(warmed.phases(), phases);
    }

    #[test]
    fn invalid_stages_are_refused() {
        let stage = |shape, lasting: Option<u64>| Stage {
            phase: Phase::Steady,
            shape,
            lasting: lasting.map(Duration::from_secs),
        };
        let rate = |n| Rate::per_second(n).unwrap();
        let constant = |n| Shape::Constant(rate(n));
        let refused = |stages| Schedule::new(stages).unwrap_err();
        assert_eq!(refused(vec![]), ScheduleError::Empty);
        let endless = vec![stage(constant(1), None), stage(constant(1), Some(1))];
        assert_eq!(refused(endless), ScheduleError::Endless(1));
        assert_eq!(refused(vec![stage(constant(1), Some(0))]), ScheduleError::Lasting(1));
        let ramp = Shape::Ramp { from: rate(1), to: rate(2) };
        assert_eq!(refused(vec![stage(ramp, None)]), ScheduleError::RampEndless(1));
        let trace = Shape::Trace(Arc::from([5, 3]));
        let unsorted = ScheduleError::Unsorted { stage: 1, offset: 2 };
        assert_eq!(refused(vec![stage(trace, None)]), unsorted);
        assert_eq!(refused(vec![stage(constant(0), Some(5))]), ScheduleError::Idle);
    }

    fn shape() -> impl Strategy<Value = Shape> {
        let rate = |least| (least..3_000_u64).prop_map(|n| Rate::per_second(n).unwrap());
        prop_oneof![
            rate(0).prop_map(Shape::Constant),
            (rate(0), rate(0)).prop_map(|(from, to)| Shape::Ramp { from, to }),
            rate(0).prop_map(Shape::Poisson),
            (rate(1), 1..500_u64).prop_map(|(mean, period)| Shape::Sine {
                mean,
                amplitude: Rate::from_per_second(mean.as_per_second() / 2.0).unwrap(),
                period: Duration::from_millis(period),
            }),
            prop::collection::vec(0..SECOND, 0..40).prop_map(|mut offsets| {
                offsets.sort_unstable();
                Shape::Trace(Arc::from(offsets))
            }),
        ]
    }

    fn stage() -> impl Strategy<Value = Stage> {
        (shape(), 1..700_u64, prop::bool::ANY).prop_map(|(shape, millis, steady)| Stage {
            phase: if steady { Phase::Steady } else { Phase::WarmUp },
            shape,
            lasting: Some(Duration::from_millis(millis)),
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn shares_make_the_whole_schedule(
            stages in prop::collection::vec(stage(), 1..5),
            weights in prop::collection::vec(1_u32..9, 1..7),
            seed: u64,
        ) {
            let Ok(schedule) = Schedule::new(stages) else { return Ok(()) };
            let whole: Vec<Due> = schedule.share(Slots::default().numbers(0, 1), seed).collect();
            // Two workers a node.
            let of_node = |rank| {
                let slots = Slots::weighted(rank, &weights).unwrap();
                [slots.numbers(0, 2), slots.numbers(1, 2)]
            };
            let shares = (0..weights.len() as u32).flat_map(of_node);
            let mut together: Vec<Due> =
                shares.flat_map(|numbers| schedule.share(numbers, seed)).collect();
            together.sort_by_key(|due| due.number);
            prop_assert_eq!(&whole, &together);
            prop_assert!(whole.iter().enumerate().all(|(n, due)| due.number == n as u64));
            prop_assert!(whole.is_sorted_by_key(|due| due.nanos));
            let lasting = schedule.lasting().unwrap();
            prop_assert!(whole.iter().all(|due| Duration::from_nanos(due.nanos) < lasting));
            if let Some(some) = whole.get(whole.len() / 2) {
                prop_assert_eq!(schedule.due(some.number, seed), Some(*some));
            }
        }
    }
}
