//! Options in the messages beside the default ones: `-o`, `--option`, `--or` and `--relay-option`.

use brunt_dhcp_driver::family::Family;
use brunt_dhcp_driver::varied::PatternError;
use brunt_run::options::row::dashed;
use brunt_run::options::usage_error::UsageError;
use brunt_run::options::values::Values;

use super::args::Lease;
use super::syntax::refused;
use super::varied::{self, VariedOption, digits};

/// The longest value of an option in DHCPv4.
const LONGEST_V4: usize = 255;
/// The longest value of an option in DHCPv6 for which a datagram has room beside everything else.
const LONGEST_V6: usize = 1200;
/// The list of options that a client requests, to which more can be added (RFC 2132, section 9.8).
const PARAMETER_LIST: u16 = 55;

/// The options that the messages of a run contain by default.
#[derive(Clone, Copy, Debug)]
pub(super) struct DefaultOptions {
    pub family: Family,
    pub lease: Lease,
    pub first_half: bool,
    pub rapid_commit: bool,
}

/// The options that clients add.
pub(super) fn options(
    values: &Values,
    usual: DefaultOptions,
) -> Result<Vec<VariedOption>, UsageError> {
    let mut options: Vec<VariedOption> = Vec::new();
    let v4 = usual.family == Family::V4;
    for (name, text) in values.each(&["o", "option"]) {
        let option = read(name, text, if name == "o" { ',' } else { '=' })?;
        let named = format!("{} '{text}'", dashed(name));
        let most = if v4 { 254 } else { u16::MAX };
        if !(1..=most).contains(&option.code) {
            return Err(UsageError::new(format!("{named} has an invalid code: use 1 to {most}")));
        }
        if usual.has(option.code) {
            return Err(UsageError::new(format!(
                "{named} is already in every message of that kind: to change it, use a template with -T"
            )));
        }
        let again = options.iter().any(|other| other.code == option.code);
        if v4 && again && option.code != PARAMETER_LIST {
            return Err(UsageError::new(format!(
                "{named} was given twice: DHCPv4 has each option once"
            )));
        }
        fits(&option, usual.family, &named)?;
        options.push(option);
    }
    if !options.is_empty() && values.has("T") {
        return Err(UsageError::new(
            "-o and --option cannot be used with -T: add the option to the template instead",
        ));
    }
    Ok(options)
}

/// The options that relays add.
pub(super) fn relay_options(
    values: &Values,
    family: Family,
    levels: u8,
) -> Result<Vec<VariedOption>, UsageError> {
    let mut options = Vec::new();
    for (name, text) in values.each(&["or", "relay-option"]) {
        let named = format!("{} '{text}'", dashed(name));
        if name == "or" && family == Family::V4 {
            return Err(UsageError::new(
                "--or needs -6: in DHCPv4, --relay-option adds to option 82",
            ));
        }
        if levels == 0 {
            return Err(UsageError::new(match family {
                Family::V4 => format!("{named} needs a relay: leave out --client"),
                Family::V6 => format!("{named} needs a relay: add -A 1 or --relay-levels"),
            }));
        }
        let separator = if name == "or" { ',' } else { '=' };
        let head = text.split(separator).next().unwrap_or_default();
        let (level, rest) = match head.split_once(':') {
            Some((level, _)) => (level.parse().ok(), &text[level.len() + 1..]),
            None => (Some(1), text),
        };
        let most = if family == Family::V4 { 1 } else { levels };
        let level = level.filter(|level| (1..=most).contains(level)).ok_or_else(|| {
            UsageError::new(format!(
                "{named} names a relay that does not exist: levels are 1 to {most}"
            ))
        })?;
        let mut option = read(name, rest, separator)?;
        option.level = level - 1;
        if option.code == 0 || family == Family::V4 && option.code > 255 {
            return Err(UsageError::new(format!("{named} has an invalid code: use 1 or more")));
        }
        if family == Family::V6 && option.code == 9 {
            return Err(UsageError::new(format!(
                "{named} is already in every RELAY-FORW: it holds the message"
            )));
        }
        fits(&option, family, &named)?;
        options.push(option);
    }
    let whole: usize = options.iter().map(|option| option.longest() + 2).sum();
    if family == Family::V4 && whole > LONGEST_V4 {
        return Err(UsageError::new(format!(
            "--relay-option: option 82 would have {whole} bytes, but at most {LONGEST_V4} fit: shorten the values"
        )));
    }
    Ok(options)
}

impl DefaultOptions {
    /// Whether messages contain an option of this code by default.
    fn has(self, code: u16) -> bool {
        match (self.family, code) {
            (Family::V4, 53 | 61) | (Family::V6, 1 | 6 | 8 | 9) => true,
            (Family::V4, 50 | 54) | (Family::V6, 2) => !self.first_half,
            (Family::V4, 80) | (Family::V6, 14) => self.rapid_commit,
            (Family::V6, 3) => self.lease != Lease::Prefix,
            (Family::V6, 25) => self.lease != Lease::Address,
            _ => false,
        }
    }
}

fn fits(option: &VariedOption, family: Family, named: &str) -> Result<(), UsageError> {
    let (longest, most) = match family {
        Family::V4 => (option.longest(), LONGEST_V4),
        Family::V6 => (option.longest(), LONGEST_V6),
    };
    if longest > most {
        return Err(UsageError::new(format!(
            "{named} can have {longest} bytes, but at most {most} fit: shorten the value"
        )));
    }
    Ok(())
}

fn read(name: &str, text: &str, separator: char) -> Result<VariedOption, UsageError> {
    let right = || {
        if separator == ',' {
            refused(name, text, "a code, a comma and hexadecimal digits, such as 60,646f63736973")
        } else {
            refused(name, text, "a code, = and a value, such as 60=docsis or 12=host-{n}")
        }
    };
    let (code, value) = text.split_once(separator).ok_or_else(right)?;
    let code = code.parse().map_err(|_| right())?;
    let because =
        |why: PatternError| UsageError::new(format!("{} '{text}' is invalid: {why}", dashed(name)));
    if separator == ',' {
        return Ok(VariedOption::fixed(0, code, digits(value).map_err(because)?));
    }
    Ok(VariedOption { level: 0, code, value: varied::value(value).map_err(because)? })
}
