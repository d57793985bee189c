//! The configuration of 389 Directory Server: its `dse.ldif`, and the entries that give it a database.
//!
//! The package contains a template with placeholders, which its own tool fills in before systemd starts the server.
//! There is no systemd in a sandbox, so the template is filled in here. Limits that truncate answers are lifted, since
//! the default ones make a search fail that reads more than 5,000 entries. The administrator's password is stored as
//! plain text, as in slapd.conf: otherwise every process that binds would pay for a slow hash, which is not what is
//! measured.

use std::fmt::Write as _;
use std::path::Path;

use super::super::sandbox_error::SandboxError;
use super::super::spec::{ADMIN, PASSWORD, SUFFIX, Variant};

/// The path of the template in Debian's package.
pub(crate) const TEMPLATE: &str = "/usr/share/dirsrv/data/template-dse.ldif";
/// The schema that an administrator may change, which must exist.
pub(crate) const SCHEMA: &str = "dn: cn=schema\nobjectClass: top\nobjectClass: ldapSubentry\n\
    objectClass: subschema\ncn: schema\n";
/// The entry and the attribute in which it counts searches.
pub(crate) const MONITOR: (&str, &str) = ("cn=snmp,cn=monitor", "searchops");
/// The attributes that the template indexes in every database, and that a variant may or may not want. If they were
/// removed from a running server, they would be back after a restart.
const DEFAULTS: [&str; 5] = ["uidnumber", "gidnumber", "uid", "cn", "memberuid"];
const BACKEND: &str = "cn=bench,cn=ldbm database,cn=plugins,cn=config";

