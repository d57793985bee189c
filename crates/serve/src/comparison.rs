//! Runs that are compared: chosen ones with the first of them, and one with the baseline of its load.

use brunt_envelope::Compared;
use brunt_history::RECORD_KEPT;
use brunt_record::Status;
use brunt_report::comparison::Comparison;
use schemars::JsonSchema;
use serde::Serialize;

use crate::app::App;
use crate::child::ComparedPage;
use crate::history::Entry;
use crate::problem::Problem;
use crate::store::name;

/// How a run compares with a baseline.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Against {
    /// The id of the baseline.
    baseline: String,
    /// The path of the comparison.
    page: String,
    /// Whether the comparison can be trusted. It cannot if a run is not valid, or if the two runs were requested
    /// differently.
    pub(crate) trusted: bool,
    /// Why it cannot be trusted.
    pub(crate) reason: Option<String>,
    /// Figures that are worse by more than chance explains.
    pub(crate) worse: Vec<String>,
}

/// Compares runs with the first of them.
pub(crate) fn compared(app: &App, runs: &[Entry]) -> Result<ComparedPage, Problem> {
    if let Some(search) = runs.iter().find(|run| run.summary.capacity.is_some()) {
        return Err(Problem::unusable(format!(
            "{} is a search for the highest rate and cannot be compared. Choose single runs.",
            name(search)
        )));
    }
    let given = runs.iter().map(|run| Compared {
        name: name(run),
        record: app.history.files(&run.id).path(RECORD_KEPT),
    });
    let compared = app.children.compare(app.history.directory(), given.collect());
    compared.map_err(Problem::failed)?.map_err(|why| Problem::unusable(format!("Failed to {why}.")))
}

/// How a run compares with the baseline of its load.
pub(crate) fn against(app: &App, run: &Entry) -> Result<Option<Against>, Problem> {
    let baseline = app.store.baseline_of(&run.summary.load)?;
    let is_run = run.summary.capacity.is_none();
    let Some(baseline) = baseline.filter(|baseline| is_run && baseline.id != run.id) else {
        return Ok(None);
    };
    let page = format!("/compare?run={}&run={}", baseline.id, run.id);
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
    let trusted = comparison.trusted && compared.unlike.is_empty();
    Ok(Some(Against {
        baseline: baseline.id.to_string(),
        page,
        trusted,
        reason: (!trusted).then(|| doubt(&baseline, run, &compared.unlike)),
        worse: worse.collect(),
    }))
}

/// Why a run is not compared with its baseline: which of the two is not valid, or how they were requested differently.
fn doubt(baseline: &Entry, run: &Entry, unlike: &[String]) -> String {
    let of = |which: &str, run: &Entry| {
        let verdict = run.summary.verdict;
        (verdict != Status::Valid).then(|| format!("{which} is {}", verdict.word()))
    };
    let which = format!("the baseline {} (/runs/{})", name(baseline), baseline.id);
    let reasons = [of(&which, baseline), of("this run", run)].into_iter().flatten();
    let all: Vec<String> = reasons.chain(unlike.iter().cloned()).collect();
    if all.is_empty() { "too little was measured".to_owned() } else { all.join("; ") }
}
