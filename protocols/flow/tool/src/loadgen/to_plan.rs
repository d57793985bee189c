//! A job as a plan: what `--to-plan` writes.
//!
//! The plan does what the job does, request for request, and can then be changed in ways that a job does not support.
//! Values that a service lists are fetched and written into it. The password of the administrator is not: the plan
//! takes it from the environment.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use brunt_feed::Escape;
use brunt_flow_driver::Repeat;
use brunt_flow_plan::model;
use brunt_flow_plan::values::{Node, Pairs, Scalar, Several, Time};
use brunt_run::options::resend::Resending;

use super::compile::{Listed, list_name, threshold};
use super::draft::{Bit, Draft, Meaning, Scenario, Send, Step, Variable, Words};
use super::job::Job;
use super::wildcard::Column;

/// A dollar sign right before a variable is a variable itself, since it could not be distinguished from an escape in
/// the text.
const DOLLAR: &str = "dollar";

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
        // The plan may be moved to another directory.
        let whole = |path: &PathBuf| std::path::absolute(path).unwrap_or_else(|_| path.clone());
        let tls = model::Tls {
            ca: self.ca.as_ref().filter(|_| !self.insecure).map(whole),
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
    let writer = Writer { draft };
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
        let source = |source| model::Variable::Source(Box::new(source));
        for variable in &self.draft.variables {
            let empty = model::Source::default();
            let declared = match &variable.meaning {
                Meaning::Random { least, most } => {
                    source(model::Source { random: Some(format!("{least}..{most}")), ..empty })
                }
                Meaning::Increment => source(model::Source {
                    count: Some(0),
                    renew: Some(model::Renewal::IterationIfUsed),
                    ..empty
                }),
                Meaning::Thread => source(model::Source {
                    number: Some(model::Number::User),
                    renew: Some(model::Renewal::User),
                    ..empty
                }),
                Meaning::Uuid => source(model::Source { uuid: Some(true), ..empty }),
                // Its value comes from answers, so it need not be declared.
                Meaning::Kept(_) => continue,
                Meaning::Line(path) => {
                    let path = std::path::absolute(path).unwrap_or_else(|_| path.clone());
                    let feeder = model::Feeder {
                        lines: Some(path),
                        order: Some(model::RowOrder::Random),
                        ..model::Feeder::default()
                    };
                    plan.feeders.0.push((variable.name.clone(), feeder));
                    continue;
                }
                Meaning::Column(path, column) => {
                    let name = self.feeder(path, column).to_owned();
                    let path = std::path::absolute(path).unwrap_or_else(|_| path.clone());
                    let comma = column.separator == b',';
                    let feeder = model::Feeder {
                        csv: Some(path),
                        delimiter: (!comma).then(|| char::from(column.separator).to_string()),
                        order: Some(model::RowOrder::Random),
                        ..model::Feeder::default()
                    };
                    if plan.feeders.value(&name).is_none() {
                        plan.feeders.0.push((name, feeder));
                    }
                    continue;
                }
                Meaning::Element(endpoint) => {
                    let values = listed.get(&list_name(endpoint)).cloned().unwrap_or_default();
                    let text = |value: &Vec<u8>| literal(&String::from_utf8_lossy(value));
                    let texts = values.iter().map(|value| Scalar::Text(text(value))).collect();
                    source(model::Source { choice: Some(model::Choice::Alike(texts)), ..empty })
                }
                Meaning::Secret(_) => source(model::Source {
                    env: Some(variable.name.clone()),
                    renew: Some(model::Renewal::User),
                    ..empty
                }),
                Meaning::Text(words) => {
                    model::Variable::Constant(Scalar::Text(self.text(words, None)))
                }
            };
            plan.variables.0.push((variable.name.clone(), declared));
        }
        let uses = |text: &str| text.contains(&format!("${{{DOLLAR}}}"));
        if toml::to_string(plan).is_ok_and(|text| uses(&text)) {
            let dollar = model::Variable::Constant(Scalar::Text("$".to_owned()));
            plan.variables.0.push((DOLLAR.to_owned(), dollar));
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
            Some((words, Escape::Json)) => {
                step.json = Some(Node::Scalar(Scalar::Text(self.text(words, None))));
            }
            Some((words, escape)) => {
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

/// Text that contains no variable.
fn literal(text: &str) -> String {
    text.replace("${", "$${")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::io;

    use brunt_engine::Node;
    use brunt_flow_driver::Flow;
    use brunt_net::secret::Secret;

    use super::*;
    use crate::loadgen::drafting::draft;
    use crate::loadgen::files::Files;
    use crate::loadgen::{compile, reader};
    use crate::options::loadgen::Mixing;
    use crate::report::Compatibility;
    use brunt_flow_plan::compile::{CompileEnvironment, compile as settle};
    use brunt_flow_plan::reader::{Text, read};
    use brunt_run::options::surroundings::Surroundings;

    /// An environment that contains the password.
    struct Exported;

    impl Surroundings for Exported {
        fn variable(&self, name: &str) -> Option<String> {
            (name == "ADMINUSERPASSWORD").then(|| "password".to_owned())
        }
        fn files(&self) -> brunt_run::Files {
            brunt_run::Files::default()
        }

        fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
            std::fs::read(path)
        }
        fn interactive(&self) -> bool {
            false
        }
        fn ask(&self, _: &str) -> io::Result<Secret> {
            Err(io::ErrorKind::Unsupported.into())
        }
    }

    /// A textual form of a flow that does not depend on the order of its variables.
    fn words(flow: &Flow) -> String {
        let mut text = format!(
            "{:#?}\n{:#?}\n{:?}\n{:?}\n{} {}",
            flow.scenarios, flow.order, flow.operations, flow.start, flow.users, flow.seed
        );
        let mut variables: Vec<String> = flow
            .variables
            .iter()
            .map(|it| format!("{}: {:?}, {:?}", it.name, it.renewal, it.source))
            .collect();
        variables.sort();
        text.push_str(&variables.join("\n"));
        for (number, variable) in flow.variables.iter().enumerate() {
            let spelled = [format!("Hole(\n{number},"), format!("Hole({number})")];
            for hole in spelled {
                text = text.replace(&hole, &format!("Hole<{}>", variable.name));
            }
        }
        // Pretty printing breaks a hole over several lines.
        let joined: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let named = flow.variables.iter().enumerate();
        named.fold(joined, |text, (number, variable)| {
            text.replace(&format!("Hole( {number}, )"), &format!("Hole<{}>", variable.name))
        })
    }

    fn flows(name: &str) -> (Flow, Flow) {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../examples/loadgen/jobs");
        let path = root.join(format!("{name}.json"));
        let mut files = Files::of(&path, &brunt_feed::Files::default());
        let job = reader::read(&path, &mut files).unwrap();
        let draft =
            draft(&job.workloads, Compatibility::Repaired, Mixing::Rounds, &mut files).unwrap();
        let listed = BTreeMap::new();
        let mut flow = compile::flow(
            &draft,
            &job,
            Compatibility::Repaired,
            7,
            (&listed, &brunt_feed::Files::default()),
        )
        .unwrap();
        flow.times = brunt_flow_driver::Times::None;
        let connecting = Connecting {
            redirects: 20,
            resend: Resending::Always,
            limit: Duration::from_secs(1),
            ca: None,
            insecure: false,
        };
        let plan = plan(&job, &draft, &listed, &connecting);
        let written = toml::to_string_pretty(&plan).unwrap();
        let text = Text { name, text: &written, unset: &[], overrides: &[] };
        let again = read(&text, &|name| Exported.variable(name));
        let again = again.unwrap_or_else(|error| panic!("{error}\n{written}")).plan;
        let world = CompileEnvironment { surroundings: &Exported, base: &root };
        let compiled = settle(&again, Node::default(), 7, &world);
        (flow, compiled.unwrap_or_else(|fault| panic!("{fault}\n{written}")).flow)
    }

    #[test]
    fn a_plan_does_what_its_job_does() {
        for name in ["sessions", "directory", "platform"] {
            let (job, plan) = flows(name);
            let (job, plan) = (words(&job), words(&plan));
            let same = job.chars().zip(plan.chars()).take_while(|(one, other)| one == other);
            let near = same.count().saturating_sub(200);
            let part = |text: &str| text.chars().skip(near).take(600).collect::<String>();
            assert_eq!(part(&job), part(&plan), "{name} differs from its plan");
        }
    }
}
