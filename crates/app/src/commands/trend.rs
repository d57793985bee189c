//! `brunt trend`: finds out when figures changed over many runs.

use brunt_report::comparison::{Input, RECORDS_MAX, trend as follow, trend_page};
use brunt_report::json;
use brunt_run::World;
use brunt_run::options::exit::Exit;
use brunt_run::options::refusal::Refusal;
use brunt_run::tool;

use super::compare::{refuse_unlike, write};
use super::failed;
use super::runs::side;
use crate::cli::compare::{TrendArgs, TrendFormat};

/// With fewer runs than this there is no level before a change and none after it.
const RUNS_MIN: usize = 6;

/// Follows the figures of the runs in the order in which they began.
pub(crate) fn trend(args: &TrendArgs, world: &World) -> Result<Exit, Refusal> {
    let mut runs: Vec<Input> = Vec::new();
    for path in &args.runs {
        runs.extend(side(path, &world.console)?.runs.into_iter().map(without_series));
    }
    // Records contain times of one clock in one notation, whose text order is the order of time.
    runs.sort_by(|a, b| a.record.started.cmp(&b.record.started));
    if runs.len() < RUNS_MIN {
        return Err(Refusal::usage(format!(
            "failed to follow {} runs: a change needs three runs before it and three after it",
            runs.len()
        )));
    }
    if runs.len() > RECORDS_MAX {
        world.console.note(&format!("of {} runs only the last {RECORDS_MAX} are used", runs.len()));
        runs.drain(..runs.len() - RECORDS_MAX);
    }
    let names: Vec<String> = args.runs.iter().map(|path| path.display().to_string()).collect();
    let found = follow(tool(), &names.join(", "), &runs).map_err(failed)?;
    if !args.anyway {
        refuse_unlike(&found.unlike)?;
    }
    let text = match args.format {
        TrendFormat::Text => trend_page(&found, false).text(world.console.screen()),
        TrendFormat::Json => json(&found).map_err(failed)? + "\n",
    };
    world.console.print(&text)?;
    if let Some(path) = &args.html {
        write(path, &trend_page(&found, true).html(), &world.console)?;
    }
    Ok(Exit::Ok)
}

/// Removes the series: changes within a run are no part of a trend, and hundreds of runs would fill the memory.
fn without_series(mut run: Input) -> Input {
    run.record.series = Vec::new();
    run
}
