//! The switches that perfdhcp does not have.

use super::theirs::BATCH_MAX;
use super::{Group, Kind, Switch};

/// The rows.
pub(super) const ALL: &[Switch] = &[
    Switch::flag(
        Group::Exchange,
        "rapid-commit",
        "Ask for rapid commit (RFC 4039, RFC 8415): a server that agrees answers the first message with the lease. \
         One that does not is asked for it by a REQUEST, unless -i is given.",
    ),
    Switch::flag(
        Group::Exchange,
        "release-on-exit",
        "Give back every lease that is held when the run ends. These releases enter no figure.",
    ),
    Switch::flag(
        Group::Exchange,
        "retransmit",
        "Send again what is not answered, after the times of RFC 2131 and RFC 8415, instead of giving it up after -d. \
         The scenarios avalanche and fleet always do.",
    ),
    Switch::flag(
        Group::Network,
        "client",
        "DHCPv4: be clients without a relay, which have no address yet: messages go to the broadcast address, and \
         what is sent back to each client's MAC address is heard. Needs an interface with -l, --lab and CAP_NET_RAW.",
    ),
    Switch::flag(
        Group::Network,
        "lab",
        "Everybody who hears a broadcast or multicast belongs to a laboratory. Without it, or BRUNT_LAB=1 in the \
         environment for scripts that cannot be changed, nothing is sent to such an address.",
    ),
    Switch::new(
        Group::Network,
        "relay-levels",
        "number",
        Kind::Whole(0, 32),
        "Number of relays a message went through: RELAY-FORW messages around it in DHCPv6, hops in DHCPv4.",
    )
    .default("1 in DHCPv4, 0 in DHCPv6"),
    Switch::new(
        Group::Network,
        "source-ip",
        "addresses",
        Kind::Text,
        "Local addresses to send from, each by a socket of its own: a comma-separated list of addresses or networks, \
         such as 10.0.0.5 or 10.0.1.0/28.",
    ),
    Switch::new(
        Group::Network,
        "source-port",
        "ports",
        Kind::Text,
        "Local ports to send from, each by a socket of its own: a comma-separated list of ports or ranges, such as \
         10067-10070. A server must answer to the port it was asked from.",
    ),
    Switch::new(
        Group::Messages,
        "option",
        "code=value",
        Kind::Text,
        "Add an option to every message, whose value is text, or hexadecimal after 0x, with {n} or {n:8} for the \
         number of the client with at least so many digits: '12=host-{n:4}', '60=0xff{n:8}'. May be repeated.",
    )
    .most(usize::MAX),
    Switch::new(
        Group::Messages,
        "relay-option",
        "[level:]code=value",
        Kind::Text,
        "Let a relay add an option: in DHCPv4 the sub-option of option 82 with this code, in DHCPv6 an option of the \
         RELAY-FORW. Level 1 is the relay next to the client. Values are as those of --option. May be repeated.",
    )
    .most(usize::MAX),
    Switch::new(
        Group::Rate,
        "arrival",
        "distribution",
        Kind::Choice(&["uniform", "poisson"]),
        "How the exchanges of -r are spread: evenly ('uniform'), or independently of each other ('poisson'), as those \
         of many clients are.",
    )
    .default("uniform"),
    Switch::new(
        Group::Rate,
        "backlog",
        "number",
        Kind::Whole(1, 100_000_000),
        "Number of due exchanges that may wait for a place in the window before further ones are dropped and counted. \
         Default: two seconds of the rate, at least 1024.",
    ),
    Switch::new(
        Group::Rate,
        "batch",
        "number",
        Kind::Whole(1, BATCH_MAX),
        "The most messages in one system call, before answers are read again.",
    ),
    Switch::flag(Group::Rate, "no-pin", "Let the operating system move worker threads between processors."),
    Switch::new(
        Group::Rate,
        "node",
        "r/n",
        Kind::Text,
        "This machine is number r, counted from 0, of n that share the run: it starts the exchanges whose number \
         leaves r when divided by n. No two machines use the same client or transaction id. All need the same --seed. \
         In an avalanche and a fleet each brings -R clients of its own.",
    )
    .default("0/1"),
    Switch::new(
        Group::Rate,
        "stages",
        "stages",
        Kind::Text,
        "A rate that changes, instead of -r: '1000/s for 30s, ramp 1000..5000 over 1m, sine 1000±500 every 10s for \
         1m, poisson 2000/s for 30s'.",
    ),
    Switch::new(
        Group::Rate,
        "warm-up",
        "seconds",
        Kind::Time,
        "Run for so long before anything is counted. -p and -n begin after it.",
    ),
    Switch::new(
        Group::Rate,
        "window",
        "number",
        Kind::Whole(1, 4_000_000),
        "The most exchanges in flight at a time. Default: 64 without a rate; with one, as many as a server keeps in \
         flight that answers nothing within the drop times, at most 65536.",
    ),
    Switch::new(
        Group::Rate,
        "workers",
        "number",
        Kind::Whole(1, 4096),
        "Number of worker threads. Each address and port that is sent from has one, so this says no more than \
         --source-ip and --source-port do, and must agree with them.",
    ),
    Switch::new(
        Group::Fleet,
        "births",
        "rate|over time",
        Kind::Text,
        "When clients come up for the first time: so many a second ('100'), or all spread over a time ('over 30s').",
    )
    .default("over 10s"),
    Switch::new(
        Group::Fleet,
        "decline-share",
        "share",
        Kind::Share,
        "Share of leases that are declined, as if the address were in use: 0.01 or 1%.",
    )
    .default("0"),
    Switch::new(
        Group::Fleet,
        "inform-share",
        "share",
        Kind::Share,
        "Share of lives that begin by asking for options only.",
    )
    .default("0"),
    Switch::new(
        Group::Fleet,
        "power-cut",
        "at time within time",
        Kind::Text,
        "Let every client lose its power without a word, and all come back within a time: 'at 60s within 5s'.",
    ),
    Switch::new(
        Group::Fleet,
        "reboot-share",
        "share",
        Kind::Share,
        "Share of lives that begin by asking whether the last lease still holds: INIT-REBOOT, CONFIRM.",
    )
    .default("0"),
    Switch::new(
        Group::Fleet,
        "release-share",
        "share",
        Kind::Share,
        "Share of lives that end with a release; the others end in silence.",
    )
    .default("0"),
    Switch::new(
        Group::Fleet,
        "renewals",
        "when",
        Kind::Choice(&["on", "off"]),
        "Whether leases are renewed at T1 and rebound at T2.",
    )
    .default("on"),
    Switch::new(
        Group::Fleet,
        "time-scale",
        "factor",
        Kind::Above(1e6),
        "How much faster leases age than they say: with 60, a lease of an hour is renewed after half a minute.",
    )
    .default("1"),
    Switch::new(
        Group::Output,
        "hgrm",
        "file",
        Kind::Path,
        "Write the percentile distribution of response times in the format that HdrHistogram plotters read.",
    ),
    Switch::new(
        Group::Output,
        "events",
        "file",
        Kind::Path,
        "Write what happens as it happens, a line of JSON for each interval.",
    ),
    Switch::new(Group::Output, "hlog", "file", Kind::Path, "Write an HdrHistogram interval log of response times."),
    Switch::new(Group::Output, "interval", "seconds", Kind::Time, "Time between the intervals of the record.")
        .default("1"),
    Switch::flag(
        Group::Output,
        "kernel-stamps",
        "Let answers count from when the kernel received them, not from when they were read.",
    ),
    Switch::new(
        Group::Output,
        "record",
        "file",
        Kind::Path,
        "Write the record of the run as JSON. 'brunt report' prints it again.",
    ),
    Switch::new(
        Group::Output,
        "report",
        "words",
        Kind::Choice(&["2012", "kea"]),
        "Whose words the report on standard output uses: those of the guide of 2012 or those of current Kea.",
    )
    .default("kea"),
    Switch::new(
        Group::Output,
        "slo",
        "objective",
        Kind::Text,
        "Exit with 99 if this does not hold at the end: 'dora.p99<20ms', 'errors<0.1%' or 'achieved>=99%'. May be \
         repeated.",
    )
    .most(usize::MAX),
];
