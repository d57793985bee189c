//! When an answer is missing, and when the run ends.

use std::time::Duration;

use brunt_run::options::output::duration;
use brunt_run::options::syntax::Syntax as _;
use brunt_run::options::usage_error::UsageError;
use brunt_run::options::values::Values;

use super::args::{DropLimit, Limits, Scenario};
use super::syntax::{Getopt, exclusive, refused};

/// How long a message waits for its answer by default.
pub(super) const DROP_TIME: Duration = Duration::from_secs(1);
/// The same for an avalanche, which ends differently.
const AVALANCHE_DROP_TIME: Duration = Duration::from_secs(1000);

/// Reads the limits. An avalanche has no limits of its own: it ends when every client has been answered.
pub(super) fn read(values: &Values, scenario: &Scenario) -> Result<Limits, UsageError> {
    exclusive(values, "W", "drain", "both set how long to wait for the last answers")?;
    let drain = values.text("drain").and_then(|text| duration(text).ok());
    let exit_wait = values.count("W").map(Duration::from_micros).or(drain);
    let drops = drop_limits(values)?;
    if *scenario == Scenario::Avalanche {
        return Ok(Limits {
            drop_time: [AVALANCHE_DROP_TIME; 2],
            drops: [DropLimit::default(); 2],
            numbers: [None; 2],
            period: None,
            exit_wait,
        });
    }
    let times = values.times("d");
    let numbers = values.counts("n");
    let of = |times: &[Duration], at: usize| times.get(at).copied().unwrap_or(DROP_TIME);
    Ok(Limits {
        drop_time: [of(&times, 0), of(&times, 1)],
        drops,
        numbers: [numbers.first().copied(), numbers.get(1).copied()],
        period: values.time("p"),
        exit_wait,
    })
}

/// Numbers and shares are counted separately: the first of each is for the first stage.
fn drop_limits(values: &Values) -> Result<[DropLimit; 2], UsageError> {
    let mut limits = [DropLimit::default(); 2];
    for text in values.all("D") {
        let percent = text.ends_with('%');
        let taken = |limit: &DropLimit| {
            if percent { limit.share.is_some() } else { limit.count.is_some() }
        };
        let free = limits.iter_mut().find(|limit| !taken(limit));
        let Some(limit) = free else {
            let what = if percent { "percentages" } else { "numbers" };
            return Err(UsageError::new(format!(
                "-D '{text}' is one too many: -D takes at most two {what}, one for each half of the exchanges"
            )));
        };
        let wrong =
            || refused("D", text, "a whole number, or a percentage above 0% and below 100%");
        if percent {
            let share = Getopt.share(text).filter(|it| *it > 0.0 && *it < 1.0);
            limit.share = Some(share.ok_or_else(wrong)?);
        } else {
            let plain = text.bytes().all(|byte| byte.is_ascii_digit());
            let count: Option<u64> = text.parse().ok().filter(|_| plain);
            limit.count = Some(count.ok_or_else(wrong)?.max(1));
        }
    }
    Ok(limits)
}
