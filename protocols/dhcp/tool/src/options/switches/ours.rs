//! The switches that perfdhcp does not have.

use super::spelling::common_rows;
use super::theirs::BATCH_MAX;
use super::{Group, Kind, Switch};
use brunt_run::options::row::Row;
use brunt_run::options::{output, run_options};

/// The rows.
pub(super) fn all() -> Vec<Switch> {
    let of_load = common_rows().iter().map(|row| of_row(Group::Rate, row));
    let of_run = output::rows().iter().chain(run_options::rows());
    let of_run = of_run.map(|row| of_row(Group::Output, row));
    ALL.iter().copied().chain(of_load).chain(of_run).collect()
}

/// The row of an option that other commands have as well.
fn of_row(group: Group, row: &Row) -> Switch {
    let kind = match row.value {
        "" => Kind::Flag,
        _ if row.id == "backlog" => Kind::Whole(1, 100_000_000),
        _ if !row.choices.is_empty() => Kind::Choice(row.choices),
        _ if row.is_path => Kind::Path,
        _ if row.is_optional => Kind::Attached,
        _ => Kind::Text,
    };
    let switch = Switch::new(group, row.long, row.value, kind, row.help).default(row.default);
    if row.many { switch.most(usize::MAX) } else { switch }
}

const ALL: &[Switch] = &[
    Switch::new(
        Group::Exchange,
        "expect",
        "[answer:]option[=value]",
        Kind::Text,
        "Fail exchanges whose answers do not have this option, or have it with another value: '66=10.0.0.9', \
         'ack:67=boot.img', '43'. Values are as for --option. 'offer:', 'ack:', 'advertise:' or 'reply:' names one \
         of the two answers; without it both are checked. In DHCPv4 also the fields file, sname, siaddr and yiaddr: \
         'file=pxelinux.0', 'siaddr=10.0.0.9'. 'yiaddr=0.0.0.0', with -i, accepts the answers of boot servers \
         that give no address, such as those of PXE on port 4011 (-N 4011). May be repeated.",
    )
    .most(usize::MAX),
    Switch::flag(
        Group::Exchange,
        "rapid-commit",
        "Request rapid commit (RFC 4039, RFC 8415): a server that agrees answers the first message with the \
         lease. If it does not agree, the client sends a REQUEST, unless -i is given.",
    ),
    Switch::flag(
        Group::Exchange,
        "release-on-exit",
        "Release every lease that is held when the run ends. No figure includes these releases.",
    ),
    Switch::flag(
        Group::Exchange,
        "retransmit",
        "Retransmit unanswered messages after the times of RFC 2131 and RFC 8415, instead of giving up after \
         -d. The scenarios avalanche and fleet always do this.",
    ),
    Switch::flag(
        Group::Network,
        "client",
        "DHCPv4: act as clients without a relay and without an address. Messages go to the broadcast address, \
         and answers to each client's MAC address are received. Needs an interface with -l, --lab and \
         CAP_NET_RAW.",
    ),
    Switch::flag(
        Group::Network,
        "lab",
        "Confirm that every host that hears a broadcast or multicast belongs to a laboratory. Without it \
         nothing is sent to such an address. For scripts that cannot be changed, BRUNT_LAB=1 in the \
         environment does the same.",
    ),
    Switch::new(
        Group::Network,
        "relay-levels",
        "number",
        Kind::Whole(0, 32),
        "Number of relays that a message has passed: nested RELAY-FORW messages in DHCPv6, hops in DHCPv4.",
    )
    .default("1 in DHCPv4, 0 in DHCPv6"),
    Switch::new(
        Group::Network,
        "source-ip",
        "addresses",
        Kind::Text,
        "Local addresses to send from, with one socket each: a comma-separated list of addresses or networks, \
         such as 10.0.0.5 or 10.0.1.0/28.",
    ),
    Switch::new(
        Group::Network,
        "source-port",
        "ports",
        Kind::Text,
        "Local ports to send from, with one socket each: a comma-separated list of ports or ranges, such as \
         10067-10070. The server must answer to the port that a request came from.",
    ),
    Switch::new(
        Group::Messages,
        "option",
        "code=value",
        Kind::Text,
        "Add an option to every message, such as '12=host-{n:4}' or '60=0xff{n:8}'. The value is text, or \
         hexadecimal after 0x; {n} is the number of the client, and {n:8} pads it to at least 8 digits. May \
         be repeated.",
    )
    .most(usize::MAX),
    Switch::new(
        Group::Messages,
        "relay-option",
        "[level:]code=value",
        Kind::Text,
        "Let a relay add an option: in DHCPv4 the sub-option of option 82 with this code, in DHCPv6 an option \
         of the RELAY-FORW. Level 1 is the relay next to the client. Values are as for --option. May be \
         repeated.",
    )
    .most(usize::MAX),
    Switch::new(
        Group::Rate,
        "batch",
        "number",
        Kind::Whole(1, BATCH_MAX),
        "Maximum number of messages per system call, before answers are read again.",
    ),
    Switch::new(
        Group::Rate,
        "window",
        "number",
        Kind::Whole(1, 4_000_000),
        "Maximum number of exchanges in flight. Default: 64 without a rate; with one, as many as are in \
         flight if the server answers nothing within the drop times, at most 65536.",
    ),
    Switch::new(
        Group::Rate,
        "workers",
        "number",
        Kind::Whole(1, 4096),
        "Number of worker threads. Each source address and port has one, so this number must agree with \
         --source-ip and --source-port.",
    ),
    Switch::new(
        Group::Fleet,
        "births",
        "rate|over time",
        Kind::Text,
        "When clients start for the first time: at a rate per second ('100'), or spread over a time ('over \
         30s').",
    )
    .default("over 10s"),
    Switch::new(
        Group::Fleet,
        "decline-share",
        "share",
        Kind::Share,
        "Fraction of leases that are declined, as if the address were in use: 0.01 or 1%.",
    )
    .default("0"),
    Switch::new(
        Group::Fleet,
        "inform-share",
        "share",
        Kind::Share,
        "Fraction of client lives that begin with a request for options only: 0.01 or 1%.",
    )
    .default("0"),
    Switch::new(
        Group::Fleet,
        "power-cut",
        "at time within time",
        Kind::Text,
        "Cut the power of all clients at once, and restart them within a time: 'at 60s within 5s'.",
    ),
    Switch::new(
        Group::Fleet,
        "reboot-share",
        "share",
        Kind::Share,
        "Fraction of client lives that begin by confirming the last lease (INIT-REBOOT, CONFIRM): 0.5 or 50%.",
    )
    .default("0"),
    Switch::new(
        Group::Fleet,
        "release-share",
        "share",
        Kind::Share,
        "Fraction of client lives that end with a release: 0.2 or 20%. The others end without a message.",
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
        "How much faster leases age than they say. With 60, a lease of one hour is renewed after half a \
         minute.",
    )
    .default("1"),
    Switch::flag(
        Group::Output,
        "deltas",
        "With -t, also print what happened since the last line, per second: exchanges offered by the load and not \
         started for want of room, messages sent, received and dropped in each stage. With -C, further values of the \
         same line.",
    ),
    Switch::flag(
        Group::Output,
        "kernel-stamps",
        "Time answers by the moment when the kernel received them instead of when they were read.",
    ),
    Switch::new(
        Group::Output,
        "report",
        "words",
        Kind::Choice(&["2012", "kea"]),
        "Wording of the report on standard output: that of the guide of 2012, or that of current Kea.",
    )
    .default("kea"),
];
