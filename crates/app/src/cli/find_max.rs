//! The options of `brunt find-max`, declared for clap. Their doc comments are their help; there is no logic here.

use std::path::PathBuf;
use std::time::Duration;

use brunt_capacity::PRECISION;
use brunt_engine::schedule::Rate as PerSecond;
use brunt_net::allowed::Allowed;
use brunt_run::options::about::About;
use brunt_run::options::output::duration;
use brunt_run::options::quiet::Quiet;
use brunt_run::options::server_cpu::ServerCpu;
use brunt_run::options::weights::Weights;
use clap::Args;

use super::plane::PlaneArgs;
use super::value_error::ValueError;

/// The end of the help.
const AFTER: &str = "\
The command after -- makes the load: an LDAP rate tool, perfdhcp, http, run, names lookup or leases with --mix, \
without its own rates, counts and durations. Each step is a separate run with Poisson arrivals, and uses other \
users, entries or clients than the steps before it.

The search begins with one session, doubles the rate until an objective is missed, narrows the limit down, holds a \
rate just below it for --confirm, and shows that a rate above it fails. After each failure it waits until the target \
has recovered. A plan may set objectives and limits of its search in a table [find-max]; options of the command line \
override them.

With --agents each step is a run that several machines share, as with 'brunt cluster run'. This machine prepares the \
load as well, to know its properties, so the files and variables of the command must exist here too.

Exit codes: 0 a rate was confirmed; 4 only a floor, because something other than the target limited the rate; 5 the \
target is away or did not recover; 8 the target is not allowed; 9 nothing could be claimed; 99 no rate passes.";

/// Options of `brunt find-max`.
#[derive(Args, Clone, Debug, Default, PartialEq)]
#[command(after_long_help = AFTER)]
pub(crate) struct FindMaxArgs {
    /// Objective that the rate must meet, such as 'bind.p99<20ms'; may be repeated
    ///
    /// 'p99<5x' means five times the p99 of the unloaded target. 'errors<0.1%' and 'achieved>=99%' are added unless
    /// you give objectives of their kind.
    #[arg(long = "slo", value_name = "OBJECTIVE")]
    pub(crate) objectives: Vec<String>,
    /// Search for five minutes at most, and claim a rate that was held for one minute
    ///
    /// The steps are shorter, so the claimed rate is lower and more searches end without a claim. The search can miss
    /// events that happen less often than every 6 s, and changes of the target over minutes. Options that you give as
    /// well, such as --confirm, override the values of --quick.
    #[arg(long)]
    pub(crate) quick: bool,
    /// How far below the estimated limit the claimed rate lies. Default: 5%, with --quick 10%
    #[arg(long, value_name = "SHARE", value_parser = share)]
    pub(crate) precision: Option<f64>,
    /// How long a rate must hold to be claimed. Default: 5m, with --quick 60s
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub(crate) confirm: Option<Duration>,
    /// How long the search may take. Default: 45m, with --quick 5m
    ///
    /// A longer --confirm extends the default by the same time. The search starts only steps that end within the
    /// budget.
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub(crate) budget: Option<Duration>,
    /// How long the target may take to recover from overload. Default: 60s, with --quick 30s
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub(crate) recovery: Option<Duration>,
    /// Rate to begin with, such as 200/s. Default: a quarter of the rate of one session
    #[arg(long, value_name = "RATE")]
    pub(crate) from: Option<PerSecond>,
    /// Try no higher rate than this, such as 20k/s
    ///
    /// Without it, the search raises the rate of a target on this machine as far as this machine allows. For any other
    /// target the option is required.
    #[arg(long, value_name = "RATE")]
    pub(crate) to: Option<PerSecond>,
    /// Seed for all random values. Default: a new one, stated in the record
    #[arg(long, value_name = "NUMBER")]
    pub(crate) seed: Option<u64>,
    /// Source of the target's processor time, or of its own counts
    ///
    /// Processor time: 'local' of the process on this machine that listens on the target's address; 'pid:PID' of a
    /// process that you name; 'prometheus:URL?query=COUNTER' of what a Prometheus server scrapes. Counts: 'monitor' of
    /// a directory, from cn=monitor; 'kea:SOCKET' of Kea, from its control socket.
    #[arg(long, value_name = "SOURCE")]
    pub(crate) server_cpu: Option<ServerCpu>,
    /// Send only to these addresses: an address or a network, such as 10.1.0.0/16:389
    ///
    /// Without this option and --i-own, only loopback addresses of this machine are allowed. Every connection and every
    /// datagram is checked, also after a redirect. May be repeated.
    #[arg(long = "allow", value_name = "CIDR[:PORT]", help_heading = "Protection")]
    pub(crate) allow: Vec<Allowed>,
    /// Host that you own and may overload: allows the addresses of this name; may be repeated
    #[arg(long = "i-own", value_name = "HOST", help_heading = "Protection")]
    pub(crate) owned: Vec<String>,
    /// Allow a load that writes, such as modrate or POST requests
    #[arg(long, help_heading = "Protection")]
    pub(crate) yes_writes: bool,
    /// Write all steps with their records as JSON, for brunt report and brunt sizing
    #[arg(long, value_name = "FILE", help_heading = "Results")]
    pub(crate) record: Option<PathBuf>,
    /// Write the result as one self-contained HTML page
    #[arg(long, value_name = "FILE", help_heading = "Results")]
    pub(crate) html: Option<PathBuf>,
    /// Which agents share the load, if it is not made here.
    #[command(flatten)]
    pub(crate) agents: AgentsOfSearch,
    /// Whether it is quiet.
    #[command(flatten, next_help_heading = "Results")]
    pub(crate) quiet: Quiet,
    /// Length of what counts as a second, for tests of the search itself
    #[arg(long, value_name = "DURATION", default_value = "1s", value_parser = duration, hide = true)]
    pub(crate) second: Option<Duration>,
    /// The command that makes the load, without rates and counts of its own
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub(crate) command: Vec<String>,
    /// The command line as a record may show it: secrets starred.
    #[arg(skip)]
    pub(crate) typed: Vec<String>,
}

