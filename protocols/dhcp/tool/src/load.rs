//! The engine's plan of a command line: when exchanges begin, how many are in flight, and for how long.

use std::time::Duration;

use brunt_dhcp_driver::{LifecycleOptions, Mix, PowerCut};
use brunt_engine::schedule::Schedule;
use brunt_engine::{Load, Plan};
use brunt_exchange::Slots;
use brunt_run::options::arrivals::{Rate, TargetRate};
use brunt_run::options::load_options::LoadOptions;
use brunt_run::{Files, SettingsError, share};

use crate::options::args::{DhcpArgs, Fleet, FleetStart, Scenario};
use crate::options::switches::EXCHANGES;

/// Exchanges in flight if no rate is given: enough to keep a server busy, and few enough for the receive buffer that it
/// most likely has.
pub(crate) const WINDOW: u32 = 64;
/// The most exchanges in flight if a rate is given; further exchanges that become due wait.
const WINDOW_MAX: u32 = 65_536;
/// Exchanges in flight beyond those of one drop time without answers, for uneven arrivals.
const WINDOW_SLACK: f64 = 64.0;
/// Time to read what arrives at the last moment.
const DRAIN_SLACK: Duration = Duration::from_millis(250);
/// The limit for an avalanche: longer than any user waits for one to end.
const DRAIN_MAX: Duration = Duration::from_secs(86_400);
/// The limit for an avalanche after a request to end: as long as both answers may take by default in other scenarios.
const AVALANCHE_STOPPED: Duration = Duration::from_secs(2);
/// How long a message without an answer is retransmitted: five times in DHCPv4, without end in DHCPv6.
const PATIENCE: Duration = Duration::from_secs(130);
/// Fractional rates are mixed with a resolution of a millionth of an exchange a second.
const MICRO: f64 = 1e6;

/// How exchanges of the three rates alternate.
pub(crate) fn mix(args: &DhcpArgs) -> Mix {
    let Rate::Constant { per_second, .. } = args.load.options.arrivals() else {
        return Mix::ACQUIRE;
    };
    let [acquire, renew, release] =
        [per_second, args.exchange.renew_rate, args.exchange.release_rate]
            .map(|rate| (rate * MICRO).round() as u64);
    Mix::new(acquire, renew, release)
}

/// The plan of a command line.
pub(crate) fn plan(
    args: &DhcpArgs,
    seed: u64,
    sources: usize,
    files: &Files,
) -> Result<Plan, SettingsError> {
    let node = share::requested(&args.output.run, args.output.seed)?;
    let options = options(args);
    let load = options.load(&EXCHANGES, files)?;
    let sessions = match &load {
        Load::Open(schedule) => window(args, schedule, node.world),
        Load::Closed(_) => users(args),
    };
    let mut settings = options.settings(load, sessions);
    settings.stop.count = count(args, &node.slots);
    settings.drain = Some(drain(args));
    settings.drain_stopped = Some(drain_stopped(args));
    let interval = args.output.interval.unwrap_or(settings.interval);
    settings.interval = interval.min(args.report.interim.unwrap_or(Duration::MAX));
    settings.seed = seed;
    let mut settings = share::divided(settings, node, 1)?;
    settings.workers = Some(workers(args, settings.sessions, sources));
    Ok(Plan::new(settings, 1)?)
}

/// What every load has, with all the rates of the command line in one: which of them an exchange belongs to follows
/// from its number.
fn options(args: &DhcpArgs) -> LoadOptions {
    let mut options = LoadOptions { duration: args.limits.period, ..args.load.options.clone() };
    if let Rate::Constant { per_second, .. } = options.arrivals() {
        let others = args.exchange.renew_rate + args.exchange.release_rate;
        options.rate = Some(TargetRate::from(per_second + others));
    }
    options
}

/// How many exchanges may be in flight, if no number was given: as many as are in flight if the server answers nothing,
/// so that the rate is kept even then.
#[derive(Clone, Copy)]
pub(crate) struct Window {
    /// How long an exchange may take without an answer.
    longest: Duration,
}

impl Window {
    /// That of a command line.
    pub(crate) fn from_args(args: &DhcpArgs) -> Self {
        let [first, second] = args.limits.drop_time;
        let patience = if args.exchange.retransmit { PATIENCE } else { Duration::ZERO };
        Self { longest: patience.max(first + second) }
    }

    /// At a peak rate, over this number of nodes.
    pub(crate) fn at(self, peak: f64, nodes: u32) -> u32 {
        let nodes = f64::from(nodes);
        let enough = peak * self.longest.as_secs_f64() + WINDOW_SLACK * nodes;
        enough.min(f64::from(WINDOW_MAX) * nodes) as u32
    }
}

/// The exchanges in flight of a schedule.
fn window(args: &DhcpArgs, schedule: &Schedule, nodes: u32) -> u32 {
    let peak = schedule.peak_per_second().unwrap_or(f64::from(WINDOW_MAX));
    args.load.window.map_or_else(|| Window::from_args(args).at(peak, nodes), u32::from)
}

/// The virtual users of a closed loop: each client of a scenario in which clients act for themselves, else as many
/// exchanges as may be in flight.
fn users(args: &DhcpArgs) -> u32 {
    match &args.scenario {
        Scenario::Basic => args.load.window.map_or(WINDOW, u32::from),
        Scenario::Avalanche | Scenario::Fleet(_) => args.clients.count.get(),
    }
}

