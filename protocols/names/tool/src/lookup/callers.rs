//! What commands that use the loads of others cannot have lookups do.

use brunt_names_driver::Distribution;
use brunt_run::Caller;
use brunt_run::load::{NO_ADDRESS, first_given, never};

use crate::options::lookup::LookupArgs;

/// The option that sets when lookups begin, how many there are or how long they go on.
pub(super) fn pacing(args: &LookupArgs) -> Option<&'static str> {
    let load = &args.load;
    first_given([
        ("--rate", load.rate.is_some()),
        ("--stages", load.stages.is_some()),
        ("--unlimited", load.unlimited),
        ("--think", load.think.is_some()),
        ("--lookups (-n)", load.lookups.is_some()),
        ("--duration (-d)", load.duration.is_some()),
        ("--warm-up", load.warm_up.is_some()),
        ("--distribution once", args.distribution == Some(Distribution::Once)),
    ])
}

/// Why a caller cannot have this carried out.
pub(super) fn refuses(args: &LookupArgs, caller: Caller) -> Result<(), String> {
    if caller != Caller::AgentsOfOthers {
        return Ok(());
    }
    never("--socket", args.socket.is_some(), NO_ADDRESS)?;
    let url = args.directory.url.as_ref().map(|url| url.to_ascii_lowercase());
    never("--url ldapi", url.is_some_and(|url| url.starts_with("ldapi")), NO_ADDRESS)
}
