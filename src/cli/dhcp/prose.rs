//! What the help says besides the switches: what perfdhcp is for, what it counts, where it differs, examples.
//!
//! Every example is read as a command line by the tests.

/// What it does.
pub(super) const DESCRIPTION: &[&str] = &[
    "Measures how many leases a DHCP server gives, and how fast. Simulated clients ask for leases with DISCOVER, \
     OFFER, REQUEST and ACK in DHCPv4, or with SOLICIT, ADVERTISE, REQUEST and REPLY in DHCPv6, at a rate (-r) or as \
     fast as the server answers, until the run is ended by -n, -p or -D, or by ^C, which waits for the last answers \
     and reports.",
    "The server is named by its address; names are not looked up. 'all' asks every server of the network behind -l, \
     at 255.255.255.255 or ff02::1:2, and so does naming none; in DHCPv6 'servers' is ff05::1:3. Since any server may \
     answer that, it needs --lab.",
    "In DHCPv4 it speaks as a relay agent, from port 67 and with the local address as giaddr, so the server must have \
     a subnet for that address. Ports below 1024 need root or CAP_NET_BIND_SERVICE, --client needs CAP_NET_RAW, and \
     receive buffers beyond net.core.rmem_max need CAP_NET_ADMIN: 'setcap \
     cap_net_bind_service,cap_net_raw,cap_net_admin+ep brunt' gives all three for good.",
    "Switches are spelled as getopt takes them: -4i -r100 is -4 -i -r 100, switches may follow the server, -- ends \
     them, and long names may be cut short. Where one counts once, the last one given counts.",
];

/// What is counted.
pub(super) const COUNTERS: &[(&str, &str)] = &[
    ("drops", "messages that were not answered within -d."),
    (
        "orphans",
        "answers that belong to no exchange under way: late ones, and further ones to what was answered already.",
    ),
    ("rejected leases", "answers without the lease that was asked for."),
    ("non unique addresses", "addresses given twice, with -u."),
    (
        "collected packets",
        "messages whose drop time was over before their answer came, if it ever did.",
    ),
    ("tooshort", "messages received that are too short to be of DHCP."),
    ("locallimit", "messages that this machine refused to send, for a limit of its own."),
    ("malformed", "messages received that are long enough and yet cannot be read."),
    ("unexpected", "messages received of a type that no client expects."),
    ("foreign", "messages received that answer nobody here."),
];

/// Where it differs on purpose.
pub(super) const DIFFERENCES: &[&str] = &[
    "An exchange of -r is due at a fixed moment, and all that are due are started, however many. -a only bounds how \
     many messages leave before answers are read again.",
    "A drop is a message without an answer within -d, not one still under way when the run ends. The end waits for \
     those as long as -d allows; -W sets another time, 0 for none.",
    "-n ends the run when the exchanges were answered or dropped, and not while they are under way.",
    "-D counts drops in this sense, so -D 1 does not end a run at its first message. -D 0 is accepted, and is the \
     first drop, as the guide of 2012 has it.",
    "Without -r, no more than --window exchanges are under way at a time, so that the server is kept busy and not \
     flooded.",
    "-r, -f, -F, -p, -t, -Y and -y may have decimals. -o may stand before -4 or -6.",
    "A wrong command line ends with 2, an exchange that was not completed with 3, and a RELEASE of DHCPv4, which is \
     never answered, is none such.",
    "Rapid commit works: a REPLY or ACK to the first message completes the exchange.",
    "A DHCPNAK is a failed exchange, and is not left to become a drop.",
    "Template offsets that are not given are found in the template. One that is given must point at what it claims.",
    "The command of -w is given 'start' and 'stop' as its argument.",
    "A third -d is an error.",
    "Broadcast and multicast addresses need --lab.",
    "A summary with response time, service time, lag and percentiles follows on standard error. Standard output holds \
     what it held of old.",
];

/// Examples: what they show, and the command.
pub(super) const EXAMPLES: &[(&str, &str)] = &[
    (
        "100 leases a second for a minute, to 30 clients in turn:",
        "perfdhcp -r 100 -p 60 -R 30 172.16.1.1",
    ),
    (
        "The same for DHCPv6, by way of a relay, with addresses and prefixes:",
        "perfdhcp -6 -A 1 -e address-and-prefix -r 100 -p 60 -R 30 2001:db8::1",
    ),
    (
        "2000 a second from 100000 clients with renewals, an objective and a record:",
        "perfdhcp -r 2000 -f 500 -R 100000 -p 60 --slo 'dora.p99<20ms' \\\n  --record run.json 172.16.1.1",
    ),
    (
        "Every server of a laboratory, with messages from files:",
        "perfdhcp --lab -6 -l eth3 -r 100 -R 20 -T solicit.hex -T request6.hex \\\n  -O 21 -E 84 -S 22 -I 40 servers",
    ),
    (
        "How long until 5000 clients that come up at once all have a lease:",
        "perfdhcp --scenario avalanche -R 5000 172.16.1.1",
    ),
    (
        "A network of 20000 clients behind relays that add option 82, whose power fails\nafter ten minutes:",
        "perfdhcp --scenario fleet --clients 20000 --births 'over 60s' \\\n  --time-scale 60 --release-share 20% \
         --relay-option '1=port-{n}' \\\n  --power-cut 'at 10m within 30s' -p 900 172.16.1.1",
    ),
];
