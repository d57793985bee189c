//! [`About`]: the texts about a command in its help and on its page in `docs/`, beside its options.
//!
//! Each command has an [`About`] where its options are declared, and `ABOUT` in [`super`] lists them all. A test fails
//! for a command without one, so that none is forgotten.

use super::ABOUT;

/// The texts about a command, beside its options.
pub(super) struct About {
    /// The first paragraph of the page, as Markdown.
    pub(super) description: &'static str,
    /// Examples, the most useful first, since `-h` has room for two. The tests read each of them as a command line. A
    /// line has at most 76 columns, so that it fits an indented screen of 80.
    pub(super) examples: &'static [Example],
    /// The options that `-h` shows, each with a one-line description; if that is empty, the option's own help is short
    /// enough. The list is empty if the command has few options: all are shown.
    pub(super) short: &'static [(&'static str, &'static str)],
}

/// The purpose of an example, and its command line.
pub(super) type Example = (&'static str, &'static str);

/// The texts about the command with these words after `brunt`.
pub(super) fn of(name: &str) -> Option<&'static About> {
    ABOUT.iter().find(|(of, _)| *of == name).map(|(_, about)| *about)
}

/// The examples of a command, by its words after `brunt`; the program itself has no words. A group of commands has
/// those of the command that most users begin with.
pub(super) fn examples(name: &str) -> &'static [Example] {
    match name {
        "" => WHOLE,
        "import" => examples("import curl"),
        "names" => examples("names lookup"),
        "cluster" => examples("cluster keys"),
        "target" => examples("target ldap"),
        name => of(name).map_or(&[], |about| about.examples),
    }
}

const WHOLE: &[Example] = &[
    ("A first run, against a server in memory:", "brunt quickstart"),
    (
        "2,000 HTTP requests per second for a minute:",
        "brunt http -q 2000 -z 1m https://id.example.com/ping",
    ),
    (
        "LDAP binds, as fast as the server answers:",
        "brunt authrate -h ds.example.com -D uid=jo,dc=example,dc=com -w:file pw -f",
    ),
];
