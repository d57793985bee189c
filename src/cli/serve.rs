//! The options of `brunt serve` and `brunt push`, declared for clap. Their doc comments are their help; there is no
//! logic here.

use std::net::SocketAddr;
use std::path::PathBuf;

use brunt_serve::IpNet;
use clap::Args;

use super::base_url::BaseUrl;
use super::site_url::site;

/// Options of `brunt serve`.
#[derive(Args, Clone, Debug, PartialEq, Eq)]
pub(crate) struct ServeArgs {
    /// Directory with everything the site keeps
    ///
    /// Default: brunt-site; with --trial a temporary directory, which is removed at the end.
    #[arg(long, value_name = "DIR")]
    pub(crate) dir: Option<PathBuf>,
    /// Try it: with servers in memory to load, plans that are ready to run, and a link that signs in
    ///
    /// Nothing but those servers can be loaded. ^C ends the trial, stops its runs, and removes what it kept; with --dir
    /// it is kept there.
    #[arg(long, conflicts_with_all = ["hosts", "tls_cert", "behind_proxy", "link", "reindex", "verify_audit"])]
    pub(crate) trial: bool,
    /// Address and port to listen on
    ///
    /// Only an address of this machine's loopback may be listened on without --tls-cert or --behind-proxy. Port 0 picks
    /// a free port and prints it.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:7878")]
    pub(crate) listen: SocketAddr,
    /// Name by which browsers reach the site, such as load.example.com; may be repeated
    ///
    /// localhost and addresses in figures are always answered. A request by any other name is refused.
    #[arg(long = "host", value_name = "NAME")]
    pub(crate) hosts: Vec<String>,
    /// Certificate chain (PEM) for HTTPS
    #[arg(long, value_name = "FILE", requires = "tls_key", help_heading = "Beyond this machine")]
    pub(crate) tls_cert: Option<PathBuf>,
    /// Private key (PEM) for --tls-cert
    #[arg(long, value_name = "FILE", requires = "tls_cert", help_heading = "Beyond this machine")]
    pub(crate) tls_key: Option<PathBuf>,
    /// Addresses of proxies that browsers reach by HTTPS, such as 10.0.0.5/32; may be repeated
    ///
    /// From them alone X-Forwarded-For is believed, and cookies are for HTTPS alone.
    #[arg(
        long,
        value_name = "CIDR",
        conflicts_with = "tls_cert",
        help_heading = "Beyond this machine"
    )]
    pub(crate) behind_proxy: Vec<IpNet>,
    /// Print a link by which this user chooses a new password, and exit
    #[arg(long, value_name = "NAME", conflicts_with_all = ["reindex", "verify_audit"], help_heading = "Upkeep")]
    pub(crate) link: Option<String>,
    /// Build the index of runs anew from their directories, and exit
    #[arg(long, conflicts_with = "verify_audit", help_heading = "Upkeep")]
    pub(crate) reindex: bool,
    /// Check that every line of the audit trail is as it was written, and exit
    #[arg(long, help_heading = "Upkeep")]
    pub(crate) verify_audit: bool,
}

/// Options of `brunt push`.
#[derive(Args, Clone, Debug, PartialEq, Eq)]
pub(crate) struct PushArgs {
    /// Record to push, such as run.json
    pub(crate) file: PathBuf,
    /// Address of the site, with http:// or https:// before it
    #[arg(long = "to", value_name = "URL", value_parser = site)]
    pub(crate) site: BaseUrl,
    /// File that holds a token of the scope push
    ///
    /// The page of your account makes one. Over plain HTTP it is sent to this machine's loopback alone.
    #[arg(long, value_name = "FILE")]
    pub(crate) token_file: PathBuf,
    /// What to call the run
    #[arg(long, value_name = "TEXT")]
    pub(crate) name: Option<String>,
    /// Tag to find the run by; may be repeated
    #[arg(long = "tag", value_name = "TAG")]
    pub(crate) tags: Vec<String>,
    /// Commit that was tested
    #[arg(long, value_name = "COMMIT")]
    pub(crate) commit: Option<String>,
    /// Exit with 99 if an objective was missed, and with 6 if a figure is worse than that of the baseline
    ///
    /// The baseline is the run of the same load that somebody made one on its page. Without a baseline nothing is
    /// compared.
    #[arg(long)]
    pub(crate) fail_on_regression: bool,
    /// Certificate authorities (PEM) to trust in place of the system's
    #[arg(long, value_name = "FILE")]
    pub(crate) ca: Option<PathBuf>,
}
