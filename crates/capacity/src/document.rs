//! A search as a [`Collection`], which is all that is kept of it: written by [`Found::collection`], read by
//! [`Reading`].
//!
//! Every view of a search reads the collection, even right after the search, so that a later report is the same. A
//! collection is read from a file and may contain anything: what is missing is left out, never invented.

use crate::evidence::Evidence;
use crate::found::{Answer, Drift, Found, Knee};
use crate::order::Kind;
use crate::progress::Estimate;
use crate::step::Step;
use crate::verdict::Verdict;
use brunt_record::{COLLECTION_SCHEMA, Cell, Collection, Environment, Record, Tool};
use std::collections::BTreeMap;

/// The subject of a collection that is a search.
pub const SUBJECT: &str = "find-max";

/// The label of a step with the reason why the generator, not the target, determined its figures; the verdict of a
/// record does not cover all of these reasons.
pub(crate) const LIMITED: &str = "limited";
/// The label of a step with the numbers of the seconds in which something kept the generator from running, which its
/// record does not have.
pub(crate) const DISTURBED: &str = "disturbed";

/// What is known about a search beside its result.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Origin {
    /// The name of the program, and its version.
    pub tool: (String, String),
    /// When the search began, in RFC 3339.
    pub started: String,
    /// The command line, secrets replaced.
    pub command: Vec<String>,
    /// The machine.
    pub environment: Environment,
    /// Facts that are true of all steps, by name: `connections`, `target`, `server`, `seed`. The sentence uses
    /// `connections` and `noun`, the name of what is counted (`binds`).
    pub facts: BTreeMap<String, String>,
}

impl Found {
    /// The collection that is kept of the search.
    pub fn collection(self, origin: Origin) -> Collection {
        let figures = figures(&self);
        let mut facts = origin.facts;
        facts.insert("arrivals".to_owned(), "Poisson".to_owned());
        let (word, why) = words(&self.answer);
        facts.insert("answer".to_owned(), word.to_owned());
        facts.extend(why.map(|why| ("why".to_owned(), why)));
        let objectives = self.objectives.iter().filter(|objective| !objective.guard);
        let guards = self.objectives.iter().filter(|objective| objective.guard);
        for (name, all) in [
            ("objective", objectives.map(|it| it.slo.text().to_owned()).collect::<Vec<_>>()),
            ("guard", guards.map(|it| it.slo.text().to_owned()).collect()),
            ("remark", self.remarks),
        ] {
            facts.extend((1..).zip(all).map(|(number, text)| (format!("{name} {number}"), text)));
        }
        let (name, version) = origin.tool;
        Collection {
            schema: COLLECTION_SCHEMA.to_owned(),
            subject: SUBJECT.to_owned(),
            tool: Tool { name, version },
            started: origin.started,
            command: origin.command,
            environment: origin.environment,
            facts,
            figures,
            cells: self.steps.into_iter().map(cell).collect(),
        }
    }
}

fn words(answer: &Answer) -> (&'static str, Option<String>) {
    match answer {
        Answer::Claim { .. } => ("claim", None),
        Answer::Floor { why, .. } => ("floor", Some(why.clone())),
        Answer::NoClaim { why } => ("no claim", Some(why.clone())),
        Answer::NothingPasses { .. } => ("nothing passes", None),
        Answer::Away { why } => ("away", Some(why.clone())),
        Answer::NotRecovered { .. } => ("not recovered", None),
        Answer::Protected { why } => ("protected", Some(why.clone())),
        Answer::Interrupted => ("interrupted", None),
    }
}

fn figures(found: &Found) -> BTreeMap<String, f64> {
    let mut figures = BTreeMap::new();
    let mut put = |name: &str, value: Option<f64>| {
        figures.extend(value.map(|value| (name.to_owned(), value)));
    };
    put("took_s", Some(found.took_s));
    match &found.answer {
        Answer::Claim { rate, confirmed_s, .. } => {
            put("claim", Some(*rate));
            put("confirmed_s", Some(*confirmed_s));
        }
        Answer::Floor { rate, confirmed, .. } => {
            put("floor", Some(*rate));
            put("floor_confirmed", Some(f64::from(u8::from(*confirmed))));
        }
        Answer::NothingPasses { tried } => put("tried", Some(*tried)),
        Answer::NotRecovered { rate } => put("not_recovered_after", Some(*rate)),
        _ => {}
    }
    put("fails_at", found.fails_at());
    put("estimate_p10", found.estimate.map(|estimate| estimate.p10));
    put("estimate_p50", found.estimate.map(|estimate| estimate.p50));
    put("estimate_p90", found.estimate.map(|estimate| estimate.p90));
    put("knee", found.knee.map(|knee| knee.rate));
    put("knee_mean_us", found.knee.map(|knee| 1e6 * knee.mean_s));
    put("before_us", found.drift.map(|drift| 1e6 * drift.before_s));
    put("after_us", found.drift.map(|drift| 1e6 * drift.after_s));
    put("drifted", found.drift.map(|drift| f64::from(u8::from(drift.drifted))));
    figures
}

