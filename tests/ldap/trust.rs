//! Servers trusted by the stores that users have: every format, on LDAPS and after StartTLS, with both servers.

use brunt_testbed::{BASE_DN, PASSWORD, require};

use crate::brunt::{To, command};
use crate::directory::{Directory, Transport, opendj, slapd};

/// An option for a trust store, and the format of the store for it: the testbed's names of formats.
const STORES: [(&str, &str); 8] = [
    ("--ca", "PEM"),
    ("--trustStorePath", "PEM"),
    ("--trustStorePath", "JKS"),
    ("--trustStorePath", "PKCS12"),
    ("--useJavaTrustStore", "JKS"),
    ("--useJceTrustStore", "JCEKS"),
    ("--usePkcs12TrustStore", "PKCS12"),
    ("-P", "JCEKS"),
];

#[test]
fn trust_stores_of_every_kind_work_with_slapd() {
    let Some(slapd) = slapd(10).filter(|_| require(&["keytool"])) else { return };
    every_store(&slapd);
}

#[test]
fn trust_stores_of_every_kind_work_with_opendj() {
    let Some(opendj) = opendj().filter(|_| require(&["keytool"])) else { return };
    every_store(&*opendj);
}

fn every_store(server: &impl Directory) {
    for (option, format) in STORES {
        for (transport, how) in [(Transport::Ldaps, "-Z"), (Transport::StartTls, "-q")] {
            let port = if how == "-Z" { server.tls_port() } else { server.port() };
            let (run, seen) = server.observe(transport, || {
                let run = command("searchrate").args(["-h", "localhost", "-p"]);
                let run = run.args([&port.to_string(), how, option]);
                let run = match format {
                    "PEM" => run.arg(server.pki().ca()),
                    format => run.arg(server.pki().trust_store(format)).args(["-T", PASSWORD]),
                };
                run.typed("-F -c 2 -m 5 -b").args([BASE_DN, "(uid=user.1)"]).run()
            });
            let run = run.went_well();
            assert_eq!(run.count("items"), 5, "{option} {format} {how}\n{run}");
            let upgrades = if how == "-q" { 3 } else { 0 };
            let counts = (seen.searches, seen.connections, seen.extended);
            assert_eq!(counts, (5, 3, upgrades), "{option} {format} {how}\n{run}");
        }
    }
}

#[test]
fn trust_store_that_cannot_be_opened_exits_89() {
    let Some(slapd) = slapd(1).filter(|_| require(&["keytool"])) else { return };
    for format in ["JKS", "JCEKS", "PKCS12"] {
        let store = slapd.pki().trust_store(format);
        let run = command("searchrate").args(["-h", "localhost", "-Z", "-T", "wrong", "-P"]);
        let run = run.arg(&store).typed("-m 1 -b dc=example,dc=com (uid=a)").run().expect(89);
        // Long lines are broken, so the name of the file stands in pieces.
        let output: String = run.stderr.split_whitespace().collect();
        assert!(output.contains(&store.display().to_string()), "{run}");
        assert!(run.stderr.contains("password"), "{run}");
    }
    assert_eq!(slapd.operations().connections, 0);
}

#[test]
fn tls_versions_and_resumption_are_as_given() {
    let Some(slapd) = slapd(10) else { return };
    let with = |options: &str| {
        let run = command("searchrate").to(&slapd, Transport::Ldaps);
        run.typed(options).typed("-m 20 -b").args([BASE_DN, "(uid=user.1)"]).run()
    };
    for options in ["--tls-max 1.2", "--tls-min 1.3", "--tls-resume never"] {
        let run = with(options).went_well();
        // GnuTLS, with which this slapd is built, may keep no sessions; to ask for none is to have none.
        if options.ends_with("never") {
            assert_eq!(run.tally("TLS sessions resumed"), 0, "{options}\n{run}");
        }
    }
    let log = slapd.log_text();
    let of = |version: &str| log.matches(&format!("tls_proto={version} ")).count();
    // Each run opens one connection for every search and one before them.
    assert_eq!((of("TLS1.2"), of("TLS1.3")), (21, 42));
}
