//! The options of `brunt target dhcp`, declared for clap. Their doc comments are their help; there is no logic here.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use brunt_targets::dhcp::{Pool4, Pool6, PrefixPool};
use clap::Args;

/// Options of `brunt target dhcp`.
#[derive(Args, Debug, PartialEq, Eq)]
pub(crate) struct DhcpTargetArgs {
    /// Where to listen, IPv4 for DHCPv4 and IPv6 for DHCPv6; may be given several times. Port 0 takes a free one and
    /// says which.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:10067")]
    pub(crate) listen: Vec<SocketAddr>,
    /// Listen to broadcasts and multicasts as well, which a --listen of 0.0.0.0 or :: asks for, and broadcast answers.
    /// Every client on that network may then take this server for the real one.
    #[arg(long, requires = "interface")]
    pub(crate) lab: bool,
    /// The interface of the laboratory; nothing that comes by another is heard.
    #[arg(long, value_name = "NAME", requires = "lab")]
    pub(crate) interface: Option<String>,
    /// IPv4 addresses to lease, as a prefix or as FIRST-LAST; may be given several times.
    #[arg(long, value_name = "POOL", default_value = "10.0.0.0/8")]
    pub(crate) pool: Vec<Pool4>,
    /// IPv6 addresses to lease, as a prefix or as FIRST-LAST; may be given several times.
    #[arg(long, value_name = "POOL", default_value = "2001:db8:1::/64")]
    pub(crate) pool6: Vec<Pool6>,
    /// Prefixes to delegate, as PREFIX/LENGTH/DELEGATED-LENGTH; may be given several times.
    #[arg(long, value_name = "POOL", default_value = "2001:db8:8000::/36/56")]
    pub(crate) prefix_pool: Vec<PrefixPool>,
    /// How long a lease lasts. IPv6 leases are preferred for three quarters of it.
    #[arg(long, value_name = "SECONDS", default_value_t = 3600, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) lifetime: u32,
    /// A router that DHCPv4 clients are told; may be given several times.
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) router: Vec<Ipv4Addr>,
    /// A name server that clients are told, those of its family; may be given several times.
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) name_server: Vec<IpAddr>,
    /// What the DHCPv4 server calls itself; without it, the first IPv4 address it listens at.
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) server_id: Option<Ipv4Addr>,
    /// The DUID of the DHCPv6 server in hexadecimal; without it, one of the kind DUID-LLT is made up.
    #[arg(long, value_name = "HEX")]
    pub(crate) duid: Option<String>,
    /// Grant nobody rapid commit.
    #[arg(long)]
    pub(crate) no_rapid_commit: bool,
    /// Answer DHCPv4 clients and relays at the port they send from. Without it, answers go where RFC 2131 wants them:
    /// to port 67 of the relay that the request names, or to port 68 of the client. DHCPv6 is always answered so.
    #[arg(long)]
    pub(crate) reply_to_source: bool,
    /// TOML file that says when and how to misbehave.
    #[arg(long, value_name = "FILE")]
    pub(crate) script: Option<PathBuf>,
    /// Write who has which address or prefix at the end to this CSV file.
    #[arg(long, value_name = "FILE")]
    pub(crate) leases_out: Option<PathBuf>,
    /// Stop after this many seconds; without it, at a signal.
    #[arg(long, value_name = "SECONDS")]
    pub(crate) max_duration: Option<u64>,
}
