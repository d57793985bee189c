//! The embedded directory with OpenLDAP's own tools, which are independent of its implementation.
//!
//! If they are missing the tests print that and pass; with `CI=true` they fail instead.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::io::Write as _;
use std::process::{Command, Output, Stdio};

use brunt_ldap_server::{Config, Operation, Running, Server};

const MANAGER: &str = "cn=Directory Manager";

fn start() -> Option<Running> {
    if !brunt_testbed::require(&["ldapsearch"]) {
        return None;
    }
    let config =
        Config { users: 50, listen_tls: Some(([127, 0, 0, 1], 0).into()), ..Config::default() };
    Some(Server::start(config).unwrap())
}

/// Runs one of the tools as the manager, with this text on its standard input.
fn tool(running: &Running, name: &str, args: &[&str], input: &str) -> (Option<i32>, String) {
    let url = format!("ldap://{}", running.address());
    let mut command = Command::new(name);
    command.args(["-x", "-H", &url, "-D", MANAGER, "-w", "password"]).args(args);
    outcome(&mut command, input)
}

fn outcome(command: &mut Command, input: &str) -> (Option<i32>, String) {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let Output { status, stdout, stderr } = child.wait_with_output().unwrap();
    let text = [stdout, stderr].concat();
    (status.code(), String::from_utf8(text).unwrap())
}

#[test]
fn ldapsearch_add_modify_and_delete_work() {
    let Some(running) = start() else { return };
    let (code, text) =
        tool(&running, "ldapsearch", &["-LLL", "-b", "dc=example,dc=com", "(uid=user.7)"], "");
    assert_eq!(code, Some(0), "{text}");
    assert!(text.starts_with("dn: uid=user.7,ou=people,dc=example,dc=com\n"), "{text}");
    assert!(
        text.contains("\nmail: user.7@example.com\n") && !text.contains("userPassword"),
        "{text}"
    );

    let user = "uid=user.7,ou=people,dc=example,dc=com";
    let ldif = format!(
        "dn: {user}\nchangetype: modify\nreplace: description\ndescription: new\n-\nadd: seeAlso\nseeAlso: cn=x\n-\n\
         increment: employeeNumber\nemployeeNumber: 5\n"
    );
    assert_eq!(tool(&running, "ldapmodify", &[], &ldif).0, Some(0));
    let (_, text) = tool(
        &running,
        "ldapsearch",
        &[
            "-LLL",
            "-s",
            "base",
            "-b",
            user,
            "(description=NEW)",
            "description",
            "seeAlso",
            "employeeNumber",
        ],
        "",
    );
    assert!(text.contains("employeeNumber: 12\ndescription: new\n"), "{text}");
    assert!(text.contains("seeAlso: cn=x\n"), "{text}");
    let (_, text) = tool(
        &running,
        "ldapsearch",
        &["-LLL", "-b", "dc=example,dc=com", "(employeeNumber=12)", "1.1"],
        "",
    );
    // User 12 has that number as well, and the index must contain both.
    assert_eq!(text.matches("dn: ").count(), 2, "{text}");

    let new = "uid=new,ou=people,dc=example,dc=com";
    let ldif = format!("dn: {new}\nobjectClass: person\nsn: n\ncn: n\nuserPassword: s3cret\n");
    assert_eq!(tool(&running, "ldapadd", &[], &ldif).0, Some(0));
    assert_eq!(tool(&running, "ldapadd", &[], &ldif).0, Some(68));
    assert_eq!(tool(&running, "ldapcompare", &[new, "sn:N"], "").0, Some(6));
    assert_eq!(tool(&running, "ldapcompare", &[new, "sn:m"], "").0, Some(5));
    let url = format!("ldap://{}", running.address());
    let mut whoami = Command::new("ldapwhoami");
    whoami.args(["-x", "-H", &url, "-D", new, "-w", "s3cret"]);
    assert_eq!(outcome(&mut whoami, ""), (Some(0), format!("dn:{new}\n")));
    assert_eq!(tool(&running, "ldapmodrdn", &["-r", new, "uid=newer"], "").0, Some(0));
    assert_eq!(tool(&running, "ldapdelete", &[new], "").0, Some(32));
    assert_eq!(
        tool(&running, "ldapdelete", &["uid=newer,ou=people,dc=example,dc=com"], "").0,
        Some(0)
    );
    assert_eq!(tool(&running, "ldapdelete", &["ou=people,dc=example,dc=com"], "").0, Some(66));

    let stats = running.shutdown();
    assert_eq!(stats.answers_of(Operation::Modify, 0), 1);
    assert_eq!((stats.answers_of(Operation::Add, 0), stats.answers_of(Operation::Add, 68)), (1, 1));
    assert_eq!(
        (stats.answers_of(Operation::Compare, 5), stats.answers_of(Operation::Compare, 6)),
        (1, 1)
    );
    assert_eq!(stats.answers_of(Operation::ModifyDn, 0), 1);
    let deletes = [0, 32, 66].map(|code| stats.answers_of(Operation::Delete, code));
    assert_eq!(deletes, [1, 1, 1]);
    assert_eq!(stats.entries_returned, 4);
    assert_eq!(stats.connections_accepted, stats.connections_closed);
    assert_eq!(stats.requests_of(Operation::Bind), stats.answers_of(Operation::Bind, 0));
}

