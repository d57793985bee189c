//! Identities of binds: every mechanism through authrate, with the identity that the server assigned to the client.

use std::collections::BTreeSet;

use brunt_testbed::{BASE_DN, Kdc, Options, PASSWORD, Slapd, SoftHsm, require, user_dn};

use crate::brunt::{Brunt, Run, To, command};
use crate::directory::{Directory, Transport, opendj, slapd, slapd_with};

/// Binds of each run.
const COUNT: u64 = 25;

/// The mechanisms with passwords: name, requests of one bind.
const PASSWORDS: [(&str, u64); 5] =
    [("PLAIN", 1), ("CRAM-MD5", 2), ("DIGEST-MD5", 2), ("SCRAM-SHA-1", 2), ("SCRAM-SHA-256", 2)];

/// By name, which is how DIGEST-MD5 and Kerberos must name the server.
fn bind(server: &impl Directory, options: &str) -> Brunt {
    let run = command("authrate").args(["-h", "localhost", "-p", &server.port().to_string()]);
    run.args(["-c", "3", "-m", &COUNT.to_string()]).typed(options)
}

/// The names of those whom slapd says it bound since the log was `skip` bytes long.
pub(crate) fn bound_as(slapd: &Slapd, skip: usize) -> BTreeSet<String> {
    let log = slapd.log_text();
    let lines = log[skip..]
        .lines()
        .filter(|line| line.contains(" BIND dn=\"uid=") && line.contains(" mech="));
    lines.filter_map(|line| line.split('"').nth(1).map(str::to_owned)).collect()
}

pub(crate) fn users(numbers: std::ops::RangeInclusive<usize>) -> BTreeSet<String> {
    numbers.map(user_dn).collect()
}

#[test]
fn slapd_identifies_users_by_every_password_mechanism() {
    let Some(slapd) = slapd(50) else { return };
    for (mechanism, steps) in PASSWORDS {
        for mode in ["", "-f"] {
            let skip = slapd.log_text().len();
            let seen = slapd.saw(|| {
                let run = bind(&slapd, mode).args(["-o", &format!("mech={mechanism}")]);
                let run =
                    run.args(["-o", "authid=user.{}", "-g", "inc(0,9)", "-w", PASSWORD]).run();
                assert_eq!(run.went_well().results(), [(0, COUNT)].into());
            });
            // What is one operation to the tool is as many requests as the mechanism has steps.
            assert_eq!(seen.binds, COUNT * steps, "{mechanism} {seen:?}");
            assert_eq!(seen.with_result(0), COUNT, "{mechanism} {seen:?}");
            assert_eq!(bound_as(&slapd, skip), users(0..=9), "{mechanism}");
        }
        let wrong = bind(&slapd, "-f -I 100 -w password -o").arg(format!("mech={mechanism}"));
        let wrong = wrong.args(["-o", "authid=user.{}", "-g", "inc(0,9)"]).run().expect(1);
        assert_eq!(wrong.results(), [(49, COUNT)].into(), "{mechanism}\n{wrong}");
    }
}

#[test]
fn opendj_identifies_users_by_its_sasl_mechanisms() {
    let Some(opendj) = opendj() else { return };
    for (mechanism, steps) in [("PLAIN", 1), ("CRAM-MD5", 2), ("DIGEST-MD5", 2)] {
        let mut run = None;
        let seen = opendj.saw(|| {
            let brunt = bind(&*opendj, "-f -g inc(0,9) -o").arg(format!("mech={mechanism}"));
            let authid = ["-o", "authid=u:user.{}"];
            let plain = mechanism == "PLAIN" || mechanism == "CRAM-MD5";
            let authid = if plain { authid } else { ["-o", "authid=user.{}"] };
            run = Some(brunt.args(authid).args(["-w", PASSWORD]).run());
        });
        let run = run.expect("it ran").went_well();
        assert_eq!((seen.binds, seen.with_result(0)), (COUNT * steps, COUNT), "{mechanism}\n{run}");
    }
}

#[test]
fn search_and_bind_uses_the_dn_of_the_found_entry() {
    let Some(slapd) = slapd(50) else { return };
    find_and_bind(&slapd);
}

