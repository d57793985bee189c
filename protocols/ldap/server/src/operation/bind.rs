//! Bind (RFC 4511 section 4.2): simple, anonymous or SASL; and proxied authorization.

use brunt_ldap_wire::control::{self, RawControl};
use brunt_ldap_wire::message::{Authentication, Message};
use brunt_ldap_wire::reply::{self, Answer};
use brunt_ldap_wire::{code, dn};

use super::{ResponseControl, raw};
use crate::directory::Entry;
use crate::refusal::Refusal;
use crate::sasl::{self, Proven, Scram, Steps};
use crate::session::{Identity, MANAGER, Session};

/// The SASL mechanisms.
pub(super) const MECHANISMS: [&str; 3] = ["PLAIN", "CRAM-MD5", "SCRAM-SHA-256"];

/// Binds, writes the answer, and returns its code.
pub(crate) fn answer(
    session: &mut Session,
    message: &Message<'_>,
    (version, name, authentication): (i32, &[u8], &Authentication<'_>),
    message_id: i32,
    out: &mut Vec<u8>,
) -> u32 {
    let outcome = if version == 3 {
        bind(session, name, authentication)
    } else {
        Err(Refusal::new(code::PROTOCOL_ERROR, "only version 3 of LDAP is spoken here"))
    };
    // A bind discards the previous identity, even if it fails (RFC 4511 section 4.2.1).
    session.identity = Identity::Anonymous;
    let (refusal, credentials, success) = match outcome {
        Ok(Step::Bound(identity, last)) => {
            session.identity = identity;
            (None, last, code::SUCCESS)
        }
        Ok(Step::Challenge(steps, challenge)) => {
            session.sasl = Some(steps);
            (None, Some(challenge), code::SASL_BIND_IN_PROGRESS)
        }
        Err(refusal) => (Some(refusal), None, code::SUCCESS),
    };
    let answer = refusal.as_ref().map_or(Answer::code(success), |refusal| Answer {
        code: refusal.code,
        matched_dn: &refusal.matched_dn,
        diagnostic: refusal.reason.as_bytes(),
        referrals: &[],
    });
    let controls = controls(message, session, answer.code);
    reply::bind(out, message_id, &answer, credentials.as_deref(), &raw(&controls));
    answer.code
}

/// The progress of a bind.
enum Step {
    /// The bind is complete, with the final message of the server.
    Bound(Identity, Option<Vec<u8>>),
    /// The server sends a challenge.
    Challenge(Steps, Vec<u8>),
}

/// The response controls that the request asks for.
fn controls(message: &Message<'_>, session: &mut Session, code: u32) -> Vec<ResponseControl> {
    let mut controls = Vec::new();
    if code == code::SUCCESS && message.control(control::AUTHORIZATION_IDENTITY).is_some() {
        let oid = control::AUTHORIZATION_IDENTITY_RESPONSE;
        controls.push(ResponseControl { oid, value: session.identity.authorization() });
    }
    let policy = session.policy.take().unwrap_or_default();
    if message.control(control::PASSWORD_POLICY).is_some() {
        controls.push(ResponseControl { oid: control::PASSWORD_POLICY, value: policy.encode() });
    }
    controls
}

fn bind(
    session: &mut Session,
    name: &[u8],
    authentication: &Authentication<'_>,
) -> Result<Step, Refusal> {
    let waiting = session.sasl.take();
    match authentication {
        Authentication::Simple([]) if name.is_empty() => Ok(Step::Bound(Identity::Anonymous, None)),
        // RFC 4513 section 5.1.2: most clients that send a name and no password forgot the password.
        Authentication::Simple([]) => {
            Err(Refusal::new(code::UNWILLING_TO_PERFORM, "a bind with a name needs a password"))
        }
        Authentication::Simple(password) => {
            Ok(Step::Bound(with_password(session, name, password)?, None))
        }
        Authentication::Sasl { mechanism, credentials } => {
            let credentials = credentials.unwrap_or_default();
            match (*mechanism, waiting) {
                (b"PLAIN", _) => Ok(Step::Bound(plain(session, credentials)?, None)),
                (b"CRAM-MD5", Some(Steps::Cram(challenge))) => {
                    let (name, digest) = sasl::cram_name(credentials)?;
                    proven(session, name, |password| sasl::cram_check(&challenge, digest, password))
                }
                (b"CRAM-MD5", _) => {
                    sasl::cram().map(|(steps, first)| Step::Challenge(steps, first))
                }
                (b"SCRAM-SHA-256", Some(Steps::Scram(scram))) => {
                    let name = scram.user().as_bytes().to_vec();
                    proven(session, &name, |password| scram.finish(credentials, password))
                }
                (b"SCRAM-SHA-256", _) => {
                    Scram::begin(credentials).map(|(steps, first)| Step::Challenge(steps, first))
                }
                _ => Err(Refusal::new(
                    code::AUTH_METHOD_NOT_SUPPORTED,
                    "this mechanism is not spoken here",
                )),
            }
        }
    }
}

/// Completes a bind of two steps: finds the password, has it checked, and determines the identity to act for.
fn proven(
    session: &Session,
    name: &[u8],
    check: impl FnOnce(&[u8]) -> Result<Proven, Refusal>,
) -> Result<Step, Refusal> {
    let identity = resolve(session, name).unwrap_or_default();
    let password = match &identity {
        Identity::Anonymous => None,
        Identity::Manager => Some(session.realm.config.admin_password.clone().into_bytes()),
        Identity::Entry(dn) => password_of(session, dn),
    };
    let password = password.ok_or_else(|| Refusal::new(code::INVALID_CREDENTIALS, ""))?;
    let proven = check(&password)?;
    Ok(Step::Bound(authorize(session, identity, &proven.acts_for)?, proven.last))
}

fn password_of(session: &Session, name: &[u8]) -> Option<Vec<u8>> {
    let mut normal = Vec::new();
    dn::normalize(name, &mut normal).ok()?;
    let directory = session.realm.read();
    let entry = directory.entry(directory.find(&normal)?)?;
    let first = entry.secret.iter().next()?.values().next()?;
    Some(first.to_vec())
}

fn with_password(session: &mut Session, name: &[u8], password: &[u8]) -> Result<Identity, Refusal> {
    let wrong = || Refusal::new(code::INVALID_CREDENTIALS, "");
    session.normal.clear();
    if dn::normalize(name, &mut session.normal).is_err() {
        return Err(Refusal::new(code::INVALID_DN_SYNTAX, "the name is not a DN"));
    }
    if is_manager(&session.normal) {
        let right = session.realm.config.admin_password.as_bytes() == password;
        return if right { Ok(Identity::Manager) } else { Err(wrong()) };
    }
    let directory = session.realm.read();
    // The client must not learn whether the name or the password is wrong.
    let entry =
        directory.find(&session.normal).and_then(|id| directory.entry(id)).ok_or_else(wrong)?;
    if entry.accepts(password) { Ok(Identity::Entry(entry.dn.clone())) } else { Err(wrong()) }
}

fn is_manager(normal: &[u8]) -> bool {
    normal.eq_ignore_ascii_case(MANAGER.as_bytes())
}

/// SASL PLAIN (RFC 4616): an identity to act for, who acts, a password.
fn plain(session: &mut Session, credentials: &[u8]) -> Result<Identity, Refusal> {
    let parts: Vec<&[u8]> = credentials.split(|byte| *byte == 0).collect();
    let [acts_for, name, password] = parts[..] else {
        return Err(Refusal::new(
            code::INVALID_CREDENTIALS,
            "the credentials are not those of PLAIN",
        ));
    };
    let dn = name_of(session, name).ok_or_else(|| Refusal::new(code::INVALID_CREDENTIALS, ""))?;
    let identity = with_password(session, &dn, password)?;
    authorize(session, identity, acts_for)
}

/// The identity after authorization: that of the client, or another that exists.
fn authorize(session: &Session, identity: Identity, acts_for: &[u8]) -> Result<Identity, Refusal> {
    if acts_for.is_empty() {
        return Ok(identity);
    }
    resolve(session, acts_for).ok_or_else(|| {
        Refusal::new(code::INVALID_CREDENTIALS, "there is no such authorization identity")
    })
}

/// The DN behind an authentication identity: `dn:DN`, `u:UID` or `UID`.
fn name_of(session: &Session, identity: &[u8]) -> Option<Vec<u8>> {
    match resolve(session, identity)? {
        Identity::Anonymous => None,
        Identity::Manager => Some(MANAGER.as_bytes().to_vec()),
        Identity::Entry(dn) => Some(dn),
    }
}

/// The identity of this name, if there is one.
fn resolve(session: &Session, identity: &[u8]) -> Option<Identity> {
    if identity.is_empty() {
        return Some(Identity::Anonymous);
    }
    let directory = session.realm.read();
    let known = |entry: &Entry| Identity::Entry(entry.dn.clone());
    let Some(name) = strip(identity, b"dn:") else {
        let uid = strip(identity, b"u:").unwrap_or(identity);
        return directory.with_uid(uid).map(known);
    };
    if name.is_empty() {
        return Some(Identity::Anonymous);
    }
    let mut normal = Vec::new();
    dn::normalize(name, &mut normal).ok()?;
    if is_manager(&normal) {
        return Some(Identity::Manager);
    }
    directory.entry(directory.find(&normal)?).map(known)
}

fn strip<'a>(text: &'a [u8], prefix: &[u8]) -> Option<&'a [u8]> {
    let (head, rest) = text.split_at_checked(prefix.len())?;
    head.eq_ignore_ascii_case(prefix).then_some(rest)
}

/// Refuses unless the client may act for the identity that the control names (RFC 4370). A client that has bound may
/// act for any identity that exists.
pub(crate) fn check_proxied(session: &Session, control: &RawControl<'_>) -> Result<(), Refusal> {
    if !control.critical {
        return Err(Refusal::new(
            code::PROTOCOL_ERROR,
            "the proxied authorization control must be critical",
        ));
    }
    if session.identity == Identity::Anonymous {
        return Err(Refusal::new(code::AUTHORIZATION_DENIED, "bind before you act for somebody"));
    }
    let identity = resolve(session, control.value.unwrap_or_default());
    identity.map(|_| ()).ok_or_else(|| {
        Refusal::new(code::AUTHORIZATION_DENIED, "there is no such authorization identity")
    })
}
