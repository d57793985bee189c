//! The attributes of an entry, stored as they are encoded in messages.
//!
//! A search that returns all of them copies one slice; one that returns some skips the others. This is also the most
//! compact form.
//!
//! The bytes were encoded here, so decoding them does not fail. If they were malformed, the attributes would end early.

use brunt_ldap_wire::ber::{Reader, Writer, tag};

/// Attributes with their values, one `PartialAttribute` (RFC 4511 section 4.1.7) after the other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Attributes {
    bytes: Vec<u8>,
}

/// A view of one attribute.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Attribute<'a> {
    pub(crate) name: &'a [u8],
    /// The whole attribute as it is encoded in messages.
    pub(crate) raw: &'a [u8],
    values: &'a [u8],
}

impl Attributes {
    /// All of them as they are encoded in messages.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Appends an attribute. There must be none of this name yet.
    pub(crate) fn push<'v>(&mut self, name: &[u8], values: impl IntoIterator<Item = &'v [u8]>) {
        write(&mut self.bytes, name, values);
    }

    /// Sets the values of an attribute; without values it is removed.
    pub(crate) fn replace(&mut self, name: &[u8], values: &[&[u8]]) {
        let mut bytes = Vec::with_capacity(self.bytes.len() + 64);
        let mut written = values.is_empty();
        for attribute in self.iter() {
            if !attribute.name.eq_ignore_ascii_case(name) {
                bytes.extend_from_slice(attribute.raw);
            } else if !written {
                write(&mut bytes, attribute.name, values.iter().copied());
                written = true;
            }
        }
        if !written {
            write(&mut bytes, name, values.iter().copied());
        }
        self.bytes = bytes;
    }

    /// The attribute of exactly this description.
    pub(crate) fn find(&self, name: &[u8]) -> Option<Attribute<'_>> {
        self.iter().find(|attribute| attribute.name.eq_ignore_ascii_case(name))
    }

    pub(crate) fn iter(&self) -> Iter<'_> {
        Iter { reader: Reader::new(&self.bytes) }
    }

    pub(crate) fn shrink(&mut self) {
        self.bytes.shrink_to_fit();
    }
}

impl<'a> Attribute<'a> {
    pub(crate) fn values(&self) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        let mut reader = Reader::new(self.values);
        std::iter::from_fn(move || if reader.is_empty() { None } else { reader.octets().ok() })
    }

    /// Whether a request for this description includes this attribute: the description is the same, or the attribute is
    /// a subtype by options (RFC 4512 section 2.5.2).
    pub(crate) fn is(&self, description: &[u8]) -> bool {
        let (same, rest) = (self.name.get(..description.len()), self.name.get(description.len()));
        same.is_some_and(|same| same.eq_ignore_ascii_case(description))
            && matches!(rest, None | Some(b';'))
    }
}

/// An iterator over attributes.
pub(crate) struct Iter<'a> {
    reader: Reader<'a>,
}

impl<'a> Iterator for Iter<'a> {
    type Item = Attribute<'a>;

    #[inline]
    fn next(&mut self) -> Option<Attribute<'a>> {
        if self.reader.is_empty() {
            return None;
        }
        let before = self.reader.rest();
        let element = self.reader.element().ok()?;
        let raw = before.get(..before.len() - self.reader.rest().len())?;
        let mut inner = Reader::new(element.content);
        let name = inner.octets().ok()?;
        let values = inner.expect(tag::SET).ok()?.content;
        Some(Attribute { name, raw, values })
    }
}

/// Appends one attribute as it is encoded in messages.
pub(crate) fn write<'v>(
    out: &mut Vec<u8>,
    name: &[u8],
    values: impl IntoIterator<Item = &'v [u8]>,
) {
    Writer::new(out).constructed(tag::SEQUENCE, |w| {
        w.octets(name);
        w.constructed(tag::SET, |w| {
            for value in values {
                w.octets(value);
            }
        });
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(attributes: &Attributes) -> Vec<(String, Vec<String>)> {
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        attributes
            .iter()
            .map(|attribute| (text(attribute.name), attribute.values().map(text).collect()))
            .collect()
    }

    #[test]
    fn attribute_replace_keeps_others_in_order() {
        let mut attributes = Attributes::default();
        attributes.push(b"cn", [&b"a"[..]]);
        attributes.push(b"sn", [&b"b"[..], b"c"]);
        attributes.push(b"mail", [&b"d"[..]]);
        attributes.replace(b"SN", &[&b"x".repeat(300)]);
        attributes.replace(b"cn", &[]);
        attributes.replace(b"title", &[b"y"]);
        let expected = [
            ("sn", vec!["x".repeat(300)]),
            ("mail", vec!["d".to_owned()]),
            ("title", vec!["y".to_owned()]),
        ];
        assert_eq!(texts(&attributes), expected.map(|(name, values)| (name.to_owned(), values)));
    }

    #[test]
    fn attribute_options_are_subtypes() {
        let mut attributes = Attributes::default();
        attributes.push(b"cn;lang-de", [&b"a"[..]]);
        let attribute = attributes.iter().next().unwrap();
        assert!(attribute.is(b"CN") && attribute.is(b"cn;lang-de"));
        assert!(!attribute.is(b"c") && !attribute.is(b"cn;lang") && !attribute.is(b"cn;lang-de;x"));
    }
}
