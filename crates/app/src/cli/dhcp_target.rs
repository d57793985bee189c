//! The options of `brunt target dhcp`, declared for clap. Their doc comments are their help; there is no logic here.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use brunt_dhcp_server::{Pool4, Pool6, PrefixPool};
use brunt_run::options::about::About;
use brunt_run::options::output::duration;
use clap::Args;

/// Options of `brunt target dhcp`.
#[derive(Args, Debug, PartialEq, Eq)]
pub(crate) struct DhcpTargetArgs {
    /// Address and port to listen on; may be repeated
    ///
    /// IPv4 addresses serve DHCPv4, IPv6 addresses DHCPv6, such as `[::1]:10547`. Port 0 picks a free port and prints
    /// it.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:10067")]
    pub(crate) listen: Vec<SocketAddr>,
    /// Serve broadcasts and multicasts on a laboratory network
    ///
    /// It needs --interface and a --listen of 0.0.0.0 or ::. Answers are then broadcast as well, and every client on
    /// that network may take this server for the real one.
    #[arg(long, requires = "interface")]
    pub(crate) lab: bool,
    /// Interface of the laboratory network. Packets from other interfaces are ignored
    #[arg(long, value_name = "NAME", requires = "lab")]
    pub(crate) interface: Option<String>,
    /// IPv4 addresses to lease: a prefix or FIRST-LAST; may be repeated
    #[arg(long, value_name = "POOL", default_value = "10.0.0.0/8")]
    pub(crate) pool: Vec<Pool4>,
    /// IPv6 addresses to lease: a prefix or FIRST-LAST; may be repeated
    #[arg(long, value_name = "POOL", default_value = "2001:db8:1::/64")]
    pub(crate) pool6: Vec<Pool6>,
    /// Prefixes to delegate: PREFIX/LENGTH/DELEGATED-LENGTH; may be repeated
    #[arg(long, value_name = "POOL", default_value = "2001:db8:8000::/36/56")]
    pub(crate) prefix_pool: Vec<PrefixPool>,
    /// Lifetime of a lease
    ///
    /// IPv6 leases are preferred for three quarters of it.
    #[arg(long, value_name = "SECONDS", default_value_t = 3600, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) lifetime: u32,
    /// Router to announce to DHCPv4 clients; may be repeated
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) router: Vec<Ipv4Addr>,
    /// Name server to announce to clients of its address family; may be repeated
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) name_server: Vec<IpAddr>,
    /// Server identifier in DHCPv4. Default: the first IPv4 --listen address
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) server_id: Option<Ipv4Addr>,
    /// DUID of the DHCPv6 server, in hexadecimal. Default: a generated DUID-LLT
    #[arg(long, value_name = "HEX")]
    pub(crate) duid: Option<String>,
    /// Do not grant rapid commit
    #[arg(long)]
    pub(crate) no_rapid_commit: bool,
    /// Answer DHCPv4 clients on the port that they sent from
    ///
    /// Without this option, answers follow RFC 2131: to port 67 of the relay that the request names, or to port 68 of
    /// the client. DHCPv6 answers always go to the sender's port.
    #[arg(long)]
    pub(crate) reply_to_source: bool,
    /// TOML file of faults to inject: delays, drops, wrong answers
    #[arg(long, value_name = "FILE")]
    pub(crate) script: Option<PathBuf>,
    /// At the end, write all leases to this CSV file
    #[arg(long, value_name = "FILE")]
    pub(crate) leases_out: Option<PathBuf>,
    /// Stop after this time, such as 90s. Default: on a signal
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub(crate) max_duration: Option<Duration>,
}

/// The help and the page of `brunt target dhcp` beside its options.
pub(super) const ABOUT: About = About {
    description: include_str!("about/target-dhcp.txt").trim_ascii_end(),
    examples: &[
        (
            "DHCPv4 on a port that needs no privilege:",
            "brunt target dhcp --listen 127.0.0.1:10067 --reply-to-source",
        ),
        (
            "A server that injects faults, and the leases it granted:",
            "brunt target dhcp --script bad-day.toml --leases-out leases.csv",
        ),
        (
            "DHCPv4 and DHCPv6, with few addresses and short leases:",
            "brunt target dhcp --listen 127.0.0.1:10067 --listen [::1]:10547 \\\n\
             \x20 --pool 10.1.0.0/24 --pool6 2001:db8:1::1-2001:db8:1::64 --lifetime 10",
        ),
        (
            "Clients without a relay, in a network namespace or on a network of your own:",
            "brunt target dhcp --lab --interface veth1 --listen 0.0.0.0:67 \\\n\
             \x20 --listen [::]:547",
        ),
    ],
    short: &[
        ("listen", "Address [default: 127.0.0.1:10067]"),
        ("pool", "IPv4 pool [default: 10.0.0.0/8]"),
        ("pool6", "IPv6 pool [default: 2001:db8:1::/64]"),
        ("prefix_pool", "Prefixes to delegate, such as 2001:db8::/36/56"),
        ("lifetime", "Lifetime of a lease [default: 3600]"),
        ("reply_to_source", "Answer DHCPv4 clients on their own port"),
        ("lab", "Serve broadcasts on a laboratory network"),
        ("interface", "Interface of the laboratory network"),
        ("script", "TOML file of faults to inject"),
        ("leases_out", "Write all leases to this CSV file"),
    ],
};
