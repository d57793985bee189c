//! [`Reply`]: what a step received, over any protocol, as checks and extractions see it.
//!
//! [`Parsed`] is a reply that is examined more than once: its body is parsed when it is first needed as JSON or XML,
//! and only once for all checks and extractions. All of them share the work limit of one answer.

use super::unexamined::Unexamined;
use super::work::Work;
use super::{json, xml};
use brunt_flow_page::Document;
use brunt_http_driver::Response;
use std::cell::OnceCell;

/// The answer to a step.
#[derive(Clone, Copy, Debug)]
pub enum Reply<'a> {
    /// Over HTTP.
    Http(&'a Response),
    /// An answer of named values: attributes of an entry, options of a lease.
    Named {
        /// The protocol's own code.
        code: u32,
        /// The values, by name. A name may occur more than once.
        values: &'a [(String, Vec<u8>)],
    },
}

impl<'a> Reply<'a> {
    /// The protocol's own code: the status of HTTP, the result code of LDAP.
    pub fn code(&self) -> u32 {
        match self {
            Self::Http(response) => response.status().into(),
            Self::Named { code, .. } => *code,
        }
    }

    /// The first value with this name, ignoring case: of an HTTP field or an attribute.
    pub fn value(&self, name: &str) -> Option<&'a [u8]> {
        match self {
            Self::Http(response) => {
                let mut fields = response.fields();
                fields
                    .find(|(field, _)| field.eq_ignore_ascii_case(name.as_bytes()))
                    .map(|(_, value)| value)
            }
            Self::Named { values, .. } => {
                let mut named = values.iter();
                named
                    .find(|(known, _)| known.eq_ignore_ascii_case(name))
                    .map(|(_, value)| &value[..])
            }
        }
    }

    /// How many values with this name there are.
    pub fn count(&self, name: &str) -> usize {
        match self {
            Self::Http(response) => {
                let named = |field: &[u8]| field.eq_ignore_ascii_case(name.as_bytes());
                response.fields().filter(|(field, _)| named(field)).count()
            }
            Self::Named { values, .. } => {
                values.iter().filter(|(known, _)| known.eq_ignore_ascii_case(name)).count()
            }
        }
    }

    /// The value of the cookie with this name that the answer sets last.
    pub fn cookie(&self, name: &str) -> Option<&'a [u8]> {
        let Self::Http(response) = self else { return None };
        let set = response.fields().filter(|(field, _)| field.eq_ignore_ascii_case(b"set-cookie"));
        let named = set.filter_map(|(_, value)| {
            let pair = value.split(|byte| *byte == b';').next()?;
            let at = pair.iter().position(|byte| *byte == b'=')?;
            (pair[..at].trim_ascii() == name.as_bytes()).then(|| pair[at + 1..].trim_ascii())
        });
        named.last()
    }

    /// The body; empty if there is none.
    pub fn body(&self) -> &'a [u8] {
        match self {
            Self::Http(response) => response.body(),
            Self::Named { .. } => &[],
        }
    }

    /// The URL that the answer came from, if it was wanted.
    pub fn url(&self) -> Option<&'a [u8]> {
        match self {
            Self::Http(response) => response.url(),
            Self::Named { .. } => None,
        }
    }

    /// How many bytes of the body were received, kept or not.
    pub fn received(&self) -> u64 {
        match self {
            Self::Http(response) => response.received(),
            Self::Named { .. } => 0,
        }
    }

    /// Whether the body was longer than the part that was kept.
    pub fn is_truncated(&self) -> bool {
        matches!(self, Self::Http(response) if response.is_truncated())
    }
}

/// A reply whose body is parsed at most once.
#[derive(Debug)]
pub struct Parsed<'a> {
    reply: Reply<'a>,
    work: Work,
    json: OnceCell<Result<Option<serde_json::Value>, Unexamined>>,
    xml: OnceCell<Result<Option<roxmltree::Document<'a>>, Unexamined>>,
    page: OnceCell<Result<Document, Unexamined>>,
    /// The number that decides which of several matches is picked.
    draw: u64,
}

impl<'a> Parsed<'a> {
    /// A reply that has not been parsed.
    pub fn new(reply: Reply<'a>) -> Self {
        Self::drawing(reply, 0)
    }

    /// The same, with the number that decides which of several matches is picked.
    pub(super) fn drawing(reply: Reply<'a>, draw: u64) -> Self {
        Self {
            reply,
            work: Work::default(),
            json: OnceCell::new(),
            xml: OnceCell::new(),
            page: OnceCell::new(),
            draw,
        }
    }

