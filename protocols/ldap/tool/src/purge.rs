//! The purge at the end of addrate: it deletes what addrate added.

use brunt_run::{Console, beside};
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use brunt_engine::timer::Time as _;
use brunt_engine::{EngineTime, Stop, Urgency};
use brunt_exchange::Clock as _;
use brunt_ldap_driver::{self as ldap, Plan, Purge};

use super::preflight;
use crate::options::rate::RateArgs;
use crate::options::rate::operation::Operation;

/// How many connections delete at the same time.
const CONNECTIONS_MAX: u32 = 16;
/// Time between two lines of progress.
const EVERY: Duration = Duration::from_secs(5);

/// Deletes what the run has added, and prints the progress. A run that was asked to stop at once leaves the rest.
pub(crate) fn after(
    args: &RateArgs,
    plan: &Arc<Plan>,
    (stop, time): (&Stop, &EngineTime),
    console: &Console,
) {
    let Operation::Add(mix) = &args.operation else { return };
    let left = plan.live_entries().unwrap_or(0);
    if !mix.purge {
        if left > 0 {
            console.note(&format!("{left} entries were added and kept because of --noPurge"));
        }
        return;
    }
    let quiet = args.table.script_friendly;
    if !quiet {
        console.message("Purge phase...");
    }
    let Ok(runtime) = beside::runtime(time) else { return };
    let clock = time.clock();
    let begun = clock.now();
    let mut next_line_at = EVERY;
    let state = Rc::new(RefCell::new(Purge { total: left, ..Purge::default() }));
    let (latest, reported, clocked) = (Rc::clone(&state), console.clone(), clock.clone());
    let progress = move |purge: &Purge| {
        latest.borrow_mut().clone_from(purge);
        let elapsed = clocked.now() - begun;
        if elapsed >= next_line_at && !quiet {
            reported.message(&line(purge, elapsed));
            next_line_at = elapsed + EVERY;
        }
    };
    let connections = plan.connections().min(CONNECTIONS_MAX);
    let work = ldap::purge(plan, connections, &clock, progress);
    let done = runtime.block_on(preflight::unless(stop, Urgency::Abort, &clock, work));
    let whole = done.is_some();
    let purge = done.unwrap_or_else(|| state.borrow().clone());
    if !whole {
        let done = purge.deleted + purge.missing + purge.failed;
        console.note(&format!(
            "the purge was interrupted: {} of {} added entries still exist",
            purge.total.saturating_sub(done),
            purge.total
        ));
    } else if !quiet {
        console.message(&format!("{} entries have been successfully purged", purge.deleted));
    }
    report(&purge, console);
}

/// The wording is that of the original tool.
fn line(purge: &Purge, elapsed: Duration) -> String {
    let done = purge.deleted + purge.missing + purge.failed;
    let rate = done as f64 / elapsed.as_secs_f64();
    let rest =
        Duration::from_secs_f64(purge.total.saturating_sub(done) as f64 / rate.max(1.0)).as_secs();
    format!(
        "Purge in progress: {done}/{} entries deleted ({rate:.1} ops/sec). ETA {:02}:{:02}:{:02}",
        purge.total,
        rest / 3600,
        rest / 60 % 60,
        rest % 60
    )
}

fn report(purge: &Purge, console: &Console) {
    if purge.failed > 0 {
        let why = purge.first_failure.as_deref().unwrap_or("no reason given");
        console.note(&format!(
            "{} entries could not be purged and still exist; the first because of {why}",
            purge.failed
        ));
    }
    if purge.left_alone > 0 {
        console.note(&format!(
            "{} entries were not deleted: the server did not confirm that it added them, and some names of this run \
             belong to entries that existed before",
            purge.left_alone
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn purge_progress_equals_the_original() {
        let purge = Purge { total: 13_885, deleted: 8_195, ..Purge::default() };
        assert_eq!(
            line(&purge, Duration::from_secs_f64(8_195.0 / 1_638.2)),
            "Purge in progress: 8195/13885 entries deleted (1638.2 ops/sec). ETA 00:00:03"
        );
    }
}
