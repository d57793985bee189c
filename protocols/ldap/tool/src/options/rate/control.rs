//! Request controls on the command line: `oid[:criticality[:value|::base64]]`, UnboundID's notation.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::{UsageError, Values};
use crate::options::opendj::refused;

/// A request control.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Control {
    /// Its object identifier.
    pub oid: String,
    /// Whether the server must refuse the request rather than ignore the control.
    pub critical: bool,
    /// Its value, if it has one.
    pub value: Option<Vec<u8>>,
}

/// Why a text is not a control.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
enum ControlError {
    #[error("It must start with an object identifier such as 1.3.6.1.1.12")]
    Oid,
    #[error("The criticality after the object identifier must be true or false")]
    Criticality,
    #[error("What follows the two colons is not base64")]
    NotBase64,
}

/// Every control given with an option.
pub fn read(values: &Values, long: &str) -> Result<Vec<Control>, UsageError> {
    let spelled = values.spelled(long).unwrap_or(long).to_owned();
    values
        .texts(long)
        .iter()
        .map(|text| parse(text).map_err(|error| refused(text, &spelled, &error.to_string())))
        .collect()
}

fn parse(text: &str) -> Result<Control, ControlError> {
    let (oid, rest) = text.split_once(':').map_or((text, None), |(oid, rest)| (oid, Some(rest)));
    let arcs = || {
        oid.split('.').all(|arc| !arc.is_empty() && arc.bytes().all(|byte| byte.is_ascii_digit()))
    };
    if !oid.contains('.') || !arcs() {
        return Err(ControlError::Oid);
    }
    let (criticality, value) =
        match rest.map(|rest| rest.split_once(':').map_or((rest, None), |(c, v)| (c, Some(v)))) {
            None => ("false", None),
            Some(parts) => parts,
        };
    let critical = match criticality.to_ascii_lowercase().as_str() {
        "true" | "t" | "yes" | "y" | "on" | "1" => true,
        "false" | "f" | "no" | "n" | "off" | "0" => false,
        _ => return Err(ControlError::Criticality),
    };
    let value = match value.map(|value| (value, value.strip_prefix(':'))) {
        None => None,
        Some((_, Some(coded))) => {
            Some(STANDARD.decode(coded.trim()).map_err(|_| ControlError::NotBase64)?)
        }
        Some((plain, None)) => Some(plain.as_bytes().to_vec()),
    };
    Ok(Control { oid: oid.to_owned(), critical, value })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_notation_is_parsed() {
        let control = |critical, value: Option<&[u8]>| {
            Ok(Control { oid: "1.2.3".to_owned(), critical, value: value.map(<[u8]>::to_vec) })
        };
        assert_eq!(parse("1.2.3"), control(false, None));
        assert_eq!(parse("1.2.3:true"), control(true, None));
        assert_eq!(parse("1.2.3:false:a:b"), control(false, Some(b"a:b")));
        assert_eq!(parse("1.2.3:true::AAE="), control(true, Some(&[0, 1])));
        for bad in ["", "name", "1..2", "1.2.3:maybe", "1.2.3:true::*"] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }
}
