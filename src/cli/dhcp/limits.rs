//! When an answer is missing, and when the run ends.

use std::time::Duration;

use super::args::{DropLimit, Limits, Scenario};
use super::given::{Values, refused, share};
use crate::cli::fault::Fault;

/// How long a message waits for its answer, if nothing else is said.
pub(super) const DROP_TIME: Duration = Duration::from_secs(1);
/// How long an avalanche does, which ends otherwise.
const AVALANCHE_DROP_TIME: Duration = Duration::from_secs(1000);

/// Reads the limits. An avalanche has none of its own: it ends when everybody was served.
pub(super) fn read(values: &Values<'_>, scenario: &Scenario) -> Result<Limits, Fault> {
    let exit_wait = values.whole("W").map(Duration::from_micros);
    let drops = values.all("D").map(drop_limit).collect::<Result<Vec<_>, _>>()?;
    if *scenario == Scenario::Avalanche {
        return Ok(Limits {
            drop_time: [AVALANCHE_DROP_TIME; 2],
            drops: [None; 2],
            numbers: [None; 2],
            period: None,
            exit_wait,
        });
    }
    let times = values.times("d");
    let numbers = values.wholes("n");
    let of = |times: &[Duration], at: usize| times.get(at).copied().unwrap_or(DROP_TIME);
    Ok(Limits {
        drop_time: [of(&times, 0), of(&times, 1)],
        drops: [drops.first().copied(), drops.get(1).copied()],
        numbers: [numbers.first().copied(), numbers.get(1).copied()],
        period: values.time("p"),
        exit_wait,
    })
}

/// A number, of which 0 is the first drop as 1 is, or a share.
fn drop_limit(text: &str) -> Result<DropLimit, Fault> {
    let limit = if text.ends_with('%') {
        share(text).filter(|it| *it > 0.0 && *it < 1.0).map(DropLimit::Share)
    } else {
        let plain = text.bytes().all(|byte| byte.is_ascii_digit());
        text.parse().ok().filter(|_| plain).map(|count: u64| DropLimit::Count(count.max(1)))
    };
    limit.ok_or_else(|| refused("D", text, "a whole number, or a share above 0% and below 100%"))
}