fn cell(step: Step) -> Cell {
    let rate = step.order.rate.map_or_else(|| "-".to_owned(), |rate| format!("{rate:.3}"));
    let mut cell = Cell::new([
        ("kind", step.order.kind.word().to_owned()),
        ("rate", rate),
        ("verdict", step.verdict.word().to_owned()),
        ("step", step.order.number.to_string()),
    ]);
    let worst = step.evidence.as_ref().and_then(Evidence::worst);
    if let Some(worst) = worst {
        cell.labels.insert("objective".to_owned(), worst.objective.clone());
    }
    let measured = &step.measured;
    let limited = measured.limited.clone();
    cell.labels.extend(limited.map(|why| (LIMITED.to_owned(), why)));
    if !step.disturbed.is_empty() {
        let numbers: Vec<String> = step.disturbed.iter().map(usize::to_string).collect();
        cell.labels.insert(DISTURBED.to_owned(), numbers.join(" "));
    }
    let of_worst = |pick: fn(&crate::Share) -> f64| worst.map(pick);
    let timed = |seconds: f64| (measured.response.count > 0).then_some(1e6 * seconds);
    let figures = [
        ("rate", step.order.rate),
        ("share", of_worst(|share| share.share)),
        ("allowed", of_worst(|share| share.allowed)),
        ("z", of_worst(|share| share.z)),
        ("clump", of_worst(|share| share.clump)),
        ("w", step.evidence.as_ref().map(|evidence| evidence.w)),
        ("trend", step.evidence.as_ref().map(|evidence| evidence.trend)),
        ("looks", Some(step.order.looks.len() as f64)),
        ("seconds", Some(step.seconds as f64)),
        ("judged_s", Some(step.judged_s)),
        ("from_s", Some(step.from_s)),
        ("took_s", Some(step.took_s)),
        ("recovery_s", step.recovery_s),
        ("server_cpu", measured.server_cpu),
        ("server_counted", measured.server_counted),
        ("offered", measured.offered),
        ("achieved", measured.achieved),
        ("errors", Some(measured.errors)),
        ("mean_us", timed(measured.response.mean_s)),
        ("p50_us", timed(measured.response.p50_s)),
        ("p99_us", timed(measured.response.p99_s)),
        ("p999_us", timed(measured.response.p999_s)),
    ];
    let known = figures.into_iter().filter_map(|(name, value)| Some((name, value?)));
    let known = known.filter(|(_, value)| value.is_finite());
    cell.figures = known.map(|(name, value)| (name.to_owned(), value)).collect();
    cell.notes = [step.order.why, step.why].into_iter().filter(|text| !text.is_empty()).collect();
    cell.record = step.record;
    cell
}

/// A search, read from its collection.
#[derive(Clone, Debug)]
pub struct Reading<'a> {
    /// The answer.
    pub answer: Answer,
    /// The objectives, with relative limits resolved.
    pub objectives: Vec<&'a str>,
    /// The guards that were added, and must not be violated.
    pub guards: Vec<&'a str>,
    /// The estimated limit.
    pub estimate: Option<Estimate>,
    /// The point of greatest power.
    pub knee: Option<Knee>,
    /// How the target drifted.
    pub drift: Option<Drift>,
    /// Further remarks.
    pub remarks: Vec<&'a str>,
    /// The steps, in the order in which they were made.
    pub rows: Vec<Row<'a>>,
    /// The whole collection.
    pub collection: &'a Collection,
}

/// A step, read from its cell.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a> {
    /// The purpose of the step.
    pub kind: Kind,
    /// Exchanges a second.
    pub rate: Option<f64>,
    /// The verdict on its rate.
    pub verdict: Verdict,
    /// The cell.
    pub cell: &'a Cell,
}

impl Row<'_> {
    /// A figure of the step.
    pub fn figure(&self, name: &str) -> Option<f64> {
        self.cell.figure(name).filter(|value| value.is_finite())
    }

    /// Why the verdict is what it is.
    pub fn why(&self) -> &str {
        self.cell.notes.last().map_or("", String::as_str)
    }

    /// The record of the step.
    pub fn record(&self) -> Option<&Record> {
        self.cell.record.as_deref()
    }
}