#[test]
fn ldaps_and_start_tls_work() {
    let Some(running) = start() else { return };
    let authority = std::env::temp_dir().join(format!("brunt-targets-{}.pem", std::process::id()));
    std::fs::write(&authority, running.ca_pem()).unwrap();
    for (scheme, address, flags) in
        [("ldap", running.address(), &["-ZZ"][..]), ("ldaps", running.tls_address().unwrap(), &[])]
    {
        let url = format!("{scheme}://localhost:{}", address.port());
        let mut command = Command::new("ldapwhoami");
        command.env("LDAPTLS_CACERT", &authority).env("LDAPTLS_REQCERT", "demand");
        command.args(["-x", "-H", &url, "-D", MANAGER, "-w", "password"]).args(flags);
        assert_eq!(outcome(&mut command, ""), (Some(0), format!("dn:{MANAGER}\n")), "{url}");
    }
    std::fs::remove_file(&authority).unwrap();
    let stats = running.shutdown();
    assert_eq!((stats.handshakes, stats.handshakes_failed), (2, 0));
}

#[test]
fn paging_limits_and_controls_work() {
    let Some(running) = start() else { return };
    let people = ["-LLL", "-b", "ou=people,dc=example,dc=com"];
    let search = |more: &[&str]| tool(&running, "ldapsearch", &[&people, more].concat(), "");
    let (code, text) = search(&["-E", "pr=7/noprompt", "(objectClass=inetOrgPerson)", "1.1"]);
    assert_eq!((code, text.matches("dn: ").count()), (Some(0), 50), "{text}");
    let (code, text) = search(&["-z", "7", "(objectClass=inetOrgPerson)", "1.1"]);
    assert_eq!((code, text.matches("dn: ").count()), (Some(4), 7), "{text}");
    assert_eq!(search(&["-e", "!1.2.3.4", "(uid=user.1)"]).0, Some(12));
    assert_eq!(search(&["-e", "1.2.3.4", "(uid=user.1)"]).0, Some(0));
    assert_eq!(search(&["-e", "!authzid=u:user.1", "(uid=user.1)"]).0, Some(0));
    assert_eq!(search(&["-e", "!authzid=u:nobody", "(uid=user.1)"]).0, Some(123));
    assert_eq!(search(&["-e", "!assert=(ou=people)", "(uid=user.1)"]).0, Some(0));
    assert_eq!(search(&["-e", "!assert=(ou=x)", "(uid=user.1)"]).0, Some(122));
    let missing = ["-b", "cn=a,cn=b,ou=people,dc=example,dc=com"];
    let (code, text) = tool(&running, "ldapsearch", &missing, "");
    assert_eq!(code, Some(32));
    assert!(text.contains("matchedDN: ou=people,dc=example,dc=com"), "{text}");
    let mut wrong = Command::new("ldapwhoami");
    let url = format!("ldap://{}", running.address());
    wrong.args(["-x", "-H", &url, "-D", "uid=user.3,ou=people,dc=example,dc=com", "-w", "wrong"]);
    assert_eq!(outcome(&mut wrong, "").0, Some(49));
}

#[test]
fn sasl_password_mechanisms_work() {
    let Some(running) = start() else { return };
    let url = format!("ldap://{}", running.address());
    let whoami = |mechanism: &str, password: &str, more: &[&str]| {
        let mut command = Command::new("ldapwhoami");
        command
            .args([
                "-Q",
                "-O",
                "none,maxssf=0",
                "-H",
                &url,
                "-Y",
                mechanism,
                "-U",
                "user.4",
                "-w",
                password,
            ])
            .args(more);
        outcome(&mut command, "")
    };
    let dn = |user: &str| (Some(0), format!("dn:uid={user},ou=people,dc=example,dc=com\n"));
    let mut spoken = 0;
    for mechanism in ["PLAIN", "CRAM-MD5", "SCRAM-SHA-256"] {
        let bound = whoami(mechanism, "password", &[]);
        // The tool speaks a mechanism only if Cyrus' module for it is installed.
        if bound.1.contains("no worthy mechs") || bound.1.contains("Unknown authentication method")
        {
            eprintln!("skipped: ldapwhoami does not speak {mechanism}");
            continue;
        }
        spoken += 1;
        assert_eq!(bound, dn("user.4"), "{mechanism}");
        assert_eq!(whoami(mechanism, "wrong", &[]).0, Some(49), "{mechanism}");
        if mechanism != "CRAM-MD5" {
            assert_eq!(
                whoami(mechanism, "password", &["-X", "u:user.5"]),
                dn("user.5"),
                "{mechanism}"
            );
        }
    }
    assert!(spoken > 0 || std::env::var("CI").as_deref() != Ok("true"), "install libsasl2-modules");
}
