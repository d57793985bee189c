//! Runs that are compared: chosen ones with the first of them, and one with the baseline of its load.

use brunt_envelope::Compared;
use brunt_history::RECORD_KEPT;
use brunt_record::Status;
use brunt_report::comparison::{Comparison, Difference, Finding};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::child::ComparedPage;
use crate::history::Entry;
use crate::problem::Problem;
use crate::store::name;

/// How many runs are compared with their baselines at once.
const AT_ONCE: usize = 2;

/// How a run compares with a baseline.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Against {
    /// The id of the baseline.
    pub(crate) baseline: String,
    /// When the baseline began, in RFC 3339.
    #[serde(default)]
    pub(crate) since: String,
    /// The path of the comparison.
    pub(crate) page: String,
    /// Whether the comparison can be trusted. It cannot if a run is not valid, or if the two runs were requested
    /// differently.
    pub(crate) trusted: bool,
    /// Why it cannot be trusted.
    pub(crate) reason: Option<String>,
    /// The same in a few words: the difference between the runs if there is one, else what is wrong with the run
    /// itself, else with the baseline.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) brief: Option<String>,
    /// Figures that are worse by more than chance explains.
    pub(crate) worse: Vec<String>,
    /// Figures of the whole run in which chance explains the difference, by the words of `--tolerance`.
    #[serde(default)]
    pub(crate) same: Vec<String>,
}

/// Compares runs with the first of them.
pub(crate) fn compared(app: &App, runs: &[Entry]) -> Result<ComparedPage, Problem> {
    if let Some(search) = runs.iter().find(|run| run.summary.capacity.is_some()) {
        return Err(Problem::unusable(format!(
            "{} is a search for the highest rate and cannot be compared. Choose single runs.",
            name(search)
        )));
    }
    let named = |run: &Entry| match &run.about.origin.commit {
        Some(commit) => format!("{} (commit {commit})", name(run)),
        None => name(run),
    };
    let given = runs.iter().map(|run| Compared {
        name: named(run),
        record: app.history.files(&run.id).path(RECORD_KEPT),
    });
    Ok(app.children.compare(app.history.directory(), given.collect())?)
}

impl Against {
    /// How a run compared with its baseline, as it was stored.
    pub(crate) fn stored(app: &App, run: &Entry) -> Result<Option<Self>, Problem> {
        let Some(json) = app.store.comparison(run.id.as_str())? else { return Ok(None) };
        // What another version stored is made again when it is missed.
        Ok(serde_json::from_str(&json).ok())
    }

    fn store(&self, app: &App, run: &Entry) -> Result<(), Problem> {
        let json = serde_json::to_string(self).map_err(Problem::bug)?;
        Ok(app.store.put_comparison(run.id.as_str(), &self.baseline, &json)?)
    }
}

/// Compares runs that have ended with the baselines of their loads, and stores the results. A few at a time, because
/// it may happen beside a run.
pub(crate) fn compare_ended(app: &App) -> Result<(), Problem> {
    for (run, baseline) in app.store.uncompared(AT_ONCE)? {
        let Some(run) = app.store.run(&run)? else { continue };
        if let Err(problem) = against(app, &run) {
            let page = page_of(&baseline, &run);
            let reason = Some(problem.detail);
            let (since, worse, same) = (String::new(), Vec::new(), Vec::new());
            let (trusted, brief) = (false, None);
            let against = Against { baseline, since, page, trusted, reason, brief, worse, same };
            against.store(app, &run)?;
        }
    }
    Ok(())
}

fn page_of(baseline: &str, run: &Entry) -> String {
    format!("/compare?run={baseline}&run={}", run.id)
}

