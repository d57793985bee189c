//! Splits the words of a command line as `getopt_long` does: bundled flags, values attached or separate, `--`, switches
//! after the server, and abbreviated long names.
//!
//! No parser library implements exactly these rules: available ones treat the `=` of `-C=` as punctuation, or do not
//! accept `--scen`. An abbreviated long name of the original tool keeps its meaning although some of ours begin with
//! it. Values are not checked here.

use brunt_run::options::row::{Row, dashed};
use brunt_run::options::syntax::{Given, Source, Words};
use brunt_run::options::usage_error::UsageError;

/// Splits words.
pub(super) fn split(line: &[String], table: &[Row]) -> Result<Words, UsageError> {
    let mut words = Words::default();
    let mut rest = line.iter().map(String::as_str);
    while let Some(word) = rest.next() {
        if word == "--" {
            words.trailing.extend(rest.by_ref().map(str::to_owned));
        } else if let Some(long) = word.strip_prefix("--") {
            words.given.push(long_switch(long, table, &mut rest)?);
        } else if let Some(letters) = word.strip_prefix('-').filter(|letters| !letters.is_empty()) {
            bundle(letters, table, &mut rest, &mut words.given)?;
        } else {
            words.trailing.push(word.to_owned());
        }
    }
    Ok(words)
}

fn long_switch<'a>(
    word: &'a str,
    table: &[Row],
    rest: &mut impl Iterator<Item = &'a str>,
) -> Result<Given, UsageError> {
    let (name, attached) =
        word.split_once('=').map_or((word, None), |(name, value)| (name, Some(value)));
    let switch = long_named(name, table)?;
    match attached {
        Some(value) if switch.takes_value() => Ok(given(switch, value)),
        Some(_) => Err(UsageError::new(format!(
            "--{name} takes no value: remove the = and what follows it"
        ))),
        None if switch.takes_word() => Ok(given(switch, next(switch, rest)?)),
        None => Ok(given(switch, "")),
    }
}

/// A switch that was given. Messages spell it as the help does.
fn given(switch: &Row, value: &str) -> Given {
    Given {
        name: switch.name,
        spelled: dashed(switch.name),
        source: Source::Literal,
        value: value.to_owned(),
        place: None,
    }
}

/// The switch of a long name, or the only one that begins with it. If several do, one of the original tool's is chosen.
fn long_named<'a>(name: &str, table: &'a [Row]) -> Result<&'a Row, UsageError> {
    let longs = |switch: &'a Row| switch.longs();
    if let Some(switch) = table.iter().find(|switch| longs(switch).any(|long| long == name)) {
        return Ok(switch);
    }
    let begun: Vec<&Row> =
        table.iter().filter(|switch| longs(switch).any(|long| long.starts_with(name))).collect();
    let old: Vec<&Row> = begun.iter().copied().filter(|switch| is_old(switch)).collect();
    match (begun.as_slice(), old.as_slice()) {
        ([only], _) | (_, [only]) => Ok(only),
        ([], _) => Err(unknown(name, table)),
        (several, _) => {
            let all = several.iter().flat_map(|switch| longs(switch));
            let names: Vec<String> =
                all.filter(|long| long.starts_with(name)).map(|long| format!("--{long}")).collect();
            Err(UsageError::new(format!(
                "--{name} is ambiguous, it may mean {}: write it in full",
                names.join(", ")
            )))
        }
    }
}

/// Whether the original tool has it under a long name.
fn is_old(switch: &Row) -> bool {
    !switch.is_ours && switch.name.len() > 1
}

fn unknown(name: &str, table: &[Row]) -> UsageError {
    let longs = table.iter().flat_map(Row::longs);
    let near = longs
        .map(|long| (strsim::jaro_winkler(long, name), long))
        .filter(|(likeness, _)| *likeness > 0.8)
        .max_by(|one, other| one.0.total_cmp(&other.0));
    UsageError::new(match near {
        Some((_, long)) => format!("there is no switch --{name}: did you mean --{long}?"),
        None => format!("there is no switch --{name}: see 'perfdhcp -h' for all switches"),
    })
}

