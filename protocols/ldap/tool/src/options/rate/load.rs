//! When operations start, how many at a time, and for how long: the options that become the engine's plan.

use std::time::Duration;

use brunt_run::options::arrivals::{Arrival, Rate};

use super::{Fault, Tool, Values, duration};
use crate::options::values::exclusive;

/// When operations begin, and how many there are.
#[derive(Clone, Debug, PartialEq)]
pub struct Load {
    /// Number of connections.
    pub connections: u32,
    /// Requests in flight on each.
    pub concurrent: u32,
    /// How long a connection and its bind last.
    pub mode: ConnectionMode,
    /// Operations after which to stop.
    pub iterations: Option<u64>,
    /// Time after which to stop, counted from the end of the warm-up.
    pub duration: Option<Duration>,
    /// Time before anything is counted.
    pub warm_up: Duration,
    /// When operations start.
    pub rate: Rate,
    /// Time between an answer and the next operation, as text.
    pub think: Option<String>,
    /// The number of worker threads, if not the default.
    pub workers: Option<usize>,
    /// Whether workers stay on their processors.
    pub pin: bool,
    /// Due operations that can wait, if not the default.
    pub backlog: Option<usize>,
    /// How long to wait for an answer.
    pub operation_timeout: Option<Duration>,
    /// How long to wait for the last answers.
    pub drain_timeout: Option<Duration>,
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
pub fn read(values: &Values, tool: Tool) -> Result<Load, Fault> {
    let concurrent = values.count("numConcurrentRequests").unwrap_or(1);
    let mode = mode(values, tool);
    if concurrent > 1 && mode != ConnectionMode::Bound {
        return Err(Fault::new("--noRebind must be used if --numConcurrentRequests is > 1"));
    }
    let reconnect_after = values.count("iterationsBeforeReconnect");
    if reconnect_after.is_some() && mode == ConnectionMode::PerOperation {
        return Err(Fault::new(
            "--iterationsBeforeReconnect needs --keepConnectionsOpen or --noRebind: without them each operation opens \
             its own connection",
        ));
    }
    Ok(Load {
        connections: small(values.count("numConnections").unwrap_or(1)),
        concurrent: small(concurrent),
        mode,
        iterations: values.count("maxIterations").filter(|&count| count > 0),
        duration: seconds(values, "maxDuration"),
        warm_up: seconds(values, "warmUpDuration").unwrap_or_default(),
        rate: rate(values)?,
        think: values.text("think").map(str::to_owned),
        workers: values.count("workers").and_then(|count| usize::try_from(count).ok()),
        pin: !values.given("no-pin"),
        backlog: values.count("backlog").and_then(|count| usize::try_from(count).ok()),
        operation_timeout: duration(values.count("operationTimeout").unwrap_or(30_000)),
        drain_timeout: values.count("drainTimeout").map(Duration::from_millis),
        reconnect_after,
        compat: values.given("compat"),
    })
}

/// A bind is the operation of authrate, so for authrate the only choice is to keep connections open.
fn mode(values: &Values, tool: Tool) -> ConnectionMode {
    if tool != Tool::Authrate && values.given("noRebind") {
        ConnectionMode::Bound
    } else if values.given("keepConnectionsOpen") {
        ConnectionMode::Rebind
    } else {
        ConnectionMode::PerOperation
    }
}

fn rate(values: &Values) -> Result<Rate, Fault> {
    let constant = values.decimal("targetThroughput").filter(|rate| *rate > 0.0);
    exclusive(values, &["stages", "variableRateData"])?;
    if constant.is_some() {
        exclusive(values, &["stages", "targetThroughput"])?;
    }
    let rate = if let Some(stages) = values.text("stages") {
        Rate::Stages(stages.to_owned())
    } else if let Some(path) = values.path("variableRateData") {
        Rate::File { path, base: constant }
    } else if let Some(per_second) = constant {
        let poisson = values.choice("arrival") == Some("poisson");
        Rate::Constant {
            per_second,
            arrival: if poisson { Arrival::Poisson } else { Arrival::Uniform },
        }
    } else {
        Rate::Unlimited
    };
    if values.given("arrival") && !matches!(rate, Rate::Constant { .. }) {
        return Err(Fault::new(
            "--arrival needs --targetThroughput: it spreads the operations of a rate",
        ));
    }
    if values.given("backlog") && rate == Rate::Unlimited {
        return Err(Fault::new(
            "--backlog needs --targetThroughput, --stages or --variableRateData: without a rate nothing waits",
        ));
    }
    if values.given("think") && rate != Rate::Unlimited {
        return Err(Fault::new(
            "--think cannot be used with --targetThroughput, --stages or --variableRateData: operations that become \
             due at a rate do not wait for an answer",
        ));
    }
    Ok(rate)
}

fn seconds(values: &Values, long: &str) -> Option<Duration> {
    values.count(long).filter(|&count| count > 0).map(Duration::from_secs)
}

/// The tables limit these values.
fn small(count: u64) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
