//! The options of `brunt sizing`, declared for clap. Their doc comments are their help; there is no logic here.

use std::path::PathBuf;

use brunt_engine::schedule::Rate as PerSecond;
use brunt_run::options::about::About;
use clap::{Args, ValueEnum};

use super::value_error::ValueError;

/// Options of `brunt sizing`.
#[derive(Args, Clone, Debug, PartialEq)]
pub(crate) struct SizingArgs {
    /// File that brunt find-max wrote with --record, such as found.json
    pub(crate) file: PathBuf,
    /// Today's rate at peak, such as 1200/s
    #[arg(long, value_name = "RATE")]
    pub(crate) peak: PerSecond,
    /// Growth to plan for, such as 30%
    #[arg(long, value_name = "SHARE", default_value = "0%", value_parser = growth)]
    pub(crate) growth: f64,
    /// Share of each server's limit to keep free while all servers are up
    #[arg(long, value_name = "SHARE", default_value = "40%", value_parser = headroom)]
    pub(crate) headroom: f64,
    /// Number of servers that may fail while the objectives are still met
    #[arg(long, value_name = "NUMBER", default_value_t = 1, value_parser = clap::value_parser!(u32).range(0..=1_000))]
    pub(crate) spare: u32,
    /// Number of servers behind a load balancer that answered the search
    #[arg(long, value_name = "NUMBER", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1_000))]
    pub(crate) tested_servers: u32,
    /// Number of cores of each of them. Default: no figures per core
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(crate) cores: Option<u32>,
    /// Fit the Universal Scalability Law to the steps, and show how far to trust it
    ///
    /// It describes how the rate grows with the number of exchanges in the system, and needs six valid steps. The
    /// number of servers is never computed from it.
    #[arg(long)]
    pub(crate) usl: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t = SizingFormat::Text)]
    pub(crate) format: SizingFormat,
}

/// How a sizing is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SizingFormat {
    /// Text, as wide as the terminal
    Text,
    /// The figures, for programs
    Json,
    /// One self-contained HTML page
    Html,
}

fn growth(text: &str) -> Result<f64, ValueError> {
    let growth = share(text).filter(|share| (-0.9..=100.0).contains(share));
    growth.ok_or(ValueError::Growth)
}

fn headroom(text: &str) -> Result<f64, ValueError> {
    let headroom = share(text).filter(|share| (0.0..=0.95).contains(share));
    headroom.ok_or(ValueError::Headroom)
}

/// `30%` or `0.3`.
fn share(text: &str) -> Option<f64> {
    let (number, scale) = text.strip_suffix('%').map_or((text, 1.0), |number| (number, 100.0));
    Some(number.trim().parse::<f64>().ok()? / scale)
}

/// The help and the page of `brunt sizing` beside its options.
pub(super) const ABOUT: About = About {
    description: include_str!("about/sizing.txt").trim_ascii_end(),
    examples: &[
        (
            "Servers for 1,200 operations per second at peak, and 30 % more next year:",
            "brunt sizing found.json --peak 1200/s --growth 30%",
        ),
        (
            "The same as a page, from a search that two servers of 4 cores answered:",
            "brunt sizing found.json --peak 1200/s --tested-servers 2 --cores 4 \\\n\
             \x20 --format html > sizing.html",
        ),
        ("With the Universal Scalability Law:", "brunt sizing found.json --peak 1200/s --usl"),
    ],
    short: &[
        ("file", "File that find-max wrote with --record"),
        ("peak", "Today's rate at peak, such as 1200/s"),
        ("growth", "Growth to plan for, such as 30%"),
        ("headroom", "Share of each server to keep free"),
        ("spare", "Servers that may fail [default: 1]"),
        ("tested_servers", "Servers that answered the search"),
        ("cores", "Cores of each of them"),
        ("format", "text, json or html"),
    ],
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizing_shares_are_parsed_within_bounds() {
        assert_eq!((growth("30%"), growth("0.3"), growth("-10%")), (Ok(0.3), Ok(0.3), Ok(-0.1)));
        assert_eq!((headroom("40%"), headroom("0")), (Ok(0.4), Ok(0.0)));
        for wrong in ["", "x%", "-95%", "nan", "100001%", "inf"] {
            assert!(growth(wrong).is_err(), "{wrong}");
        }
        for wrong in ["100%", "-1%", "nan", "40 percent"] {
            assert!(headroom(wrong).is_err(), "{wrong}");
        }
    }
}
