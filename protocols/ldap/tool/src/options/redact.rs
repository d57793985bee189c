//! The command line as a record may show it: with every secret replaced.
//!
//! Secrets are found by the kind of their option, in every spelling, never by searching for text that resembles a
//! password. The names of variables and files stay, since they are useful and reveal nothing.

use brunt_redact::HIDDEN;
use brunt_run::options::row::Kind;
use brunt_run::options::syntax::Source;

use super::tool::Tool;
use super::words;
use crate::options::table as options;

/// The words after the name of the tool, with the secrets replaced. If the command line cannot be parsed, no word is
/// shown, since it is not known which words are secret.
pub fn redact(words: &[String], tool: Tool) -> Vec<String> {
    let options = options::of(tool);
    let Ok(split) = words::split(words, &options) else {
        return vec![HIDDEN.to_owned()];
    };
    let mut out = words.to_vec();
    for given in split.given.iter().filter(|given| given.source == Source::Literal) {
        let secret =
            options.iter().any(|option| option.name == given.name && option.kind == Kind::Secret);
        if secret
            && given.value != "-"
            && let Some((word, byte)) = given.place
        {
            out[word].replace_range(byte.., HIDDEN);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_redacted_in_every_spelling() {
        for (line, expected) in [
            (&["-w", "password"][..], &["-w", "***"][..]),
            (&["-wpassword"], &["-w***"]),
            (&["-w=password"], &["-w***"]),
            (&["--bindPassword=pass=word"], &["--bindPassword=***"]),
            (&["--BINDPASSWORD", "password"], &["--BINDPASSWORD", "***"]),
            (&["-T", "a", "-W", "b"], &["-T", "***", "-W", "***"]),
            (&["-w:env", "PW", "-T:file=/pin"], &["-w:env", "PW", "-T:file=/pin"]),
            (&["-w", "-"], &["-w", "-"]),
            (
                &["-D", "password", "-w", "password", "password"],
                &["-D", "password", "-w", "***", "password"],
            ),
            (&["-Zw", "password"], &["***"]),
        ] {
            let words: Vec<String> = line.iter().map(ToString::to_string).collect();
            assert_eq!(redact(&words, Tool::Authrate), expected, "{line:?}");
        }
    }
}
