//! Every server of the testbed works as documented, queried by the public client programs.

use brunt_testbed::{
    ADMIN_DN, BASE_DN, Kdc, OpenDj, Operations, Options, PASSWORD, PEOPLE_DN, PROXY_DN, Pki, Slapd,
    SoftHsm, require, run, until, user_dn,
};
use std::process::{Command, Output};
use std::time::{Duration, Instant};

/// The standard output of a client that is expected to succeed.
fn message(client: &mut Command) -> String {
    let Output { status, stdout, stderr } = client.output().expect("the client is installed");
    let text = String::from_utf8_lossy(&stdout).into_owned();
    assert!(status.success(), "{client:?}: {status}\n{text}\n{}", String::from_utf8_lossy(&stderr));
    text
}

/// The exit code of a client, which is the LDAP result code, and all it said.
fn refused(client: &mut Command) -> (i32, String) {
    let Output { status, stdout, stderr } = client.output().expect("the client is installed");
    let text = [stdout, stderr].map(|part| String::from_utf8_lossy(&part).into_owned()).concat();
    (status.code().expect("the client was not killed"), text)
}

fn slapd() -> Option<Slapd> {
    require(&["slapd", "ldapwhoami", "openssl"])
        .then(|| Slapd::start(Options { users: 50, ..Options::default() }))
}

#[test]
fn slapd_starts_quickly_with_two_thousand_users() {
    if !require(&["slapd", "ldapsearch", "openssl"]) {
        return;
    }
    #[expect(
        clippy::disallowed_methods,
        reason = "it is the wall clock that a developer waits for"
    )]
    let start = Instant::now();
    let slapd = Slapd::start(Options::default());
    let took = start.elapsed();
    println!("slapd took {took:?}");
    assert!(took < Duration::from_secs(60), "{took:?}");
    assert_eq!(slapd.entries_below(PEOPLE_DN), 2_000 + 5);
    let mut search = slapd.client("ldapsearch");
    let found = message(search.args(["-x", "-LLL", "-b", BASE_DN, "(uid=user.1999)", "mail"]));
    assert!(found.contains("mail: user.1999@example.com"), "{found}");
}

#[test]
fn slapd_authenticates_by_every_mechanism() {
    let Some(slapd) = slapd() else { return };
    let expected = format!("dn:{}", user_dn(3));
    let simple =
        message(slapd.client("ldapwhoami").args(["-x", "-D", &user_dn(3), "-w", PASSWORD]));
    assert_eq!(simple.trim(), expected);
    for mechanism in ["PLAIN", "CRAM-MD5", "DIGEST-MD5", "SCRAM-SHA-1", "SCRAM-SHA-256"] {
        let mut client = slapd.client("ldapwhoami");
        // Without -O the client itself refuses PLAIN in the clear.
        let client =
            client.args(["-Q", "-O", "none", "-Y", mechanism, "-U", "user.3", "-w", PASSWORD]);
        assert_eq!(message(client).trim(), expected, "{mechanism}");
        let mut client = slapd.client("ldapwhoami");
        let wrong = refused(
            client.args(["-Q", "-O", "none", "-Y", mechanism, "-U", "user.3", "-w", "wrong"]),
        );
        assert_eq!(wrong.0, 49, "{mechanism}: {}", wrong.1);
    }
    assert_eq!(slapd.operations().with_result(49), 5);
}

#[test]
fn slapd_serves_tls_and_client_certificates() {
    let Some(slapd) = slapd() else { return };
    let expected = format!("dn:{}", user_dn(3));
    let start_tls =
        message(slapd.client("ldapwhoami").args(["-ZZ", "-x", "-D", &user_dn(3), "-w", PASSWORD]));
    assert_eq!(start_tls.trim(), expected);
    let by_tls = || slapd.client_at("ldapwhoami", &slapd.tls_url());
    assert_eq!(message(by_tls().args(["-x", "-D", &user_dn(3), "-w", PASSWORD])).trim(), expected);
    let mut client = by_tls();
    client
        .env("LDAPTLS_CERT", slapd.pki().pem("client"))
        .env("LDAPTLS_KEY", slapd.pki().private_key("client"));
    assert_eq!(message(client.args(["-Q", "-Y", "EXTERNAL"])).trim(), format!("dn:{}", user_dn(5)));
    let distrusting = refused(by_tls().arg("-x").env("LDAPTLS_CACERT", slapd.pki().pem("client")));
    assert_ne!(distrusting.0, 0, "a client must not trust what its authority did not sign");
}

#[test]
fn slapd_accepts_kerberos_tickets() {
    if !require(&["slapd", "ldapwhoami", "openssl", "krb5kdc", "kadmin.local", "kinit"]) {
        return;
    }
    let kdc = Kdc::start();
    let slapd = Slapd::start(Options {
        users: 10,
        environment: kdc.server_environment(),
        ..Options::default()
    });
    let ticket = kdc.ticket(4);
    let mut client = slapd.client_at("ldapwhoami", &slapd.url());
    client.args(["-Q", "-Y", "GSSAPI"]).envs(kdc.client_environment()).env("KRB5CCNAME", ticket);
    assert_eq!(message(&mut client).trim(), format!("dn:{}", user_dn(4)));
}

