//! The control with which a request carries the identity of a trace (W3C Trace Context).
//!
//! Ping's directory defines it, and UnboundID's SDK can send it; its value is `SEQUENCE { traceParent OCTET STRING,
//! traceState OCTET STRING OPTIONAL }`. It is different for every request and rarely wanted, so it is added to a
//! request that has been encoded, and compiled requests need no place for it.

use super::CONTROLS;
use crate::ber::{DecodeError, Element, Reader, Writer, tag};

/// W3C trace context, request, of Ping's directory.
pub const W3C_TRACE_CONTEXT: &str = "1.3.6.1.4.1.36733.2.1.5.7";

/// Adds the control to the message that begins at this byte. Servers that do not know it ignore it.
pub fn add_trace_context(out: &mut Vec<u8>, from: usize, traceparent: &str) {
    let message = out.split_off(from);
    let Ok((id, operation, controls)) = parts(&message) else {
        out.extend(message);
        return;
    };
    let mut value = Vec::new();
    Writer::new(&mut value).constructed(tag::SEQUENCE, |w| w.octets(traceparent.as_bytes()));
    Writer::new(out).constructed(tag::SEQUENCE, |w| {
        w.primitive(id.tag, id.content);
        w.primitive(operation.tag, operation.content);
        w.constructed(CONTROLS, |w| {
            w.raw(controls.map_or(&[], |controls| controls.content));
            w.constructed(tag::SEQUENCE, |w| {
                w.octets(W3C_TRACE_CONTEXT.as_bytes());
                w.octets(&value);
            });
        });
    });
}

/// The number, the operation and the controls of a message.
fn parts(message: &[u8]) -> Result<(Element<'_>, Element<'_>, Option<Element<'_>>), DecodeError> {
    let mut reader = Reader::new(message).nested(tag::SEQUENCE)?;
    let parts = (reader.element()?, reader.element()?, reader.optional(CONTROLS)?);
    reader.end()?;
    Ok(parts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control::{Control, Controls, MANAGE_DSA_IT};
    use crate::{ber::Text, request};

    const PARENT: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    /// A deletion with these controls, after bytes of another message.
    fn deletion(controls: &[Control]) -> Vec<u8> {
        let skeleton = request::delete(&Text::from("uid=a,dc=b"), controls);
        let mut out = b"before".to_vec();
        skeleton.encode(7, &(), &mut out);
        out
    }

    #[test]
    fn trace_context_follows_the_existing_controls() {
        for controls in [vec![], vec![Control::manage_dsa_it(true)]] {
            let plain = deletion(&controls);
            let mut out = plain.clone();
            add_trace_context(&mut out, 6, PARENT);
            assert!(out.starts_with(b"before"));
            let (before, after) = (parts(&plain[6..]).unwrap(), parts(&out[6..]).unwrap());
            assert_eq!((before.0.content, before.1.content), (after.0.content, after.1.content));
            let mut reader = Reader::new(&out[6..]).nested(tag::SEQUENCE).unwrap();
            for _ in 0..2 {
                reader.element().unwrap();
            }
            let all = Controls::after(&mut reader).unwrap();
            let found = all.clone().find(W3C_TRACE_CONTEXT).unwrap().unwrap();
            assert!(!found.critical);
            let mut value = Reader::new(found.value.unwrap()).nested(tag::SEQUENCE).unwrap();
            assert_eq!(value.octets().unwrap(), PARENT.as_bytes());
            assert_eq!(all.clone().count(), controls.len() + 1);
            assert_eq!(all.find(MANAGE_DSA_IT).unwrap().is_some(), !controls.is_empty());
        }
    }

    #[test]
    fn trace_context_leaves_invalid_messages_unchanged() {
        let mut out = b"x\x30\x05\x02".to_vec();
        add_trace_context(&mut out, 1, PARENT);
        assert_eq!(out, b"x\x30\x05\x02");
    }
}
