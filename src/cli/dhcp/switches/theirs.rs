//! The switches that perfdhcp has, of 2012 and of today.

use super::{Group, Kind, Switch};

/// The rows.
pub(super) const ALL: &[Switch] = &[
    Switch::flag(
        Group::Exchange,
        "1",
        "Ask whichever server answered first for every lease: its identifier goes into all later requests.",
    ),
    Switch::flag(Group::Exchange, "4", "DHCPv4. This is the default."),
    Switch::flag(Group::Exchange, "6", "DHCPv6."),
    Switch::flag(
        Group::Exchange,
        "c",
        "DHCPv6 with -i: ask for rapid commit, so that a SOLICIT may be answered by a REPLY with the lease. \
         --rapid-commit does so without -i and in DHCPv4 as well.",
    ),
    Switch::new(
        Group::Exchange,
        "e",
        "lease-type",
        Kind::Choice(&["address-only", "prefix-only", "address-and-prefix"]),
        "What is leased. Prefixes are DHCPv6's.",
    )
    .default("address-only"),
    Switch::flag(
        Group::Exchange,
        "i",
        "Only the first half of each exchange: DISCOVER and OFFER, or SOLICIT and ADVERTISE.",
    ),
    Switch::new(
        Group::Exchange,
        "scenario",
        "name",
        Kind::Choice(&["basic", "avalanche", "fleet"]),
        "'basic': exchanges at a rate, no message sent twice. 'avalanche': all -R clients at once, which repeat what \
         was not answered as the RFCs say, until every one has its lease. 'fleet': clients with lives, see below.",
    )
    .default("basic"),
    Switch::new(
        Group::Clients,
        "b",
        "type=value",
        Kind::Text,
        "What the identities of clients are counted from: mac=00:0c:01:02:03:04 (or ether=) or \
         duid=000100011d2f3a00000c01020304, whose last six octets are those of the MAC address where there is more \
         than one client. May be repeated.",
    )
    .default("mac=00:0c:01:02:03:04")
    .most(4),
    Switch::new(
        Group::Clients,
        "M",
        "file",
        Kind::Path,
        "Draw the MAC address of each exchange from this file, one a line. In DHCPv6 they become DUID-LLs. Not with \
         -b.",
    ),
    Switch::new(
        Group::Clients,
        "R",
        "number",
        Kind::Whole(0, u32::MAX as u64),
        "Number of different clients, which take turns; 0 is the same as 1.",
    )
    .also("clients")
    .default("1"),
    Switch::flag(
        Group::Clients,
        "u",
        "Count addresses that were given to a client while another one still had them, for all this run knows.",
    ),
    Switch::new(
        Group::Network,
        "A",
        "levels",
        Kind::Whole(1, 1),
        "DHCPv6: wrap every message in a RELAY-FORW, as a relay does. --relay-levels wraps more than once.",
    ),
    Switch::flag(Group::Network, "B", "DHCPv4: allow the socket to send broadcasts."),
    Switch::new(
        Group::Network,
        "J",
        "file",
        Kind::Path,
        "Draw the address of the relay of each exchange from this file, one a line: giaddr in DHCPv4, \
         the link-address of the RELAY-FORW in DHCPv6. A DHCPv4 server answers to that address, unless it is told to \
         answer to where it was asked from (Kea: KEA_TEST_SEND_RESPONSES_TO_SOURCE=1 in its environment).",
    ),
    Switch::new(
        Group::Network,
        "l",
        "address|interface",
        Kind::Text,
        "The local address or the interface to send from. By default the one that the route to the server takes.",
    ),
    Switch::new(
        Group::Network,
        "L",
        "port",
        Kind::Whole(0, 65_535),
        "The local port. By default, and for 0, it is 67 in DHCPv4 and 68 there with --client, 546 in DHCPv6 and 547 \
         there with a relay.",
    ),
    Switch::new(
        Group::Network,
        "N",
        "port",
        Kind::Whole(0, 65_535),
        "The port of the server. By default, and for 0, it is 67 in DHCPv4 and 547 in DHCPv6.",
    ),
    Switch::new(
        Group::Messages,
        "E",
        "offset",
        Kind::Whole(0, OFFSET_MAX),
        "Where in the second template the elapsed time stands: the secs field in DHCPv4, the option in DHCPv6. 0 \
         leaves it as it is.",
    ),
    Switch::new(
        Group::Messages,
        "I",
        "offset",
        Kind::Whole(1, OFFSET_MAX),
        "Where in the second template the option stands that asks for the lease: requested address in DHCPv4, IA_NA \
         in DHCPv6.",
    ),
    Switch::new(
        Group::Messages,
        "o",
        "code,hex",
        Kind::Text,
        "Add an option to every message: '60,646f63736973'. May be repeated.",
    )
    .most(usize::MAX),
    Switch::new(
        Group::Messages,
        "O",
        "offset",
        Kind::Whole(3, OFFSET_MAX),
        "Where in the template the last byte of the client's identity stands: of the MAC address in DHCPv4, of the \
         DUID in DHCPv6. Twice for two templates. Without it, a DHCPv4 client identifier that repeats the MAC address \
         is written as well.",
    )
    .most(2),
    Switch::new(
        Group::Messages,
        "or",
        "[level:]code,hex",
        Kind::Text,
        "DHCPv6: add an option to the RELAY-FORW. Needs -A or --relay-levels. May be repeated.",
    )
    .most(usize::MAX),
    Switch::new(
        Group::Messages,
        "S",
        "offset",
        Kind::Whole(1, OFFSET_MAX),
        "Where in the second template the option with the server identifier stands.",
    ),
    Switch::new(
        Group::Messages,
        "T",
        "file",
        Kind::Path,
        "Send the message in this file, hexadecimal digits, instead of one made here: first given, DISCOVER or \
         SOLICIT; given again, REQUEST. What clients differ in is written over it. An offset that is not given is \
         looked up in the message; one that points elsewhere than it should is an error.",
    )
    .most(2),
    Switch::new(
        Group::Messages,
        "X",
        "offset",
        Kind::Whole(1, OFFSET_MAX),
        "Where in the template the transaction id stands. Twice for two templates.",
    )
    .default("4 in DHCPv4, 1 in DHCPv6")
    .most(2),
    Switch::new(
        Group::Messages,
        "y",
        "seconds",
        Kind::Time,
        "Let clients claim for so long, from -Y on, that they have been waiting: a rising secs field or elapsed-time \
         option.",
    ),
    Switch::new(Group::Messages, "Y", "seconds", Kind::TimeOrNone, "When they begin to claim that. Needs -y."),
    Switch::new(
        Group::Rate,
        "a",
        "aggressivity",
        Kind::Whole(1, BATCH_MAX),
        "The most messages that leave in one burst before answers are read again, as --batch. It does not bound the \
         rate: what is late is caught up with at once.",
    ),
    Switch::new(
        Group::Rate,
        "f",
        "rate",
        Kind::Above(RATE_MAX),
        "Renewals a second of leases got before. Needs -r, which must not be less than -f and -F together.",
    ),
    Switch::new(
        Group::Rate,
        "F",
        "rate",
        Kind::Above(RATE_MAX),
        "Releases a second of leases got before. Needs -r, which must not be less than -f and -F together.",
    ),
    Switch::new(
        Group::Rate,
        "g",
        "mode",
        Kind::Choice(&["single", "multi"]),
        "'single': one thread. 'multi': one for each address and port that is sent from, see --source-ip and \
         --source-port.",
    )
    .default("multi"),
    Switch::new(
        Group::Rate,
        "P",
        "number",
        Kind::Whole(0, PRELOAD_MAX),
        "Send so many first messages back to back before the run begins. They are not counted, nor are their answers.",
    )
    .default("0"),
    Switch::new(
        Group::Rate,
        "r",
        "rate",
        Kind::Above(RATE_MAX),
        "Exchanges to start each second, whatever the server does; 0.5 is one every two seconds. Without it, as many \
         as --window allows in flight at a time.",
    ),
    Switch::new(
        Group::Rate,
        "s",
        "seed",
        Kind::Whole(0, u64::MAX),
        "Seed of everything random: the same seed draws the same values. 0, and the default, is a new one each run, \
         which the record names.",
    )
    .also("seed"),
    Switch::new(
        Group::End,
        "d",
        "seconds",
        Kind::Time,
        "Time after which a message that was not answered is a drop. Given again, for the second half of exchanges.",
    )
    .default("1")
    .most(2),
    Switch::new(
        Group::End,
        "D",
        "number[%]",
        Kind::Text,
        "Stop at so many drops; with 0 at the first, with 5% at that share of the messages, once ten have been sent. A \
         number and a share may be given together, and each again for the second half of exchanges.",
    )
    .most(4),
    Switch::new(
        Group::End,
        "n",
        "number",
        Kind::Whole(1, u64::MAX),
        "Stop when so many exchanges were started, and answered or dropped. Given again, when so many reached their \
         second half.",
    )
    .most(2),
    Switch::new(
        Group::End,
        "p",
        "seconds",
        Kind::Time,
        "Stop after this time. Of -n and -p the first to be reached ends the run.",
    ),
    Switch::new(
        Group::End,
        "W",
        "microseconds",
        Kind::Whole(0, WAIT_MAX),
        "How long to wait at the end for messages still to be answered. By default as long as -d allows them.",
    ),
    Switch::new(
        Group::Output,
        "C",
        "separator",
        Kind::Text,
        "No banner, and the reports of -t as bare values with this between them.",
    ),
    Switch::new(
        Group::Output,
        "t",
        "seconds",
        Kind::Time,
        "Time between interim reports, which count from the beginning of the run and have a figure for each stage of \
         the final report.",
    ),
    Switch::new(
        Group::Output,
        "w",
        "command",
        Kind::Text,
        "Call this with 'start' before the run and with 'stop' after it, as its argument.",
    ),
    Switch::new(
        Group::Output,
        "x",
        "letters",
        Kind::Text,
        "Show more: a the decoded command line, e why the run ended, i details of the rate, l the leases, r what was \
         drawn at random, s the first server identifier, t the moments of every exchange, T the first message of each \
         kind with its offsets.",
    ),
    Switch::flag(Group::General, "h", "Show this help.").also("help"),
    Switch::flag(Group::General, "v", "Show the version.").also("version"),
    Switch::flag(Group::General, "V", "Show the version, and whose command line this is."),
];

/// The largest UDP payload has no byte beyond.
const OFFSET_MAX: u64 = 65_506;
/// What `drivers` sends in one system call at most.
pub(super) const BATCH_MAX: u64 = 1024;
/// More than any machine sends.
pub(super) const RATE_MAX: f64 = 1e9;
/// Preloaded messages wait for nothing, so more are a flood.
const PRELOAD_MAX: u64 = 10_000_000;
/// A day.
const WAIT_MAX: u64 = 86_400_000_000;
