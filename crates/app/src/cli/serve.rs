//! The options of `brunt serve`, declared for clap. Their doc comments are their help; there is no logic here.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use brunt_run::options::about::About;
use brunt_run::options::base_url::BaseUrl;
use brunt_run::options::output::duration;
use brunt_serve::IpNet;
use clap::Args;

use super::plane::BrokerArgs;
use super::site_url::site;

/// Options of `brunt serve`.
#[expect(clippy::struct_excessive_bools, reason = "each is an option")]
#[derive(Args, Clone, Debug, PartialEq, Eq)]
pub(crate) struct ServeArgs {
    /// Directory for all data of the site
    ///
    /// Default: brunt-site. With --trial: a temporary directory, which is removed at the end.
    #[arg(long, value_name = "DIR")]
    pub(crate) dir: Option<PathBuf>,
    /// Start a trial with built-in servers to load, ready-made plans and a one-time sign-in link
    ///
    /// A trial can load only its built-in servers. ^C ends the trial, stops its runs and removes its data. With --dir,
    /// the data stays in that directory.
    #[arg(
        long,
        conflicts_with_all = [
            "hosts", "public_url", "tls_cert", "behind_proxy", "keys", "nats", "patience", "link", "reindex",
            "verify_audit",
            "new_keys", "backup", "verify_backup", "restore"
        ]
    )]
    pub(crate) trial: bool,
    /// Address and port to listen on
    ///
    /// Without --tls-cert or --behind-proxy, this has to be a loopback address of this machine. Port 0 picks a free
    /// port and prints it.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:7878")]
    pub(crate) listen: SocketAddr,
    /// Name by which browsers reach the site, such as load.example.com; may be repeated
    ///
    /// Requests for localhost and for IP addresses are always accepted. Requests for any other name are refused.
    #[arg(long = "host", value_name = "NAME")]
    pub(crate) hosts: Vec<String>,
    /// Address under which people find the site, with https:// before it, for links in messages
    ///
    /// Default: the first --host, or the address that the site listens on.
    #[arg(long, value_name = "URL", value_parser = site, help_heading = "Beyond this machine")]
    pub(crate) public_url: Option<BaseUrl>,
    /// Certificate chain (PEM) for HTTPS
    #[arg(long, value_name = "FILE", requires = "tls_key", help_heading = "Beyond this machine")]
    pub(crate) tls_cert: Option<PathBuf>,
    /// Private key (PEM) for --tls-cert
    #[arg(long, value_name = "FILE", requires = "tls_cert", help_heading = "Beyond this machine")]
    pub(crate) tls_key: Option<PathBuf>,
    /// Addresses of HTTPS proxies in front of the site, such as 10.0.0.5/32; may be repeated
    ///
    /// The site trusts X-Forwarded-For only from these addresses, and its cookies are sent only over HTTPS.
    #[arg(
        long,
        value_name = "CIDR",
        conflicts_with = "tls_cert",
        help_heading = "Beyond this machine"
    )]
    pub(crate) behind_proxy: Vec<IpNet>,
    /// The agents that the site shows.
    #[command(flatten)]
    pub(crate) broker: BrokerArgs,
    /// How long a run waits for its agents, and then for their connections, such as 2m. Default: 30s
    #[arg(long, value_name = "DURATION", value_parser = duration, help_heading = "Broker")]
    pub(crate) patience: Option<Duration>,
    /// Length of what counts as a second in searches for the highest rate, for tests of them
    #[arg(long, value_name = "DURATION", hide = true)]
    pub(crate) search_second: Option<String>,
    /// Print a link that lets this user set a new password, and exit
    #[arg(long, value_name = "NAME", conflicts_with_all = ["reindex", "verify_audit"], help_heading = "Upkeep")]
    pub(crate) link: Option<String>,
    /// Rebuild the index of runs from their directories, and exit
    #[arg(long, conflicts_with = "verify_audit", help_heading = "Upkeep")]
    pub(crate) reindex: bool,
    /// Check that no line of the audit trail was changed, and exit
    #[arg(long, help_heading = "Upkeep")]
    pub(crate) verify_audit: bool,
    /// Make a backup in a new directory below this one, and exit; the site may be served meanwhile
    ///
    /// It has everything but secrets.key, which should be kept elsewhere, and runs that are not over.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["link", "reindex", "verify_audit"], help_heading = "Upkeep")]
    pub(crate) backup: Option<PathBuf>,
    /// Check that no file of a backup was changed, and exit
    #[arg(
        long,
        value_name = "DIR",
        conflicts_with_all = ["link", "reindex", "verify_audit", "backup"],
        help_heading = "Upkeep"
    )]
    pub(crate) verify_backup: Option<PathBuf>,
    /// Restore a backup as the directory --dir, which has to be empty, and exit
    #[arg(
        long,
        value_name = "DIR",
        conflicts_with_all = ["link", "reindex", "verify_audit", "backup", "verify_backup"],
        help_heading = "Upkeep"
    )]
    pub(crate) restore: Option<PathBuf>,
    /// Go on without a key that is missing from the directory, and make a new one
    ///
    /// What the lost key protected is lost: without audit.key, the lines of the audit trail until now can no longer be
    /// checked; without secrets.key, the secrets of targets, the keys of webhooks and the client secret for OpenID
    /// Connect have to be entered again. Keys that exist stay as they are.
    #[arg(long, help_heading = "Upkeep")]
    pub(crate) new_keys: bool,
}

/// The help and the page of `brunt serve` beside its options.
pub(super) const ABOUT: About = About {
    description: include_str!("../commands/serve.txt").trim_ascii_end(),
    examples: &[
        ("Try it, with servers in memory:", "brunt serve --trial"),
        ("A website for this machine only:", "brunt serve"),
        (
            "For a team, with your own certificate:",
            "brunt serve --dir /var/lib/brunt --listen 0.0.0.0:443 \\\n\
             \x20 --host load.example.com --tls-cert cert.pem --tls-key key.pem",
        ),
        (
            "Behind a proxy that speaks HTTPS:",
            "brunt serve --listen 10.0.0.7:7878 --host load.example.com \\\n\
             \x20 --public-url https://load.example.com --behind-proxy 10.0.0.5/32",
        ),
        ("With the agents of a cluster:", "brunt serve --keys keys/coordinator"),
        ("A backup, while the site goes on:", "brunt serve --dir /var/lib/brunt --backup /backups"),
        ("A password link for an administrator:", "brunt serve --link admin"),
    ],
    short: &[
        ("dir", "Directory of the site [default: brunt-site]"),
        ("listen", "Address [default: 127.0.0.1:7878]"),
        ("hosts", "Name by which browsers reach the site"),
        ("tls_cert", ""),
        ("tls_key", ""),
        ("behind_proxy", "Addresses of proxies that speak HTTPS"),
        ("keys", "Directory of cluster keys, to show agents"),
        ("link", "Print a link to set a new password"),
        ("reindex", "Rebuild the index of runs"),
        ("verify_audit", "Check the audit trail"),
    ],
};
