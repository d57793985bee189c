//! slapd.conf, and the entries that a directory starts with.
//!
//! Nothing is indexed unless a variant says so: Debian's own configuration has long had the indices that the article
//! discovers. The size limit is lifted, since the default of 500 truncates a list of users without an error.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use super::super::sandbox_error::SandboxError;
use super::super::spec::{ADMIN, GROUPS, PASSWORD, PEOPLE, SUFFIX, Variant};

/// The maximum size of a database if none is set.
const MAX_SIZE: u64 = 1 << 30;

/// slapd.conf for a variant.
pub(crate) fn text(variant: &Variant, database: &Path, pid: &Path) -> Result<String, SandboxError> {
    if variant.cache_size.is_some() {
        return Err(SandboxError::Unfit(format!(
            "give variant '{}' an entry cache: mdb has none, it reads the database in memory directly",
            variant.name
        )));
    }
    let schema = directory(&["/etc/ldap/schema", "/etc/openldap/schema"]).ok_or_else(|| {
        SandboxError::Missing("the schema of slapd (/etc/ldap/schema)".to_owned())
    })?;
    let mut text = String::new();
    for name in ["core", "cosine", "nis"] {
        let _ = writeln!(text, "include {}/{name}.schema", schema.display());
    }
    let modules =
        ["/usr/lib/ldap", "/usr/lib64/openldap", "/usr/lib/openldap", "/usr/libexec/openldap"];
    // If the database is built into slapd, there is no module to load.
    if let Some(modules) = directory(&modules) {
        let _ = write!(text, "modulepath {}\nmoduleload back_mdb\n", modules.display());
    }
    let size = variant.size_limit.map_or("unlimited".to_owned(), |limit| limit.to_string());
    let _ = writeln!(
        text,
        "pidfile {}\nloglevel 0\nsizelimit {size}\ntimelimit unlimited",
        pid.display()
    );
    if let Some(threads) = variant.threads {
        let _ = writeln!(text, "threads {threads}");
    }
    if let Some(exponent) = variant.idl_exponent {
        let _ = writeln!(text, "backend mdb\nidlexp {exponent}");
    }
    let _ = write!(
        text,
        "database mdb\nsuffix \"{SUFFIX}\"\nrootdn \"{ADMIN}\"\nrootpw {PASSWORD}\ndirectory {}\nmaxsize {}\n",
        database.display(),
        variant.max_size.unwrap_or(MAX_SIZE)
    );
    if variant.no_sync {
        text += "dbnosync\n";
    }
    if let Some((kilobytes, minutes)) = variant.checkpoint {
        let _ = writeln!(text, "checkpoint {kilobytes} {minutes}");
    }
    for index in &variant.indices {
        let _ = writeln!(text, "index {} {}", index.attributes.join(","), index.kinds.join(","));
    }
    for line in &variant.lines {
        let _ = writeln!(text, "{line}");
    }
    text += "access to * by * read\ndatabase monitor\naccess to * by * read\n";
    Ok(text)
}

/// The entries that a directory starts with, as LDIF.
pub(crate) fn base() -> String {
    let mut text = format!(
        "dn: {SUFFIX}\nobjectClass: dcObject\nobjectClass: organization\ndc: bench\no: bench\n\n"
    );
    for dn in [PEOPLE, GROUPS] {
        let ou = dn.split(['=', ',']).nth(1).unwrap_or_default();
        let _ = write!(text, "dn: {dn}\nobjectClass: organizationalUnit\nou: {ou}\n\n");
    }
    text
}

fn directory(candidates: &[&str]) -> Option<PathBuf> {
    candidates.iter().map(PathBuf::from).find(|path| path.is_dir())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(variant: &Variant) -> String {
        text(variant, Path::new("/d"), Path::new("/p")).unwrap()
    }

    #[test]
    fn slapd_configuration_expresses_the_variant() {
        // The schema files belong to slapd, so without slapd nothing can be written.
        if directory(&["/etc/ldap/schema", "/etc/openldap/schema"]).is_none() {
            return;
        }
        let plain = written(&Variant::unindexed());
        assert!(!plain.contains("index ") && !plain.contains("nosync"), "{plain}");
        assert!(
            plain.contains("\nsizelimit unlimited\n") && plain.contains("\nmaxsize 1073741824\n")
        );
        let mut tuned = Variant::indexed();
        tuned.threads = Some(4);
        tuned.no_sync = true;
        tuned.checkpoint = Some((1024, 5));
        tuned.idl_exponent = Some(18);
        tuned.size_limit = Some(500);
        let text = written(&tuned);
        let at = |line: &str| {
            text.find(&format!("\n{line}\n")).unwrap_or_else(|| panic!("{line}: {text}"))
        };
        // Global settings come before the database, settings of the database within it.
        let database = at("database mdb");
        assert!(at("threads 4") < database && at("sizelimit 500") < database);
        assert!(at("idlexp 18") < database && at("backend mdb") < at("idlexp 18"));
        let monitor = at("database monitor");
        for line in ["dbnosync", "checkpoint 1024 5", "index uidNumber eq", "index gidNumber eq"] {
            assert!((database..monitor).contains(&at(line)), "{line}");
        }
        tuned.cache_size = Some(1000);
        let fault = super::text(&tuned, Path::new("/d"), Path::new("/p")).unwrap_err();
        assert!(fault.to_string().contains("mdb has none"));
    }

    #[test]
    fn slapd_base_entries_hold_accounts_and_groups() {
        let text = base();
        assert!(
            text.contains(
                "dn: ou=people,dc=bench\nobjectClass: organizationalUnit\nou: people\n\n"
            )
        );
        assert!(text.contains("dn: ou=groups,dc=bench\n"));
    }
}
