//! Extended operations (RFC 4511 section 4.12): StartTLS, who am I, cancel.

use brunt_ldap_wire::ber::{Reader, tag};
use brunt_ldap_wire::code;
use brunt_ldap_wire::reply::{self, Answer};
use brunt_ldap_wire::request::{CANCEL, START_TLS, WHO_AM_I};

use crate::session::{Next, Session};

/// Executes an extended request, writes the answer, and returns its code.
pub(crate) fn answer(
    session: &Session,
    (name, value): (&[u8], Option<&[u8]>),
    message_id: i32,
    out: &mut Vec<u8>,
) -> (u32, Next) {
    let mut reply_with = |answer: &Answer<'_>, name: Option<&str>, value: Option<&[u8]>| {
        reply::extended(out, message_id, answer, name, value, &[]);
        answer.code
    };
    if name == START_TLS.as_bytes() {
        if session.secure {
            let answer =
                Answer::because(code::OPERATIONS_ERROR, "the connection is under TLS already");
            return (reply_with(&answer, Some(START_TLS), None), Next::Continue);
        }
        return (reply_with(&Answer::code(code::SUCCESS), Some(START_TLS), None), Next::StartTls);
    }
    if name == WHO_AM_I.as_bytes() {
        let identity = session.identity.authorization();
        return (reply_with(&Answer::code(code::SUCCESS), None, Some(&identity)), Next::Continue);
    }
    if name == CANCEL.as_bytes() {
        let Some(target) = value.and_then(cancelled) else {
            let answer = Answer::because(
                code::PROTOCOL_ERROR,
                "the value of the cancel request is malformed",
            );
            return (reply_with(&answer, None, None), Next::Continue);
        };
        // Requests are executed as they are read; only a reply that a script delays can still be cancelled, which the
        // connection does.
        return (reply_with(&Answer::code(NO_SUCH_OPERATION), None, None), Next::Cancel(target));
    }
    let answer = Answer::because(code::PROTOCOL_ERROR, "this extended operation is not known");
    (reply_with(&answer, None, None), Next::Continue)
}

/// There is nothing of this message id to cancel (RFC 3909 section 3).
pub(crate) const NO_SUCH_OPERATION: u32 = 119;

/// The message id in a cancel request (RFC 3909 section 2.1).
fn cancelled(value: &[u8]) -> Option<i32> {
    let mut outer = Reader::new(value);
    let mut inner = outer.nested(tag::SEQUENCE).ok()?;
    inner.integer().ok()
}
