//! An error in a command line, and its message.
//!
//! The frame of the message (the first words, the width, the reference to `--help`) is that of the original tools,
//! which scripts and users know. The reason names the option, the value and the remedy. Nothing is printed here.

use std::fmt;

use super::page::wrap;

/// A command line that cannot be run, and why.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct UsageError {
    /// What is wrong, as a sentence without its full stop.
    pub reason: String,
}

impl UsageError {
    /// A fault for this reason.
    pub fn new(reason: impl fmt::Display) -> Self {
        Self { reason: reason.to_string() }
    }

    /// The whole message as it goes to standard error, without a final newline.
    pub fn page(&self, tool: &str) -> String {
        let sentence =
            format!("An error occurred while parsing the command-line arguments:  {}", self.reason);
        format!(
            "{}\n\nSee \"{} --help\" to get more usage help\n",
            wrap(&sentence, ERROR_WIDTH),
            tool
        )
    }
}

impl fmt::Display for UsageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)
    }
}

/// The longest line of an error: the original tools wrapped before column 79.
const ERROR_WIDTH: usize = 78;

#[cfg(test)]
mod tests {
    use super::*;

    /// The pages are the output of OpenDJ 5.0.3 for `authrate -c` and `modrate -t 2 ...`, as far as the wording is the
    /// same.
    #[test]
    fn usage_error_is_laid_out_like_opendj() {
        let page =
            UsageError::new("Argument -c requires a value but none was provided").page("authrate");
        let expected = "An error occurred while parsing the command-line arguments:  Argument -c\n\
                        requires a value but none was provided\n\n\
                        See \"authrate --help\" to get more usage help\n";
        assert_eq!(page, expected);
        let page =
            UsageError::new("--noRebind must be used if --numThreads is > 1").page("modrate");
        assert_eq!(page.lines().next().map(str::len), Some(76));
    }
}
