//! The texts of the help beside the switches: the purpose of perfdhcp, its counters, its differences, examples.
//!
//! The tests read every example as a command line.

/// Its description.
pub(super) const DESCRIPTION: &[&str] = &[
    "Measures how many leases per second a DHCP server grants, and its response time. Simulated clients obtain leases \
     with DISCOVER, OFFER, REQUEST and ACK in DHCPv4, or with SOLICIT, ADVERTISE, REQUEST and REPLY in DHCPv6, at a \
     rate (-r) or as fast as the server answers. The run ends by -n, -p or -D, or by ^C, which waits for the last \
     answers and prints the report.",
    "The server is an IP address; host names are not resolved. 'all', or no server, addresses every server on the \
     network behind -l, at 255.255.255.255 or ff02::1:2. 'servers' in DHCPv6 is ff05::1:3. Any server may answer \
     these addresses, so they need --lab.",
    "In DHCPv4 the tool acts as a relay agent: it sends from port 67, with the local address as giaddr, so the server \
     needs a subnet for that address. Ports below 1024 need root or CAP_NET_BIND_SERVICE, --client needs CAP_NET_RAW, \
     and receive buffers above net.core.rmem_max need CAP_NET_ADMIN. 'setcap \
     cap_net_bind_service,cap_net_raw,cap_net_admin+ep brunt' grants all three permanently.",
    "Switches follow getopt: -4i -r100 is -4 -i -r 100, switches may follow the server, -- ends them, and long names \
     may be abbreviated. If a switch that takes one value is repeated, the last value counts.",
];

/// The counters.
pub(super) const COUNTERS: &[(&str, &str)] = &[
    ("drops", "messages without an answer within -d."),
    (
        "orphans",
        "answers that belong to no exchange in flight: late ones, and duplicates of answers received earlier.",
    ),
    ("rejected leases", "answers without the requested lease."),
    ("non unique addresses", "addresses given twice, with -u."),
    (
        "collected packets",
        "messages whose drop time passed before an answer arrived, if one arrived at all.",
    ),
    ("tooshort", "received messages that are too short for DHCP."),
    ("locallimit", "messages that this machine refused to send because of a local limit."),
    ("malformed", "received messages that are long enough but cannot be decoded."),
    ("unexpected", "received messages of a type that no client expects."),
    ("foreign", "received messages that answer no client of this run."),
];

/// The intentional differences from the original tool.
pub(super) const DIFFERENCES: &[&str] = &[
    "With -r each exchange is due at a fixed time, and all due exchanges are started, however many. -a only limits \
     how many messages are sent before answers are read again.",
    "A drop is a message without an answer within -d, not a message that is still in flight when the run ends. At the \
     end the tool waits for those as long as -d allows; -W sets another time, 0 for none.",
    "-n ends the run when the exchanges are answered or dropped, not while they are in flight.",
    "-D counts drops in this sense, so -D 1 does not end a run at its first message. -D 0 is accepted and stops at \
     the first drop, as in the guide of 2012.",
    "Without -r, at most --window exchanges are in flight, which keeps the server busy without flooding it.",
    "-r, -f, -F, -p, -t, -Y and -y accept decimals. -o may precede -4 or -6.",
    "The exit code is 2 for a wrong command line and 3 if an exchange did not complete. A RELEASE in DHCPv4, which is \
     never answered, does not count as incomplete.",
    "Rapid commit works: a REPLY or ACK to the first message completes the exchange.",
    "A DHCPNAK is a failed exchange. It does not become a drop.",
    "Template offsets that are not given are found in the template. A given offset must point at the field that it \
     names.",
    "The command of -w receives 'start' and 'stop' as its argument.",
    "A third -d is an error.",
    "Broadcast and multicast addresses need --lab.",
    "A summary with response time, service time, lag and percentiles follows on standard error. Standard output is \
     the same as that of the original tool.",
    "Started through a link named perfdhcp and with standard error not a terminal, as by a script or cron, the tool \
     writes nothing there if the run passed or was measured and can be trusted, and else one line. --summary writes \
     all of it.",
];

/// Examples: the purpose, and the command.
pub(super) const EXAMPLES: &[(&str, &str)] = &[
    (
        "100 leases per second for a minute, for 30 clients in turn:",
        "perfdhcp -r 100 -p 60 -R 30 172.16.1.1",
    ),
    (
        "The same for DHCPv6 through a relay, with addresses and prefixes:",
        "perfdhcp -6 -A 1 -e address-and-prefix -r 100 -p 60 -R 30 fd00:16::1",
    ),
    (
        "2000 leases per second for 100000 clients, with renewals, an objective and a record:",
        "perfdhcp -r 2000 -f 500 -R 100000 -p 60 --slo 'dora.p99<20ms' \\\n  --record run.json 172.16.1.1",
    ),
    (
        "All servers of a laboratory network, with messages from files:",
        "perfdhcp --lab -6 -l eth3 -r 100 -R 20 -T solicit.hex -T request6.hex \\\n  -O 21 -E 84 -S 22 -I 40 servers",
    ),
    (
        "How long until 5000 clients that start at once all have a lease:",
        "perfdhcp --scenario avalanche -R 5000 172.16.1.1",
    ),
    (
        "20000 clients behind relays that add option 82, with a power failure after ten minutes:",
        "perfdhcp --scenario fleet --clients 20000 --births 'over 60s' \\\n  --time-scale 60 --release-share 20% \
         --relay-option '1=port-{n}' \\\n  --power-cut 'at 10m within 30s' -p 900 172.16.1.1",
    ),
];