/// Several agents that make the load of a search together.
#[derive(Args, Clone, Debug, Default, PartialEq)]
#[command(next_help_heading = "Agents")]
pub(crate) struct AgentsOfSearch {
    /// Number of agents that share the load of each step, on other machines: see 'brunt agent'
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) agents: Option<u32>,
    /// Start this number of agents and a broker on this machine, for trials and tests
    #[arg(
        long,
        value_name = "NUMBER",
        conflicts_with_all = ["agents", "keys", "nats", "creds", "token", "tls_ca"],
        value_parser = clap::value_parser!(u32).range(1..=64)
    )]
    pub(crate) local: Option<u32>,
    /// Share of each agent, by rank, such as 3,1,1; or ceiling, in proportion to what 'brunt calibrate' measured
    ///
    /// Default: equal shares.
    #[arg(long, value_name = "WEIGHTS")]
    pub(crate) weights: Option<Weights>,
    /// How long to wait for agents at each step, and then for their connections, such as 2m. Default: 60s
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub(crate) patience: Option<Duration>,
    /// File with the key that signs orders. Default: order.seed in --keys
    #[arg(long, value_name = "FILE")]
    pub(crate) sign: Option<PathBuf>,
    /// How the broker is reached.
    #[command(flatten)]
    pub(crate) plane: PlaneArgs,
}

/// An option for agents that is given without any.
#[derive(Debug, thiserror::Error)]
#[error("{option} is about agents: say how many with --agents, or leave it out")]
pub(crate) struct NoAgents {
    option: &'static str,
}

impl AgentsOfSearch {
    /// The number of agents, if agents make the load.
    pub(crate) fn count(&self) -> Result<Option<u32>, NoAgents> {
        let plane = &self.plane;
        let given = [
            ("--weights", self.weights.is_some()),
            ("--patience", self.patience.is_some()),
            ("--sign", self.sign.is_some()),
            ("--keys", plane.broker.keys.is_some()),
            ("--nats", plane.broker.nats.is_some()),
            ("--creds", plane.creds.is_some()),
            ("--token", plane.token.is_some()),
            ("--tls-ca", plane.tls_ca.is_some()),
            ("--tls-cert", plane.tls_cert.is_some()),
        ];
        let count = self.agents.or(self.local);
        match given.into_iter().find(|(_, given)| *given).filter(|_| count.is_none()) {
            Some((option, _)) => Err(NoAgents { option }),
            None => Ok(count),
        }
    }
}

/// A share such as 5% or 0.05.
fn share(text: &str) -> Result<f64, ValueError> {
    let (number, scale) = text.strip_suffix('%').map_or((text, 1.0), |number| (number, 100.0));
    let read = number.trim().parse::<f64>().ok().map(|number| number / scale);
    read.filter(|share| PRECISION.contains(share)).ok_or(ValueError::Precision)
}

/// The help and the page of `brunt find-max` beside its options.
pub(super) const ABOUT: About = About {
    description: include_str!("../commands/find_max/page.txt").trim_ascii_end(),
    examples: &[
        (
            "The highest rate at which 99% of the requests take less than 20 ms:",
            "brunt find-max --slo 'p99<20ms' -- http -c 100 http://127.0.0.1:8080/",
        ),
        ("A plan with its own objectives:", "brunt find-max -- run login.toml"),
        (
            "Binds that may take five times as long as without load, kept for a report:",
            "brunt find-max --slo 'p99<5x' --quick --record found.json -- \\\n\
             \x20 authrate -h 127.0.0.1 -p 1389 -c 50 -f -w password \\\n\
             \x20 -D 'uid=user.{1},ou=people,dc=example,dc=com' -g 'rand(0,2000)'",
        ),
        (
            "Your own server on another machine, up to 20,000 leases per second:",
            "brunt find-max --slo 'p99<50ms' --allow 10.0.0.2 --to 20k/s -- \\\n\
             \x20 perfdhcp -4 10.0.0.2",
        ),
        (
            "A mix of lease operations on SQLite:",
            "brunt find-max --slo 'p99<10ms' -- \\\n\
             \x20 leases sqlite --durability sync --workers 4 --preload 100k \\\n\
             \x20 --mix allocate=40,renew=45,release=40",
        ),
        (
            "With the processor time of the target, for brunt sizing:",
            "brunt find-max --slo 'p99<20ms' --server-cpu local --record found.json -- \\\n\
             \x20 http -c 100 http://127.0.0.1:8080/",
        ),
    ],
    short: &[
        ("objectives", "Objective, such as 'p99<20ms' or 'p99<5x'"),
        ("quick", "Search for 5 minutes at most; claims less"),
        ("confirm", "How long a rate must hold [default: 5m]"),
        ("budget", "How long the search may take [default: 45m]"),
        ("to", "Try no higher rate than this, such as 20k/s"),
        ("server_cpu", ""),
        ("allow", "Send only to these addresses, such as 10.0.0.2"),
        ("owned", "Host that you own and may overload"),
        ("yes_writes", "Allow a load that writes, such as modrate"),
        ("record", "Write all steps as JSON, for brunt report"),
    ],
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn precision_is_a_valid_share() {
        assert_eq!((share("5%"), share("0.1")), (Ok(0.05), Ok(0.1)));
        for wrong in ["", "5", "0%", "60%", "x%", "-1%", "nan"] {
            assert!(share(wrong).is_err(), "{wrong}");
        }
    }
}
