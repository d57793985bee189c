//! The identity of connections, and the source of the password.
//!
//! A DN with an empty password is refused: servers treat such a bind as anonymous and report success (RFC 4513, 5.1.2),
//! so a run would not measure what its command line says.

use super::security::{Security, Transport};
use super::{Tool, UsageError, Values};
use crate::options::opendj::refused;
use crate::options::secrets::{prompt_for, secret};
use brunt_net::secret::Secret;
use brunt_run::options::surroundings::Surroundings;

/// The identity of connections.
#[derive(Debug, PartialEq, Eq)]
pub enum Identity {
    /// Anonymous: no bind.
    Anonymous,
    /// A DN and its password. For authrate the DN is a template.
    Simple {
        /// The DN.
        dn: String,
        /// Its password.
        password: Secret,
    },
    /// A SASL mechanism.
    Sasl {
        /// The properties of `--saslOption`, names in lower case, `mech` among them.
        properties: Vec<(String, String)>,
        /// The DN of `--bindDn`, which stands in for a missing `authid`.
        dn: Option<String>,
        /// The password, if the mechanism uses one.
        password: Option<Secret>,
    },
    /// Binds that are measured apart from the identity of their connections.
    Measured(Measured),
}

/// Binds that are measured, and whose identity no option of the table gives.
#[derive(Debug, PartialEq, Eq)]
pub struct Measured {
    /// The SASL mechanism; none for simple binds.
    pub mechanism: Option<&'static str>,
    /// The DN as a template; none for that of the entry that a search found.
    pub dn: Option<String>,
    /// The password.
    pub password: Secret,
}

const PROPERTIES: &[&str] = &["mech", "authid", "authzid", "realm", "kdc", "digest-uri", "qop"];
const MECHANISMS: &[&str] = &[
    "PLAIN",
    "EXTERNAL",
    "CRAM-MD5",
    "DIGEST-MD5",
    "SCRAM-SHA-1",
    "SCRAM-SHA-256",
    "SCRAM-SHA-512",
    "GSSAPI",
    "OAUTHBEARER",
];

/// Reads who binds.
pub fn read(
    values: &Values,
    tool: Tool,
    security: &Security,
    local: bool,
    surroundings: &dyn Surroundings,
) -> Result<Identity, UsageError> {
    let dn = values.text("bindDn").filter(|dn| !dn.is_empty()).map(str::to_owned);
    let properties = properties(values)?;
    let password = secret(
        values,
        "bindPassword",
        "bindPasswordFile",
        "Password to bind to the server with: ",
        surroundings,
    )?;
    if !properties.is_empty() {
        let known = local || security.client.is_some() && security.transport != Transport::Plain;
        return sasl(values, properties, dn, password, known, surroundings);
    }
    let Some(dn) = dn else {
        return match (tool, password) {
            (Tool::Authrate, _) => {
                Err(UsageError::new("Authentication information must be provided to use this tool"))
            }
            (_, Some(_)) => Err(UsageError::new(
                "A password is given without --bindDn: add the DN, or leave the password out to be anonymous",
            )),
            (_, None) => Ok(Identity::Anonymous),
        };
    };
    let password = match password {
        Some(password) => password,
        None => prompt_for(
            values,
            "bindPassword",
            &format!("Password for user '{dn}': "),
            surroundings,
        )?,
    };
    if password.is_empty() {
        return Err(UsageError::new(format!(
            "The password for --bindDn {dn} is empty, which servers treat as an anonymous bind (RFC 4513, 5.1.2): \
             give a password, or leave --bindDn out to be anonymous"
        )));
    }
    Ok(Identity::Simple { dn, password })
}

fn properties(values: &Values) -> Result<Vec<(String, String)>, UsageError> {
    let spelled = values.spelled("saslOption").unwrap_or("--saslOption");
    let mut properties: Vec<(String, String)> = Vec::new();
    for text in values.texts("saslOption") {
        let Some((name, value)) = text.split_once('=') else {
            return Err(UsageError::new(format!(
                "The provided SASL option string \"{text}\" could not be parsed in the form \"name=value\""
            )));
        };
        let name = name.trim().to_ascii_lowercase();
        if !PROPERTIES.contains(&name.as_str()) {
            let why = format!("The name must be one of {}", PROPERTIES.join(", "));
            return Err(refused(&text, spelled, &why));
        }
        if properties.iter().any(|(other, _)| *other == name) {
            return Err(refused(
                &text,
                spelled,
                &format!("The SASL option {name} is given more than once"),
            ));
        }
        properties.push((name, value.to_owned()));
    }
    Ok(properties)
}

/// `known` is whether the connection itself shows who the client is.
fn sasl(
    values: &Values,
    properties: Vec<(String, String)>,
    dn: Option<String>,
    mut password: Option<Secret>,
    known: bool,
    surroundings: &dyn Surroundings,
) -> Result<Identity, UsageError> {
    let property = |name: &str| {
        properties.iter().find(|(other, _)| other == name).map(|(_, value)| value.as_str())
    };
    let Some(mechanism) = property("mech") else {
        return Err(UsageError::new(format!(
            "A SASL mechanism must be given with --saslOption mech=NAME, where NAME is one of {}",
            MECHANISMS.join(", ")
        )));
    };
    if !MECHANISMS.contains(&mechanism) {
        return Err(UsageError::new(format!(
            "The requested SASL mechanism \"{mechanism}\" is not supported by this client: it must be one of {}",
            MECHANISMS.join(", ")
        )));
    }
    if mechanism == "EXTERNAL" {
        if !known {
            return Err(UsageError::new(
                "The SASL mechanism EXTERNAL needs a client certificate: add --useSsl or --useStartTls, and a key \
                 store; or a Unix socket: --hostname ldapi://%2FPATH%2FTO%2FSOCKET",
            ));
        }
        return Ok(Identity::Sasl { properties, dn, password: None });
    }
    if mechanism == "GSSAPI" {
        return Ok(Identity::Sasl { properties, dn, password });
    }
    if mechanism == "OAUTHBEARER" {
        let token = match password {
            Some(token) => token,
            None => prompt_for(values, "bindPassword", "Access token: ", surroundings)?,
        };
        if token.is_empty() {
            return Err(UsageError::new(
                "The SASL mechanism OAUTHBEARER needs an access token: give it with --bindPassword:file or :env",
            ));
        }
        return Ok(Identity::Sasl { properties, dn, password: Some(token) });
    }
    let Some(who) =
        property("authid").map(str::to_owned).or_else(|| dn.as_ref().map(|dn| format!("dn: {dn}")))
    else {
        return Err(UsageError::new(format!(
            "The SASL mechanism {mechanism} needs an identity: add --saslOption authid=..., or --bindDn"
        )));
    };
    if password.is_none() {
        password = Some(prompt_for(
            values,
            "bindPassword",
            &format!("Password for user '{who}': "),
            surroundings,
        )?);
    }
    if password.as_ref().is_some_and(Secret::is_empty) {
        return Err(UsageError::new(format!(
            "The password for the SASL mechanism {mechanism} is empty: give one"
        )));
    }
    Ok(Identity::Sasl { properties, dn, password })
}
