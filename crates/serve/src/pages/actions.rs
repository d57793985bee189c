//! What can be done with a run: the buttons beside its title, and the next steps, which depend on its outcome.

use brunt_envelope::RunSpec;
use brunt_history::{LOADGEN, REQUEST};
use brunt_record::{RunOutcome, Status};
use maud::{Markup, html};

use super::hidden;
use super::history::encoded;
use crate::auth::Role;
use crate::call::Call;
use crate::comparison::Against;
use crate::history::Entry;
use crate::problem::Problem;
use crate::store::{Filter, Plan, Position, Target, name};

/// What can be done with a run, and what is known for it.
pub(super) struct Actions<'a> {
    call: &'a Call,
    run: &'a Entry,
    /// The plan that it was made from, if it still exists.
    plan: Option<Plan>,
    /// Its target, if runs may still be made against it without a confirmation.
    target: Option<Target>,
    /// The baseline of its load, if that is another run.
    pub(super) baseline: Option<Entry>,
    /// The figures in which chance explains the difference from it.
    same: Vec<String>,
    /// The run of the same load before it.
    previous: Option<Entry>,
    is_runner: bool,
}

/// The plan that a run names with its revision, if it still exists.
pub(super) fn plan_of(call: &Call, named: &str) -> Result<Option<Plan>, Problem> {
    let is_of = |plan: &Plan| named.starts_with(&format!("{}, revision ", plan.name));
    Ok(call.app.store.plans()?.into_iter().find(is_of))
}

impl<'a> Actions<'a> {
    /// Looks up what is needed.
    pub(super) fn new(call: &'a Call, run: &'a Entry) -> Result<Self, Problem> {
        let store = &call.app.store;
        let origin = &run.about.origin;
        let plan = match &origin.plan {
            Some(named) => plan_of(call, named)?,
            None => None,
        };
        let targets = super::submission::open_targets(call)?;
        let is_target =
            |target: &Target| origin.target.as_ref() == Some(&target.name) && !target.production;
        // A search is not compared; its steps can be.
        let is_run = run.summary.capacity.is_none() && !run.summary.load.is_empty();
        let others = |load: &str| -> Result<_, Problem> {
            let filter = Filter { load: load.to_owned(), ..Filter::default() };
            let here = Position { key: run.summary.started.clone(), id: run.id.to_string() };
            Ok(store.runs(&filter, Some(&here), 1)?.runs.into_iter().next())
        };
        let baseline = if is_run { store.baseline_of(run)? } else { None };
        let baseline = baseline.filter(|one| one.id != run.id);
        let against = Against::stored(&call.app, run)?.filter(|against| {
            against.trusted
                && baseline.as_ref().is_some_and(|one| against.baseline == one.id.as_str())
        });
        Ok(Self {
            plan,
            target: targets.into_iter().find(is_target),
            baseline,
            same: against.map(|against| against.same).unwrap_or_default(),
            previous: if is_run { others(&run.summary.load)? } else { None },
            is_runner: call.who()?.user.role >= Role::Runner,
            call,
            run,
        })
    }

    /// The buttons beside the title.
    pub(super) fn buttons(&self) -> Result<Markup, Problem> {
        let load = encoded(&self.run.summary.load);
        let others = format!("/runs?load={load}");
        let compared = self.compared();
        Ok(html! {
            div.acts {
                @if self.is_runner { (self.again()?) }
                @if let Some(plan) = &self.plan { a.b href={ "/plans/" (plan.id) } { "Edit plan" } }
                @if !self.run.summary.load.is_empty() {
                    details.menu {
                        summary.b { "Compare" }
                        ul {
                            @for (words, at, _) in &compared { li { a href=(at) { (words) } } }
                            li { a href=(others) { "With another run of this load" } }
                        }
                    }
                }
                @if self.is_runner { a.b href="#share" { "Share" } }
                (self.downloads())
            }
        })
    }

    /// The button that makes the same run again.
    fn again(&self) -> Result<Markup, Problem> {
        let (Some(plan), Some(target)) = (&self.plan, &self.target) else { return Ok(html! {}) };
        let requested: Option<RunSpec> =
            self.call.app.history.files(&self.run.id).json(REQUEST).unwrap_or_default();
        let requested = requested.unwrap_or_default();
        // A search is repeated on the page of the plan.
        if requested.search.is_some()
            || requested.agents.is_some()
            || self.run.summary.capacity.is_some()
        {
            return Ok(html! {});
        }
        let about = &self.run.about;
        Ok(html! {
            form method="post" action={ "/plans/" (plan.id) "/run" } {
                (hidden(self.call.who()?))
                input type="hidden" name="target" value=(target.id);
                input type="hidden" name="duration" value=(requested.duration.unwrap_or_default());
                input type="hidden" name="tags" value=(about.tags.join(", "));
                input type="hidden" name="commit" value=(about.origin.commit.as_deref().unwrap_or_default());
                button.main { "Run again" }
            }
        })
    }

