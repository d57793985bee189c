//! Plans that were submitted for a search of the highest rate: whether such a search is possible, and the load that the
//! search repeats.

use brunt_capacity::{GoalError, Goals};
use brunt_envelope::RunSpec;
use brunt_net::Network;
use brunt_net::allowed::Allowed;
use brunt_run::Prepared;
use brunt_run::World;
use brunt_run::options::refusal::Refusal;

use super::granted::{self, Granted};
use super::loaded_plan::{LoadedPlan, Unsearchable, refuse_limits, users_of};
use crate as flow;
use crate::Users;
use crate::options::run::RunArgs;

/// The shortest time in which a search can finish, in seconds.
const LEAST_S: u64 = 300;

/// A load whose highest rate is searched for.
pub struct Searchable {
    /// The load.
    pub load: Prepared<Users>,
    /// The most iterations a second that its grant allows.
    pub ceiling: Option<f64>,
}

/// Prepares a submitted plan to be carried out many times.
pub fn prepare_granted(
    args: &RunArgs,
    granted: &Granted<'_>,
    (world, network): (&World, &Network),
) -> Result<Searchable, Refusal> {
    let requested = LoadedPlan::granted(args, granted).map_err(|(error, exit)| {
        let refusal = Refusal::usage(error);
        Refusal { exit, ..refusal }
    })?;
    examine(&requested, granted.submitted).map_err(Refusal::usage)?;
    let grant = &granted.submitted.grant;
    let ceiling = granted::ceiling(&requested.compiled, grant);
    let most = grant.users_max.unwrap_or(u32::MAX);
    let named = requested.plan.run.users.is_some();
    let search = requested.compiled.search.clone();
    let load =
        flow::prepare(requested.job(args, (world, network), false)?, world)?.with_search(search);
    let load = if named { load } else { load.with_sessions(move |rate| users_of(rate).min(most)) };
    Ok(Searchable { load, ceiling })
}

/// Why a search cannot be made with a plan.
#[derive(Debug, thiserror::Error)]
pub(super) enum SearchRefusal {
    #[error(transparent)]
    Plan(#[from] Unsearchable),
    #[error(
        "say what the rate has to meet, such as p99<20ms: neither the plan nor the search has an objective"
    )]
    NoObjective,
    #[error("failed to {0}")]
    Objective(#[from] GoalError),
    #[error(
        "it {0}, at rates that go as far as the target does: say that this is meant, and search again"
    )]
    Writes(String),
    #[error(
        "a search takes {LEAST_S} s or more, and the longest run of this target is {0} s: an administrator can list it \
         with more"
    )]
    Short(u64),
    #[error(
        "give the highest rate that may be tried: the target is on another machine, and has none of its own"
    )]
    Unbounded,
}

/// Whether the requested search can be made with this plan, if one is requested.
pub(super) fn examine(requested: &LoadedPlan, submitted: &RunSpec) -> Result<(), SearchRefusal> {
    let Some(search) = &submitted.search else { return Ok(()) };
    refuse_limits(&requested.plan.run)?;
    let of_plan = requested.plan.objectives.iter().chain(&requested.compiled.search.objectives);
    let texts: Vec<&String> = search.objectives.iter().chain(of_plan).collect();
    if texts.is_empty() {
        return Err(SearchRefusal::NoObjective);
    }
    let flow = &requested.compiled.flow;
    let measured: Vec<&str> =
        flow.operations.iter().chain(&flow.spans).map(String::as_str).collect();
    Goals::parse(&texts)?.check(&measured)?;
    if let Some(writes) = flow::writes(&requested.compiled.flow).filter(|_| !search.writes) {
        return Err(SearchRefusal::Writes(writes));
    }
    if let Some(most) = submitted.grant.seconds_max.filter(|most| *most < LEAST_S) {
        return Err(SearchRefusal::Short(most));
    }
    let bounded = search.to.is_some()
        || requested.compiled.search.to.is_some()
        || submitted.grant.rate_max.is_some();
    let here = |text: &String| text.parse::<Allowed>().is_ok_and(|allowed| allowed.is_loopback());
    if !bounded && !submitted.grant.allow.iter().all(here) {
        return Err(SearchRefusal::Unbounded);
    }
    Ok(())
}
