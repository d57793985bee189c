//! Which options of UnboundID's tools exclude, need or require each other.

use brunt_ldap_wire::dn::Dn;
use brunt_run::options::row::Row;
use brunt_run::options::usage_error::UsageError;
use brunt_run::options::values::Values;

use super::syntax::{exclusive, needs, required, spelled};
use crate::options::tool::Tool;

/// Options of which at most one may be given.
const EXCLUSIVE: &[&[&str]] = &[
    &["bindDN", "saslOption", "useSASLExternal"],
    &["bindPassword", "bindPasswordFile", "promptForBindPassword"],
    &["useSSL", "useStartTLS"],
    &["defaultTrust", "trustAll"],
    &["trustAll", "trustStorePath"],
    &["keyStorePassword", "keyStorePasswordFile", "promptForKeyStorePassword"],
    &["trustStorePassword", "trustStorePasswordFile", "promptForTrustStorePassword"],
    &["variableRateData", "generateSampleRateFile"],
    &["propertiesFilePath", "noPropertiesFile"],
    &["ldapURL", "baseDN"],
    &["ldapURL", "scope"],
    &["ldapURL", "filter"],
    &["ldapURL", "attribute"],
    &["asynchronous", "simplePageSize"],
    &["valuePattern", "valueLength"],
    &["valuePattern", "characterSet"],
    &["increment", "valuePattern"],
    &["increment", "valueLength"],
    &["increment", "characterSet"],
    &["increment", "valueCount"],
];

const TLS: &[&str] = &["useSSL", "useStartTLS"];
const IDENTITY: &[&str] = &["bindDN", "saslOption"];

/// Options that need one of others.
const NEEDS: &[(&str, &[&str])] = &[
    ("bindPassword", IDENTITY),
    ("bindPasswordFile", IDENTITY),
    ("promptForBindPassword", IDENTITY),
    ("defaultTrust", TLS),
    ("trustAll", TLS),
    ("keyStorePath", TLS),
    ("trustStorePath", TLS),
    ("keyStorePassword", &["keyStorePath"]),
    ("keyStorePasswordFile", &["keyStorePath"]),
    ("promptForKeyStorePassword", &["keyStorePath"]),
    ("keyStoreFormat", &["keyStorePath"]),
    ("trustStorePassword", &["trustStorePath"]),
    ("trustStorePasswordFile", &["trustStorePath"]),
    ("promptForTrustStorePassword", &["trustStorePath"]),
    ("trustStoreFormat", &["trustStorePath"]),
    ("asynchronous", &["ratePerSecond", "maxOutstandingRequests"]),
    ("maxOutstandingRequests", &["asynchronous"]),
    ("incrementAmount", &["increment"]),
];

/// What a run of a tool requires: one of each list.
fn requirements(tool: Tool, values: &Values) -> Vec<&'static [&'static str]> {
    match tool {
        Tool::Authrate => vec![&["baseDN"], &["credentials"], &["filter", "bindOnly"]],
        Tool::Modrate => vec![&["entryDN"], &["attribute"]],
        Tool::SearchAndModRate => vec![&["baseDN"], &["filter"], &["modifyAttribute"]],
        // What a URL leaves out has the URL's own defaults.
        _ if values.has("ldapURL") => Vec::new(),
        _ => vec![&["filter", "ldapURL"]],
    }
}

/// Checks a line that asks for a run.
pub(super) fn check(tool: Tool, values: &Values, rows: &[Row]) -> Result<(), UsageError> {
    if values.has("interactive") {
        return Err(UsageError::new(
            "--interactive is not supported: brunt has no menu; give the options on the command line, and see --help",
        ));
    }
    for longs in EXCLUSIVE {
        exclusive(values, longs)?;
    }
    for (long, others) in NEEDS {
        needs(values, long, others)?;
    }
    if let Some(dn) = values.text("bindDN")
        && let Err(error) = Dn::parse(dn.as_bytes())
    {
        return Err(UsageError::new(format!(
            "{} '{dn}' is not a distinguished name: {error}",
            spelled(values, "bindDN")
        )));
    }
    requirements(tool, values).into_iter().try_for_each(|longs| required(values, rows, longs))
}
