//! One binary gives the same packages on every day, in every directory and for every user.

use std::collections::BTreeMap;
use std::fs;
use std::process::Command;

use brunt_testbed::require;

use crate::made::{Made, ROOT, VERSION, stripped, succeed};

fn contents(made: &Made) -> BTreeMap<String, Vec<u8>> {
    let entries =
        fs::read_dir(made.path()).expect("packages").map(|entry| entry.expect("an entry"));
    let read = |path: std::path::PathBuf| fs::read(path).expect("a file");
    entries
        .map(|entry| (entry.file_name().to_string_lossy().into_owned(), read(entry.path())))
        .collect()
}

#[test]
#[ignore = "slow: .ci/slow runs it"]
fn packages_are_reproducible_byte_for_byte() {
    if !require(&["rpmbuild", "dpkg-deb", "strip"]) {
        return;
    }
    let first = contents(Made::packages());
    let second = Made::empty();
    // Another mask, another place of this machine's clock, another language, a directory of another name.
    let elsewhere =
        tempfile::Builder::new().prefix("a longer name ").tempdir().expect("a directory");
    let binary = elsewhere.path().join("brunt");
    fs::copy(stripped(), &binary).expect("a copy");
    let line = format!(
        "umask 077; cd /; TZ=Asia/Tokyo LANG=de_DE.UTF-8 exec '{ROOT}/packaging/build' --target '{}' --pages-by '{}' \
         --level 1 --out '{}' --binary '{}'",
        crate::made::target("gnu"),
        crate::made::BINARY,
        second.path().display(),
        binary.display(),
    );
    succeed(Command::new("bash").arg("-c").arg(line).env("SOURCE_DATE_EPOCH", crate::made::DATE));
    let second = contents(&second);
    assert_eq!(first.keys().collect::<Vec<_>>(), second.keys().collect::<Vec<_>>());
    for (name, octets) in &first {
        assert!(*octets == second[name], "{name} differs");
    }
    // Another date is another package, so the comparison can fail.
    let later = Made::empty();
    let mut command = Command::new(format!("{ROOT}/packaging/build"));
    command.args(["--target", &crate::made::target("gnu"), "--pages-by", crate::made::BINARY]);
    command.args(["--level", "1", "--out"]).arg(later.path()).arg("--binary").arg(stripped());
    succeed(command.env("SOURCE_DATE_EPOCH", "1760000000"));
    let later = contents(&later);
    assert!(first.iter().any(|(name, octets)| *octets != later[name]));
}

#[test]
#[ignore = "slow: .ci/slow runs it"]
fn checksums_cover_all_packages() {
    if !require(&["rpmbuild", "dpkg-deb", "strip", "sha256sum"]) {
        return;
    }
    let made = Made::packages();
    let reply =
        succeed(Command::new("sha256sum").args(["--check", "SHA256SUMS"]).current_dir(made.path()));
    let mut checked: Vec<&str> =
        reply.lines().filter_map(|line| line.strip_suffix(": OK")).collect();
    checked.sort_unstable();
    let (deb, rpm) = match std::env::consts::ARCH {
        "x86_64" => ("amd64", "x86_64"),
        _ => ("arm64", "aarch64"),
    };
    let expected = [
        format!("brunt-{VERSION}-1.{rpm}.rpm"),
        format!("brunt-{VERSION}-{rpm}-linux-gnu.cdx.json"),
        format!("brunt_{VERSION}_{deb}.deb"),
    ];
    assert_eq!(checked, expected);
}

#[test]
#[ignore = "slow: .ci/slow runs it"]
fn package_requires_what_its_binary_uses() {
    if !require(&["rpmbuild", "rpm", "dpkg-deb", "strip", "objdump"]) {
        return;
    }
    // By another tool than the packages were made with.
    let needs = succeed(Command::new("objdump").arg("-p").arg(stripped()));
    // Packed relocations are read by glibc 2.36 and later.
    let numbered = |text: String| text.replace("GLIBC_ABI_DT_RELR", "GLIBC_2.36");
    let needs = numbered(needs);
    let versions = needs.split("GLIBC_").skip(1).filter_map(|rest| {
        let text: String =
            rest.chars().take_while(|it| it.is_ascii_digit() || *it == '.').collect();
        text.split('.').map(|part| part.parse().ok()).collect::<Option<Vec<u32>>>()
    });
    let newest = versions.max().expect("it uses glibc");
    let newest = newest.iter().map(u32::to_string).collect::<Vec<_>>().join(".");
    let made = Made::packages();
    let depends =
        succeed(Command::new("dpkg-deb").arg("--field").arg(made.file(".deb")).arg("Depends"));
    assert!(depends.starts_with(&format!("libc6 (>= {newest})")), "{depends}");
    let requires = succeed(Command::new("rpm").args(["-qp", "--requires"]).arg(made.file(".rpm")));
    let requires = numbered(requires);
    assert!(requires.contains(&format!("(GLIBC_{newest})")), "{requires}");
}

#[test]
fn dynamic_binary_is_not_packaged_as_static() {
    let mut command = Command::new(format!("{ROOT}/packaging/elf"));
    let ended = command.arg("static").arg(crate::made::BINARY).output().expect("it starts");
    assert!(!ended.status.success());
    assert!(String::from_utf8_lossy(&ended.stderr).contains("needs a loader"), "{ended:?}");
}
