//! A job as a plan, by which it is carried out, and which `--to-plan` writes.
//!
//! The plan does what the job does, request for request, and can then be changed in ways that a job does not support.
//! Values that a service lists are fetched and written into it. The password of the administrator is not: the plan
//! takes it from the environment.
//!
//! Random values are drawn from streams that have the numbers of the job's wildcards, which differ from those of the
//! plan's variables. So a job draws the same values with the same seed as before it was carried out as a plan.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use brunt_feed::Escape;
use brunt_flow_driver::Repeat;
use brunt_flow_plan::model;
use brunt_flow_plan::values::{Node, Pairs, Scalar, Several, Time};
use brunt_run::options::resend::Resending;

use super::draft::{Bit, DOLLAR, Draft, Meaning, Payload, Scenario, Send, Step, Variable, Words};
use super::job::Job;
use super::wildcard::{Column, Endpoint};
use crate::report::Compatibility;

/// An answer takes a millisecond or more, or counts as immediate: a threshold of zero is below the first.
const AT_ONCE: Duration = Duration::from_nanos(999_999);

/// The streams that values of services are drawn from: those of random rows, which lists of values once were.
const LISTS: u64 = 1 << 32;

/// Values that services listed, by the endpoint they came from.
pub(super) type Listed = BTreeMap<String, Vec<Vec<u8>>>;

/// The key of a list of values.
pub(super) fn list_name(endpoint: &Endpoint) -> String {
    let part = |part: &Option<String>| part.clone().unwrap_or_default();
    format!("{} {} {}", endpoint.url, part(&endpoint.attribute), part(&endpoint.member))
}

/// A placeholder for every list that a draft needs, for a plan that is examined and not run.
pub(super) fn unlisted(draft: &Draft) -> Listed {
    let lists = draft.variables.iter().filter_map(|variable| match &variable.meaning {
        Meaning::Element(endpoint) => Some((list_name(endpoint), vec![b"0".to_vec()])),
        _ => None,
    });
    lists.collect()
}

/// The settings of connections, beside those of the job.
pub(super) struct Connecting {
    /// How many redirects are followed.
    pub redirects: u8,
    /// Which requests are sent again.
    pub resend: Resending,
    /// How long connecting may take.
    pub limit: Duration,
    /// The file of certificates to trust.
    pub ca: Option<PathBuf>,
    /// Whether every certificate is accepted.
    pub insecure: bool,
}

impl Connecting {
    fn tls(&self) -> Option<Box<model::Tls>> {
        let tls = model::Tls {
            ca: self.ca.as_deref().filter(|_| !self.insecure).map(whole),
            insecure: self.insecure.then_some(true),
            ..model::Tls::default()
        };
        (tls != model::Tls::default()).then(|| Box::new(tls))
    }
}

/// The plan.
pub(super) fn plan(
    job: &Job,
    draft: &Draft,
    listed: &Listed,
    connecting: &Connecting,
) -> model::Plan {
    let writer = Writer { draft, dollar: Cell::new(false) };
    let mut plan = model::Plan {
        name: job.name.clone(),
        run: writer.run(job),
        http: Some(Box::new(model::Http {
            redirects: Some(connecting.redirects),
            resend: Some(connecting.resend),
            connect_timeout: Some(Time(connecting.limit)),
            tls: connecting.tls(),
            ..model::Http::default()
        })),
        scenario: draft.scenarios.iter().map(|scenario| writer.scenario(scenario)).collect(),
        ..model::Plan::default()
    };
    writer.variables(listed, &mut plan);
    plan
}

/// Notes for the user about the plan.
pub(super) fn notes(job: &Job) -> Vec<String> {
    let warmed = !job.warm_up.is_empty();
    warmed.then(|| "the warm-up of the job is not in the plan".to_owned()).into_iter().collect()
}

/// The names of the secrets that the plan needs.
pub(super) fn secrets(draft: &Draft) -> impl Iterator<Item = &str> {
    let secret = |variable: &&Variable| matches!(variable.meaning, Meaning::Secret(_));
    draft.variables.iter().filter(secret).map(|variable| variable.name.as_str())
}

