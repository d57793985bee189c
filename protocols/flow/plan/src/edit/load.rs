//! The load of a plan as a sentence and a drawing: which of the usual shapes `[run]` has, and its rate over time.

use std::collections::BTreeMap;
use std::time::Duration;

use brunt_engine::schedule::{Rate, Schedule, Shape, Stage};
use brunt_exchange::duration;
use serde::Serialize;
use toml::{Table, Value};

use crate::values::time_words;

/// How many points a curve is drawn with.
const CURVE: u32 = 48;

/// The load of a plan.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Load {
    /// Its shape: constant, ramp, spike, steps or people; other if it is none of these.
    pub shape: &'static str,
    /// The values of its sentence, by their names.
    pub fields: BTreeMap<&'static str, String>,
    /// The keys that the table has.
    pub keys: Vec<String>,
    /// The rate a second, or the number of users, over the seconds: what is drawn.
    pub points: Vec<(f64, f64)>,
    /// The seconds at which the steady phase begins.
    pub steady: f64,
}

/// Reads the load of a plan.
pub(super) fn load(values: &Value) -> Load {
    let nothing = Table::new();
    let run = values.get("run").and_then(Value::as_table).unwrap_or(&nothing);
    let keys = run.keys().cloned().collect();
    let mut load = match schedule(run) {
        Ok(Some(schedule)) => open(&schedule),
        Ok(None) => closed(run),
        Err(()) => other(),
    };
    let text = |key: &str| run.get(key).map(text_of).unwrap_or_default();
    load.fields.insert("users", text("users"));
    if load.shape == "other" {
        load.fields.insert("stages", text("stages"));
    }
    // What the sentences do not say is changed below them.
    let unsaid = ["trace", "rate-file", "rounds", "iterations", "groups"];
    if unsaid.iter().any(|key| run.contains_key(*key)) {
        load.shape = "other";
    }
    Load { keys, ..load }
}

fn other() -> Load {
    Load { shape: "other", ..Load::default() }
}

/// The schedule of an open load; none of a closed one, and an error where it cannot be read.
fn schedule(run: &Table) -> Result<Option<Schedule>, ()> {
    let text = |key: &str| run.get(key).and_then(Value::as_str);
    if let Some(stages) = text("stages") {
        return Schedule::parse(stages).map(Some).map_err(|_| ());
    }
    let Some(rate) = text("rate") else {
        let is_closed = !run.contains_key("trace") && !run.contains_key("rate-file");
        return if is_closed { Ok(None) } else { Err(()) };
    };
    let rate: Rate = rate.trim().parse().map_err(|_| ())?;
    let lasting = text("duration").map(|text| duration(text).ok_or(())).transpose()?;
    Schedule::constant(rate, lasting).map(Some).map_err(|_| ())
}

fn open(schedule: &Schedule) -> Load {
    let stages = schedule.stages();
    let (shape, fields) = sentence(stages).unwrap_or(("other", Vec::new()));
    let ramp = stages.first().filter(|stage| shape == "ramp" && stages.len() > 1 && is_ramp(stage));
    let steady = ramp.and_then(|stage| stage.lasting).unwrap_or_default().as_secs_f64();
    Load {
        shape,
        fields: fields.into_iter().collect(),
        points: points(stages),
        steady,
        ..Load::default()
    }
}

type Sentence = (&'static str, Vec<(&'static str, String)>);

