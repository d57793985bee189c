//! The options of `brunt serve` and `brunt push`, declared for clap. Their doc comments are their help; there is no
//! logic here.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use brunt_serve::IpNet;
use clap::Args;

use super::about::About;
use super::base_url::BaseUrl;
use super::output::duration;
use super::plane::BrokerArgs;
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
    #[arg(
        long,
        conflicts_with_all = ["hosts", "tls_cert", "behind_proxy", "keys", "nats", "patience", "link", "reindex", "verify_audit"]
    )]
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
    /// The agents that the site shows.
    #[command(flatten)]
    pub(crate) broker: BrokerArgs,
    /// How long a run waits for its agents, and then for their connections, such as 2m. Default: 30s
    #[arg(long, value_name = "DURATION", value_parser = duration, help_heading = "Broker")]
    pub(crate) patience: Option<Duration>,
    /// Length of what counts as a second in searches for the highest rate, for tests of them
    #[arg(long, value_name = "DURATION", hide = true)]
    pub(crate) search_second: Option<String>,
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

/// What is said of `brunt serve` beside its options.
pub(super) const SERVE: About = About {
    description: include_str!("../commands/serve.txt").trim_ascii_end(),
    examples: &[
        ("Try it, with servers in memory:", "brunt serve --trial"),
        ("A website for this machine alone:", "brunt serve"),
        (
            "For a team, with a certificate of one's own:",
            "brunt serve --dir /var/lib/brunt --listen 0.0.0.0:443 \\\n\
             \x20 --host load.example.com --tls-cert cert.pem --tls-key key.pem",
        ),
        (
            "Behind a proxy that speaks HTTPS:",
            "brunt serve --listen 10.0.0.7:7878 --host load.example.com \\\n\
             \x20 --behind-proxy 10.0.0.5/32",
        ),
        ("One that shows the agents of a cluster:", "brunt serve --keys keys/coordinator"),
        ("A link for an administrator who forgot the password:", "brunt serve --link admin"),
    ],
    short: &[
        ("dir", "Directory of the site [default: brunt-site]"),
        ("listen", "Address [default: 127.0.0.1:7878]"),
        ("hosts", "Name by which browsers reach the site"),
        ("tls_cert", ""),
        ("tls_key", ""),
        ("behind_proxy", "Addresses of proxies that speak HTTPS"),
        ("keys", "Directory of cluster keys, to show agents"),
        ("link", "Print a link to choose a new password"),
        ("reindex", "Build the index of runs anew"),
        ("verify_audit", "Check the audit trail"),
    ],
};

/// What is said of `brunt push` beside its options.
pub(super) const PUSH: About = About {
    description: include_str!("../commands/push.txt").trim_ascii_end(),
    examples: &[
        (
            "A run, and its record brought to a website:",
            "brunt push run.json --to https://load.example.com \\\n\
             \x20 --token-file token.txt",
        ),
        (
            "In CI, which fails if a figure is worse than that of the baseline:",
            "brunt push run.json --to https://load.example.com \\\n\
             \x20 --token-file token.txt --tag nightly --commit 4f2a91c --fail-on-regression",
        ),
    ],
    short: &[
        ("file", ""),
        ("site", "Address of the site"),
        ("token_file", "File with a token of the scope push"),
        ("name", ""),
        ("tags", "Tag to find the run by"),
        ("commit", ""),
        ("fail_on_regression", "Exit with 99 or 6 if it is worse"),
        ("ca", "Authorities (PEM) to trust"),
    ],
};
