//! What this machine permits a sandbox to do: whether it can be isolated, and which programs are installed.
//!
//! This is checked once, before anything is planned, so that a matrix can say which of its sandboxes it will run and
//! what the others lack, with the name of the package to install.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::spec::{Backend, Cache, Isolation, Reader, Server, Source};
use super::tools;

/// What a machine has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Means {
    /// The isolation that a sandbox can have here.
    pub isolation: Isolation,
    /// The installed programs.
    programs: BTreeMap<&'static str, PathBuf>,
    /// The installed modules of the name service.
    modules: Vec<&'static str>,
}

/// What a sandbox would need and this machine lacks. Reads after "needs".
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MissingMeans(pub String);

/// Programs that some sandbox needs, and the Debian package of each.
const PROGRAMS: &[(&str, &str)] = &[
    ("slapd", "slapd"),
    ("slapadd", "slapd"),
    ("ldapadd", "ldap-utils"),
    ("ldapsearch", "ldap-utils"),
    ("ldapdelete", "ldap-utils"),
    ("nslcd", "nslcd"),
    ("nscd", "nscd"),
    ("unscd", "unscd"),
    ("sssd", "sssd-ldap"),
    ("ns-slapd", "389-ds-base"),
    ("useradd", "passwd"),
    ("getent", "libc-bin"),
];

/// Modules of the name service, and the Debian package of each.
const MODULES: &[(&str, &str)] =
    &[("libnss_ldap.so.2", "libnss-ldapd"), ("libnss_sss.so.2", "libnss-sss")];

impl Means {
    /// Examines this machine. To find out whether isolation is possible, it is set up once, for a program that does
    /// nothing.
    pub(crate) fn of_this_machine() -> Self {
        let programs = PROGRAMS.iter().filter_map(|(name, _)| Some((*name, tools::find(name)?)));
        let programs = programs.map(|(name, path)| {
            if name == "nscd" && tools::is_unscd(&path) { ("unscd", path) } else { (name, path) }
        });
        let modules = MODULES.iter().map(|(name, _)| *name).filter(|name| module(name));
        let isolation =
            [Isolation::Root, Isolation::User].into_iter().find(|isolation| can_have(*isolation));
        Self {
            isolation: isolation.unwrap_or(Isolation::None),
            programs: programs.collect(),
            modules: modules.collect(),
        }
    }

    /// What a sandbox of this backend lacks here; empty if it can run.
    pub(crate) fn lacks(&self, backend: &Backend) -> Vec<MissingMeans> {
        let mut lacks = Vec::new();
        let mut needs = Vec::new();
        match &backend.source {
            Source::Files => needs.push("useradd"),
            Source::Ldap { server, reader, .. } => {
                match server {
                    Server::Slapd => needs.extend(["slapd", "slapadd"]),
                    Server::DirectoryServer389 => needs.push("ns-slapd"),
                }
                needs.extend(["ldapadd", "ldapsearch", "ldapdelete"]);
                match reader {
                    Reader::Nslcd => needs.extend(["nslcd", "libnss_ldap.so.2"]),
                    Reader::Sssd => needs.extend(["sssd", "libnss_sss.so.2"]),
                    Reader::Nobody => {}
                }
                if *server == Server::DirectoryServer389 && self.isolation == Isolation::None {
                    lacks.push(MissingMeans(
                        "root, or permission to create user namespaces, for 389 Directory Server"
                            .to_owned(),
                    ));
                }
            }
        }
        match &backend.cache {
            Some(Cache::Nscd(_)) => needs.push("nscd"),
            Some(Cache::Unscd(_)) => needs.push("unscd"),
            None => {}
        }
        lacks.extend(needs.into_iter().filter(|name| !self.has(name)).map(missing));
        let uses_system = backend.cache.is_some()
            || matches!(backend.source, Source::Ldap { reader: Reader::Nslcd | Reader::Sssd, .. });
        if uses_system && self.isolation == Isolation::None {
            lacks.push(MissingMeans(
                "root, or permission to create user namespaces, for a private name service"
                    .to_owned(),
            ));
        }
        lacks
    }