struct Writer<'a> {
    draft: &'a Draft,
    /// Whether a text needs [`DOLLAR`].
    dollar: Cell<bool>,
}

impl Writer<'_> {
    fn run(&self, job: &Job) -> model::Run {
        let groups = match (job.group_size, job.interval) {
            (Some(size @ 1..), Some(millis @ 1..)) => Some(model::Groups {
                size: size as u32,
                every: Time(Duration::from_millis(millis)),
            }),
            _ => None,
        };
        model::Run {
            users: Some(job.threads),
            groups,
            // LoadGen waits as long as a task's threshold, and without one as long as it takes.
            timeout: Some(Time(Duration::ZERO)),
            rounds: self.rounds(),
            ..model::Run::default()
        }
    }

    /// The rounds, with consecutive equal ones merged.
    fn rounds(&self) -> Vec<model::Round> {
        let mut rounds: Vec<model::Round> = Vec::new();
        for round in &self.draft.rounds {
            let entry = |repeat: &Repeat| {
                (self.draft.scenarios[repeat.scenario].name.clone(), repeat.times)
            };
            let scenarios = Pairs(round.iter().map(entry).collect());
            match rounds.last_mut() {
                Some(before) if before.scenarios == scenarios => {
                    before.times = Some(before.times.unwrap_or(1) + 1);
                }
                _ => rounds.push(model::Round { times: None, scenarios }),
            }
        }
        rounds
    }

    fn variables(&self, listed: &Listed, plan: &mut model::Plan) {
        for (number, variable) in self.draft.variables.iter().enumerate() {
            let (number, name) = (number as u32, variable.name.clone());
            match &variable.meaning {
                // Its value comes from answers, so it need not be declared.
                Meaning::Kept(_) => {}
                Meaning::Line(path) => {
                    let feeder = model::Feeder { lines: Some(whole(path)), ..random_rows(number) };
                    plan.feeders.0.push((name, feeder));
                }
                Meaning::Column(path, column) => {
                    self.column(number, (path, column), &mut plan.feeders);
                }
                Meaning::Text(words) => {
                    let text = model::Variable::Constant(Scalar::Text(self.text(words, None)));
                    plan.variables.0.push((name, text));
                }
                _ => {
                    let source = Box::new(self.source(number, listed));
                    plan.variables.0.push((name, model::Variable::Source(source)));
                }
            }
        }
        if self.dollar.get() {
            let dollar = model::Variable::Constant(Scalar::Text("$".to_owned()));
            plan.variables.0.push((DOLLAR.to_owned(), dollar));
        }
    }

    /// Adds a column of a file of rows, which has one feeder for all its columns.
    fn column(
        &self,
        number: u32,
        (path, column): (&Path, &Column),
        feeders: &mut Pairs<model::Feeder>,
    ) {
        let name = self.feeder(path, column);
        let at = feeders.0.iter().position(|(known, _)| known == name).unwrap_or_else(|| {
            let comma = column.separator == b',';
            let feeder = model::Feeder {
                csv: Some(whole(path)),
                delimiter: (!comma).then(|| char::from(column.separator).to_string()),
                ..random_rows(number)
            };
            feeders.0.push((name.to_owned(), feeder));
            feeders.0.len() - 1
        });
        let secrets = &mut feeders.0[at].1.secrets;
        // In a plan the name of the column tells, in a job that of the wildcard.
        let variable = &self.draft.variables[number as usize];
        if brunt_redact::is_secret_name(&variable.name) && !secrets.contains(&column.name) {
            secrets.push(column.name.clone());
        }
    }

    /// The source of a variable that is neither a text nor in a file.
    fn source(&self, number: u32, listed: &Listed) -> model::Source {
        let variable = &self.draft.variables[number as usize];
        let source = model::Source { stream: Some(number.into()), ..model::Source::default() };
        match &variable.meaning {
            Meaning::Random { least, most } => {
                model::Source { random: Some(format!("{least}..{most}")), ..source }
            }
            Meaning::Increment => {
                let renew = Some(match self.draft.manner {
                    Compatibility::Repaired => model::Renewal::IterationIfUsed,
                    Compatibility::Compatible => model::Renewal::AfterUse,
                });
                model::Source { count: Some(0), renew, ..source }
            }
            Meaning::Thread => {
                let renew = Some(model::Renewal::User);
                model::Source { number: Some(model::Number::User), renew, ..source }
            }
            Meaning::Uuid => model::Source { uuid: Some(true), ..source },
            Meaning::Element(endpoint) => {
                let values = listed.get(&list_name(endpoint)).map_or(&[][..], Vec::as_slice);
                let text = |value: &Vec<u8>| literal(&String::from_utf8_lossy(value));
                let texts = values.iter().map(|value| Scalar::Text(text(value))).collect();
                let (choice, stream) =
                    (Some(model::Choice::Alike(texts)), LISTS + u64::from(number));
                model::Source { choice, stream: Some(stream), ..source }
            }
            Meaning::Secret(_) => {
                let renew = Some(model::Renewal::User);
                model::Source { env: Some(variable.name.clone()), renew, ..source }
            }
            Meaning::Kept(_) | Meaning::Line(_) | Meaning::Column(..) | Meaning::Text(_) => source,
        }
    }

    fn scenario(&self, scenario: &Scenario) -> model::Scenario {
        model::Scenario {
            name: Some(scenario.name.clone()),
            steps: scenario.steps.iter().map(|step| self.step(step)).collect(),
            ..model::Scenario::default()
        }
    }

    fn step(&self, step: &Step) -> model::Step {
        match step {
            Step::Sleep { key, millis, .. } => model::Step {
                name: Some(key.clone()),
                pause: Some(format!("{millis}ms")),
                ..model::Step::default()
            },
            Step::Send(send) => self.send(send),
        }
    }

    fn send(&self, send: &Send) -> model::Step {
        let text = |value: &Words| Several(vec![Scalar::Text(self.text(value, None))]);
        let header = |(name, value): &(String, Words)| (name.clone(), text(value));
        let mut step = model::Step {
            name: Some(self.draft.operations[send.operation].name.clone()),
            headers: Pairs(send.fields.iter().map(header).collect()),
            threshold: send.threshold.map(|millis| Time(threshold(millis))),
            timeout: send
                .threshold
                .filter(|millis| *millis > 0)
                .map(|millis| Time(Duration::from_millis(millis))),
            ..model::Step::default()
        };
        // Up to the path, a plan does not encode values by default; here they stay unencoded to the end.
        step = step.request(&send.method, self.text(&send.url, Some(Escape::None)));
        match &send.body {
            None => {}
            Some(Payload { words, is_json: true, .. }) => {
                step.json = Some(Node::Scalar(Scalar::Text(self.text(words, None))));
            }
            Some(Payload { words, escape, .. }) => {
                let escape = Some(*escape).filter(|escape| *escape != Escape::None);
                step.text = Some(self.text(words, escape));
            }
        }
        let typed = |(name, _): &(String, Words)| name.eq_ignore_ascii_case("Content-Type");
        if send.body.is_some() && !send.fields.iter().any(typed) {
            step.content_type = Some(String::new());
        }
        for (attribute, variable) in &send.keeps {
            let mut spot = model::AnswerLocation::default();
            if attribute.starts_with('/') {
                spot.json = Some(attribute.clone());
            } else {
                spot.member = Some(attribute.clone());
            }
            let missing = Some(model::Missing::Keep);
            let extract = model::Extract { spot, missing, ..model::Extract::default() };
            step.extract.0.push((self.draft.variables[*variable].name.clone(), extract));
        }
        step
    }

    /// The name of the feeder of a file of rows: that of the first wildcard that stands for one of its columns.
    fn feeder(&self, path: &Path, column: &Column) -> &str {
        let same = |meaning: &Meaning| {
            matches!(meaning, Meaning::Column(other, from)
                if other == path && from.separator == column.separator)
        };
        let first = self.draft.variables.iter().find(|variable| same(&variable.meaning));
        first.map_or("", |variable| &variable.name)
    }

    /// How a plan refers to a variable.
    fn reference(&self, number: usize) -> String {
        let variable = &self.draft.variables[number];
        match &variable.meaning {
            Meaning::Column(path, column) => {
                format!("{}.{}", self.feeder(path, column), column.name)
            }
            _ => variable.name.clone(),
        }
    }

    /// Text as a plan writes it, with its values escaped in this way if one is given.
    fn text(&self, words: &Words, escape: Option<Escape>) -> String {
        let written = match escape {
            None => "",
            Some(Escape::None) => "|raw",
            Some(Escape::Form) => "|form",
            Some(_) => "|json",
        };
        let mut out = String::new();
        for bit in &words.0 {
            match bit {
                Bit::Literal(text) => out.push_str(&literal(text)),
                Bit::Variable(number) | Bit::Encoded(number) => {
                    if out.ends_with('$') {
                        out.pop();
                        self.dollar.set(true);
                        let _ = write!(out, "${{{DOLLAR}}}");
                    }
                    let written = if matches!(bit, Bit::Encoded(_)) { "|url" } else { written };
                    let _ = write!(out, "${{{}{written}}}", self.reference(*number));
                }
            }
        }
        out
    }
}