/// Letters after one dash: flags, of which the last may be a switch whose value is attached or the next word.
fn bundle<'a>(
    letters: &'a str,
    table: &[Row],
    rest: &mut impl Iterator<Item = &'a str>,
    out: &mut Vec<Given>,
) -> Result<(), UsageError> {
    for (at, letter) in letters.char_indices() {
        let name = &letters[at..at + letter.len_utf8()];
        let switch = table.iter().find(|switch| switch.name == name).ok_or_else(|| {
            UsageError::new(format!(
                "there is no switch -{name}: see 'perfdhcp -h' for all switches"
            ))
        })?;
        if !switch.takes_value() {
            out.push(given(switch, ""));
            continue;
        }
        let attached = &letters[at + letter.len_utf8()..];
        let value = if attached.is_empty() { next(switch, rest)? } else { attached };
        out.push(given(switch, value));
        return Ok(());
    }
    Ok(())
}

fn next<'a>(switch: &Row, rest: &mut impl Iterator<Item = &'a str>) -> Result<&'a str, UsageError> {
    rest.next().ok_or_else(|| {
        let (name, value) = (dashed(switch.name), switch.value);
        UsageError::new(format!("{name} needs a value: write {name} {value}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::switches;

    /// The switches as `name=value`, then `|` and the other words; or what is wrong.
    fn taken_apart(line: &[&str]) -> String {
        let line: Vec<String> = line.iter().map(ToString::to_string).collect();
        let table = switches::all();
        match split(&line, &table) {
            Ok(words) => {
                let switches: Vec<String> = words
                    .given
                    .iter()
                    .map(|given| match given.value.as_str() {
                        "" => given.name.to_owned(),
                        value => format!("{}={value}", given.name),
                    })
                    .collect();
                format!("{} | {}", switches.join(" "), words.trailing.join(" "))
            }
            Err(fault) => fault.reason,
        }
    }

    /// The result of glibc's `getopt_long(3)` for the same words.
    #[test]
    fn words_are_split_like_getopt_long() {
        for (line, expected) in [
            (&["-4i", "10.0.0.1"][..], "4 i | 10.0.0.1"),
            (&["-r100"], "r=100 | "),
            (&["-r", "100"], "r=100 | "),
            (&["-r", "-1"], "r=-1 | "),
            (&["-6ir100", "::1"], "6 i r=100 | ::1"),
            (&["-6ir", "100"], "6 i r=100 | "),
            (&["10.0.0.1", "-r100", "-p", "5"], "r=100 p=5 | 10.0.0.1"),
            (&["-4", "--", "-r100"], "4 | -r100"),
            (&["-C="], "C== | "),
            (&["-r=5"], "r==5 | "),
            (&["-"], " | -"),
            (&["--scenario", "basic"], "scenario=basic | "),
            (&["--scenario=basic"], "scenario=basic | "),
            (&["--scen", "basic"], "scenario=basic | "),
            (&["--s=avalanche"], "scenario=avalanche | "),
            (&["--o", "1:2,aa"], "or=1:2,aa | "),
            (&["--or=1,00"], "or=1,00 | "),
            (&["--record=a=b"], "record=a=b | "),
            (&["--win", "4"], "window=4 | "),
            (&["--clients=3", "--seed", "7"], "R=3 s=7 | "),
            (&["-o", "--"], "o=-- | "),
        ] {
            assert_eq!(taken_apart(line), expected, "{line:?}");
        }
    }

    #[test]
    fn errors_name_the_word() {
        for (line, expected) in [
            (&["-q"][..], "there is no switch -q: see 'perfdhcp -h' for all switches"),
            (&["-4q"], "there is no switch -q: see 'perfdhcp -h' for all switches"),
            (&["-r"], "-r needs a value: write -r rate"),
            (&["-4ir"], "-r needs a value: write -r rate"),
            (&["--windw", "1"], "there is no switch --windw: did you mean --window?"),
            (&["--xyz"], "there is no switch --xyz: see 'perfdhcp -h' for all switches"),
            (&["--lab=yes"], "--lab takes no value: remove the = and what follows it"),
            (&["--record"], "--record needs a value: write --record file"),
            (
                &["--w", "1"],
                "--w is ambiguous, it may mean --warm-up, --window, --workers, --web, --weights: write it in full",
            ),
            (&["--r=1"], "--r is ambiguous, it may mean "),
        ] {
            assert!(taken_apart(line).starts_with(expected), "{line:?}: {}", taken_apart(line));
        }
    }

    #[test]
    fn switch_beyond_ascii_is_reported_whole() {
        assert_eq!(
            taken_apart(&["-4é"]),
            "there is no switch -é: see 'perfdhcp -h' for all switches"
        );
    }
}
