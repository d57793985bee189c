//! What a step sent, derived from the plan and the variables, with secrets replaced by stars.

use super::bytes::Bytes;
use crate::dhcp::Kind;
use crate::flow::http::{Content, HttpExchange};
use crate::flow::plan::Payload;
use crate::ldap::LdapOperation;
use brunt_feed::{Text, TextPiece, Values};
use brunt_redact::{HIDDEN, is_secret_name};

/// What was sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TracedRequest {
    /// Over HTTP.
    Http {
        /// The method.
        method: String,
        /// The URL.
        url: String,
        /// The fields; those that the client added are last.
        fields: Vec<(String, String)>,
        /// The body.
        body: Option<Bytes>,
    },
    /// With another protocol, in words.
    Words {
        /// The protocol.
        protocol: &'static str,
        /// A description of the request.
        lines: Vec<String>,
    },
}

/// The request of a step, filled in with the values it was sent with.
pub(super) fn of(payload: &Payload, values: &Values) -> TracedRequest {
    match payload {
        Payload::Http(http) => of_http(http, values),
        Payload::Ldap(ldap) => of_ldap(ldap.operation(), values),
        Payload::Dhcp(kind) => {
            let kind = match kind {
                Kind::Acquire => "acquire a lease",
                Kind::Renew => "renew the lease",
                Kind::Rebind => "rebind the lease",
                Kind::Release => "release the lease",
                Kind::Decline => "decline the lease",
                Kind::Reboot => "ask whether the lease still holds",
                Kind::Inform => "ask for options",
            };
            TracedRequest::Words { protocol: "DHCP", lines: vec![kind.to_owned()] }
        }
    }
}

fn of_http(http: &HttpExchange, values: &Values) -> TracedRequest {
    let field = |(name, value): &(String, Text)| {
        (name.clone(), brunt_redact::header(name, &filled(value, values)))
    };
    TracedRequest::Http {
        method: http.method.clone(),
        url: brunt_redact::url(&filled(&http.url, values)),
        fields: http.fields.iter().map(field).collect(),
        body: match &http.body {
            Content::None => None,
            Content::Text(text) => {
                let text = filled(text, values);
                Some(Bytes::of_text(&text, text.len() as u64, values))
            }
            Content::Fixed(body) => {
                body.bytes().map(|bytes| Bytes::of(bytes, bytes.len() as u64, values))
            }
        },
    }
}

/// An operation in lines that read like LDIF or the description of a search.
fn of_ldap(operation: &LdapOperation, values: &Values) -> TracedRequest {
    let line = |text: &Text| brunt_redact::text(&filled(text, values));
    let value = |name: &str, text: &Text| {
        let shown = if is_secret_name(name) { HIDDEN.to_owned() } else { line(text) };
        format!("{name}: {shown}")
    };
    let lines = match operation {
        LdapOperation::Bind { dn, password } => {
            let password = filled(password, values);
            let shown = if password.is_empty() { "(none)" } else { HIDDEN };
            vec![format!("bind as {}", line(dn)), format!("password: {shown}")]
        }
        LdapOperation::Search { base, scope, filter, attributes, size_limit } => {
            let scope = format!("{scope:?}").to_ascii_lowercase();
            let mut lines = vec![
                format!("search {} ({scope})", line(base)),
                format!("filter: {}", line(filter)),
            ];
            if !attributes.is_empty() {
                lines.push(format!("attributes: {}", attributes.join(" ")));
            }
            if *size_limit > 0 {
                lines.push(format!("size limit: {size_limit}"));
            }
            lines
        }
        LdapOperation::Compare { dn, attribute, value: text } => {
            vec![format!("compare {}", line(dn)), value(attribute, text)]
        }
        LdapOperation::Modify { dn, changes } => {
            let mut lines = vec![format!("modify {}", line(dn))];
            for (op, attribute, texts) in changes {
                let op = format!("{op:?}").to_ascii_lowercase();
                lines.push(format!("{op}: {attribute}"));
                lines.extend(texts.iter().map(|text| value(attribute, text)));
            }
            lines
        }
        LdapOperation::Add { dn, attributes } => {
            let mut lines = vec![format!("add {}", line(dn))];
            let all = attributes
                .iter()
                .flat_map(|(name, texts)| texts.iter().map(move |text| value(name, text)));
            lines.extend(all);
            lines
        }
        LdapOperation::Delete { dn } => vec![format!("delete {}", line(dn))],
    };
    TracedRequest::Words { protocol: "LDAP", lines }
}

/// A text filled in with its values; secrets are replaced by stars, and a variable without a value
/// is shown as `(no value)`.
fn filled(text: &Text, values: &Values) -> String {
    let mut out = Vec::new();
    for piece in text.pieces() {
        match piece {
            TextPiece::Literal(bytes) => out.extend_from_slice(bytes),
            TextPiece::Hole(hole, _) if values.is_hidden(*hole) => {
                out.extend_from_slice(HIDDEN.as_bytes());
            }
            TextPiece::Hole(hole, escape) => match values.value(*hole) {
                Some(value) => {
                    let start = out.len();
                    out.extend_from_slice(value);
                    escape.apply(&mut out, start);
                }
                None => out.extend_from_slice(b"(no value)"),
            },
        }
    }
    values.shown(&String::from_utf8_lossy(&out))
}
