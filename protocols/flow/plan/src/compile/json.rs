//! JSON with holes: converts a document in a plan to a text in which each value is valid in its position.

use brunt_feed::{Escape, Text, TextPiece};

use super::names::{Names, Piece};
use crate::key_error::KeyError;
use crate::path::KeyPath;
use crate::values::{Node, Scalar};

/// The text of a document. A text at the top level is already JSON; everything else is converted to it.
pub(super) fn text(at: &KeyPath, node: &Node, names: &mut Names) -> Result<Text, KeyError> {
    if let Node::Scalar(Scalar::Text(json)) = node {
        return written(at, json, names);
    }
    value(at, node, names)
}

/// A value of a document, of which a text is a string.
pub(super) fn value(at: &KeyPath, node: &Node, names: &mut Names) -> Result<Text, KeyError> {
    let mut pieces = Vec::new();
    write(at, node, names, &mut pieces)?;
    Ok(Text::from_pieces(pieces))
}

/// JSON text: values within quotes are escaped for them, others are inserted unchanged.
fn written(at: &KeyPath, json: &str, names: &mut Names) -> Result<Text, KeyError> {
    let mut sample = String::new();
    let (mut quoted, mut slashed) = (false, false);
    let mut pieces = Vec::new();
    for piece in names.pieces(at, json)? {
        match piece {
            Piece::Literal(bytes) => {
                sample.push_str(&String::from_utf8_lossy(&bytes));
                for byte in &bytes {
                    match byte {
                        b'"' if !slashed => quoted = !quoted,
                        _ => {}
                    }
                    slashed = quoted && !slashed && *byte == b'\\';
                }
                pieces.push(TextPiece::Literal(bytes.into()));
            }
            Piece::Hole(hole, escape) => {
                sample.push('0');
                let place = if quoted { Escape::Json } else { Escape::None };
                pieces.push(TextPiece::Hole(hole, escape.unwrap_or(place)));
            }
        }
    }
    serde_json::from_str::<serde::de::IgnoredAny>(&sample).map_err(|error| {
        let what = format!(
            "is not JSON: {error} (with 0 for each variable); a body that need not be JSON is 'text'"
        );
        KeyError::new(at, what)
    })?;
    Ok(Text::from_pieces(pieces))
}

fn write(
    at: &KeyPath,
    node: &Node,
    names: &mut Names,
    out: &mut Vec<TextPiece>,
) -> Result<(), KeyError> {
    let literal = |text: &str| TextPiece::Literal(text.as_bytes().into());
    match node {
        Node::Scalar(Scalar::Text(text)) => {
            out.push(literal("\""));
            let inside = names.encoded(at, text, Escape::Json)?;
            out.extend(inside.pieces().iter().cloned());
            out.push(literal("\""));
        }
        Node::Scalar(Scalar::Float(number)) => {
            let number = serde_json::Number::from_f64(*number);
            let number = number
                .ok_or_else(|| KeyError::new(at, "is a number that JSON cannot represent"))?;
            out.push(literal(&number.to_string()));
        }
        Node::Scalar(other) => out.push(literal(&other.to_string())),
        Node::Array(nodes) => {
            out.push(literal("["));
            for (index, node) in nodes.iter().enumerate() {
                out.extend((index > 0).then(|| literal(",")));
                write(&at.index(index), node, names, out)?;
            }
            out.push(literal("]"));
        }
        Node::Object(pairs) => {
            out.push(literal("{"));
            for (index, (key, node)) in pairs.iter().enumerate() {
                out.extend((index > 0).then(|| literal(",")));
                let at = at.key(key);
                write(&at, &Node::Scalar(key.into()), names, out)?;
                out.push(literal(":"));
                write(&at, node, names, out)?;
            }
            out.push(literal("}"));
        }
    }
    Ok(())
}
