//! The `-o name=value` options: the mechanism and the identities.
//!
//! Names and rules are those of the original rate tools. Everything that cannot work is refused here, with a message
//! that says what works, so that no worker encounters it.

use super::Mechanism;

/// The settings of the `-o` options. Identities are still templates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SaslOptions {
    /// The mechanism.
    pub mechanism: Mechanism,
    /// `authid`: the authentication identity.
    pub authid: Option<String>,
    /// `authzid`: the identity to act as.
    pub authzid: Option<String>,
    /// `realm`.
    pub realm: Option<String>,
    /// `kdc`: the Kerberos server, where the machine's own configuration must not be used.
    pub kdc: Option<String>,
    /// `digest-uri`: the service name of DIGEST-MD5.
    pub digest_uri: Option<String>,
}

/// Why the `-o` options cannot be used.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum OptionError {
    /// No mechanism.
    #[error(
        "the SASL options name no mechanism: add -o mech=NAME, where NAME is one of {}",
        mechanisms()
    )]
    NoMechanism,
    /// An unknown mechanism.
    #[error("the SASL mechanism \"{name}\" is not known: use one of {}", mechanisms())]
    UnknownMechanism {
        /// The name that was given.
        name: String,
    },
    /// An unknown option.
    #[error("the SASL option \"{name}\" is not known: use one of {}", NAMES.join(", "))]
    UnknownName {
        /// The name that was given.
        name: String,
    },
    /// An option given twice.
    #[error("the SASL option \"{0}\" is given twice")]
    Twice(String),
    /// An option that this mechanism does not use.
    #[error("the SASL option \"{name}\" means nothing to {mechanism}: it takes {}", takes(*mechanism).join(", "))]
    Useless {
        /// The option.
        name: &'static str,
        /// The mechanism.
        mechanism: Mechanism,
    },
    /// No identity to authenticate.
    #[error("{0} needs an identity: add -o authid=NAME, or a bind DN with -D")]
    NoAuthid(Mechanism),
    /// A quality of protection other than `auth`.
    #[error(
        "the SASL option qop={0} asks for a security layer: only qop=auth can be measured, use TLS beneath it"
    )]
    SecurityLayer(String),
    /// A KDC without the realm it serves.
    #[error("the SASL option kdc={0} needs the realm it serves: add -o realm=REALM")]
    KdcWithoutRealm(String),
}

const NAMES: [&str; 7] = ["mech", "authid", "authzid", "realm", "kdc", "digest-uri", "qop"];

impl SaslOptions {
    /// Reads the options, in any order. `bind_dn` is the `-D` value: it replaces a missing `authid`, as `dn:` and the
    /// DN.
    pub fn parse(options: &[(&str, &str)], bind_dn: Option<&str>) -> Result<Self, OptionError> {
        let mut values: [Option<&str>; NAMES.len()] = [None; NAMES.len()];
        for (name, value) in options {
            let known = NAMES.iter().position(|known| known.eq_ignore_ascii_case(name));
            let slot = known.and_then(|at| values.get_mut(at));
            let slot = slot.ok_or_else(|| OptionError::UnknownName { name: (*name).to_owned() })?;
            if slot.replace(value).is_some() {
                return Err(OptionError::Twice((*name).to_owned()));
            }
        }
        let [mech, from, act_as, realm, kdc, digest_uri, qop] = values;
        let mech = mech.ok_or(OptionError::NoMechanism)?;
        let mechanism = Mechanism::by_name(mech)
            .ok_or_else(|| OptionError::UnknownMechanism { name: mech.to_owned() })?;
        for (name, value) in NAMES.into_iter().zip(values) {
            if value.is_some() && name != "mech" && !takes(mechanism).contains(&name) {
                return Err(OptionError::Useless { name, mechanism });
            }
        }
        if let Some(qop) = qop.filter(|qop| *qop != "auth") {
            return Err(OptionError::SecurityLayer(qop.to_owned()));
        }
        if let (Some(kdc), None) = (kdc, realm) {
            return Err(OptionError::KdcWithoutRealm(kdc.to_owned()));
        }
        let bind_dn = bind_dn.filter(|dn| !dn.is_empty() && mechanism.needs_authid());
        let authid = from.map(str::to_owned).or_else(|| bind_dn.map(|dn| format!("dn:{dn}")));
        if mechanism.needs_authid() && authid.is_none() {
            return Err(OptionError::NoAuthid(mechanism));
        }
        let owned = |value: Option<&str>| value.map(str::to_owned);
        Ok(Self {
            mechanism,
            authid,
            authzid: owned(act_as),
            realm: owned(realm),
            kdc: owned(kdc),
            digest_uri: owned(digest_uri),
        })
    }
}

