//! Decodes a filter from a message, borrowing every leaf. The nesting depth is checked before each
//! descent.

use super::{DEPTH_MAX, Filter};
use crate::ber::{DecodeError, Element, Reader, tag};

/// `[0]` to `[9]` of the choice in RFC 4511 section 4.5.1.
const AND: u8 = tag::context_constructed(0);
const OR: u8 = tag::context_constructed(1);
const NOT: u8 = tag::context_constructed(2);
const EQUALITY: u8 = tag::context_constructed(3);
const SUBSTRINGS: u8 = tag::context_constructed(4);
const GREATER_OR_EQUAL: u8 = tag::context_constructed(5);
const LESS_OR_EQUAL: u8 = tag::context_constructed(6);
const PRESENT: u8 = tag::context(7);
const APPROXIMATE: u8 = tag::context_constructed(8);
const EXTENSIBLE: u8 = tag::context_constructed(9);

impl<'a> Filter<&'a [u8]> {
    /// Decodes the next element as a filter.
    pub fn decode(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        nested(reader, 1)
    }
}

fn nested<'a>(reader: &mut Reader<'a>, depth: usize) -> Result<Filter<&'a [u8]>, DecodeError> {
    let element = reader.element()?;
    if depth > DEPTH_MAX {
        return Err(DecodeError::TooDeep { offset: element.offset });
    }
    match element.tag {
        AND => Ok(Filter::And(list(reader.inside(&element)?, depth)?)),
        OR => Ok(Filter::Or(list(reader.inside(&element)?, depth)?)),
        NOT => {
            let mut inner = reader.inside(&element)?;
            let filter = nested(&mut inner, depth + 1)?;
            inner.end()?;
            Ok(Filter::Not(Box::new(filter)))
        }
        SUBSTRINGS => substrings(reader.inside(&element)?),
        PRESENT => Ok(Filter::Present(element.content)),
        EXTENSIBLE => extensible(reader.inside(&element)?),
        EQUALITY | GREATER_OR_EQUAL | LESS_OR_EQUAL | APPROXIMATE => assertion(reader, &element),
        found => Err(DecodeError::Choice { offset: element.offset, found }),
    }
}

fn list(mut reader: Reader<'_>, depth: usize) -> Result<Vec<Filter<&[u8]>>, DecodeError> {
    let mut filters = Vec::new();
    while !reader.is_empty() {
        filters.push(nested(&mut reader, depth + 1)?);
    }
    Ok(filters)
}

fn assertion<'a>(
    reader: &Reader<'a>,
    element: &Element<'a>,
) -> Result<Filter<&'a [u8]>, DecodeError> {
    let mut inner = reader.inside(element)?;
    let attribute = inner.octets()?;
    let value = inner.octets()?;
    inner.end()?;
    Ok(match element.tag {
        GREATER_OR_EQUAL => Filter::GreaterOrEqual { attribute, value },
        LESS_OR_EQUAL => Filter::LessOrEqual { attribute, value },
        APPROXIMATE => Filter::Approximate { attribute, value },
        _ => Filter::Equality { attribute, value },
    })
}

fn substrings(mut reader: Reader<'_>) -> Result<Filter<&[u8]>, DecodeError> {
    let attribute = reader.octets()?;
    let mut parts = reader.nested(tag::SEQUENCE)?;
    reader.end()?;
    let initial = parts.optional(tag::context(0))?.map(|element| element.content);
    let mut any = Vec::new();
    while let Some(element) = parts.optional(tag::context(1))? {
        any.push(element.content);
    }
    let last = parts.optional(tag::context(2))?.map(|element| element.content);
    if let Some(found) = parts.peek() {
        return Err(DecodeError::Choice { offset: parts.offset(), found });
    }
    if initial.is_none() && any.is_empty() && last.is_none() {
        return Err(DecodeError::Value {
            offset: parts.offset(),
            expected: "a list of at least one substring",
        });
    }
    Ok(Filter::Substrings { attribute, initial, any, last })
}

fn extensible(mut reader: Reader<'_>) -> Result<Filter<&[u8]>, DecodeError> {
    let rule = reader.optional(tag::context(1))?.map(|element| element.content);
    let attribute = reader.optional(tag::context(2))?.map(|element| element.content);
    let value = reader.expect(tag::context(3))?.content;
    let dn_attributes = match reader.optional(tag::context(4))? {
        Some(element) => element.boolean()?,
        None => false,
    };
    reader.end()?;
    Ok(Filter::Extensible { rule, attribute, value, dn_attributes })
}
