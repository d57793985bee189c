//! The switches of the original perfdhcp, of 2012 and of today.

use super::{Group, Kind, Switch};

/// The rows.
pub(super) const ALL: &[Switch] = &[
    Switch::flag(
        Group::Exchange,
        "1",
        "Send all later requests to the server that answered first: they carry its identifier.",
    ),
    Switch::flag(Group::Exchange, "4", "DHCPv4. This is the default."),
    Switch::flag(Group::Exchange, "6", "DHCPv6."),
    Switch::flag(
        Group::Exchange,
        "c",
        "DHCPv6 with -i: request rapid commit, so that the server may answer a SOLICIT with a REPLY that \
         holds the lease. --rapid-commit works without -i and in DHCPv4 too.",
    ),
    Switch::new(
        Group::Exchange,
        "e",
        "lease-type",
        Kind::Choice(&["address-only", "prefix-only", "address-and-prefix"]),
        "What to lease. Prefixes are for DHCPv6 only.",
    )
    .default("address-only"),
    Switch::flag(
        Group::Exchange,
        "i",
        "Perform only the first half of each exchange: DISCOVER and OFFER, or SOLICIT and ADVERTISE.",
    ),
    Switch::new(
        Group::Exchange,
        "scenario",
        "name",
        Kind::Choice(&["basic", "avalanche", "fleet"]),
        "'basic': exchanges at a rate, no message sent twice. 'avalanche': all -R clients at once; they \
         retransmit as the RFCs say, until every one has its lease. 'fleet': clients that renew, reboot and \
         release; see below.",
    )
    .default("basic"),
    Switch::new(
        Group::Clients,
        "b",
        "type=value",
        Kind::Text,
        "Base of the client identities: mac=00:0c:01:02:03:04 (or ether=) or \
         duid=000100011d2f3a00000c01020304. The last six octets of the DUID are replaced by those of the MAC \
         address if there is more than one client. May be repeated.",
    )
    .default("mac=00:0c:01:02:03:04")
    .most(4),
    Switch::new(
        Group::Clients,
        "M",
        "file",
        Kind::Path,
        "Draw the MAC address of each exchange at random from this file, one address per line. In DHCPv6 they \
         become DUID-LLs. Not with -b.",
    ),
    Switch::new(
        Group::Clients,
        "R",
        "number",
        Kind::Whole(0, u32::MAX as u64),
        "Number of different clients, which take turns; 0 means 1.",
    )
    .also("clients")
    .default("1"),
    Switch::flag(
        Group::Clients,
        "u",
        "Count addresses that were given to a client while another client still held them, as far as this run \
         knows.",
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
        "Draw the relay address of each exchange at random from this file, one address per line: giaddr in \
         DHCPv4, the link-address of the RELAY-FORW in DHCPv6. A DHCPv4 server sends its answer to that \
         address, unless it is configured to answer the sender (Kea: KEA_TEST_SEND_RESPONSES_TO_SOURCE=1 in \
         its environment).",
    ),
    Switch::new(
        Group::Network,
        "l",
        "address|interface",
        Kind::Text,
        "Local address or interface to send from. Default: that of the route to the server.",
    ),
    Switch::new(
        Group::Network,
        "L",
        "port",
        Kind::Whole(0, 65_535),
        "Local port. Default, and for 0: 67 in DHCPv4 and 68 there with --client; 546 in DHCPv6 and 547 there \
         with a relay.",
    ),
    Switch::new(
        Group::Network,
        "N",
        "port",
        Kind::Whole(0, 65_535),
        "Port of the server. Default, and for 0: 67 in DHCPv4, 547 in DHCPv6.",
    ),
    Switch::new(
        Group::Messages,
        "E",
        "offset",
        Kind::Whole(0, OFFSET_MAX),
        "Offset of the elapsed time in the second template: of the secs field in DHCPv4, of the option in \
         DHCPv6. 0 leaves it unchanged.",
    ),
    Switch::new(
        Group::Messages,
        "I",
        "offset",
        Kind::Whole(1, OFFSET_MAX),
        "Offset, in the second template, of the option that requests the lease: requested address in DHCPv4, \
         IA_NA in DHCPv6.",
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
        "Offset of the last byte of the client identity in the template: of the MAC address in DHCPv4, of the \
         DUID in DHCPv6. Twice for two templates. Without it, a DHCPv4 client identifier that repeats the MAC \
         address is replaced as well.",
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
        "Offset of the server identifier option in the second template.",
    ),
    Switch::new(
        Group::Messages,
        "T",
        "file",
        Kind::Path,
        "Send the message in this file (hexadecimal digits) instead of a generated one: the first file for \
         DISCOVER or SOLICIT, a second file for REQUEST. Fields that differ between clients are overwritten. \
         An offset that is not given is found in the message; a wrong one is an error.",
    )
    .most(2),
    Switch::new(
        Group::Messages,
        "X",
        "offset",
        Kind::Whole(1, OFFSET_MAX),
        "Offset of the transaction id in the template. Twice for two templates.",
    )
    .default("4 in DHCPv4, 1 in DHCPv6")
    .most(2),
    Switch::new(
        Group::Messages,
        "y",
        "seconds",
        Kind::Time,
        "Let clients claim for this long, from -Y on, that they have been waiting: the secs field or the \
         elapsed-time option rises.",
    ),
    Switch::new(Group::Messages, "Y", "seconds", Kind::TimeOrNone, "When the claim of -y begins. Needs -y."),
    Switch::new(
        Group::Rate,
        "a",
        "aggressivity",
        Kind::Whole(1, BATCH_MAX),
        "Maximum number of messages in one burst before answers are read again, as --batch. It does not limit \
         the rate: exchanges that are late start at once.",
    ),
    Switch::new(
        Group::Rate,
        "f",
        "rate",
        Kind::Above(RATE_MAX),
        "Renewals per second of leases obtained earlier. Needs -r, which must be at least -f and -F together.",
    ),
    Switch::new(
        Group::Rate,
        "F",
        "rate",
        Kind::Above(RATE_MAX),
        "Releases per second of leases obtained earlier. Needs -r, which must be at least -f and -F together.",
    ),
    Switch::new(
        Group::Rate,
        "g",
        "mode",
        Kind::Choice(&["single", "multi"]),
        "'single': one thread. 'multi': one for each source address and port, see --source-ip and \
         --source-port.",
    )
    .default("multi"),
    Switch::new(
        Group::Rate,
        "P",
        "number",
        Kind::Whole(0, PRELOAD_MAX),
        "Send this many first messages back to back before the run. Neither they nor their answers are \
         counted.",
    )
    .default("0"),
    Switch::new(
        Group::Rate,
        "r",
        "rate",
        Kind::Above(RATE_MAX),
        "Exchanges to start per second (open loop), whether or not the server answers; 0.5 is one every two \
         seconds. Without it, as many as --window allows in flight.",
    ),
    Switch::new(
        Group::Rate,
        "s",
        "seed",
        Kind::Whole(0, u64::MAX),
        "Seed for all random values: the same seed draws the same values. 0, the default, is a new seed for \
         each run, stated in the record.",
    )
    .also("seed"),
    Switch::new(
        Group::End,
        "d",
        "seconds",
        Kind::Time,
        "Drop time: a message without an answer for this long is a drop. Given again, for the second half of \
         exchanges.",
    )
    .default("1")
    .most(2),
    Switch::new(
        Group::End,
        "D",
        "number[%]",
        Kind::Text,
        "Stop at this many drops, such as 100 or 5%. 0 stops at the first; a percentage is of the messages \
         sent, from the tenth on. A number and a percentage may be given together, and each again for the \
         second half of exchanges.",
    )
    .most(4),
    Switch::new(
        Group::End,
        "n",
        "number",
        Kind::Whole(1, u64::MAX),
        "Stop when this many exchanges were started, and answered or dropped. Given again, when this many \
         reached their second half.",
    )
    .most(2),
    Switch::new(
        Group::End,
        "p",
        "seconds",
        Kind::Time,
        "Stop after this time. The first of -n and -p to be reached ends the run.",
    ),
    Switch::new(
        Group::End,
        "W",
        "microseconds",
        Kind::Whole(0, WAIT_MAX),
        "How long to wait at the end for outstanding answers; in an avalanche, after ^C. Default: as long as -d \
         allows.",
    ),
    Switch::new(
        Group::Output,
        "C",
        "separator",
        Kind::Text,
        "Print no banner, and print the reports of -t as bare values with this separator.",
    ),
    Switch::new(
        Group::Output,
        "t",
        "seconds",
        Kind::Time,
        "Time between interim reports. They count from the beginning of the run and have a figure for each \
         stage of the final report.",
    ),
    Switch::new(
        Group::Output,
        "w",
        "command",
        Kind::Text,
        "Run this command with the argument 'start' before the run and 'stop' after it.",
    ),
    Switch::new(
        Group::Output,
        "x",
        "letters",
        Kind::Text,
        "Show more: a the decoded command line, e why the run ended, i details of the rate, l the leases, r \
         the random values, s the first server identifier, t the times of every exchange, T the first message \
         of each kind with its offsets.",
    ),
    Switch::flag(Group::General, "h", "Show this help.").also("help"),
    Switch::flag(Group::General, "v", "Show the version.").also("version"),
    Switch::flag(Group::General, "V", "Show the version, and the original tools whose command line is accepted."),
];

/// The largest UDP payload has no byte beyond this offset.
const OFFSET_MAX: u64 = 65_506;
/// The most messages that `drivers` sends in one system call.
pub(super) const BATCH_MAX: u64 = 1024;
/// More than any machine can send.
pub(super) const RATE_MAX: f64 = 1e9;
/// Preloaded messages are sent without waiting, so a larger number would be a flood.
const PRELOAD_MAX: u64 = 10_000_000;
/// A day.
const WAIT_MAX: u64 = 86_400_000_000;