#[test]
fn search_and_bind_uses_the_dn_of_the_found_entry_in_opendj() {
    let Some(opendj) = opendj() else { return };
    find_and_bind(&*opendj);
}

fn find_and_bind(server: &impl Directory) {
    let found = |mode: &str, dn: &str, further: &[&str]| {
        let run = bind(server, mode).args(["-w", PASSWORD, "-b", BASE_DN, "-D", dn]);
        run.args(further).run()
    };
    // The entry found is the last argument: the second here, where one is given.
    let seen = server.saw(|| {
        let run = found("-f", "{2}", &["-g", "inc(0,9)", "(uid=user.{1})", "1.1"]).went_well();
        assert_eq!(run.results(), [(0, COUNT)].into(), "{run}");
    });
    assert_eq!((seen.searches, seen.binds, seen.entries), (COUNT, COUNT, COUNT), "{seen:?}");
    assert_eq!(seen.connections, 4, "{seen:?}");
    // Without any it is the first, and each operation has a connection for both of its requests.
    let seen = server.saw(|| {
        found("", "{1}", &["(uid=user.7)"]).went_well();
    });
    assert_eq!((seen.searches, seen.binds), (COUNT, COUNT), "{seen:?}");
    assert_eq!(seen.connections, COUNT + 1, "{seen:?}");
    // Nothing found, or too much: no bind is sent.
    let seen = server.saw(|| {
        let none = found("-f", "{1}", &["(uid=nobody)"]).expect(1);
        assert_eq!(none.results(), [(94, COUNT)].into(), "{none}");
        let many = found("-f", "{1}", &["(uid=user.1*)"]).expect(1);
        assert_eq!(many.results(), [(95, COUNT)].into(), "{many}");
    });
    assert_eq!((seen.searches, seen.binds), (2 * COUNT, 0), "{seen:?}");
}

#[test]
fn wrong_passwords_are_all_counted() {
    let Some(slapd) = slapd(10) else { return };
    let run = bind(&slapd, "-f -I 100 -w password -D").arg(user_dn(1)).run().expect(1);
    assert_eq!(run.results(), [(49, COUNT)].into(), "{run}");
    assert_eq!(slapd.operations().with_result(49), COUNT);
    let run = bind(&slapd, "-f -I 0 -w password -D").arg(user_dn(1)).run().went_well();
    assert_eq!(run.results(), [(0, COUNT)].into(), "{run}");
}

/// The client certificate in every kind of store, by its alias.
#[test]
fn client_certificate_in_any_store_decides_the_identity() {
    let Some(slapd) = slapd(10).filter(|_| require(&["keytool"])) else { return };
    let pki = slapd.pki();
    let (pem, key) = (pki.pem("client"), pki.private_key("client"));
    let (p12, jks, jceks) = (
        pki.pkcs12("client"),
        pki.java_key_store("client", "JKS"),
        pki.java_key_store("client", "JCEKS"),
    );
    let text = |path: &std::path::Path| path.display().to_string();
    let stores = [
        format!("--cert-pem {} --key-pem {}", text(&pem), text(&key)),
        format!("--usePkcs12KeyStore {} -W {PASSWORD} -N client", text(&p12)),
        format!("--useJavaKeyStore {} -W {PASSWORD} -N client", text(&jks)),
        format!("--useJceKeyStore {} -W {PASSWORD} -N client", text(&jceks)),
        format!("-K {} -W {PASSWORD} -N client", text(&p12)),
    ];
    for store in &stores {
        for transport in [Transport::Ldaps, Transport::StartTls] {
            let run = by_certificate(&slapd, transport, |run| run.typed(store));
            assert_eq!(run.went_well().count("ok"), COUNT, "{store}");
        }
    }
    let other = by_certificate(&slapd, Transport::Ldaps, |run| {
        run.typed(&format!("-K {} -W {PASSWORD} -N nobody", text(&p12)))
    });
    assert_eq!(other.code(), 89, "{other}");
    assert!(other.stderr.contains("nobody"), "{other}");
}