/// The sentence of stages that have a usual shape.
fn sentence(stages: &[Stage]) -> Option<Sentence> {
    let time = |stage: &Stage| stage.lasting.map(time_words);
    let constant = |stage: &Stage| match stage.shape {
        Shape::Constant(rate) => Some(rate.as_per_second()),
        _ => None,
    };
    match stages {
        [one] => {
            let hold = one.lasting.map(time_words).unwrap_or_default();
            Some(("constant", vec![("rate", rate_words(constant(one)?)), ("hold", hold)]))
        }
        [first, second] if is_ramp(first) => {
            let Shape::Ramp { from, to } = &first.shape else { return None };
            let is_level = (to.as_per_second() - constant(second)?).abs() < 1e-9;
            let is_plain = from.is_zero() && is_level;
            let fields = vec![
                ("rate", rate_words(to.as_per_second())),
                ("ramp", time(first)?),
                ("hold", time(second)?),
            ];
            is_plain.then_some(("ramp", fields))
        }
        [first, peak, last]
            if first.lasting == last.lasting && constant(first) == constant(last) =>
        {
            let (base, high) = (constant(first)?, constant(peak)?);
            let fields = vec![
                ("rate", rate_words(base)),
                ("hold", time(first)?),
                ("peak", rate_words(high)),
                ("spike", time(peak)?),
            ];
            (high > base).then_some(("spike", fields))
        }
        [first, .., last] => {
            let rates: Vec<f64> = stages.iter().map(constant).collect::<Option<_>>()?;
            let step = rates[1] - rates[0];
            let is_even = stages.iter().all(|stage| stage.lasting == first.lasting)
                && rates.windows(2).all(|pair| (pair[1] - pair[0] - step).abs() < 1e-6);
            let fields = vec![
                ("from", rate_words(rates[0])),
                ("to", rate_words(constant(last)?)),
                ("steps", stages.len().to_string()),
                ("each", time(first)?),
            ];
            (is_even && step > 0.0).then_some(("steps", fields))
        }
        [] => None,
    }
}

fn is_ramp(stage: &Stage) -> bool {
    matches!(stage.shape, Shape::Ramp { .. })
}

fn rate_words(rate: f64) -> String {
    let text = format!("{rate:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// The rate over time; nothing if a stage has no rate or no end.
fn points(stages: &[Stage]) -> Vec<(f64, f64)> {
    let mut at = 0.0;
    let mut all = Vec::new();
    for stage in stages {
        // One without an end is drawn for a minute.
        let lasting = stage.lasting.map_or(60.0, |time| time.as_secs_f64());
        match &stage.shape {
            Shape::Constant(rate) | Shape::Poisson(rate) => {
                all.extend([(at, rate.as_per_second()), (at + lasting, rate.as_per_second())]);
            }
            Shape::Ramp { from, to } => {
                all.extend([(at, from.as_per_second()), (at + lasting, to.as_per_second())]);
            }
            Shape::Sine { mean, amplitude, period } => {
                let (mean, amplitude) = (mean.as_per_second(), amplitude.as_per_second());
                let turn = std::f64::consts::TAU / period.as_secs_f64();
                let of = |step: u32| lasting * f64::from(step) / f64::from(CURVE);
                let curve = (0..=CURVE).map(of);
                all.extend(curve.map(|time| (at + time, mean + amplitude * (turn * time).sin())));
            }
            Shape::Trace(_) => return Vec::new(),
        }
        at += lasting;
    }
    all
}

/// A number of users, each of whom begins again when the last iteration is over.
fn closed(run: &Table) -> Load {
    let users = run.get("users").map_or(1.0, |users| users.as_integer().unwrap_or(1) as f64);
    let time = |key: &str| run.get(key).and_then(Value::as_str).and_then(duration);
    let (ramp, hold) = (time("ramp-up"), time("duration"));
    let text = |key: &str| run.get(key).map(text_of).unwrap_or_default();
    let seconds =
        |time: Option<Duration>, missing: f64| time.map_or(missing, |time| time.as_secs_f64());
    let (ramp, hold) = (seconds(ramp, 0.0), seconds(hold, 60.0));
    let rising = [(0.0, 0.0), (ramp, users)];
    let rising = rising.into_iter().filter(|_| ramp > 0.0);
    let level = [(ramp, users), (hold.max(ramp), users)];
    let fields = [("hold", text("duration")), ("think", text("think")), ("ramp", text("ramp-up"))];
    Load {
        shape: "people",
        fields: fields.into_iter().collect(),
        points: rising.chain(level).collect(),
        ..Load::default()
    }
}

fn text_of(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
