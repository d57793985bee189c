//! The options of `brunt makeldif`, declared for clap: those of OpenDJ's tool. Their doc comments are their help; there
//! is no logic here.

use std::path::PathBuf;

use brunt_run::options::about::About;
use clap::Args;

/// The name of the command, and of a link that stands for it.
pub const NAME: &str = "makeldif";

/// Options of `brunt makeldif`.
#[derive(Args, Debug, PartialEq, Eq)]
pub struct MakeldifArgs {
    /// Template file, as addrate takes it
    pub template: PathBuf,
    /// Constant that overrides the value defined in the template file. May be repeated
    #[arg(short = 'c', long, value_name = "NAME=VALUE", value_parser = constant)]
    pub constant: Vec<(String, String)>,
    /// Write the entries to this file. Default: standard output
    #[arg(short = 'o', long, alias = "outputLdif", alias = "outputLDIF", value_name = "FILE")]
    pub output_ldif: Option<PathBuf>,
    /// Directory of the files that the template names
    #[arg(short = 'r', long, alias = "resourcePath", value_name = "DIR")]
    pub resource_path: Option<PathBuf>,
    /// Seed for all generated values: the same seed generates the same entries, as in addrate
    #[arg(short = 's', long, alias = "randomSeed", value_name = "SEED", default_value_t = 0)]
    pub random_seed: u64,
    /// Fold lines after this many columns; 0 does not fold
    #[arg(
        short = 't',
        long,
        alias = "wrapColumn",
        value_name = "COLUMN",
        default_value_t = 0,
        value_parser = wrap_column
    )]
    pub wrap_column: usize,
    /// Number of entries to generate below the branches. Default: as many as the template says
    #[arg(short = 'm', long, value_name = "NUMBER")]
    pub entries: Option<u64>,
    /// Leave out the branches: they exist
    #[arg(long)]
    pub no_branches: bool,
}

/// Why a word is not a value of its option.
#[derive(Debug, thiserror::Error)]
enum ValueError {
    #[error("write a name, = and a value, such as suffix=dc=example,dc=com")]
    Constant,
    #[error("write 0, or a number from 10 to 10000")]
    WrapColumn,
}

fn constant(text: &str) -> Result<(String, String), ValueError> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err(ValueError::Constant),
    }
}

/// A column must leave room after the space that begins a continuation line.
fn wrap_column(text: &str) -> Result<usize, ValueError> {
    let column = text.parse().ok().filter(|column| *column == 0 || (10..=10_000).contains(column));
    column.ok_or(ValueError::WrapColumn)
}

/// The help and the page of `brunt makeldif` beside its options.
pub const ABOUT: About = About {
    description: include_str!("makeldif.txt").trim_ascii_end(),
    examples: &[
        (
            "Write the entries of a template, with its suffix replaced:",
            "brunt makeldif -c suffix=dc=example,dc=com -o people.ldif \\\n\
             \x20 examples/templates/people.template",
        ),
        (
            "Import them into an OpenLDAP server:",
            "brunt makeldif examples/templates/people.template | slapadd -f slapd.conf",
        ),
        (
            "Look at the first three entries:",
            "brunt makeldif -m 3 --no-branches examples/templates/people.template",
        ),
    ],
    short: &[
        ("constant", "Override a constant of the template file"),
        ("output_ldif", "Write to this file [default: standard output]"),
        ("resource_path", "Directory of the files that the template names"),
        ("random_seed", "Seed of all generated values [default: 0]"),
        ("wrap_column", "Fold lines after this many columns"),
        ("entries", "Number of entries below the branches"),
        ("no_branches", ""),
    ],
};