    /// Why files of many owners cannot be made and listed here, if they cannot.
    pub(crate) fn lacks_owners(&self) -> Option<MissingMeans> {
        (self.isolation != Isolation::Root).then(|| {
            MissingMeans("root, to create files with many owners for ls to list".to_owned())
        })
    }

    /// Whether the system's own name service can be used inside a sandbox, files included.
    pub(crate) fn resolves(&self) -> bool {
        self.isolation != Isolation::None
    }

    fn has(&self, name: &str) -> bool {
        self.programs.contains_key(name) || self.modules.contains(&name)
    }
}

fn missing(name: &str) -> MissingMeans {
    let package = PROGRAMS.iter().chain(MODULES).find(|(known, _)| *known == name);
    let package = package.map_or(name, |(_, package)| *package);
    MissingMeans(format!("{name} (Debian package {package})"))
}

/// Whether a module of the name service is among the system's libraries.
fn module(name: &str) -> bool {
    let triple = format!("{}-linux-gnu", std::env::consts::ARCH);
    ["/lib", "/usr/lib", "/lib64", "/usr/lib64"]
        .iter()
        .flat_map(|directory| [PathBuf::from(directory), Path::new(directory).join(&triple)])
        .any(|directory| directory.join(name).exists())
}
/// Whether isolation of this kind is possible: an outer process tries to set it up.
/// Whether isolation of this kind are possible: an outer process tries to make them.
fn can_have(isolation: Isolation) -> bool {
    let kind = match isolation {
        Isolation::Root => "root",
        Isolation::User => "user",
        Isolation::None => return true,
    };
    if isolation == Isolation::Root && !rustix::process::geteuid().is_root() {
        return false;
    }
    Command::new("/proc/self/exe")
        .args(["names", "cell", "--try", kind])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

#[cfg(test)]
mod tests {
    use super::super::spec::{Nscd, Variant};
    use super::*;

    fn machine(isolation: Isolation, programs: &[&'static str], modules: &[&'static str]) -> Means {
        let programs = programs.iter().map(|name| (*name, PathBuf::from(name))).collect();
        Means { isolation, programs, modules: modules.to_vec() }
    }

    fn ldap(cache: Option<Cache>) -> Backend {
        let source = Source::Ldap {
            server: Server::Slapd,
            variant: Variant::indexed(),
            reader: Reader::Nslcd,
        };
        Backend { source, cache, switch: None }
    }

    #[test]
    fn missing_programs_are_named_with_their_package() {
        let utilities = ["slapd", "slapadd", "ldapadd", "ldapsearch", "ldapdelete", "nslcd"];
        let means = machine(Isolation::Root, &utilities, &["libnss_ldap.so.2"]);
        assert_eq!(means.lacks(&ldap(None)), []);
        let cached = ldap(Some(Cache::Nscd(Nscd::default())));
        assert_eq!(means.lacks(&cached), [MissingMeans("nscd (Debian package nscd)".to_owned())]);
        let bare = machine(Isolation::Root, &utilities, &[]);
        let wanted = MissingMeans("libnss_ldap.so.2 (Debian package libnss-ldapd)".to_owned());
        assert_eq!(bare.lacks(&ldap(None)), [wanted]);
    }

    #[test]
    fn without_isolation_only_direct_backends_run() {
        let programs = ["useradd", "slapd", "slapadd", "ldapadd", "ldapsearch", "ldapdelete"];
        let means = machine(Isolation::None, &programs, &["libnss_ldap.so.2"]);
        let files = Backend { source: Source::Files, cache: None, switch: None };
        assert_eq!(means.lacks(&files), []);
        assert!(!means.resolves());
        assert!(means.lacks(&ldap(None)).iter().any(|lack| lack.0.starts_with("root, or")));
        let mut raw = ldap(None);
        if let Source::Ldap { reader, .. } = &mut raw.source {
            *reader = Reader::Nobody;
        }
        assert_eq!(means.lacks(&raw), []);
    }

    #[test]
    fn files_of_many_owners_require_root() {
        assert!(machine(Isolation::Root, &[], &[]).lacks_owners().is_none());
        assert!(machine(Isolation::User, &[], &[]).lacks_owners().is_some());
        assert!(machine(Isolation::User, &[], &[]).resolves());
    }
}
