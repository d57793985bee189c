//! The options of `brunt push`, declared for clap. Their doc comments are their help; there is no logic here.

use std::path::PathBuf;

use brunt_run::options::about::About;
use brunt_run::options::base_url::BaseUrl;
use clap::Args;

use super::site_url::site;

/// Options of `brunt push`.
#[derive(Args, Clone, Debug, PartialEq, Eq)]
pub(crate) struct PushArgs {
    /// Record to push, such as run.json
    pub(crate) file: PathBuf,
    /// Address of the site, with http:// or https:// before it
    #[arg(long = "to", value_name = "URL", value_parser = site)]
    pub(crate) site: BaseUrl,
    /// File with a token of the scope push
    ///
    /// Create the token on the page of your account. Over plain HTTP, it is sent only to this machine's loopback.
    #[arg(long, value_name = "FILE")]
    pub(crate) token_file: PathBuf,
    /// Name of the run
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
    /// The baseline is the run of the same load that was marked as the baseline on its page. Without a baseline,
    /// nothing is compared.
    #[arg(long)]
    pub(crate) fail_on_regression: bool,
    /// Exit with 4 if the run was not compared with a baseline
    ///
    /// That is so if no run of this load is marked as the baseline, if the baseline or this run is not valid, or if the
    /// two were requested differently. The reason is printed.
    #[arg(long)]
    pub(crate) require_comparison: bool,
    /// Certificate authorities (PEM) to trust instead of the system's
    #[arg(long, value_name = "FILE")]
    pub(crate) ca: Option<PathBuf>,
}

/// The help and the page of `brunt push` beside its options.
pub(super) const ABOUT: About = About {
    description: include_str!("../commands/push.txt").trim_ascii_end(),
    examples: &[
        (
            "Upload the record of a run to a website:",
            "brunt push run.json --to https://load.example.com \\\n\
             \x20 --token-file token.txt",
        ),
        (
            "In CI, failing if a figure is worse than that of the baseline:",
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
