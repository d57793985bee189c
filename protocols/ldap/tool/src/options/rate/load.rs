//! When operations start, how many at a time, and for how long: the options that become the engine's plan.

use std::time::Duration;

use brunt_run::options::declared::Unfit;
use brunt_run::options::load_options::{self, LoadOptions};

use super::{Tool, UsageError, Values};
use crate::options::opendj::{exclusive, refused};
use crate::options::table::{OPERATIONS, common_rows};

/// When operations begin, and how many there are.
#[derive(Clone, Debug, PartialEq)]
pub struct Load {
    /// Number of connections.
    pub connections: u32,
    /// Requests in flight on each.
    pub concurrent: u32,
    /// How long a connection and its bind last.
    pub mode: ConnectionMode,
    /// What every load has.
    pub options: LoadOptions,
    /// Operations after which a connection is replaced.
    pub reconnect_after: Option<u64>,
    /// Whether the table shows the figures of the original tools.
    pub compat: bool,
}

/// How long a connection and its bind last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConnectionMode {
    /// A connection and a bind for each operation.
    PerOperation,
    /// Connections stay open, and are bound again before each operation.
    Rebind,
    /// Connections stay open, and are bound once.
    Bound,
}

/// Reads the load.
pub fn read(values: &Values, tool: Tool) -> Result<Load, UsageError> {
    let concurrent = values.count("numConcurrentRequests").unwrap_or(1);
    let mode = mode(values, tool);
    if concurrent > 1 && mode != ConnectionMode::Bound {
        return Err(UsageError::new("--noRebind must be used if --numConcurrentRequests is > 1"));
    }
    let reconnect_after = values.count("iterationsBeforeReconnect");
    if reconnect_after.is_some() && mode == ConnectionMode::PerOperation {
        return Err(UsageError::new(
            "--iterationsBeforeReconnect needs --keepConnectionsOpen or --noRebind: without them each operation opens \
             its own connection",
        ));
    }
    Ok(Load {
        connections: small(values.count("numConnections").unwrap_or(1)),
        concurrent: small(concurrent),
        mode,
        options: options(values)?,
        reconnect_after,
        compat: values.has("compat"),
    })
}

/// A bind is the operation of authrate, so for authrate the only choice is to keep connections open.
fn mode(values: &Values, tool: Tool) -> ConnectionMode {
    if tool != Tool::Authrate && values.has("noRebind") {
        ConnectionMode::Bound
    } else if values.has("keepConnectionsOpen") {
        ConnectionMode::Rebind
    } else {
        ConnectionMode::PerOperation
    }
}

/// The options that all loads have in common: those of the original tools in their units, the others as declared.
fn options(values: &Values) -> Result<LoadOptions, UsageError> {
    let constant = values.decimal("targetThroughput").filter(|rate| *rate > 0.0);
    exclusive(values, &["stages", "variableRateData"])?;
    if constant.is_some() {
        exclusive(values, &["stages", "targetThroughput"])?;
    }
    // Numbers may be grouped and words may have any case, which the table checks.
    let plain = |long: &str| match long {
        "arrival" => values.choice(long).map(str::to_owned).into_iter().collect(),
        "backlog" | "workers" => {
            values.count(long).map(|number| number.to_string()).into_iter().collect()
        }
        _ => values.texts(long),
    };
    let common = load_options::read(common_rows(), &OPERATIONS, plain);
    let common = common.map_err(|Unfit { name, value, why }| {
        refused(&value, values.spelled(name).unwrap_or(name), &why)
    })?;
    let options = LoadOptions {
        rate: constant.map(Into::into),
        rate_file: values.path("variableRateData"),
        warm_up: seconds(values, "warmUpDuration"),
        duration: seconds(values, "maxDuration"),
        count: values.count("maxIterations").filter(|&count| count > 0),
        timeout: Some(Duration::from_millis(values.count("operationTimeout").unwrap_or(30_000))),
        drain: values.count("drainTimeout").map(Duration::from_millis),
        ..common
    };
    options.check(&OPERATIONS).map_err(UsageError::new)?;
    Ok(options)
}

fn seconds(values: &Values, long: &str) -> Option<Duration> {
    values.count(long).filter(|&count| count > 0).map(Duration::from_secs)
}

/// The tables limit these values.
fn small(count: u64) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