#[test]
fn client_certificate_on_a_pkcs11_token_decides_the_identity() {
    if !require(&["softhsm2-util", "pkcs11-tool"]) {
        return;
    }
    let Some(slapd) = slapd(10) else { return };
    let token = SoftHsm::token(slapd.pki(), "client");
    let run = by_certificate(&slapd, Transport::Ldaps, |run| {
        let run = run.env("SOFTHSM2_CONF", token.configuration()).arg("--usePkcs11KeyStore");
        let run = run.arg("--providerArg").arg(token.module());
        run.args(["-W", SoftHsm::PIN, "-N", "client"])
    });
    assert_eq!(run.went_well().count("ok"), COUNT);
}

/// EXTERNAL with whatever certificate `with` adds, and slapd's word for it that user 5 was bound.
fn by_certificate(slapd: &Slapd, transport: Transport, with: impl FnOnce(Brunt) -> Brunt) -> Run {
    let skip = slapd.log_text().len();
    let run = command("authrate").to(slapd, transport);
    let run = run.args(["-f", "-c", "3", "-m", &COUNT.to_string(), "-o", "mech=EXTERNAL"]);
    let run = with(run).run();
    if run.code() == 0 {
        assert_eq!(bound_as(slapd, skip), users(5..=5), "{run}");
    }
    run
}

#[test]
fn kerberos_binds_by_password_ticket_and_named_kdc() {
    if !require(&["krb5kdc", "kadmin.local", "kinit"]) {
        return;
    }
    let kdc = Kdc::start();
    let environment = kdc.server_environment();
    let Some(slapd) = slapd_with(Options { users: 10, environment, ..Options::default() }) else {
        return;
    };
    let kerberos = |run: Brunt| run.args(["-o", "mech=GSSAPI"]);
    let at_home = |run: Brunt| {
        kdc.client_environment().into_iter().fold(run, |run, (name, value)| run.env(&name, value))
    };
    let by = |run: Brunt, numbers: std::ops::RangeInclusive<usize>| {
        let skip = slapd.log_text().len();
        let run = run.run().went_well();
        assert_eq!(run.results(), [(0, COUNT)].into(), "{run}");
        assert_eq!(bound_as(&slapd, skip), users(numbers), "{run}");
    };
    let password = kerberos(at_home(bind(&slapd, "-f -g inc(0,3) -o authid=user.{}")));
    by(password.args(["-w", PASSWORD]), 0..=3);
    let ticket = kerberos(at_home(bind(&slapd, "-f -o authid=user.4")));
    by(ticket.env("KRB5CCNAME", kdc.ticket(4)), 4..=4);
    // Nothing in the environment says where the realm is: the options do.
    let named = kerberos(bind(&slapd, "-f -o authid=user.2"));
    let named = named.args(["-o", &format!("realm={}", Kdc::REALM)]);
    by(named.args(["-o", &format!("kdc=127.0.0.1:{}", kdc.port()), "-w", PASSWORD]), 2..=2);
}

#[test]
fn bind_controls_are_sent_and_their_answers_accepted() {
    let Some(slapd) = slapd(10) else { return };
    let run = bind(&slapd, "-f -E --usePasswordPolicyControl -w password -D").arg(user_dn(1)).run();
    run.went_well();
    // Under a policy that warns, one that wants the password changed, and one that locked the entry out.
    let of = |user: &str| {
        let dn = format!("uid={user},ou=people,{BASE_DN}");
        bind(&slapd, "-f --usePasswordPolicyControl -w password -D").arg(dn).run()
    };
    let output = |run: &Run, warnings: u64, errors: u64| {
        let note = format!("{warnings} password policy warnings and {errors} errors");
        assert!(run.stderr.contains(&note), "not said: {note}\n{run}");
    };
    output(&of("expiring").went_well(), COUNT, 0);
    output(&of("reset").went_well(), 0, COUNT);
    let locked = of("locked").expect(49);
    assert!((10..=12).contains(&locked.count("failed")), "{locked}");
    let plain = bind(&slapd, "-f -w password -D").arg(user_dn(1)).run().went_well();
    assert!(!plain.stderr.contains("password policy"), "{plain}");
}
