//! `brunt agents`: lists the agents that wait for orders.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

use brunt_cluster::message::{Join, Name, hello};
use brunt_run::World;
use brunt_run::options::exit::Exit;
use brunt_run::options::refusal::Refusal;

use super::failed;
use super::plane::{Ticks, connect, runtime};
use crate::cli::agent::AgentsArgs;

/// How long to listen: a waiting agent requests work twice a second.
const LISTEN: Duration = Duration::from_millis(1_600);
/// The most agents that are listed.
const AGENTS_MAX: usize = 10_000;

/// Lists the agents that request work, and gives them none.
pub(crate) fn agents(args: &AgentsArgs, world: &World) -> Result<Exit, Refusal> {
    let found = runtime()?.block_on(async {
        let nats = connect(&args.plane, "coordinator").await?;
        let pool = args.plane.broker.pool();
        let mut joins = nats.listen(hello(&pool)).await.map_err(failed)?;
        let mut over = Ticks::every(LISTEN);
        over.next().await;
        let mut found: BTreeMap<(Name, String), Join> = BTreeMap::new();
        loop {
            tokio::select! {
                () = over.next() => return Ok::<_, Refusal>(found),
                request = joins.next() => {
                    let Some(request) = request else { return Ok(found) };
                    let join = serde_json::from_slice::<Join>(&request.payload);
                    if let Ok(join) = join && found.len() < AGENTS_MAX {
                        found.insert((join.name.clone(), join.nonce.clone()), join);
                    }
                }
            }
        }
    })?;
    if found.is_empty() {
        world.console.message("no agent waits for orders in this pool");
        return Ok(Exit::Failed);
    }
    let width = found.keys().map(|(name, _)| name.as_str().len()).max().unwrap_or(0).max(4);
    let mut text = format!("{:<width$}  cores  version   host\n", "name");
    for join in found.values() {
        let (host, version) = (shown(&join.host), shown(&join.version));
        let other = if join.misfit(env!("CARGO_PKG_VERSION")).is_some() {
            "  (another version)"
        } else {
            ""
        };
        let _ = writeln!(
            text,
            "{:<width$}  {:>5}  {version:<8}  {host}{other}",
            join.name.as_str(),
            join.cores
        );
    }
    world.console.print(&text)
}

/// Text from another machine, made safe for the terminal.
fn shown(text: &str) -> String {
    text.chars().take(60).map(|c| if c.is_control() { '?' } else { c }).collect()
}
