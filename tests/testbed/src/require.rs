//! What a test requires of the machine: programs on the path, archives in the cache of `tests/setup`.
//!
//! A developer without slapd can still run the other tests. What is skipped is reported by [`skip`](crate::skip()).

use crate::postgres::Postgres;
use crate::skip::skip;
use crate::tool::found;
use std::env;
use std::path::PathBuf;

/// Whether every one of `programs` is installed. If one is not, the test is [skipped](crate::skip()) and should return.
/// `"opendj"`, `"keycloak"` and `"axe-core"`
/// stand for what `tests/setup` unpacked, `"libnss_ldap.so.2"` for a module of the name service, `"root"` for the
/// right to make a [`Lan`](crate::Lan), and `"postgres"` for the server, which distributions keep off
/// the path.
///
/// ```no_run
/// # fn test() {
/// if !brunt_testbed::require(&["slapd", "ldapsearch"]) {
///     return;
/// }
/// # }
/// ```
pub fn require(programs: &[&str]) -> bool {
    let missing: Vec<String> = programs.iter().filter_map(|program| lacking(program)).collect();
    if missing.is_empty() {
        return true;
    }
    skip(&missing.join(", "));
    false
}

/// What is missing, if something is.
fn lacking(program: &str) -> Option<String> {
    let there = match program {
        "opendj" => opendj_archive().join("lib/bootstrap.jar").exists(),
        "keycloak" => keycloak_archive().join("bin/kc.sh").exists(),
        "axe-core" => axe_core().exists(),
        "root" if !rustix::process::geteuid().is_root() => {
            return Some("no right to make network namespaces; run the tests as root".into());
        }
        "root" => true,
        "postgres" => Postgres::programs().is_some(),
        module if module.starts_with("libnss_") => is_library(module),
        _ => found(program).is_some(),
    };
    (!there).then(|| format!("no {program}"))
}

/// Whether a module of the name service is where the system's libraries are.
fn is_library(name: &str) -> bool {
    let triple = format!("{}-linux-gnu", env::consts::ARCH);
    let directories = ["/lib", "/usr/lib", "/lib64", "/usr/lib64"].map(PathBuf::from);
    directories
        .iter()
        .any(|path| path.join(name).exists() || path.join(&triple).join(name).exists())
}

/// Where `tests/setup` keeps what comes from no Debian package.
pub fn peers() -> PathBuf {
    let home =
        || PathBuf::from(env::var_os("HOME").expect("HOME is set")).join(".cache/brunt-peers");
    env::var_os("BRUNT_PEERS").map_or_else(home, PathBuf::from)
}

/// The OpenDJ that `tests/setup` unpacked, never started itself.
pub(crate) fn opendj_archive() -> PathBuf {
    peers().join("opendj-server-legacy-5.0.3/opendj")
}

/// The Keycloak that `tests/setup` unpacked, never started itself.
pub(crate) fn keycloak_archive() -> PathBuf {
    peers().join("keycloak-quarkus-dist-26.4.7/keycloak-26.4.7")
}

/// The script of axe-core that `tests/setup` unpacked, which looks for barriers on a page.
pub fn axe_core() -> PathBuf {
    peers().join("axe-core-4.14.1/axe.min.js")
}
