//! Writes a filter in the notation of RFC 4515, for diagnostics and for escaping a value in a
//! template.

use std::fmt;

use super::Filter;
use crate::ber::{Piece, Text};

/// Appends `value` to `out` in a form that a filter parser reads as exactly these bytes (RFC 4515
/// section 3): parentheses, asterisks, backslashes, control characters and bytes that are not UTF-8
/// become `\xx`.
pub fn escape(value: &[u8], out: &mut Vec<u8>) {
    for chunk in value.utf8_chunks() {
        for byte in chunk.valid().bytes() {
            if matches!(byte, b'(' | b')' | b'*' | b'\\') || byte.is_ascii_control() {
                hexadecimal(byte, out);
            } else {
                out.push(byte);
            }
        }
        for byte in chunk.invalid() {
            hexadecimal(*byte, out);
        }
    }
}

fn hexadecimal(byte: u8, out: &mut Vec<u8>) {
    let digit = |nibble: u8| if nibble < 10 { b'0' + nibble } else { b'a' - 10 + nibble };
    out.extend_from_slice(&[b'\\', digit(byte >> 4), digit(byte & 0x0f)]);
}

/// A leaf of a filter that can be displayed.
trait Leaf {
    fn show(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result;
}

impl Leaf for &[u8] {
    fn show(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut escaped = Vec::new();
        escape(self, &mut escaped);
        f.write_str(&String::from_utf8_lossy(&escaped))
    }
}

impl Leaf for Text {
    fn show(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for piece in self.pieces() {
            match piece {
                Piece::Static(bytes) => bytes.as_slice().show(f)?,
                Piece::Slot(slot) => write!(f, "{{{}}}", slot + 1)?,
            }
        }
        Ok(())
    }
}

impl fmt::Display for Filter<Text> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        show(self, f)
    }
}

impl fmt::Display for Filter<&[u8]> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        show(self, f)
    }
}

fn show<T: Leaf>(filter: &Filter<T>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match filter {
        Filter::And(filters) => list('&', filters, f),
        Filter::Or(filters) => list('|', filters, f),
        Filter::Not(filter) => {
            f.write_str("(!")?;
            show(&**filter, f)?;
            f.write_str(")")
        }
        Filter::Equality { attribute, value } => assertion(attribute, "=", value, f),
        Filter::GreaterOrEqual { attribute, value } => assertion(attribute, ">=", value, f),
        Filter::LessOrEqual { attribute, value } => assertion(attribute, "<=", value, f),
        Filter::Approximate { attribute, value } => assertion(attribute, "~=", value, f),
        Filter::Present(attribute) => {
            f.write_str("(")?;
            attribute.show(f)?;
            f.write_str("=*)")
        }
        Filter::Substrings { attribute, initial, any, last } => {
            f.write_str("(")?;
            attribute.show(f)?;
            f.write_str("=")?;
            if let Some(initial) = initial {
                initial.show(f)?;
            }
            f.write_str("*")?;
            for part in any {
                part.show(f)?;
                f.write_str("*")?;
            }
            if let Some(last) = last {
                last.show(f)?;
            }
            f.write_str(")")
        }
        Filter::Extensible { rule, attribute, value, dn_attributes } => {
            f.write_str("(")?;
            if let Some(attribute) = attribute {
                attribute.show(f)?;
            }
            f.write_str(if *dn_attributes { ":dn" } else { "" })?;
            if let Some(rule) = rule {
                f.write_str(":")?;
                rule.show(f)?;
            }
            f.write_str(":=")?;
            value.show(f)?;
            f.write_str(")")
        }
    }
}

fn list<T: Leaf>(operator: char, filters: &[Filter<T>], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    write!(f, "({operator}")?;
    for filter in filters {
        show(filter, f)?;
    }
    f.write_str(")")
}

fn assertion<T: Leaf>(
    attribute: &T,
    operator: &str,
    value: &T,
    f: &mut fmt::Formatter<'_>,
) -> fmt::Result {
    f.write_str("(")?;
    attribute.show(f)?;
    f.write_str(operator)?;
    value.show(f)?;
    f.write_str(")")
}
