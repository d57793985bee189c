//! GSSAPI (RFC 4752): Kerberos 5 without a security layer, through the library installed on the machine.
//!
//! `libgssapi_krb5.so.2` is opened when the first conversation needs it, so brunt itself builds and runs where there is
//! no Kerberos. With a password a ticket is acquired from the KDC and kept for the process under its principal; without
//! one the default ticket cache is used, which `kinit` fills. A step may wait for the KDC, so the driver runs it on a
//! blocking thread.
//!
//! This module must not depend on how the library is called: `library` does that, the only module with `unsafe` code.

mod library;

pub use library::GssError;

use super::{Identity, Mechanism, SaslError, Step};
use library::{Context, Credential, Library};
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use zeroize::Zeroizing;

/// RFC 4752 section 3.3: the bit that says that no security layer is offered or chosen.
const NO_LAYER: u8 = 1;

/// The number of principals whose tickets are kept. Tickets of further principals are acquired again for every bind.
const PRINCIPALS_MAX: usize = 4096;

/// Writes a `krb5.conf` for `realm` and `kdc` into `directory` and points this process at it: the option `kdc`.
///
/// The library reads its configuration from files named by `KRB5_CONFIG`, and GSSAPI offers no other way to set it.
/// `kdc` is `host` or `host:port`. Fails once the process has more than one thread, as the environment
/// can then no longer be changed safely.
pub fn use_kdc(realm: &str, kdc: &str, directory: &Path) -> io::Result<()> {
    let path = directory.join("krb5.conf");
    std::fs::write(&path, configuration(realm, kdc)?)?;
    library::set_configuration(&path)
}

fn configuration(realm: &str, kdc: &str) -> io::Result<String> {
    if [realm, kdc]
        .iter()
        .any(|name| name.is_empty() || name.contains(|letter: char| !letter.is_ascii_graphic()))
    {
        let message = format!("realm {realm:?} and kdc {kdc:?} must be names without spaces");
        return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
    }
    Ok(format!(
        "[libdefaults]\n\tdefault_realm = {realm}\n\tdns_lookup_kdc = false\n\tdns_lookup_realm = false\n\
         \trdns = false\n[realms]\n\t{realm} = {{\n\t\tkdc = {kdc}\n\t}}\n"
    ))
}

pub(super) struct Gssapi {
    principal: String,
    password: Zeroizing<Vec<u8>>,
    authzid: String,
    service: String,
    state: State,
}

enum State {
    Initial,
    Establishing(Context),
    Established(Context),
    Negotiated,
}

impl Gssapi {
    pub(super) fn new(identity: &Identity<'_>) -> Self {
        let principal = match identity.realm {
            Some(realm) if !identity.authid.contains('@') => format!("{}@{realm}", identity.authid),
            _ => identity.authid.to_owned(),
        };
        Self {
            principal,
            password: Zeroizing::new(identity.password.to_vec()),
            authzid: identity.authzid.to_owned(),
            service: format!("ldap@{}", identity.host),
            state: State::Initial,
        }
    }

    pub(super) fn step(
        &mut self,
        challenge: Option<&[u8]>,
        out: &mut Vec<u8>,
    ) -> Result<Step, SaslError> {
        match std::mem::replace(&mut self.state, State::Negotiated) {
            State::Initial => {
                let credential = self.credential()?;
                let context = Context::new(Library::open()?, &self.service, credential)?;
                self.establish(context, challenge.unwrap_or_default(), out)?;
            }
            State::Establishing(context) => {
                self.establish(context, challenge.unwrap_or_default(), out)?;
            }
            State::Established(mut context) => {
                self.negotiate(&mut context, challenge.unwrap_or_default(), out)?;
            }
            State::Negotiated => return Err(problem("comes after the end of the negotiation")),
        }
        Ok(Step::Respond)
    }

    pub(super) fn finish(&mut self) -> Result<(), SaslError> {
        match self.state {
            State::Negotiated => Ok(()),
            _ => Err(SaslError::Impostor(Mechanism::Gssapi)),
        }
    }

    fn establish(
        &mut self,
        mut context: Context,
        token: &[u8],
        out: &mut Vec<u8>,
    ) -> Result<(), SaslError> {
        let complete = context.establish(token, out)?;
        self.state =
            if complete { State::Established(context) } else { State::Establishing(context) };
        Ok(())
    }

    /// RFC 4752 section 3.1: the server offers layers and a size, the client selects "none" and a size of 0.
    fn negotiate(
        &mut self,
        context: &mut Context,
        offer: &[u8],
        out: &mut Vec<u8>,
    ) -> Result<(), SaslError> {
        let offer = context.unwrap(offer)?;
        let [layers, _, _, _] = offer[..] else {
            return Err(problem("is not an offer of security layers"));
        };
        if layers & NO_LAYER == 0 {
            return Err(problem("insists on a security layer"));
        }
        let mut choice = vec![NO_LAYER, 0, 0, 0];
        choice.extend_from_slice(self.authzid.as_bytes());
        context.wrap(&choice, out)?;
        Ok(())
    }

    /// `None` stands for the default ticket cache.
    fn credential(&self) -> Result<Option<Arc<Credential>>, GssError> {
        type CredentialCache = HashMap<(String, [u8; 32]), Arc<Credential>>;
        static KEPT: Mutex<Option<CredentialCache>> = Mutex::new(None);
        if self.password.is_empty() {
            return Ok(None);
        }
        // With the password's hash in the key, a deliberately wrong password does not find the ticket of the right one.
        let name = (self.principal.clone(), Sha256::digest(&self.password).into());
        {
            let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(credential) = kept.get_or_insert_default().get(&name)
                && credential.is_fresh()
            {
                return Ok(Some(Arc::clone(credential)));
            }
        }
        let credential = Arc::new(Library::open()?.acquire(&self.principal, &self.password)?);
        let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = kept.get_or_insert_default();
        if kept.len() < PRINCIPALS_MAX || kept.contains_key(&name) {
            kept.insert(name, Arc::clone(&credential));
        }
        Ok(Some(credential))
    }
}

fn problem(problem: &'static str) -> SaslError {
    SaslError::Challenge { mechanism: Mechanism::Gssapi, problem }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gssapi(authid: &str, realm: Option<&str>) -> Gssapi {
        Gssapi::new(&Identity {
            authid,
            authzid: "",
            password: b"x",
            realm,
            host: "ldap.example",
            digest_uri: None,
        })
    }

    #[test]
    fn gssapi_realm_completes_a_bare_name() {
        assert_eq!(gssapi("kurt", Some("EXAMPLE.COM")).principal, "kurt@EXAMPLE.COM");
        assert_eq!(gssapi("kurt@OTHER", Some("EXAMPLE.COM")).principal, "kurt@OTHER");
        assert_eq!(gssapi("kurt", None).principal, "kurt");
        assert_eq!(gssapi("kurt", None).service, "ldap@ldap.example");
    }

    #[test]
    fn gssapi_early_success_is_refused() {
        assert!(matches!(gssapi("kurt", None).finish(), Err(SaslError::Impostor(_))));
    }

    #[test]
    fn kdc_option_writes_realm_and_kdc() {
        let text = configuration("EXAMPLE.COM", "kdc.example.com:750").unwrap();
        assert!(text.contains("default_realm = EXAMPLE.COM\n"));
        assert!(text.contains("\tEXAMPLE.COM = {\n\t\tkdc = kdc.example.com:750\n\t}\n"));
    }

    #[test]
    fn kdc_option_refuses_injection() {
        assert!(configuration("A\n[x]", "k").is_err());
        assert!(configuration("A", "").is_err());
    }
}
