//! What commands that use the loads of others cannot have a plan do.

use brunt_redact::{is_secret_name, url};
use brunt_run::load::{NO_LOAD, SECRET, never};
use brunt_run::options::pacing::Pacing;
use brunt_run::{Caller, Unsuitable};

use crate::options::run::RunArgs;

/// The option that sets how long the plan goes on. What its text sets is judged where it is read.
pub(super) fn pacing(args: &RunArgs) -> Vec<Pacing> {
    vec![Pacing::new(&["duration"], args.duration.is_some())]
}

/// Why a caller cannot have this carried out.
pub(super) fn refuses(args: &RunArgs, caller: Caller) -> Result<(), Unsuitable> {
    args.trace.refuses(caller)?;
    never("--check", args.check, NO_LOAD)?;
    never("--schema", args.schema, NO_LOAD)?;
    let standard = args.plan.as_ref().is_some_and(|path| path.as_os_str() == "-");
    let why = "is this machine's standard input: name the file of the plan";
    match caller {
        Caller::Search => Ok(()),
        Caller::OwnAgents => never("-", standard, why),
        Caller::AgentsOfOthers => {
            never("-", standard, why)?;
            secret(args)
        }
    }
}

/// A secret in the command line itself.
fn secret(args: &RunArgs) -> Result<(), Unsuitable> {
    let secret = args.set.iter().find(|set| {
        let (key, value) = set.split_once('=').unwrap_or((set, ""));
        let name = key.rsplit('.').next().unwrap_or_default();
        is_secret_name(name) || url(value) != value
    });
    let Some(set) = secret else { return Ok(()) };
    let key = set.split('=').next().unwrap_or_default();
    let remedy = "let the plan take it from a variable of the agents, { env = \"NAME\" }";
    never(&format!("--set {key}"), true, format!("{SECRET}: {remedy}"))
}