/// An entry to be added: its name, its attributes and their values.
pub(crate) type Entry = (String, Vec<(&'static str, Vec<String>)>);

/// `dse.ldif` for a server below `root`.
pub(crate) fn dse(
    template: &str,
    variant: &Variant,
    root: &Path,
    port: u16,
) -> Result<String, SandboxError> {
    let strange = variant.max_size.is_some()
        || variant.checkpoint.is_some()
        || variant.idl_exponent.is_some()
        || !variant.lines.is_empty();
    if strange {
        return Err(SandboxError::Unfit(format!(
            "tune 389 Directory Server with variant '{}': sizes, checkpoints, exponents and lines are settings of \
             slapd",
            variant.name
        )));
    }
    let at = |name: &str| root.join(name).display().to_string();
    let port = port.to_string();
    let holes = [
        ("schema_dir", at("config/schema")),
        ("lock_dir", at("lock")),
        ("tmp_dir", at("tmp")),
        ("cert_dir", at("config")),
        ("ldif_dir", at("tmp")),
        ("bak_dir", at("tmp")),
        ("run_dir", at("run")),
        ("inst_dir", at("run")),
        ("log_dir", at("log")),
        ("fqdn", "localhost".to_owned()),
        ("ds_port", port),
        ("ds_user", "root".to_owned()),
        ("rootdn", ADMIN.to_owned()),
        ("instance_name", "bench".to_owned()),
        ("ds_passwd", PASSWORD.to_owned()),
        ("ds_suffix", SUFFIX.to_owned()),
        ("config_dir", at("config")),
        ("db_dir", at("db")),
        ("db_home_dir", at("db")),
        ("db_lib", "bdb".to_owned()),
        ("ldapi_enabled", "off".to_owned()),
        ("ldapi_autobind", "off".to_owned()),
        ("ldapi", at("run/ldapi")),
    ];
    let text = holes
        .iter()
        .fold(template.to_owned(), |text, (name, value)| text.replace(&format!("%{name}%"), value));
    let wanted = |entry: &&str| {
        let entry = entry.trim_start().to_lowercase();
        let is = |name: &&str| entry.starts_with(&format!("dn: cn={name},cn=default indexes"));
        !DEFAULTS.iter().any(is)
    };
    let mut out = String::with_capacity(text.len());
    for entry in text.split("\n\n").filter(wanted) {
        for line in entry.lines() {
            let _ = writeln!(out, "{line}");
            match line.split(':').next() {
                Some("nsslapd-port") => server(variant, &mut out),
                Some("nsslapd-backend-implement") => database(variant, &mut out),
                _ => {}
            }
        }
        out.push('\n');
    }
    Ok(out)
}

/// The additions to the entry of the server itself.
fn server(variant: &Variant, out: &mut String) {
    out.push_str("nsslapd-rootpwstoragescheme: CLEAR\nnsslapd-accesslog-logging-enabled: off\n");
    let _ = writeln!(out, "nsslapd-sizelimit: {}", variant.size_limit.map_or(-1, i64::from));
    if let Some(threads) = variant.threads {
        let _ = writeln!(out, "nsslapd-threadnumber: {threads}");
    }
}

/// The additions to the entry of all databases.
fn database(variant: &Variant, out: &mut String) {
    out.push_str("nsslapd-lookthroughlimit: -1\nnsslapd-rangelookthroughlimit: -1\n");
    if variant.no_sync {
        out.push_str("nsslapd-db-durable-transaction: off\n");
    }
}

/// The entries that create the database of a new server, with the indices of a variant.
pub(crate) fn entries(variant: &Variant) -> Vec<Entry> {
    let one = |value: &str| vec![value.to_owned()];
    let mut backend = vec![
        ("objectClass", vec!["top".into(), "extensibleObject".into(), "nsBackendInstance".into()]),
        ("cn", one("bench")),
        ("nsslapd-suffix", one(SUFFIX)),
    ];
    if let Some(entries) = variant.cache_size {
        backend.push(("nsslapd-cachesize", one(&entries.to_string())));
    }
    let mapping = vec![
        ("objectClass", vec!["top".into(), "extensibleObject".into(), "nsMappingTree".into()]),
        ("cn", one(SUFFIX)),
        ("nsslapd-state", one("backend")),
        ("nsslapd-backend", one("bench")),
    ];
    let mut entries = vec![
        (BACKEND.to_owned(), backend),
        (format!("cn=\"{SUFFIX}\",cn=mapping tree,cn=config"), mapping),
    ];
    for index in &variant.indices {
        // The server needs this one, and keeps it.
        let names = index.attributes.iter().map(|name| name.to_lowercase());
        for name in names.filter(|name| name != "objectclass") {
            let attributes = vec![
                ("objectClass", vec!["top".into(), "nsIndex".into()]),
                ("cn", one(&name)),
                ("nsSystemIndex", one("false")),
                ("nsIndexType", index.kinds.clone()),
            ];
            entries.push((format!("cn={name},cn=index,{BACKEND}"), attributes));
        }
    }
    entries
}

/// Read access for all users, as in slapd.
pub(crate) const ACCESS: &str = "(targetattr=\"*\")(version 3.0; acl \"read\"; \
    allow (read,search,compare) userdn=\"ldap:///anyone\";)";

#[cfg(test)]
mod tests {
    use super::*;

    const SOME: &str = "dn: cn=config\nnsslapd-port: %ds_port%\nnsslapd-rootdn: %rootdn%\nnsslapd-ldapifilepath: \
        %ldapi%\n\ndn: cn=config,cn=ldbm database\nnsslapd-backend-implement: %db_lib%\nnsslapd-directory: %db_dir%\n";

    #[test]
    fn dse_template_is_filled_with_limits_lifted() {
        let text = dse(SOME, &Variant::unindexed(), Path::new("/d"), 3890).unwrap();
        assert!(!text.contains('%'), "{text}");
        for line in [
            "nsslapd-port: 3890",
            "nsslapd-rootpwstoragescheme: CLEAR",
            "nsslapd-sizelimit: -1",
            "nsslapd-lookthroughlimit: -1",
            "nsslapd-ldapifilepath: /d/run/ldapi",
            "nsslapd-directory: /d/db",
        ] {
            assert!(text.lines().any(|found| found == line), "{line}: {text}");
        }
        let (server, database) = text.split_once("\n\n").unwrap();
        assert!(server.contains("sizelimit") && database.contains("lookthroughlimit"));
        let mut variant = Variant::unindexed();
        (variant.threads, variant.no_sync) = (Some(3), true);
        let tuned = dse(SOME, &variant, Path::new("/d"), 3890).unwrap();
        assert!(
            tuned.contains("nsslapd-threadnumber: 3\n")
                && tuned.contains("durable-transaction: off")
        );
        variant.lines.push("idlexp 20".to_owned());
        let fault = dse(SOME, &variant, Path::new("/d"), 1).unwrap_err();
        assert!(fault.to_string().contains("settings of slapd"));
    }

    #[test]
    fn dse_indexes_only_what_the_variant_names() {
        let indices = "\ndn: cn=uidNumber,cn=default indexes, cn=config\ncn: uidNumber\n\ndn: cn=entryrdn,cn=default \
            indexes, cn=config\ncn: entryrdn\n";
        let text =
            dse(&(SOME.to_owned() + indices), &Variant::unindexed(), Path::new("/d"), 1).unwrap();
        assert!(!text.contains("uidNumber") && text.contains("\ncn: entryrdn\n"), "{text}");
        let adds = |variant: &Variant, name: &str| {
            let place = format!("cn={name},cn=index,{BACKEND}");
            entries(variant).iter().any(|(dn, _)| *dn == place)
        };
        assert!(!adds(&Variant::unindexed(), "uidnumber"));
        let indexed = Variant::indexed();
        assert!(adds(&indexed, "uidnumber") && adds(&indexed, "gidnumber"));
        assert!(!adds(&indexed, "uid") && !adds(&indexed, "objectclass"));
    }
}
