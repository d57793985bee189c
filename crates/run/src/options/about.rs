//! [`About`]: the texts about a command in its help and on its page in `docs/`, beside its options.
//!
//! Each command has an [`About`] where its options are declared.

/// The texts about a command, beside its options.
pub struct About {
    /// The first paragraph of the page, as Markdown.
    pub description: &'static str,
    /// Examples, the most useful first, since `-h` has room for two. The tests read each of them as a command line. A
    /// line has at most 76 columns, so that it fits an indented screen of 80.
    pub examples: &'static [Example],
    /// The options that `-h` shows, each with a one-line description; if that is empty, the option's own help is short
    /// enough. The list is empty if the command has few options: all are shown.
    pub short: &'static [(&'static str, &'static str)],
}

/// The purpose of an example, and its command line.
pub type Example = (&'static str, &'static str);
