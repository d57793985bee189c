//! The switches that perfdhcp does not have.

use super::common_rows;
use super::theirs::BATCH_MAX;
use super::{Kind, Row, group};
use brunt_run::options::{output, run_options};

/// The rows.
pub(super) fn all() -> Vec<Row> {
    let of_load = common_rows().iter().map(|row| Row { group: group::RATE, ..*row });
    let of_run = output::rows().iter().chain(run_options::rows());
    let of_run = of_run.map(|row| Row { group: group::OUTPUT, ..*row });
    ALL.iter().map(|row| row.ours()).chain(of_load).chain(of_run).collect()
}

const ALL: &[Row] = &[
    Row::new(
        group::EXCHANGE,
        "expect",
        "[answer:]option[=value]",
        Kind::Text,
        "Fail exchanges whose answers do not have this option, or have it with another value: '66=10.0.0.9', \
         'ack:67=boot.img', '43'. Values are as for --option. 'offer:', 'ack:', 'advertise:' or 'reply:' names one \
         of the two answers; without it both are checked. In DHCPv4 also the fields file, sname, siaddr and yiaddr: \
         'file=pxelinux.0', 'siaddr=10.0.0.9'. 'yiaddr=0.0.0.0', with -i, accepts the answers of boot servers \
         that give no address, such as those of PXE on port 4011 (-N 4011). May be repeated.",
    )
    .many(),
    Row::switch(
        group::EXCHANGE,
        "rapid-commit",
        "Request rapid commit (RFC 4039, RFC 8415): a server that agrees answers the first message with the \
         lease. If it does not agree, the client sends a REQUEST, unless -i is given.",
    ),
    Row::switch(
        group::EXCHANGE,
        "release-on-exit",
        "Release every lease that is held when the run ends. No figure includes these releases.",
    ),
    Row::switch(
        group::EXCHANGE,
        "retransmit",
        "Retransmit unanswered messages after the times of RFC 2131 and RFC 8415, instead of giving up after \
         -d. The scenarios avalanche and fleet always do this.",
    ),
    Row::switch(
        group::NETWORK,
        "client",
        "DHCPv4: act as clients without a relay and without an address. Messages go to the broadcast address, \
         and answers to each client's MAC address are received. Needs an interface with -l, --lab and \
         CAP_NET_RAW.",
    ),
    Row::switch(
        group::NETWORK,
        "lab",
        "Confirm that every host that hears a broadcast or multicast belongs to a laboratory. Without it \
         nothing is sent to such an address. For scripts that cannot be changed, BRUNT_LAB=1 in the \
         environment does the same.",
    ),
    Row::new(
        group::NETWORK,
        "relay-levels",
        "number",
        Kind::Integer(0, 32),
        "Number of relays that a message has passed: nested RELAY-FORW messages in DHCPv6, hops in DHCPv4.",
    )
    .default("1 in DHCPv4, 0 in DHCPv6"),
    Row::new(
        group::NETWORK,
        "source-ip",
        "addresses",
        Kind::Text,
        "Local addresses to send from, with one socket each: a comma-separated list of addresses or networks, \
         such as 10.0.0.5 or 10.0.1.0/28.",
    ),
    Row::new(
        group::NETWORK,
        "source-port",
        "ports",
        Kind::Text,
        "Local ports to send from, with one socket each: a comma-separated list of ports or ranges, such as \
         10067-10070. The server must answer to the port that a request came from.",
    ),
    Row::new(
        group::MESSAGES,
        "option",
        "code=value",
        Kind::Text,
        "Add an option to every message, such as '12=host-{n:4}' or '60=0xff{n:8}'. The value is text, or \
         hexadecimal after 0x; {n} is the number of the client, and {n:8} pads it to at least 8 digits. May \
         be repeated.",
    )
    .many(),
    Row::new(
        group::MESSAGES,
        "relay-option",
        "[level:]code=value",
        Kind::Text,
        "Let a relay add an option: in DHCPv4 the sub-option of option 82 with this code, in DHCPv6 an option \
         of the RELAY-FORW. Level 1 is the relay next to the client. Values are as for --option. May be \
         repeated.",
    )
    .many(),
    Row::new(
        group::RATE,
        "batch",
        "number",
        Kind::Integer(1, BATCH_MAX),
        "Maximum number of messages per system call, before answers are read again.",
    ),
    Row::new(
        group::RATE,
        "window",
        "number",
        Kind::Integer(1, 4_000_000),
        "Maximum number of exchanges in flight. Default: 64 without a rate; with one, as many as are in \
         flight if the server answers nothing within the drop times, at most 65536.",
    ),
    Row::new(
        group::RATE,
        "workers",
        "number",
        Kind::Integer(1, 4096),
        "Number of worker threads. Each source address and port has one, so this number must agree with \
         --source-ip and --source-port.",
    ),
    Row::new(
        group::FLEET,
        "births",
        "rate|over time",
        Kind::Text,
        "When clients start for the first time: at a rate per second ('100'), or spread over a time ('over \
         30s').",
    )
    .default("over 10s"),
    Row::new(
        group::FLEET,
        "decline-share",
        "share",
        Kind::Share,
        "Fraction of leases that are declined, as if the address were in use: 0.01 or 1%.",
    )
    .default("0"),
    Row::new(
        group::FLEET,
        "inform-share",
        "share",
        Kind::Share,
        "Fraction of client lives that begin with a request for options only: 0.01 or 1%.",
    )
    .default("0"),
    Row::new(
        group::FLEET,
        "power-cut",
        "at time within time",
        Kind::Text,
        "Cut the power of all clients at once, and restart them within a time: 'at 60s within 5s'.",
    ),
    Row::new(
        group::FLEET,
        "reboot-share",
        "share",
        Kind::Share,
        "Fraction of client lives that begin by confirming the last lease (INIT-REBOOT, CONFIRM): 0.5 or 50%.",
    )
    .default("0"),
    Row::new(
        group::FLEET,
        "release-share",
        "share",
        Kind::Share,
        "Fraction of client lives that end with a release: 0.2 or 20%. The others end without a message.",
    )
    .default("0"),
    Row::new(
        group::FLEET,
        "renewals",
        "when",
        Kind::Choice(&["on", "off"]),
        "Whether leases are renewed at T1 and rebound at T2.",
    )
    .default("on"),
    Row::new(
        group::FLEET,
        "time-scale",
        "factor",
        Kind::Above(1e6),
        "How much faster leases age than they say. With 60, a lease of one hour is renewed after half a \
         minute.",
    )
    .default("1"),
    Row::switch(
        group::OUTPUT,
        "deltas",
        "With -t, also print what happened since the last line, per second: exchanges offered by the load and not \
         started for want of room, messages sent, received and dropped in each stage. With -C, further values of the \
         same line.",
    ),
    Row::switch(
        group::OUTPUT,
        "kernel-stamps",
        "Time answers by the moment when the kernel received them instead of when they were read.",
    ),
    Row::new(
        group::OUTPUT,
        "report",
        "words",
        Kind::Choice(&["2012", "kea"]),
        "Wording of the report on standard output: that of the guide of 2012, or that of current Kea.",
    )
    .default("kea"),
];