#[test]
fn slapd_honours_controls() {
    let Some(slapd) = slapd() else { return };
    let proxy = ["-x", "-D", PROXY_DN, "-w", PASSWORD];
    let authzid = format!("!authzid=dn:{}", user_dn(7));
    let whoami = message(slapd.client("ldapwhoami").args(proxy).args(["-e", &authzid]));
    assert_eq!(whoami.trim(), format!("dn:{}", user_dn(7)));
    let user = user_dn(6);
    let (code, text) = refused(
        slapd.client("ldapwhoami").args(["-x", "-D", &user, "-w", PASSWORD, "-e", &authzid]),
    );
    assert_ne!(code, 0, "{text}");
    let admin = ["-x", "-D", ADMIN_DN, "-w", PASSWORD];
    let whoami = message(slapd.client("ldapwhoami").args(admin).args(["-e", &authzid]));
    assert_eq!(whoami.trim(), format!("dn:{}", user_dn(7)));
    let modification = tempfile::NamedTempFile::new().unwrap();
    let text =
        format!("dn: {user}\nchangetype: modify\nreplace: description\ndescription: changed\n");
    std::fs::write(modification.path(), text).unwrap();
    let modify = || {
        let mut client = slapd.client("ldapmodify");
        client.args(["-x", "-D", &user, "-w", PASSWORD, "-f"]).arg(modification.path());
        client
    };
    let (code, text) = refused(modify().args(["-e", "!assert=(description=other)"]));
    assert_eq!(code, 122, "{text}");
    assert_eq!(slapd.value(&user, "description").unwrap(), "as made");
    let read = message(modify().args([
        "-e",
        "!preread=description",
        "-e",
        "!postread=description",
        "-e",
        "!manageDSAit",
    ]));
    assert!(
        read.contains("description: as made") && read.contains("description: changed"),
        "{read}"
    );
    assert_eq!(slapd.value(&user, "description").unwrap(), "changed");
}

#[test]
fn slapd_sends_password_policy_responses() {
    let Some(slapd) = slapd() else { return };
    let bind = |name: &str| {
        let dn = format!("uid={name},{PEOPLE_DN}");
        refused(slapd.client("ldapwhoami").args(["-x", "-e", "ppolicy", "-D", &dn, "-w", PASSWORD]))
    };
    let (code, text) = bind("expiring");
    assert!(code == 0 && text.to_lowercase().contains("expire"), "{code} {text}");
    let (_, text) = bind("reset");
    assert!(text.to_lowercase().contains("must be changed"), "{text}");
    assert_eq!(bind("locked").0, 49);
}

#[test]
fn slapd_counts_every_operation() {
    let Some(mut slapd) = slapd() else { return };
    assert_eq!(slapd.operations(), Operations::default());
    for number in 0..5 {
        let filter = format!("(uid=user.{number})");
        message(slapd.client("ldapsearch").args([
            "-x",
            "-D",
            &user_dn(1),
            "-w",
            PASSWORD,
            "-b",
            BASE_DN,
            &filter,
        ]));
    }
    let wrong = refused(slapd.client("ldapwhoami").args(["-x", "-D", &user_dn(1), "-w", "wrong"]));
    assert_eq!(wrong.0, 49);
    let deleted = message(slapd.client("ldapdelete").args([
        "-x",
        "-D",
        ADMIN_DN,
        "-w",
        PASSWORD,
        &user_dn(9),
    ]));
    assert_eq!(deleted, "");
    let seen = slapd.operations();
    let counts =
        (seen.connections, seen.binds, seen.searches, seen.entries, seen.deletes, seen.extended);
    assert_eq!(counts, (7, 7, 5, 5, 1, 0));
    assert_eq!((seen.with_result(0), seen.with_result(49)), (5 + 5 + 1 + 1, 1));
    for _ in 0..2 {
        let monitored = slapd.monitored();
        assert_eq!((monitored.binds, monitored.searches, monitored.deletes), (7, 5, 1));
    }
    let before = slapd.operations();
    slapd.kill();
    assert_ne!(refused(slapd.client("ldapwhoami").arg("-x")).0, 0);
    slapd.restart();
    message(slapd.client("ldapwhoami").args(["-x", "-D", &user_dn(1), "-w", PASSWORD]));
    let after = slapd.operations().since(&before);
    assert_eq!((after.connections, after.binds, after.extended, after.unanswered()), (1, 1, 1, 0));
}

#[test]
fn slapd_paused_answers_after_resume() {
    let Some(slapd) = slapd() else { return };
    slapd.pause();
    let mut client = slapd.client("ldapwhoami");
    let mut client = client.args(["-x", "-D", &user_dn(1), "-w", PASSWORD]).spawn().unwrap();
    assert!(!until(Duration::from_millis(500), || client.try_wait().unwrap().is_some()));
    slapd.resume();
    assert!(client.wait().unwrap().success());
}

