//! The scenarios other than exchanges at a rate: what an avalanche ignores, and the lives of a fleet's clients.

use std::time::Duration;

use brunt_run::options::row::dashed;
use brunt_run::options::syntax::Syntax as _;
use brunt_run::options::usage_error::UsageError;
use brunt_run::options::values::Values;

use super::args::{Fleet, FleetStart, PowerCut, Scenario};
use super::switches::group;
use super::syntax::{Getopt, moment, refused};

/// The time over which a fleet starts by default.
const BIRTHS: Duration = Duration::from_secs(10);

/// The switches that perfdhcp has always ignored in an avalanche.
const ASIDE: [&str; 9] = ["d", "p", "r", "n", "D", "P", "w", "f", "F"];

/// Our switches that do not apply to an avalanche, which starts everything at once.
const NOT_IN_AVALANCHE: [&str; 8] =
    ["stages", "rate-file", "arrival", "think", "backlog", "window", "warm-up", "a"];

/// The switches that do not apply to a fleet: each client has one identity, its own times, and sends real messages.
const NOT_IN_FLEET: [&str; 18] = [
    "r",
    "f",
    "F",
    "P",
    "stages",
    "rate-file",
    "arrival",
    "think",
    "backlog",
    "window",
    "warm-up",
    "T",
    "i",
    "1",
    "M",
    "d",
    "Y",
    "y",
];

/// Reads the scenario, and adds notes for the user about it.
pub(super) fn read(values: &Values, notes: &mut Vec<String>) -> Result<Scenario, UsageError> {
    let name = values.text("scenario").unwrap_or("basic");
    if name != "fleet" {
        let fleets = values.rows().iter().filter(|switch| switch.group == group::FLEET);
        if let Some(switch) = fleets.into_iter().find(|switch| values.has(switch.name)) {
            return Err(UsageError::new(format!("{} needs --scenario fleet", dashed(switch.name))));
        }
    }
    if name == "basic" {
        if values.has("retransmit") && values.has("d") {
            return Err(UsageError::new(
                "-d cannot be used with --retransmit: the RFCs define how long to wait",
            ));
        }
        return Ok(Scenario::Basic);
    }
    if values.count("R").is_none_or(|clients| clients == 0) {
        return Err(UsageError::new(format!(
            "--scenario {name} needs -R, the number of its clients"
        )));
    }
    if name == "avalanche" {
        refuse(values, name, &NOT_IN_AVALANCHE)?;
        let given: Vec<String> =
            ASIDE.into_iter().filter(|name| values.has(name)).map(dashed).collect();
        if !given.is_empty() {
            notes.push(format!(
                "{} {} no effect under --scenario avalanche, which ends when every client has its lease",
                given.join(", "),
                if given.len() == 1 { "has" } else { "have" }
            ));
        }
        return Ok(Scenario::Avalanche);
    }
    refuse(values, name, &NOT_IN_FLEET)?;
    fleet(values).map(Scenario::Fleet)
}

fn refuse(values: &Values, scenario: &str, names: &[&str]) -> Result<(), UsageError> {
    match names.iter().find(|name| values.has(name)) {
        Some(name) => Err(UsageError::new(format!(
            "{} cannot be used with --scenario {scenario}",
            dashed(name)
        ))),
        None => Ok(()),
    }
}

fn fleet(values: &Values) -> Result<Fleet, UsageError> {
    let share = |name: &str| values.share(name).unwrap_or(0.0);
    let (inform_share, reboot_share) = (share("inform-share"), share("reboot-share"));
    if inform_share + reboot_share > 1.0 {
        return Err(UsageError::new(
            "--inform-share and --reboot-share add up to more than 1: lower one of them",
        ));
    }
    Ok(Fleet {
        births: values.text("births").map_or(Ok(FleetStart::Over(BIRTHS)), births)?,
        renewals: values.text("renewals") != Some("off"),
        release_share: share("release-share"),
        decline_share: share("decline-share"),
        inform_share,
        reboot_share,
        time_scale: values.decimal("time-scale").unwrap_or(1.0),
        power_cut: values.text("power-cut").map(power_cut).transpose()?,
    })
}

fn births(text: &str) -> Result<FleetStart, UsageError> {
    let births = match text.strip_prefix("over ") {
        Some(time) => moment(time.trim()).map(FleetStart::Over),
        None => Getopt
            .decimal(text.strip_suffix("/s").unwrap_or(text))
            .filter(|rate| *rate > 0.0)
            .map(FleetStart::PerSecond),
    };
    births.ok_or_else(|| {
        refused("births", text, "clients per second, such as 100, or a time, such as 'over 30s'")
    })
}

fn power_cut(text: &str) -> Result<PowerCut, UsageError> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let cut = match words[..] {
        ["at", at, "within", within] => {
            moment(at).zip(moment(within)).map(|(at, within)| PowerCut { at, within })
        }
        _ => None,
    };
    cut.ok_or_else(|| refused("power-cut", text, "two times, such as 'at 60s within 5s'"))
}