/// The options that a mechanism uses.
fn takes(mechanism: Mechanism) -> &'static [&'static str] {
    match mechanism {
        Mechanism::Anonymous | Mechanism::CramMd5 => &["authid"],
        Mechanism::External | Mechanism::OauthBearer => &["authzid"],
        Mechanism::DigestMd5 => &["authid", "authzid", "realm", "digest-uri", "qop"],
        Mechanism::Gssapi => &["authid", "authzid", "realm", "kdc", "qop"],
        Mechanism::Plain
        | Mechanism::ScramSha1
        | Mechanism::ScramSha256
        | Mechanism::ScramSha512 => &["authid", "authzid"],
    }
}

fn mechanisms() -> String {
    Mechanism::ALL.map(Mechanism::name).join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(options: &[(&str, &str)], bind_dn: Option<&str>) -> String {
        SaslOptions::parse(options, bind_dn).unwrap_err().to_string()
    }

    #[test]
    fn sasl_options_of_digest_md5_are_all_parsed() {
        let options = [
            ("mech", "DIGEST-MD5"),
            ("authid", "u:user.{}"),
            ("authzid", "u:admin"),
            ("realm", "example.com"),
            ("digest-uri", "ldap/x"),
            ("qop", "auth"),
        ];
        let parsed = SaslOptions::parse(&options, None).unwrap();
        assert_eq!(parsed.mechanism, Mechanism::DigestMd5);
        assert_eq!(parsed.authid.as_deref(), Some("u:user.{}"));
        assert_eq!(parsed.realm.as_deref(), Some("example.com"));
        assert_eq!(parsed.digest_uri.as_deref(), Some("ldap/x"));
    }

    #[test]
    fn sasl_authid_defaults_to_the_bind_dn() {
        let parsed = SaslOptions::parse(&[("mech", "PLAIN")], Some("uid=user.{},dc=x")).unwrap();
        assert_eq!(parsed.authid.as_deref(), Some("dn:uid=user.{},dc=x"));
        assert_eq!(
            message(&[("mech", "CRAM-MD5")], None),
            "CRAM-MD5 needs an identity: add -o authid=NAME, or a bind DN with -D"
        );
        assert_eq!(SaslOptions::parse(&[("mech", "EXTERNAL")], Some("cn=x")).unwrap().authid, None);
    }

    #[test]
    fn sasl_option_errors_name_the_valid_values() {
        assert!(message(&[], None).contains("-o mech=NAME"));
        assert!(
            message(&[("mech", "plain")], None)
                .contains("ANONYMOUS, CRAM-MD5, DIGEST-MD5, EXTERNAL, GSSAPI, OAUTHBEARER, PLAIN")
        );
        assert!(message(&[("user", "x")], None).contains("use one of mech, authid, authzid"));
        assert!(message(&[("mech", "PLAIN"), ("mech", "PLAIN")], None).contains("given twice"));
        assert!(
            message(&[("mech", "EXTERNAL"), ("authid", "x")], None)
                .contains("EXTERNAL: it takes authzid")
        );
        assert!(
            message(&[("mech", "DIGEST-MD5"), ("authid", "x"), ("qop", "auth-conf")], None)
                .contains("qop=auth-conf")
        );
        assert!(
            message(&[("mech", "GSSAPI"), ("authid", "x"), ("kdc", "k")], None)
                .contains("-o realm=REALM")
        );
    }
}
