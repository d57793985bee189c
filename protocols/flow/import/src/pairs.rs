//! Pairs of names and values as forms write them, with their secrets replaced by variables.

use crate::notation::{has_holes, literal};
use crate::secrets::Variables;
use brunt_redact::is_secret_name;
use url::form_urlencoded;

/// A text with pairs of names and values, as forms write them, in which each secret is replaced by a variable. Forms
/// of the type `text/plain` have one on each line.
pub(crate) fn text(text: &str, variables: &mut Variables) -> String {
    let legal = |c: char| c.is_ascii_alphanumeric() || "-_.:[]%$".contains(c);
    let mut pair = |piece: &str| -> Option<String> {
        let (name, rest) = piece.split_once('=')?;
        let value = rest.trim_end_matches(['&', '\r', '\n']);
        let ends = &rest[value.len()..];
        if !name.chars().all(legal) || !is_secret_name(name) || has_holes(value) {
            return None;
        }
        let plain = format!("={}", value.replace("$${", "${"));
        let (_, decoded) = form_urlencoded::parse(plain.as_bytes()).next()?;
        let again = form_urlencoded::byte_serialize(decoded.as_bytes()).collect::<String>();
        if again != value.replace("%20", "+") {
            let comment = format!("what the parameter '{name}' held, as it is sent");
            return Some(format!("{name}={}{ends}", variables.secret(name, value, &comment)));
        }
        let stands = member(name, &decoded, variables);
        let hole = stands.strip_suffix('}').filter(|_| has_holes(&stands))?;
        Some(format!("{name}={hole}|form}}{ends}"))
    };
    let pieces = text.split_inclusive(['&', '\n']);
    pieces.map(|piece| pair(piece).unwrap_or_else(|| piece.to_owned())).collect()
}

/// The value of a field, with its secret replaced by a variable.
pub(crate) fn member(name: &str, value: &str, variables: &mut Variables) -> String {
    let value = literal(value);
    if is_secret_name(name) {
        variables.secret(name, &value, &format!("what the parameter '{name}' held"))
    } else {
        value
    }
}
