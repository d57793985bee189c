//! The conditions that answers are checked against: `--expect`.

use std::net::Ipv4Addr;

use brunt_dhcp_driver::expectation::{Answer, Expectation};
use brunt_dhcp_driver::family::Family;
use brunt_dhcp_driver::field::Field;
use brunt_dhcp_driver::varied::{Pattern, PatternError};
use brunt_run::options::usage_error::UsageError;
use brunt_run::options::values::Values;

use super::args::Expected;
use super::syntax::refused;
use super::varied;

/// Fields of a DHCPv4 message that are not options.
const FIELDS: [(&str, Field); 4] = [
    ("yiaddr", Field::Address),
    ("siaddr", Field::NextServer),
    ("sname", Field::ServerName),
    ("file", Field::BootFile),
];

/// Reads the conditions on answers.
pub(super) fn read(values: &Values, family: Family) -> Result<Vec<Expected>, UsageError> {
    let expected: Vec<Expected> =
        values.all("expect").map(|text| expectation(text, family)).collect::<Result<_, _>>()?;
    if !values.has("i") && expected.iter().any(Expected::wants_no_address) {
        return Err(UsageError::new(
            "--expect yiaddr=0.0.0.0 needs -i: an answer without an address cannot be followed by a REQUEST",
        ));
    }
    Ok(expected)
}

fn expectation(text: &str, family: Family) -> Result<Expected, UsageError> {
    let right = || {
        let example = match family {
            Family::V4 => "66=10.0.0.9, file=pxelinux.0, ack:67=boot.img or 43",
            Family::V6 => "advertise:59=tftp://boot/image or 23",
        };
        refused("expect", text, &format!("[answer:]option[=value], such as {example}"))
    };
    let (head, value) = match text.split_once('=') {
        Some((head, value)) => (head, Some(value)),
        None => (text, None),
    };
    let (answer, name) = match head.split_once(':') {
        Some((answer, name)) => (Some(answer), name),
        None => (None, head),
    };
    let answer = answer.map(|word| which(word, family).ok_or_else(right)).transpose()?;
    let field = field(name, family).ok_or_else(right)?;
    let because = |why: ValueError| UsageError::new(format!("--expect '{text}' is invalid: {why}"));
    let value = value.map(|value| pattern(value, field)).transpose().map_err(because)?;
    Ok(Expected { text: text.to_owned(), expectation: Expectation { answer, field, value } })
}

fn which(word: &str, family: Family) -> Option<Answer> {
    match (family, word) {
        (Family::V4, "offer") | (Family::V6, "advertise") => Some(Answer::Offer),
        (Family::V4, "ack") | (Family::V6, "reply") => Some(Answer::Grant),
        _ => None,
    }
}

fn field(name: &str, family: Family) -> Option<Field> {
    let named = FIELDS.iter().find(|(known, _)| *known == name);
    match (named, family) {
        (Some((_, field)), Family::V4) => Some(*field),
        (None, Family::V4) => {
            name.parse().ok().filter(|it| (1..=254).contains(it)).map(Field::Option)
        }
        (None, Family::V6) => name.parse().ok().filter(|it| *it > 0).map(Field::Option),
        (Some(_), Family::V6) => None,
    }
}

/// Why a value cannot be expected.
#[derive(Debug, thiserror::Error)]
enum ValueError {
    #[error("'{0}' is no IPv4 address")]
    Address(String),
    #[error(transparent)]
    Pattern(#[from] PatternError),
}

/// The expected octets. A field that is an address is written as one.
fn pattern(value: &str, field: Field) -> Result<Pattern, ValueError> {
    match field {
        Field::Address | Field::NextServer => {
            let address: Result<Ipv4Addr, _> = value.parse();
            let address = address.map_err(|_| ValueError::Address(value.to_owned()))?;
            Ok(Pattern::fixed(address.octets().to_vec()))
        }
        Field::Option(_) | Field::ServerName | Field::BootFile => Ok(varied::value(value)?),
    }
}