#[test]
fn opendj_offers_the_features_of_slapd() {
    if !require(&["opendj", "java", "ldapwhoami", "ldapadd", "openssl"]) {
        return;
    }
    let server = OpenDj::shared();
    let before = server.operations();
    let expected = format!("dn:{}", user_dn(1_999));
    let bind = user_dn(1_999);
    let simple = ["-x", "-D", &bind, "-w", PASSWORD];
    assert_eq!(message(server.client("ldapwhoami").args(simple)).trim(), expected);
    assert_eq!(message(server.client("ldapwhoami").arg("-ZZ").args(simple)).trim(), expected);
    let mut tls = server.client_at("ldapwhoami", &server.tls_url());
    assert_eq!(message(tls.args(simple)).trim(), expected);
    for mechanism in ["PLAIN", "CRAM-MD5", "DIGEST-MD5"] {
        // DIGEST-MD5 names the server, which knows itself as localhost only.
        let mut client = server.client_at("ldapwhoami", &server.url());
        let client =
            client.args(["-Q", "-O", "none", "-Y", mechanism, "-U", "user.3", "-w", PASSWORD]);
        assert_eq!(message(client).trim(), format!("dn:{}", user_dn(3)), "{mechanism}");
    }
    let authzid = format!("!authzid=dn:{}", user_dn(7));
    for dn in [PROXY_DN, ADMIN_DN] {
        let mut client = server.client("ldapwhoami");
        let whoami = message(client.args(["-x", "-D", dn, "-w", PASSWORD, "-e", &authzid]));
        assert_eq!(whoami.trim(), format!("dn:{}", user_dn(7)), "{dn}");
    }
    let (code, text) =
        refused(server.client("ldapwhoami").args(["-x", "-D", &bind, "-w", "wrong"]));
    assert_eq!(code, 49, "{text}");
    let manager = ["-x", "-D", OpenDj::MANAGER_DN, "-w", PASSWORD];
    let passing = format!("uid=passing,{PEOPLE_DN}");
    let entry = tempfile::NamedTempFile::new().unwrap();
    let text =
        format!("dn: {passing}\nobjectClass: inetOrgPerson\nuid: passing\ncn: Passing\nsn: P\n");
    std::fs::write(entry.path(), text).unwrap();
    message(server.client("ldapadd").args(manager).arg("-f").arg(entry.path()));
    let deleted = message(server.client("ldapdelete").args(manager).arg(passing));
    assert_eq!(deleted, "");
    let seen = server.operations().since(&before);
    assert_eq!(seen.connections, 3 + 3 + 2 + 1 + 2);
    assert_eq!((seen.adds, seen.deletes, seen.with_result(49)), (1, 1, 1));
    // Simple binds, two steps for each of the two challenges, one for PLAIN.
    assert_eq!(seen.binds, 3 + 1 + 2 + 2 + 2 + 1 + 2);
    assert_eq!(seen.extended, 3 + 1 + 3 + 2);
}

#[test]
fn softhsm_token_holds_key_and_certificate() {
    if !require(&["softhsm2-util", "pkcs11-tool", "openssl"]) {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let token = SoftHsm::token(&Pki::make(directory.path()), "client");
    let objects = token.objects();
    assert!(
        objects.contains("Private Key Object; EC") && objects.contains("Certificate Object"),
        "{objects}"
    );
    assert!(objects.contains("CN=user.5"), "{objects}");
}

#[test]
fn pki_certificates_are_valid_or_invalid_as_named() {
    if !require(&["openssl", "keytool"]) {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let pki = Pki::make(directory.path());
    let verify = |name: &str, host: &str| {
        let (ca, pem) = (pki.ca(), pki.pem(name));
        let mut openssl = Command::new("openssl");
        openssl.args(["verify", "-verify_hostname", host, "-CAfile"]).arg(ca).arg(pem);
        refused(&mut openssl)
    };
    assert_eq!(verify("server", "localhost").0, 0);
    let (code, text) = verify("wrong-host", "localhost");
    assert!(code != 0 && text.contains("hostname mismatch"), "{text}");
    assert_eq!(verify("wrong-host", "elsewhere.example.com").0, 0);
    assert!(until(Duration::from_secs(90), || verify("expired", "localhost")
        .1
        .contains("certificate has expired")));
    for store in ["JKS", "JCEKS"] {
        let (keys, trust) = (pki.java_key_store("client", store), pki.trust_store(store));
        let list = |path: &std::path::Path| {
            run(
                "keytool",
                [
                    "-list",
                    "-storetype",
                    store,
                    "-storepass",
                    PASSWORD,
                    "-keystore",
                    path.to_str().unwrap(),
                ],
            )
        };
        assert!(list(&keys).contains("client, "), "{store}");
        assert!(list(&trust).contains("trustedCertEntry"), "{store}");
    }
}
