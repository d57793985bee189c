//! What commands that use the loads of others cannot have `brunt leases` do.

use std::time::Duration;

use brunt_run::load::{ONE_RUN, first_given};
use brunt_run::options::pacing::Pacing;
use brunt_run::options::spelled::ToolSpelling as _;
use brunt_run::options::view::ViewOptions;
use brunt_run::{Caller, Unsuitable};

use crate::options::leases::{LeasesArgs, Operations};

/// The options that set when operations begin, how many there are or how long they go on.
pub(crate) fn pacing(args: &LeasesArgs) -> Vec<Pacing> {
    let load = &args.load;
    let own = vec![
        Pacing::new(&["sync-operations"], load.sync_operations.is_some()),
        Pacing::new(&["async-operations"], load.async_operations.is_some()),
        Pacing::new(&["runs"], load.runs.is_some()),
        Pacing::essential("--guide", args.work.guide),
    ];
    [load.options.pacing(Operations::SPELLING), own].concat()
}

/// Why a caller cannot have this carried out.
pub(crate) fn refuses(args: &LeasesArgs, caller: Caller) -> Result<(), Unsuitable> {
    if caller != Caller::Search {
        let why = "'leases' compares stores in several runs, and agents share one run";
        return Err(Unsuitable::Command(why));
    }
    let output = &args.output.run;
    let given = first_given([
        ("--record", output.record.is_some()),
        ("--html", output.html.is_some()),
        ("--events", output.events.is_some()),
        ("--interval", args.output.interval.is_some_and(|it| it != Duration::from_secs(1))),
        ("--monitor", !output.monitors.is_empty()),
        ("--allow", !output.allow.is_empty()),
        ("--targets", output.targets.is_some()),
        ("--yes", output.yes),
        ("--live", output.view != ViewOptions::default()),
        ("--keep", args.place.keep),
    ]);
    given.map_or(Ok(()), |option| Err(Unsuitable::Option { option, why: ONE_RUN.into() }))
}
