//! [`Retention`]: how long runs are kept, and how many. An administrator sets it; without a limit every run is kept.
//!
//! Baselines, pinned runs, the last run of each test, and runs that a shared link shows are always kept, and so are
//! tagged runs unless they are included. The rule is a file beside the runs, because it is about them.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use brunt_history::{RunFiles, RunId};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::disk;
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
    /// How many GiB all runs together may use; without it, as much as there is.
    pub(crate) gib: Option<u32>,
    /// Whether tagged runs are removed as well.
    pub(crate) tagged: bool,
}

/// A run that may be removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Removable {
    pub(crate) id: RunId,
    /// When it was stored, in seconds since 1970.
    pub(crate) stored: Option<i64>,
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

    /// Whether it keeps all runs.
    pub(crate) fn keeps_all(&self) -> bool {
        self.days.is_none() && self.runs.is_none() && self.gib.is_none()
    }

    /// The rule in words.
    pub(crate) fn words(&self) -> String {
        let days = self.days.map(|days| format!("{days} days"));
        let runs = self.runs.map(|runs| format!("the newest {runs} runs"));
        let gib = self.gib.map(|gib| format!("at most {gib} GiB"));
        let limits: Vec<String> = days.into_iter().chain(runs).chain(gib).collect();
        if limits.is_empty() {
            return "all runs".to_owned();
        }
        limits.join(", ") + if self.tagged { ", of tagged runs too" } else { "" }
    }

    /// The runs that it could ever remove, the oldest first. The others are always kept.
    pub(crate) fn removable(&self, app: &App) -> Result<Vec<Removable>, Problem> {
        let shared: HashSet<String> =
            app.store.shares(app.now())?.into_iter().flat_map(|share| share.runs).collect();
        let runs = app.store.removable_runs(self.tagged)?;
        let runs = runs.into_iter().rev().filter(|(id, _)| !shared.contains(id));
        let of = |(id, stored): (String, String)| {
            Some(Removable { id: id.parse().ok()?, stored: seconds(&stored) })
        };
        Ok(runs.filter_map(of).collect())
    }

    /// The runs that it removes now, the oldest first.
    pub(crate) fn due(&self, app: &App) -> Result<Vec<RunId>, Problem> {
        let before = self.days.map(|days| app.now() - i64::from(days) * DAY);
        let runs = self.removable(app)?;
        let too_many = self.runs.map_or(0, |most| runs.len().saturating_sub(most as usize));
        let mut too_large = self.gib.map_or(0, |gib| {
            let all = app.history.ids().unwrap_or_default();
            let bytes: u64 = all.iter().map(|id| disk::of_run(app, id)).sum();
            bytes.saturating_sub(u64::from(gib) << 30)
        });
        let mut due = Vec::new();
        for (number, run) in runs.into_iter().enumerate() {
            let old = before.is_some_and(|before| run.stored.is_some_and(|at| at < before));
            if !(old || number < too_many || too_large > 0) {
                continue;
            }
            if too_large > 0 {
                too_large = too_large.saturating_sub(disk::of_run(app, &run.id));
            }
            due.push(run.id);
        }
        Ok(due)
    }

    /// When a run is removed because of its age.
    pub(crate) fn goes_at(&self, run: &Removable) -> Option<i64> {
        Some(run.stored? + i64::from(self.days?) * DAY)
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
        // Before the index forgets it: if this process ends meanwhile, the next one finds what is left to do.
        let what = format!("{id} {}", name(&run));
        app.audit_by(ACTOR, "delete run", &what)?;
        app.store.forget_run(id.as_str())?;
        app.counters.count_removed();
        removed += 1;
    }
    Ok(removed)
}

/// Completes removals that the end of an earlier process interrupted: forgets the runs of the index whose directory is
/// gone.
pub(crate) fn complete(app: &App) -> Result<(), Problem> {
    let kept: HashSet<RunId> = app.history.ids().map_err(Problem::failed)?.into_iter().collect();
    for id in app.store.run_ids()? {
        let is_gone = id.parse().is_ok_and(|id: RunId| !kept.contains(&id));
        if is_gone {
            app.store.forget_run(&id)?;
            app.audit_by(ACTOR, "forget run", &format!("{id}, whose directory is gone"))?;
        }
    }
    Ok(())
}

/// Removes old runs forever, whether or not the site is visited.
pub(crate) async fn run(app: Arc<App>) {
    let mut due = tokio::time::interval(EVERY);
    loop {
        due.tick().await;
        let acting = Arc::clone(&app);
        let done = tokio::task::spawn_blocking(move || carry_out(&acting)).await;
        if let Ok(Err(problem)) = done {
            (app.log)(&format!("failed to remove old runs: {problem}"));
        }
    }
}