/// The path of a file for a plan, which may be moved to another directory.
fn whole(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

/// A feeder that draws a random row for each iteration, for the wildcard of this number.
fn random_rows(number: u32) -> model::Feeder {
    let order = Some(model::RowOrder::Random);
    model::Feeder { order, stream: Some(number), ..model::Feeder::default() }
}

/// The longest time of an answer.
fn threshold(millis: u64) -> Duration {
    if millis == 0 { AT_ONCE } else { Duration::from_millis(millis) }
}

/// Text that contains no variable.
fn literal(text: &str) -> String {
    text.replace("${", "$${")
}
#[cfg(test)]
mod tests {
    use super::*;
    use crate::loadgen::drafting::draft;
    use crate::loadgen::files::Files;
    use crate::loadgen::reader;
    use crate::options::loadgen::Mixing;
    use brunt_flow_plan::reader::{Text, read};

    /// The plan of an example, and the plan that its text is read as.
    fn plans(name: &str) -> (model::Plan, model::Plan) {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../examples/loadgen/jobs");
        let path = root.join(format!("{name}.json"));
        let mut files = Files::new(&path, &brunt_feed::Files::default());
        let job = reader::read(&path, &mut files).unwrap();
        let draft =
            draft(&job.workloads, Compatibility::Repaired, Mixing::Rounds, &mut files).unwrap();
        let connecting = Connecting {
            redirects: 20,
            resend: Resending::Always,
            limit: Duration::from_secs(1),
            ca: None,
            insecure: false,
        };
        let plan = plan(&job, &draft, &unlisted(&draft), &connecting);
        let written = toml::to_string_pretty(&plan).unwrap();
        let text = Text { name, text: &written, unset: &[], overrides: &[] };
        let again = read(&text, &|_| None);
        (plan, again.unwrap_or_else(|error| panic!("{error}\n{written}")).plan)
    }

    #[test]
    fn to_plan_writes_the_plan_that_is_carried_out() {
        for name in ["sessions", "directory", "values", "platform"] {
            let (mut plan, mut read) = plans(name);
            // Text has constants before tables.
            for plan in [&mut plan, &mut read] {
                plan.variables.0.sort_by(|(one, _), (other, _)| one.cmp(other));
            }
            let sources = plan.variables.0.iter_mut().filter_map(|(_, variable)| match variable {
                model::Variable::Source(source) => Some(source),
                model::Variable::Constant(_) => None,
            });
            // All that the text does not have.
            sources.for_each(|source| source.stream = None);
            plan.feeders.0.iter_mut().for_each(|(_, feeder)| feeder.stream = None);
            assert_eq!(plan, read, "{name}");
        }
    }
}
