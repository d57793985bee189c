//! What commands that use the loads of others cannot have lookups do.

use brunt_names_driver::Distribution;
use brunt_run::load::{NO_ADDRESS, never};
use brunt_run::options::pacing::Pacing;
use brunt_run::options::spelled::Spells as _;
use brunt_run::{Caller, Unsuitable};

use crate::options::lookup::{LookupArgs, Lookups};

/// The options that set when lookups begin, how many there are or how long they go on.
pub(super) fn pacing(args: &LookupArgs) -> Vec<Pacing> {
    let unlimited =
        Pacing { takes_word: false, ..Pacing::new(&["unlimited"], args.load.unlimited) };
    let once = args.distribution == Some(Distribution::Once);
    let own = vec![unlimited, Pacing::essential("--distribution once", once)];
    [args.load.options.pacing(Lookups::SPELLING), own].concat()
}

/// Why a caller cannot have this carried out.
pub(super) fn refuses(args: &LookupArgs, caller: Caller) -> Result<(), Unsuitable> {
    if caller != Caller::AgentsOfOthers {
        return Ok(());
    }
    never("--socket", args.socket.is_some(), NO_ADDRESS)?;
    let url = args.directory.url.as_ref().map(|url| url.to_ascii_lowercase());
    never("--url ldapi", url.is_some_and(|url| url.starts_with("ldapi")), NO_ADDRESS)
}
