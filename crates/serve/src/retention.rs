//! [`Retention`]: how long runs are kept, and how many. An administrator sets it; without a limit every run is kept.
//!
//! Baselines, pinned runs, and runs that a shared link shows are always kept, and so are tagged runs unless they are
//! included. The rule is a file beside the runs, because it is about them.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use brunt_history::{RunFiles, RunId};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::problem::Problem;
use crate::store::name;

/// The file of the rule.
const RULE: &str = "retention.json";
/// How often old runs are removed.
const EVERY: Duration = Duration::from_secs(600);
/// The most runs that are removed at once.
const AT_ONCE: usize = 500;
const DAY: i64 = 86_400;
/// The actor of a removal in the audit trail.
const ACTOR: &str = "retention";

/// Which runs are kept.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Retention {
    /// For how many days after they were stored; without it, forever.
    pub(crate) days: Option<u32>,
    /// How many, besides those that are always kept; without it, any number.
    pub(crate) runs: Option<u32>,
    /// Whether tagged runs are removed as well.
    pub(crate) tagged: bool,
}

impl Retention {
    /// The rule of a site.
    pub(crate) fn new(app: &App) -> Result<Self, Problem> {
        let rule = files(app).json(RULE).map_err(Problem::failed)?;
        Ok(rule.unwrap_or_default())
    }

    /// Stores the rule.
    pub(crate) fn store(&self, app: &App) -> Result<(), Problem> {
        files(app).write(RULE, self).map_err(Problem::failed)
    }

    /// The rule in words.
    pub(crate) fn words(&self) -> String {
        let days = self.days.map(|days| format!("{days} days"));
        let runs = self.runs.map(|runs| format!("the newest {runs} runs"));
        let limits: Vec<String> = days.into_iter().chain(runs).collect();
        if limits.is_empty() {
            return "all runs".to_owned();
        }
        limits.join(", ") + if self.tagged { ", of tagged runs too" } else { "" }
    }

    /// The runs that it removes now, the oldest first.
    pub(crate) fn due(&self, app: &App) -> Result<Vec<RunId>, Problem> {
        let before = self.days.map(|days| app.now() - i64::from(days) * DAY);
        let shared: HashSet<String> =
            app.store.shares(app.now())?.into_iter().flat_map(|share| share.runs).collect();
        // The newest first.
        let runs = app.store.removable_runs(self.tagged)?;
        let most = self.runs.map_or(usize::MAX, |most| most as usize);
        let is_due = |(number, (_, stored)): (usize, &(String, String))| {
            let old = before.is_some_and(|before| seconds(stored).is_some_and(|at| at < before));
            old || number >= most
        };
        let kept = runs.iter().filter(|(id, _)| !shared.contains(id)).enumerate();
        let due = kept.filter(|one| is_due(*one)).filter_map(|(_, (id, _))| id.parse().ok());
        let mut due: Vec<RunId> = due.collect();
        due.reverse();
        Ok(due)
    }
}

fn files(app: &App) -> RunFiles {
    RunFiles::new(app.history.directory().to_owned())
}

fn seconds(text: &str) -> Option<i64> {
    Some(text.parse::<Timestamp>().ok()?.as_second())
}

/// Removes the runs that are due. Returns how many it removed.
pub(crate) fn carry_out(app: &App) -> Result<usize, Problem> {
    let mut removed = 0;
    for id in Retention::new(app)?.due(app)?.into_iter().take(AT_ONCE) {
        // The directory is the truth: its run may have been pinned by another tool.
        let Some(run) = app.history.entry(&id).map_err(Problem::failed)? else { continue };
        if run.about.pin || run.about.baseline {
            continue;
        }
        app.history.remove(&id).map_err(Problem::failed)?;
        app.store.forget_run(id.as_str())?;
        let what = format!("{id} {}", name(&run));
        app.audit_by(ACTOR, "delete run", &what)?;
        app.counters.count_removed();
        removed += 1;
    }
    Ok(removed)
}

/// Removes old runs forever, whether or not the site is visited.
pub(crate) async fn for_good(app: Arc<App>) {
    let mut due = tokio::time::interval(EVERY);
    loop {
        due.tick().await;
        let acting = Arc::clone(&app);
        let done = tokio::task::spawn_blocking(move || carry_out(&acting)).await;
        if let Ok(Err(problem)) = done {
            let why = problem.hidden.unwrap_or(problem.detail);
            (app.log)(&format!("failed to remove old runs: {why}"));
        }
    }
}