    fn downloads(&self) -> Markup {
        let id = &self.run.id;
        let is_run = self.run.summary.capacity.is_none();
        let has_loadgen = self.call.app.history.files(id).path(LOADGEN).is_file();
        html! {
            details.menu {
                summary.b { "Download" }
                ul {
                    li { a href={ "/runs/" (id) "/html" } { "This page as one HTML file" } }
                    li { a href={ "/runs/" (id) "/record" } { "Record (JSON, gzip), as brunt report reads it" } }
                    li { a href={ "/runs/" (id) "/csv" } { @if is_run { "Intervals" } @else { "Steps" } " as CSV" } }
                    @if has_loadgen { li { a href={ "/runs/" (id) "/loadgen" } { "LoadGen's report" } } }
                }
            }
        }
    }

    /// The comparisons that suggest themselves: words, address, and with what.
    fn compared(&self) -> Vec<(&'static str, String, String)> {
        let with = |words, other: &Entry| {
            let address = format!("/compare?run={}&run={}", other.id, self.run.id);
            (words, address, name(other))
        };
        let baseline = self.baseline.iter().map(|one| with("Compare with the baseline", one));
        let previous = self.previous.iter().map(|one| with("Compare with the previous run", one));
        baseline.chain(previous).collect()
    }

    /// What next: first what follows from the outcome, then what is there for every run.
    pub(super) fn next(&self) -> Markup {
        let summary = &self.run.summary;
        let mut steps = self.by_outcome();
        // A run without a single success is compared with no other.
        let measures_target = !matches!(summary.outcome, Some(RunOutcome::NothingWorked));
        if measures_target {
            steps.extend(self.compared());
        }
        if measures_target
            && self.is_runner
            && !self.run.about.baseline
            && summary.verdict == Status::Valid
        {
            let detail = "later runs are judged against it".to_owned();
            steps.push(("Make this run the baseline", "#about".to_owned(), detail));
        }
        html! {
            @if !steps.is_empty() && summary.capacity.is_none() {
                section id="next" {
                    h2 { "What next" }
                    ul.next { @for (words, at, detail) in &steps {
                        li { a href=(at) { (words) } @if !detail.is_empty() { small { (detail) } } }
                    } }
                }
            }
        }
    }

    fn by_outcome(&self) -> Vec<(&'static str, String, String)> {
        let summary = &self.run.summary;
        let step = |words, at: &str, detail: &str| (words, at.to_owned(), detail.to_owned());
        let search = |words| {
            let plan = self.plan.as_ref().filter(|_| self.is_runner)?;
            let done = summary
                .figures
                .achieved
                .map(|rate| format!("it did {} a second", super::figure(Some(rate))));
            Some((words, format!("/plans/{}#find", plan.id), done.unwrap_or_default()))
        };
        let trend = format!("/trends?load={}", encoded(&summary.load));
        match summary.outcome {
            Some(RunOutcome::NothingWorked) => {
                let first = step(
                    "Read the first failure",
                    "#failures",
                    "what was sent, and what came of it",
                );
                let plan = self.plan.as_ref().map(|plan| {
                    let at = format!("/plans/{}", plan.id);
                    ("Look at the plan", at, "its check sends nothing".to_owned())
                });
                plan.into_iter().chain([first]).collect()
            }
            Some(RunOutcome::Overloaded) => search("Search for the limit").into_iter().collect(),
            Some(RunOutcome::NotReliable) => vec![step(
                "What used the processor?",
                "#generator",
                "end it, or use another machine, and run again",
            )],
            Some(RunOutcome::Missed) => vec![
                step("When did it change?", &trend, "over the runs of this load"),
                step("Which operation was it?", "#operations", ""),
            ],
            Some(RunOutcome::Passed | RunOutcome::Measured) => {
                search("How much more can it take?").into_iter().collect()
            }
            _ => Vec::new(),
        }
    }

    /// The figures of the baseline below those of the run, in the section that has them.
    pub(super) fn beside_the_baseline(&self, html: &str) -> String {
        let Some(baseline) = &self.baseline else { return html.to_owned() };
        let figures = &baseline.summary.figures;
        let missed = (figures.due > 0).then(|| {
            let share = figures.missed as f64 / figures.due as f64;
            brunt_report::figure::percent(share)
        });
        let figure = |value: Option<f64>| value.map(|value| super::figure(Some(value)));
        let known = [
            ("achieved", "achieved", figure(figures.achieved)),
            ("p50", "p50", figure(figures.p50_ms)),
            ("p99", "p99", figure(figures.p99_ms)),
            ("failed", "errors", missed),
        ];
        known.into_iter().fold(html.to_owned(), |html, (key, word, value)| {
            let Some(value) = value else { return html };
            let same =
                if self.same.iter().any(|same| same == word) { ", no difference" } else { "" };
            brunt_report::page::with_words_below(&html, key, &format!("baseline {value}{same}"))
        })
    }
}