impl<'a> Reading<'a> {
    /// Reads a collection; `None` if it is of something else.
    pub fn from_collection(collection: &'a Collection) -> Option<Self> {
        if collection.subject != SUBJECT {
            return None;
        }
        let figure = |name: &str| finite(collection, name);
        let facts = |prefix: &str| numbered(collection, prefix);
        let estimate = || {
            Some(Estimate {
                p10: figure("estimate_p10")?,
                p50: figure("estimate_p50")?,
                p90: figure("estimate_p90")?,
            })
        };
        let knee = || Some(Knee { rate: figure("knee")?, mean_s: figure("knee_mean_us")? / 1e6 });
        let drift = || {
            Some(Drift {
                before_s: figure("before_us")? / 1e6,
                after_s: figure("after_us")? / 1e6,
                drifted: figure("drifted")? > 0.0,
            })
        };
        Some(Self {
            answer: answer(collection),
            objectives: facts("objective"),
            guards: facts("guard"),
            estimate: estimate(),
            knee: knee(),
            drift: drift(),
            remarks: facts("remark"),
            rows: collection.cells.iter().filter_map(row).collect(),
            collection,
        })
    }

    /// The steps that are evidence, in ascending order of rate.
    pub fn curve(&self) -> Vec<Row<'a>> {
        let mut rows: Vec<Row<'a>> = self
            .rows
            .iter()
            .filter(|row| row.kind.is_evidence() && row.rate.is_some())
            .copied()
            .collect();
        rows.sort_by(|a, b| a.rate.unwrap_or_default().total_cmp(&b.rate.unwrap_or_default()));
        rows
    }

    /// The confirmation that passed at a rate.
    pub fn confirmation(&self, rate: f64) -> Option<Row<'a>> {
        let rows = self.rows.iter().rev().copied();
        rows.into_iter().find(|row| {
            row.kind == Kind::Confirm
                && row.verdict == Verdict::Pass
                && row.rate.is_some_and(|at| same(at, rate))
        })
    }

    /// The longest time that the target took to recover, in seconds.
    pub fn recovery_s(&self) -> Option<f64> {
        self.rows.iter().filter_map(|row| row.figure("recovery_s")).max_by(f64::total_cmp)
    }

    /// Whether the target drifted while it was searched.
    pub fn is_unstable(&self) -> bool {
        self.drift.is_some_and(|drift| drift.drifted)
    }

    /// A fact that is true of all steps.
    pub fn fact(&self, name: &str) -> Option<&'a str> {
        self.collection.facts.get(name).map(String::as_str)
    }
}

/// Whether two rates are equal, apart from rounding when they were written.
pub(crate) fn same(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-3 * a.abs().max(b.abs())
}

fn finite(collection: &Collection, name: &str) -> Option<f64> {
    collection.figures.get(name).copied().filter(|value| value.is_finite())
}

fn numbered<'a>(collection: &'a Collection, prefix: &str) -> Vec<&'a str> {
    let known = (1..).map_while(|number| collection.facts.get(&format!("{prefix} {number}")));
    known.map(String::as_str).collect()
}

fn row(cell: &Cell) -> Option<Row<'_>> {
    Some(Row {
        kind: Kind::new(cell.label("kind")?)?,
        rate: cell.figure("rate").filter(|rate| rate.is_finite() && *rate > 0.0),
        verdict: Verdict::from_word(cell.label("verdict")?)?,
        cell,
    })
}

fn answer(collection: &Collection) -> Answer {
    let figure = |name: &str| finite(collection, name).filter(|value| *value > 0.0);
    let fact = |name: &str| collection.facts.get(name).cloned().unwrap_or_default();
    let why = fact("why");
    let unknown = || Answer::NoClaim { why: "the file does not say what was found".to_owned() };
    match fact("answer").as_str() {
        "claim" => figure("claim").zip(figure("confirmed_s")).map_or_else(
            unknown,
            |(rate, confirmed_s)| Answer::Claim { rate, confirmed_s, fails_at: figure("fails_at") },
        ),
        "floor" => figure("floor").map_or_else(unknown, |rate| Answer::Floor {
            rate,
            confirmed: figure("floor_confirmed").is_some(),
            why,
        }),
        "nothing passes" => {
            figure("tried").map_or_else(unknown, |tried| Answer::NothingPasses { tried })
        }
        "not recovered" => {
            figure("not_recovered_after").map_or_else(unknown, |rate| Answer::NotRecovered { rate })
        }
        "away" => Answer::Away { why },
        "protected" => Answer::Protected { why },
        "interrupted" => Answer::Interrupted,
        "no claim" => Answer::NoClaim { why },
        _ => unknown(),
    }
}
