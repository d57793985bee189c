//! The switches of the original perfdhcp, of 2012 and of today.

use super::{Kind, Row, group};

/// The rows.
pub(super) const ALL: &[Row] = &[
    Row::switch(
        group::EXCHANGE,
        "1",
        "Send all later requests to the server that answered first: they carry its identifier.",
    ),
    Row::switch(group::EXCHANGE, "4", "DHCPv4. This is the default."),
    Row::switch(group::EXCHANGE, "6", "DHCPv6."),
    Row::switch(
        group::EXCHANGE,
        "c",
        "DHCPv6 with -i: request rapid commit, so that the server may answer a SOLICIT with a REPLY that \
         holds the lease. --rapid-commit works without -i and in DHCPv4 too.",
    ),
    Row::new(
        group::EXCHANGE,
        "e",
        "lease-type",
        Kind::Choice(&["address-only", "prefix-only", "address-and-prefix"]),
        "What to lease. Prefixes are for DHCPv6 only.",
    )
    .default("address-only"),
    Row::switch(
        group::EXCHANGE,
        "i",
        "Perform only the first half of each exchange: DISCOVER and OFFER, or SOLICIT and ADVERTISE.",
    ),
    Row::new(
        group::EXCHANGE,
        "scenario",
        "name",
        Kind::Choice(&["basic", "avalanche", "fleet"]),
        "'basic': exchanges at a rate, no message sent twice. 'avalanche': all -R clients at once; they \
         retransmit as the RFCs say, until every one has its lease. 'fleet': clients that renew, reboot and \
         release; see below.",
    )
    .default("basic"),
    Row::new(
        group::CLIENTS,
        "b",
        "type=value",
        Kind::Text,
        "Base of the client identities: mac=00:0c:01:02:03:04 (or ether=) or \
         duid=000100011d2f3a00000c01020304. The last six octets of the DUID are replaced by those of the MAC \
         address if there is more than one client. May be repeated.",
    )
    .default("mac=00:0c:01:02:03:04")
    .most(4),
    Row::new(
        group::CLIENTS,
        "M",
        "file",
        Kind::Path,
        "Draw the MAC address of each exchange at random from this file, one address per line. In DHCPv6 they \
         become DUID-LLs. Not with -b.",
    ),
    Row::new(
        group::CLIENTS,
        "R",
        "number",
        Kind::Integer(0, u32::MAX as i128),
        "Number of different clients, which take turns; 0 means 1.",
    )
    .also(&["clients"])
    .default("1"),
    Row::switch(
        group::CLIENTS,
        "u",
        "Count addresses that were given to a client while another client still held them, as far as this run \
         knows.",
    ),
    Row::new(
        group::NETWORK,
        "A",
        "levels",
        Kind::Integer(1, 1),
        "DHCPv6: wrap every message in a RELAY-FORW, as a relay does. --relay-levels wraps more than once.",
    ),
    Row::switch(group::NETWORK, "B", "DHCPv4: allow the socket to send broadcasts."),
    Row::new(
        group::NETWORK,
        "J",
        "file",
        Kind::Path,
        "Draw the relay address of each exchange at random from this file, one address per line: giaddr in \
         DHCPv4, the link-address of the RELAY-FORW in DHCPv6. A DHCPv4 server sends its answer to that \
         address, unless it is configured to answer the sender (Kea: KEA_TEST_SEND_RESPONSES_TO_SOURCE=1 in \
         its environment).",
    ),
    Row::new(
        group::NETWORK,
        "l",
        "address|interface",
        Kind::Text,
        "Local address or interface to send from. Default: that of the route to the server.",
    ),
    Row::new(
        group::NETWORK,
        "L",
        "port",
        Kind::Integer(0, 65_535),
        "Local port. Default, and for 0: 67 in DHCPv4 and 68 there with --client; 546 in DHCPv6 and 547 there \
         with a relay.",
    ),
    Row::new(
        group::NETWORK,
        "N",
        "port",
        Kind::Integer(0, 65_535),
        "Port of the server. Default, and for 0: 67 in DHCPv4, 547 in DHCPv6.",
    ),
    Row::new(
        group::MESSAGES,
        "E",
        "offset",
        Kind::Integer(0, OFFSET_MAX),
        "Offset of the elapsed time in the second template: of the secs field in DHCPv4, of the option in \
         DHCPv6. 0 leaves it unchanged.",
    ),
    Row::new(
        group::MESSAGES,
        "I",
        "offset",
        Kind::Integer(1, OFFSET_MAX),
        "Offset, in the second template, of the option that requests the lease: requested address in DHCPv4, \
         IA_NA in DHCPv6.",
    ),
    Row::new(
        group::MESSAGES,
        "o",
        "code,hex",
        Kind::Text,
        "Add an option to every message: '60,646f63736973'. May be repeated.",
    )
    .many(),
    Row::new(
        group::MESSAGES,
        "O",
        "offset",
        Kind::Integer(3, OFFSET_MAX),
        "Offset of the last byte of the client identity in the template: of the MAC address in DHCPv4, of the \
         DUID in DHCPv6. Twice for two templates. Without it, a DHCPv4 client identifier that repeats the MAC \
         address is replaced as well.",
    )
    .most(2),
    Row::new(
        group::MESSAGES,
        "or",
        "[level:]code,hex",
        Kind::Text,
        "DHCPv6: add an option to the RELAY-FORW. Needs -A or --relay-levels. May be repeated.",
    )
    .many(),
    Row::new(
        group::MESSAGES,
        "S",
        "offset",
        Kind::Integer(1, OFFSET_MAX),
        "Offset of the server identifier option in the second template.",
    ),
    Row::new(
        group::MESSAGES,
        "T",
        "file",
        Kind::Path,
        "Send the message in this file (hexadecimal digits) instead of a generated one: the first file for \
         DISCOVER or SOLICIT, a second file for REQUEST. Fields that differ between clients are overwritten. \
         An offset that is not given is found in the message; a wrong one is an error.",
    )
    .most(2),
    Row::new(
        group::MESSAGES,
        "X",
        "offset",
        Kind::Integer(1, OFFSET_MAX),
        "Offset of the transaction id in the template. Twice for two templates.",
    )
    .default("4 in DHCPv4, 1 in DHCPv6")
    .most(2),
    Row::new(
        group::MESSAGES,
        "y",
        "seconds",
        Kind::Time,
        "Let clients claim for this long, from -Y on, that they have been waiting: the secs field or the \
         elapsed-time option rises.",
    ),
    Row::new(group::MESSAGES, "Y", "seconds", Kind::TimeOrNone, "When the claim of -y begins. Needs -y."),
    Row::new(
        group::RATE,
        "a",
        "aggressivity",
        Kind::Integer(1, BATCH_MAX),
        "Maximum number of messages in one burst before answers are read again, as --batch. It does not limit \
         the rate: exchanges that are late start at once.",
    ),
    Row::new(
        group::RATE,
        "f",
        "rate",
        Kind::Above(RATE_MAX),
        "Renewals per second of leases obtained earlier. Needs -r, which must be at least -f and -F together.",
    ),
    Row::new(
        group::RATE,
        "F",
        "rate",
        Kind::Above(RATE_MAX),
        "Releases per second of leases obtained earlier. Needs -r, which must be at least -f and -F together.",
    ),
    Row::new(
        group::RATE,
        "g",
        "mode",
        Kind::Choice(&["single", "multi"]),
        "'single': one thread. 'multi': one for each source address and port, see --source-ip and \
         --source-port.",
    )
    .default("multi"),
    Row::new(
        group::RATE,
        "P",
        "number",
        Kind::Integer(0, PRELOAD_MAX),
        "Send this many first messages back to back before the run. Neither they nor their answers are \
         counted.",
    )
    .default("0"),
    Row::new(
        group::RATE,
        "r",
        "rate",
        Kind::Above(RATE_MAX),
        "Exchanges to start per second (open loop), whether or not the server answers; 0.5 is one every two \
         seconds. Without it, as many as --window allows in flight.",
    ),
    Row::new(
        group::RATE,
        "s",
        "seed",
        Kind::Integer(0, u64::MAX as i128),
        "Seed for all random values: the same seed draws the same values. 0, the default, is a new seed for \
         each run, stated in the record.",
    )
    .also(&["seed"]),
    Row::new(
        group::END,
        "d",
        "seconds",
        Kind::Time,
        "Drop time: a message without an answer for this long is a drop. Given again, for the second half of \
         exchanges.",
    )
    .default("1")
    .most(2),
    Row::new(
        group::END,
        "D",
        "number[%]",
        Kind::Text,
        "Stop at this many drops, such as 100 or 5%. 0 stops at the first; a percentage is of the messages \
         sent, from the tenth on. A number and a percentage may be given together, and each again for the \
         second half of exchanges.",
    )
    .most(4),
    Row::new(
        group::END,
        "n",
        "number",
        Kind::Integer(1, u64::MAX as i128),
        "Stop when this many exchanges were started, and answered or dropped. Given again, when this many \
         reached their second half.",
    )
    .most(2),
    Row::new(
        group::END,
        "p",
        "seconds",
        Kind::Time,
        "Stop after this time. The first of -n and -p to be reached ends the run.",
    ),
    Row::new(
        group::END,
        "W",
        "microseconds",
        Kind::Integer(0, WAIT_MAX),
        "How long to wait at the end for outstanding answers; in an avalanche, after ^C. Default: as long as -d \
         allows.",
    ),
    Row::new(
        group::OUTPUT,
        "C",
        "separator",
        Kind::Text,
        "Print no banner, and print the reports of -t as bare values with this separator.",
    ),
    Row::new(
        group::OUTPUT,
        "t",
        "seconds",
        Kind::Time,
        "Time between interim reports. They count from the beginning of the run and have a figure for each \
         stage of the final report.",
    ),
    Row::new(
        group::OUTPUT,
        "w",
        "command",
        Kind::Text,
        "Run this command with the argument 'start' before the run and 'stop' after it.",
    ),
    Row::new(
        group::OUTPUT,
        "x",
        "letters",
        Kind::Text,
        "Show more: a the decoded command line, e why the run ended, i details of the rate, l the leases, r \
         the random values, s the first server identifier, t the times of every exchange, T the first message \
         of each kind with its offsets.",
    ),
    Row::switch(group::GENERAL, "h", "Show this help.").also(&["help"]),
    Row::switch(group::GENERAL, "v", "Show the version.").also(&["version"]),
    Row::switch(group::GENERAL, "V", "Show the version, and the original tools whose command line is accepted."),
];

/// The largest UDP payload has no byte beyond this offset.
const OFFSET_MAX: i128 = 65_506;
/// The most messages that `drivers` sends in one system call.
pub(super) const BATCH_MAX: i128 = 1024;
/// More than any machine can send.
pub(super) const RATE_MAX: f64 = 1e9;
/// Preloaded messages are sent without waiting, so a larger number would be a flood.
const PRELOAD_MAX: i128 = 10_000_000;
/// A day.
const WAIT_MAX: i128 = 86_400_000_000;