/// A source has one socket, which one worker reads; the link of clients without an address is one source.
fn workers(args: &DhcpArgs, sessions: u32, sources: usize) -> usize {
    if args.route.client {
        return 1;
    }
    let most = sources.min(sessions as usize).max(1);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    args.load.workers.unwrap_or(cores).clamp(1, most)
}

/// Which exchanges this machine makes.
pub(crate) fn slots(args: &DhcpArgs) -> Slots {
    share::requested(&args.output.run, args.output.seed).map(|node| node.slots).unwrap_or_default()
}

/// The first `-n` counts requested leases; renewals and releases that become due between them do not count.
fn count(args: &DhcpArgs, slots: &Slots) -> Option<u64> {
    match args.scenario {
        Scenario::Avalanche => Some(u64::from(args.clients.count.get())),
        Scenario::Fleet(_) => args.limits.numbers[0],
        Scenario::Basic => args.limits.numbers[0].map(|count| {
            // Each machine mixes its own exchanges, up to the end of its part of the requested leases.
            match mix(args).until_acquired(slots.of(count)) {
                0 if count > 0 => slots.number(0),
                own => own.checked_sub(1).map_or(0, |last| slots.number(last) + 1),
            }
        }),
    }
}

fn drain(args: &DhcpArgs) -> Duration {
    match (args.limits.exit_wait, &args.scenario) {
        // All its messages are due at once, so this is the run itself, which only -W after ^C shortens.
        (_, Scenario::Avalanche) => DRAIN_MAX,
        (Some(wait), _) => wait,
        (None, Scenario::Basic) if args.exchange.retransmit => PATIENCE,
        // Clients with a life continue it; the run does not wait for them to give up.
        (None, Scenario::Basic | Scenario::Fleet(_)) => drop_times(args),
    }
}

/// How long a run waits after a request to end. The messages of an avalanche have no drop time of their own.
fn drain_stopped(args: &DhcpArgs) -> Duration {
    match (args.limits.exit_wait, &args.scenario) {
        (Some(wait), _) => wait,
        (None, Scenario::Avalanche) => AVALANCHE_STOPPED,
        (None, Scenario::Basic | Scenario::Fleet(_)) => drop_times(args),
    }
}

/// How long the answers of both stages may take.
fn drop_times(args: &DhcpArgs) -> Duration {
    let [first, second] = args.limits.drop_time;
    first + second + DRAIN_SLACK
}

/// The behaviour of a fleet's clients over their lives.
pub(crate) fn lives(args: &DhcpArgs, fleet: &Fleet) -> LifecycleOptions {
    let clients = f64::from(args.clients.count.get());
    LifecycleOptions {
        births: match fleet.births {
            FleetStart::PerSecond(rate) => Duration::from_secs_f64(1.0 / rate),
            FleetStart::Over(time) => time.div_f64(clients),
        },
        renewals: fleet.renewals,
        release_share: fleet.release_share,
        decline_share: fleet.decline_share,
        inform_share: fleet.inform_share,
        reboot_share: fleet.reboot_share,
        time_scale: fleet.time_scale,
        power_cut: fleet.power_cut.map(|cut| PowerCut { at: cut.at, within: cut.within }),
    }
}

/// Whether messages without an answer are retransmitted.
pub(crate) fn retransmits(args: &DhcpArgs) -> bool {
    args.exchange.retransmit || args.scenario != Scenario::Basic
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::{Parsed, parse};
    use brunt_engine::ThinkTime;
    use brunt_run::World;

    fn settings(switches: &str) -> brunt_engine::Settings {
        let line = format!("{switches} 127.0.0.1");
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        let Ok(Parsed::Run(args)) = parse(&words, &World::of_process()) else { panic!("{line}") };
        plan(&args, 1, 1, &Files::default()).unwrap().settings().clone()
    }

    #[test]
    fn load_options_reach_the_engine() {
        let closed = settings("--think 10ms --no-pin --drain 3s");
        let think = ThinkTime::Constant(Duration::from_millis(10));
        assert_eq!((closed.load, closed.pin), (Load::Closed(think), false));
        assert_eq!(closed.drain, Some(Duration::from_secs(3)));
        let open = settings("-r 10 -f 4 --backlog 7 --warm-up 1m -p 5");
        let Load::Open(schedule) = &open.load else { panic!("{open:?}") };
        assert_eq!((schedule.peak_per_second(), open.backlog), (Some(14.0), Some(7)));
        assert_eq!((open.warm_up.as_secs(), open.stop.time), (60, Some(Duration::from_secs(5))));
    }

    #[test]
    fn drain_waits_for_drop_times_or_as_requested() {
        for (switches, by_itself, stopped) in [
            ("--scenario avalanche -R 5", 86_400_000, 2_000),
            ("--scenario avalanche -R 5 -W 3000000", 86_400_000, 3_000),
            ("-r 10 -W 3000000", 3_000, 3_000),
            ("-r 10 -d 3 -d 2", 5_250, 5_250),
            ("-r 10 --retransmit", 130_000, 2_250),
        ] {
            let settings = settings(switches);
            let waits =
                [settings.drain, settings.drain_stopped].map(|it| it.map(|it| it.as_millis()));
            assert_eq!(waits, [Some(by_itself), Some(stopped)], "{switches}");
        }
    }
}
