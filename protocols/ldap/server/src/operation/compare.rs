//! Compare (RFC 4511 section 4.10). Passwords can be compared but not read.

use brunt_ldap_wire::code;
use brunt_ldap_wire::message::Message;

use super::{Done, check_assertion, normalize};
use crate::directory::{equal, is_password};
use crate::refusal::Refusal;
use crate::session::Session;

/// Answers whether the entry has the value.
pub(crate) fn compare(
    session: &mut Session,
    message: &Message<'_>,
    dn: &[u8],
    attribute: &[u8],
    value: &[u8],
) -> Result<Done, Refusal> {
    normalize(dn, &mut session.normal)?;
    let directory = session.realm.read();
    let id = directory.demand(&session.normal)?;
    let Some(entry) = directory.entry(id) else { return Err(Refusal::no_such_object(b"")) };
    check_assertion(message, entry)?;
    let same = if is_password(attribute) {
        entry.accepts(value)
    } else if entry.has(attribute) {
        entry.any(attribute, &mut |stored| equal(stored, value))
    } else {
        return Err(Refusal::new(code::NO_SUCH_ATTRIBUTE, "the entry does not have the attribute"));
    };
    let code = if same { code::COMPARE_TRUE } else { code::COMPARE_FALSE };
    Ok(Done { code, controls: Vec::new() })
}