    /// The number that decides which of several matches is picked.
    pub(super) fn draw(&self) -> u64 {
        self.draw
    }

    /// The reply.
    pub fn reply(&self) -> &Reply<'a> {
        &self.reply
    }

    /// The remaining work limit for examining it.
    pub(super) fn work(&self) -> &Work {
        &self.work
    }

    /// The body, if it was kept completely.
    pub(super) fn whole(&self) -> Result<&'a [u8], Unexamined> {
        if self.reply.is_truncated() { Err(Unexamined::Truncated) } else { Ok(self.reply.body()) }
    }

    /// The body as JSON, if there is one.
    pub(super) fn json(&self) -> Result<Option<&serde_json::Value>, Unexamined> {
        let parse = || match self.whole()? {
            empty if json::is_empty(empty) => Ok(None),
            body => serde_json::from_slice(body).map(Some).map_err(|error| json::unread(&error)),
        };
        self.json.get_or_init(parse).as_ref().map(Option::as_ref).map_err(|why| *why)
    }

    /// The body as XML, if there is one.
    pub(super) fn xml(&self) -> Result<Option<&roxmltree::Document<'a>>, Unexamined> {
        let parse = || match self.whole()? {
            empty if json::is_empty(empty) => Ok(None),
            body => xml::parse(body, &self.work).map(Some),
        };
        self.xml.get_or_init(parse).as_ref().map(Option::as_ref).map_err(|why| *why)
    }

    /// The body as a page.
    pub(super) fn page(&self) -> Result<&Document, Unexamined> {
        let parse = || Document::read(self.whole()?, &self.work).map_err(|_| Unexamined::Work);
        self.page.get_or_init(parse).as_ref().map_err(|why| *why)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cookie_set_last_wins() {
        let fields = [
            ("Set-Cookie", "sid=1; Path=/"),
            ("set-cookie", "other=x"),
            ("Set-Cookie", "sid = \"2=3\"; HttpOnly"),
            ("Set-Cookie", "nothing"),
        ];
        let response = Response::sample(200, &fields, b"");
        let reply = Reply::Http(&response);
        assert_eq!(reply.cookie("sid"), Some(&b"\"2=3\""[..]));
        assert_eq!(reply.cookie("other"), Some(&b"x"[..]));
        assert_eq!((reply.cookie("SID"), reply.cookie("nothing")), (None, None));
        assert_eq!(reply.count("SET-COOKIE"), 4);
    }

    #[test]
    fn named_values_are_case_insensitive() {
        let values = [("mail", b"a"), ("Mail", b"b")];
        let values = values.map(|(name, value)| (name.to_owned(), value.to_vec()));
        let reply = Reply::Named { code: 32, values: &values };
        assert_eq!((reply.code(), reply.value("MAIL")), (32, Some(&b"a"[..])));
        assert_eq!((reply.count("mail"), reply.count("cn")), (2, 0));
        assert_eq!((reply.body(), reply.cookie("mail")), (&[][..], None));
    }

    #[test]
    fn body_is_parsed_or_the_reason_given() {
        let parses = |body: &[u8]| {
            let response = Response::sample(200, &[], body);
            let parsed = Parsed::new(Reply::Http(&response));
            (parsed.json().map(|json| json.is_some()), parsed.xml().map(|xml| xml.is_some()))
        };
        let no_json = |line, column| Err(Unexamined::NotJson { line, column });
        let no_xml = |line, column| Err(Unexamined::NotXml { line, column });
        assert_eq!(parses(b"{}"), (Ok(true), no_xml(1, 1)));
        assert_eq!(parses(b"<a/>"), (no_json(1, 1), Ok(true)));
        assert_eq!(parses("\u{feff}<a/>".as_bytes()), (no_json(1, 1), Ok(true)));
        assert_eq!(parses(b" \r\n"), (Ok(false), Ok(false)));
        assert_eq!(parses(b"\"\xff\""), (no_json(1, 2), no_xml(1, 1)));
        let declared = parses(b"<!DOCTYPE a [<!ENTITY b \"c\">]><a>&b;</a>");
        assert_eq!(declared.1, Err(Unexamined::Doctype));
        assert_eq!(parses(b"[1e999]").0, Err(Unexamined::Number));
        // The JSON parser refuses nesting this deep, and the XML parser needs no stack for it.
        assert_eq!(parses("[".repeat(1 << 20).as_bytes()).0, Err(Unexamined::Deep));
        let deep = ["<a>".repeat(100_000), "</a>".repeat(100_000)].concat();
        assert_eq!(parses(deep.as_bytes()).1, Ok(true));
    }
}
