//! What commands that use the loads of others cannot have perfdhcp do.

use brunt_run::Caller;
use brunt_run::load::{ONE_RUN, first_given, never};

use crate::options::args::{DhcpArgs, Scenario};
use crate::options::switches::EXCHANGES;

/// The switch that sets when exchanges begin, how many there are or how long they go on.
pub(crate) fn pacing(args: &DhcpArgs) -> Option<String> {
    let limits = &args.limits;
    let own = first_given([
        ("--scenario", args.scenario != Scenario::Basic),
        ("-n", limits.numbers.iter().any(Option::is_some)),
        ("-p", limits.period.is_some()),
        ("-D", limits.drops.iter().any(|limit| limit.count.is_some() || limit.share.is_some())),
        ("-f", args.exchange.renew_rate > 0.0),
        ("-F", args.exchange.release_rate > 0.0),
    ]);
    args.load.options.pacing(&EXCHANGES).or(own)
}

/// Why a caller cannot have this carried out.
pub(crate) fn refuses(args: &DhcpArgs, caller: Caller) -> Result<(), String> {
    let why = match caller {
        Caller::Search => ONE_RUN,
        Caller::OwnAgents | Caller::AgentsOfOthers => "runs a program",
    };
    never("-w", args.report.wrapped.is_some(), why)
}
