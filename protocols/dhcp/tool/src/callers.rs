//! What commands that use the loads of others cannot have perfdhcp do.

use brunt_run::load::{ONE_RUN, never};
use brunt_run::options::pacing::Pacing;
use brunt_run::{Caller, Unsuitable};

use crate::options::args::{DhcpArgs, DropLimit, Scenario};
use crate::options::switches::EXCHANGES;

/// The switches that set when exchanges begin, how many there are or how long they go on.
pub(crate) fn pacing(args: &DhcpArgs) -> Vec<Pacing> {
    let limits = &args.limits;
    let dropped = |limit: &DropLimit| limit.count.is_some() || limit.share.is_some();
    let own = vec![
        Pacing::essential("--scenario", args.scenario != Scenario::Basic),
        Pacing::new(&["n"], limits.numbers.iter().any(Option::is_some)),
        Pacing::new(&["p"], limits.period.is_some()),
        Pacing::new(&["D"], limits.drops.iter().any(dropped)),
        Pacing::new(&["f"], args.exchange.renew_rate > 0.0),
        Pacing::new(&["F"], args.exchange.release_rate > 0.0),
    ];
    [args.load.options.pacing(&EXCHANGES), own].concat()
}

/// Why a caller cannot have this carried out.
pub(crate) fn refuses(args: &DhcpArgs, caller: Caller) -> Result<(), Unsuitable> {
    let why = match caller {
        Caller::Search => ONE_RUN,
        Caller::OwnAgents | Caller::AgentsOfOthers => "runs a program",
    };
    never("-w", args.report.wrapped.is_some(), why)
}