/// How a run compares with the baseline of its load, which is stored as well.
pub(crate) fn against(app: &App, run: &Entry) -> Result<Option<Against>, Problem> {
    let baseline = app.store.baseline_of(run)?;
    let is_run = run.summary.capacity.is_none();
    let Some(baseline) = baseline.filter(|baseline| is_run && baseline.id != run.id) else {
        return Ok(None);
    };
    let page = page_of(baseline.id.as_str(), run);
    let compared = compared(app, &[baseline.clone(), run.clone()])?;
    let comparison: Comparison = serde_json::from_str(&compared.json).map_err(Problem::bug)?;
    let worse = comparison.regressions(&[]).map(|(_, difference)| {
        let operation =
            difference.operation.as_deref().map(|name| format!("{name} ")).unwrap_or_default();
        let change = difference
            .change
            .map(|change| format!(" {:+.1} %", 100.0 * change))
            .unwrap_or_default();
        format!("{operation}{}{change}", difference.figure.title())
    });
    let is_same = |found: &&Difference| found.operation.is_none() && found.result == Finding::Same;
    let word = |found: &Difference| found.figure.word().to_owned();
    let trusted = comparison.trusted && compared.unlike.is_empty();
    let doubt = (!trusted).then(|| Doubt::new(&baseline, run, &compared.unlike));
    let (reason, brief) = doubt.map(|doubt| (doubt.reason, doubt.brief)).unzip();
    let against = Against {
        baseline: baseline.id.to_string(),
        since: baseline.summary.started,
        page,
        trusted,
        reason,
        brief,
        worse: worse.collect(),
        same: comparison
            .pairs
            .iter()
            .flat_map(|pair| &pair.figures)
            .filter(is_same)
            .map(word)
            .collect(),
    };
    against.store(app, run)?;
    Ok(Some(against))
}

/// Why a run is not compared with its baseline.
struct Doubt {
    /// Everything that prevents it.
    reason: String,
    /// The most particular of that.
    brief: String,
}

impl Doubt {
    /// Which of the two is not valid, and how they were requested differently.
    fn new(baseline: &Entry, run: &Entry, unlike: &[String]) -> Self {
        let verdict = |run: &Entry| {
            let verdict = run.summary.verdict;
            (verdict != Status::Valid).then(|| verdict.word())
        };
        let of_run = verdict(run).map(|word| format!("this run is {word}"));
        let of_baseline = |place: &str| {
            verdict(baseline)
                .map(|word| format!("the baseline {}{place} is {word}", name(baseline)))
        };
        let place = format!(" (/runs/{})", baseline.id);
        let all: Vec<String> = [of_baseline(&place), of_run.clone()]
            .into_iter()
            .flatten()
            .chain(unlike.iter().cloned())
            .collect();
        let nothing = || "too little was measured".to_owned();
        Self {
            reason: if all.is_empty() { nothing() } else { all.join("; ") },
            brief: unlike
                .last()
                .cloned()
                .or(of_run)
                .or_else(|| of_baseline(""))
                .unwrap_or_else(nothing),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use brunt_history::{About, samples};

    fn entry(id: &str, verdict: Status) -> Entry {
        let about = About { name: id[..1].to_owned(), ..About::default() };
        let summary = brunt_history::Summary { verdict, ..samples::summary() };
        Entry { id: id.parse().unwrap(), summary, about }
    }

    #[test]
    fn doubt_in_brief_is_the_most_particular_one() {
        const BASELINE: &str = "a23456789abcdef012345678";
        let doubt = |baseline, run, unlike: &[&str]| {
            let unlike: Vec<String> = unlike.iter().map(|&text| text.to_owned()).collect();
            let run = entry("b23456789abcdef012345678", run);
            let Doubt { reason, brief } = Doubt::new(&entry(BASELINE, baseline), &run, &unlike);
            (reason, brief)
        };
        let named = format!("the baseline a (/runs/{BASELINE}) is unstable");
        let of_run = "this run is generator-limited";
        let (unstable, limited) = (Status::Unstable, Status::GeneratorLimited);
        for ((baseline, run, unlike), reason, brief) in [
            (
                (unstable, limited, &["the seeds differ"][..]),
                format!("{named}; {of_run}; the seeds differ"),
                "the seeds differ",
            ),
            ((unstable, limited, &[]), format!("{named}; {of_run}"), of_run),
            ((unstable, Status::Valid, &[]), named, "the baseline a is unstable"),
            (
                (Status::Valid, Status::Valid, &[]),
                "too little was measured".to_owned(),
                "too little was measured",
            ),
        ] {
            assert_eq!(doubt(baseline, run, unlike), (reason, brief.to_owned()));
        }
    }
}
