//! UnboundID's dialect over TLS and with SASL, beside the original: every way to trust a server and to say who binds.

use brunt_testbed::{PASSWORD, PEOPLE_DN, Slapd, require};

use crate::brunt::Brunt;
use crate::directory::{Directory, slapd};
use crate::identity::{bound_as, users};
use crate::unboundid::{compared, is_installed, our, their};

const LOAD: [&str; 10] =
    ["-b", PEOPLE_DN, "-f", "(uid=user.[0-9])", "-i", "1", "-I", "1", "-r", "20"];

/// The two ways to TLS: the option, and whether it has a port of its own.
const WAYS: [(&str, bool); 2] = [("-Z", true), ("--useStartTLS", false)];

/// By name, as certificates and DIGEST-MD5 name the server.
fn at(run: Brunt, slapd: &Slapd, (how, own_port): (&str, bool)) -> Brunt {
    let port = if own_port { slapd.tls_port() } else { slapd.port() };
    run.args(["-h", "localhost", "-p", &port.to_string(), how]).args(LOAD)
}

#[test]
fn trust_options_work_like_the_original() {
    let Some(slapd) = slapd(10).filter(|_| require(&["keytool"])) else { return };
    if !is_installed() {
        return;
    }
    for way in WAYS {
        let both = |with: &dyn Fn(Brunt) -> Brunt| {
            let seen = slapd.saw(|| {
                let theirs = || with(at(their("searchrate"), &slapd, way));
                compared(&theirs, with(at(our("searchrate"), &slapd, way)), 0);
            });
            assert!(seen.searches > 0, "{way:?} {seen:?}");
        };
        // What is read of a store has nothing to do with the way, so each has the other kind by the other option.
        let kinds = if way == WAYS[0] { ["JKS", "PKCS12"] } else { ["PKCS12", "JKS"] };
        let [typed, filed] = kinds.map(|format| (slapd.pki().trust_store(format), format));
        both(&|run| {
            let run = run.arg("-P").arg(&typed.0).args(["-T", PASSWORD]);
            run.args(["--trustStoreFormat", typed.1])
        });
        both(&|run| {
            let pin = run.file("pin", PASSWORD);
            let run = run.arg("--trust-store-path").arg(&filed.0);
            run.arg("--trustStorePINFile").arg(pin).args(["--trustStoreFormat", filed.1])
        });
        both(&|run| run.arg("-X"));
        // The testbed's authority is none of the system's. After StartTLS the original calls the server down.
        for run in [their("searchrate"), our("searchrate")] {
            let run = at(run, &slapd, way).arg("--defaultTrust").run();
            assert!([81, 91].contains(&run.code()) && run.stdout.is_empty(), "{way:?} {run}");
        }
    }
}

#[test]
fn sasl_mechanisms_work_like_the_original() {
    let Some(slapd) = slapd(10) else { return };
    if !is_installed() {
        return;
    }
    for (mechanism, who) in [
        ("PLAIN", "authID=user.1"),
        ("plain", "authid=user.1"),
        ("CRAM-MD5", "authID=user.1"),
        ("DIGEST-MD5", "authID=user.1"),
        ("SCRAM-SHA-256", "username=user.1"),
    ] {
        let mechanism = format!("mech={mechanism}");
        for run in [their("searchrate"), our("searchrate")] {
            let skip = slapd.log_text().len();
            let run = run.args(["-h", "localhost", "-p", &slapd.port().to_string()]).args(LOAD);
            let run = run.args(["-o", &mechanism, "--saslOption", who, "-w", PASSWORD]).run();
            assert_eq!(run.code(), 0, "{mechanism} {run}");
            assert_eq!(bound_as(&slapd, skip), users(1..=1), "{mechanism} {run}");
        }
        for run in [their("searchrate"), our("searchrate")] {
            let run = run.args(["-h", "localhost", "-p", &slapd.port().to_string()]).args(LOAD);
            let run = run.args(["-o", &mechanism, "-o", who, "-w", "wrong"]).run();
            assert_eq!((run.code(), run.stdout.as_str()), (49, ""), "{mechanism} {run}");
        }
    }
}

/// With slapd the original ends with 14, as it takes the empty data in the answer for a challenge.
#[test]
fn client_certificate_decides_the_identity() {
    let Some(slapd) = slapd(10).filter(|_| require(&["keytool"])) else { return };
    let trust = slapd.pki().trust_store("JKS");
    let stores = [
        ("PKCS12", slapd.pki().pkcs12("client")),
        ("JKS", slapd.pki().java_key_store("client", "JKS")),
    ];
    for way in WAYS {
        for (format, store) in &stores {
            for external in [&["--useSASLExternal"][..], &["-o", "mech=EXTERNAL"]] {
                let skip = slapd.log_text().len();
                let run = at(our("searchrate"), &slapd, way).arg("-P").arg(&trust);
                let run = run.args(["-T", PASSWORD, "-W", PASSWORD, "-N", "client", "-K"]);
                let run = run.arg(store).args(["--keyStoreFormat", format]).args(external).run();
                assert_eq!(run.code(), 0, "{way:?} {format} {run}");
                assert_eq!(bound_as(&slapd, skip), users(5..=5), "{way:?} {format} {run}");
            }
        }
    }
}
