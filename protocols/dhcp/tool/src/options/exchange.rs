//! The parts of an exchange.

use brunt_dhcp_driver::family::Family;
use brunt_run::options::row::dashed;
use brunt_run::options::usage_error::UsageError;
use brunt_run::options::values::Values;

use super::args::{Elapsed, Exchange, Lease, Scenario};
use super::expectations;
use super::limits::DROP_TIME;
use super::messages::{self, DefaultOptions};

/// Switches without an effect if exchanges end after the first half.
const SECOND_HALF: [&str; 6] = ["1", "E", "S", "I", "f", "F"];

/// Reads the parts of an exchange.
pub(super) fn read(
    values: &Values,
    family: Family,
    scenario: &Scenario,
    relay_levels: u8,
) -> Result<Exchange, UsageError> {
    let first_half = values.has("i");
    if first_half {
        check_first_half(values)?;
    }
    let rapid_commit = rapid_commit(values, family)?;
    let lease = lease(values, family)?;
    if values.has("release-on-exit") && first_half && !rapid_commit {
        return Err(UsageError::new(
            "--release-on-exit cannot be used with -i: no lease is obtained",
        ));
    }
    let usual = DefaultOptions { family, lease, first_half, rapid_commit };
    let rate =
        |name: &str| values.decimal(name).filter(|_| *scenario == Scenario::Basic).unwrap_or(0.0);
    Ok(Exchange {
        first_half,
        rapid_commit,
        lease,
        same_server: values.has("1"),
        renew_rate: rate("f"),
        release_rate: rate("F"),
        options: messages::options(values, usual)?,
        relay_options: messages::relay_options(values, family, relay_levels)?,
        elapsed: elapsed(values)?,
        retransmit: *scenario != Scenario::Basic || values.has("retransmit"),
        release_on_exit: values.has("release-on-exit"),
        expected: expectations::read(values, family)?,
    })
}

fn check_first_half(values: &Values) -> Result<(), UsageError> {
    let refuse = |what: String| {
        Err(UsageError::new(format!(
            "{what} cannot be used with -i: it applies to the second half of exchanges"
        )))
    };
    if let Some(name) = SECOND_HALF.into_iter().find(|name| values.has(name)) {
        return refuse(dashed(name));
    }
    let shares = values.all("D").filter(|text| text.ends_with('%')).count();
    if shares.max(values.occurrences("D") - shares) > 1 {
        return refuse("a second -D".to_owned());
    }
    for name in ["n", "T", "X", "O"] {
        if values.occurrences(name) > 1 {
            return refuse(format!("a second {}", dashed(name)));
        }
    }
    match values.times("d")[..] {
        [_, second] if second != DROP_TIME => refuse("a second -d".to_owned()),
        _ => Ok(()),
    }
}

/// `-c` keeps its original requirements; the long name covers all other cases.
fn rapid_commit(values: &Values, family: Family) -> Result<bool, UsageError> {
    if values.has("c") && family == Family::V4 {
        return Err(UsageError::new("-c needs -6: for rapid commit in DHCPv4 use --rapid-commit"));
    }
    if values.has("c") && !values.has("i") {
        return Err(UsageError::new(
            "-c needs -i: use --rapid-commit for servers that may not agree to rapid commit",
        ));
    }
    if values.has("rapid-commit") && values.has("T") {
        return Err(UsageError::new(
            "--rapid-commit cannot be used with -T: put the option into the template",
        ));
    }
    Ok(values.has("c") || values.has("rapid-commit"))
}

fn lease(values: &Values, family: Family) -> Result<Lease, UsageError> {
    let lease = match values.text("e") {
        Some("prefix-only") => Lease::Prefix,
        Some("address-and-prefix") => Lease::Both,
        _ => Lease::Address,
    };
    if lease != Lease::Address && family == Family::V4 {
        return Err(UsageError::new(format!(
            "-e {} needs -6: DHCPv4 has no prefixes",
            values.text("e").unwrap_or_default()
        )));
    }
    Ok(lease)
}

fn elapsed(values: &Values) -> Result<Option<Elapsed>, UsageError> {
    match (values.time("Y"), values.time("y")) {
        (Some(after), Some(lasting)) => Ok(Some(Elapsed { after, lasting })),
        (None, None) => Ok(None),
        (Some(_), None) => {
            Err(UsageError::new("-Y needs -y: add how long clients claim to have waited"))
        }
        (None, Some(_)) => {
            Err(UsageError::new("-y needs -Y: add the time at which the claim begins"))
        }
    }
}
