//! What the texts of a run show, derived from its command line.

use brunt_dhcp_driver::family::Family;
use brunt_dhcp_driver::{Kind, Stage};
use brunt_run::options::arrivals::Rate;

use super::load;
use crate::options::args::{DhcpArgs, Fleet, Scenario};
use crate::report::{Counted, ReportSettings};

/// What the rate counts, how high it should be, and which stages are always in the report.
pub(crate) fn requested(args: &DhcpArgs) -> ReportSettings {
    let v6 = args.family == Family::V6;
    let exchange = &args.exchange;
    let counted = match (exchange.first_half, exchange.rapid_commit, v6) {
        (false, _, _) => Counted::FourWay,
        (true, true, false) => Counted::RapidAcks,
        (true, true, true) => Counted::RapidReplies,
        (true, false, false) => Counted::Offers,
        (true, false, true) => Counted::Advertisements,
    };
    let rate = match args.load.options.arrivals() {
        // This machine's part of it.
        Rate::Constant { per_second, .. } => Some(per_second * load::slots(args).share()),
        _ => None,
    };
    ReportSettings {
        counted,
        rate,
        titles: stages(args).iter().map(|stage| stage.title(v6).to_owned()).collect(),
    }
}

fn stages(args: &DhcpArgs) -> Vec<Stage> {
    let exchange = &args.exchange;
    let mut stages = vec![Stage::First];
    if !exchange.first_half {
        stages.push(Stage::Second);
    }
    if exchange.renew_rate > 0.0 {
        stages.push(Stage::Renew);
    }
    if exchange.release_rate > 0.0 {
        stages.push(Stage::Release);
    }
    if let Scenario::Fleet(fleet) = &args.scenario {
        stages.extend(of_lives(fleet));
    }
    stages
}

/// What clients with lives do besides requesting a lease. Each stage has its place from the first interim line to the
/// last, whether it has happened yet or not.
fn of_lives(fleet: &Fleet) -> impl Iterator<Item = Stage> {
    let reboots = fleet.reboot_share > 0.0 || fleet.power_cut.is_some();
    [
        (Stage::Renew, fleet.renewals),
        (Stage::Release, fleet.release_share > 0.0),
        (Stage::Rebind, fleet.renewals),
        (Stage::Reboot, reboots),
        (Stage::Inform, fleet.inform_share > 0.0),
        (Stage::Decline, fleet.decline_share > 0.0),
    ]
    .into_iter()
    .filter_map(|(stage, happens)| happens.then_some(stage))
}

/// The highest number of stages: a record needs no room for more.
pub(crate) fn stages_max(args: &DhcpArgs) -> usize {
    let last = stages(args).into_iter().max().unwrap_or(Stage::First).max(Stage::Second);
    last as usize + 1
}

/// The name of each kind of exchange in the record, by the number of the kind.
pub(crate) fn operations(args: &DhcpArgs) -> Vec<&'static str> {
    let acquire = match (args.family, args.exchange.first_half) {
        (Family::V4, false) => "dora",
        (Family::V4, true) => "do",
        (Family::V6, false) => "sarr",
        (Family::V6, true) => "sa",
    };
    let known = [acquire, "renew", "release", "rebind", "reboot", "inform", "decline"];
    let mut names = known.to_vec();
    if args.family == Family::V6 {
        names[Kind::Reboot as usize] = "confirm";
        names[Kind::Inform as usize] = "information-request";
    }
    names.truncate(last(args) as usize + 1);
    names
}

/// The possible kind with the highest number: a record needs no room for more.
fn last(args: &DhcpArgs) -> Kind {
    match args.scenario {
        Scenario::Fleet(_) => Kind::Decline,
        _ if args.exchange.release_rate > 0.0 => Kind::Release,
        _ if args.exchange.renew_rate > 0.0 => Kind::Renew,
        _ => Kind::Acquire,
    }
}

/// The name of the scenario in the banner.
pub(crate) const fn scenario(args: &DhcpArgs) -> &'static str {
    match args.scenario {
        Scenario::Basic => "basic",
        Scenario::Avalanche => "avalanche",
        Scenario::Fleet(_) => "fleet",
    }
}
