//! Runs that must not begin: the tool's message, and the exit code by which a script knows the reason.

use std::io::Read as _;
use std::net::TcpListener;
use std::time::Duration;

use brunt_testbed::{ADMIN_DN, BASE_DN, Options, PASSWORD, Slapd, free_port, until, user_dn};

use crate::brunt::{Brunt, Run, To, command};
use crate::directory::{Directory, Transport, opendj, slapd, slapd_with};

fn search(run: Brunt) -> Run {
    run.typed("-F -m 10 -b").args([BASE_DN, "(uid=user.1)"]).run()
}

fn slapd_serving(certificate: Option<&'static str>) -> Option<Slapd> {
    slapd_with(Options { users: 10, certificate, ..Options::default() })
}

/// That a run ended before it began: with this code, these words, and no row.
fn never_began(run: &Run, code: i32, words: &[&str]) {
    assert_eq!(run.code(), code, "{run}");
    for words in words {
        assert!(run.stderr.contains(words), "not said: {words}\n{run}");
    }
    assert!(run.stdout.is_empty(), "{run}");
}

#[test]
fn wrong_password_exits_49() {
    let Some(slapd) = slapd(10) else { return };
    let seen = slapd.saw(|| {
        for (tool, what) in [("searchrate", "(cn=x)"), ("modrate", "description:x")] {
            let run = command(tool).to(&slapd, Transport::Plain).typed("-c 3 -F -m 10 -b");
            let run = run.args([&user_dn(1), "-D", ADMIN_DN, "-w", "wrong", what]);
            let run = run.run();
            never_began(&run, 49, &["failed to bind as uid=admin", "invalidCredentials"]);
            assert!(!run.stderr.contains("reach the server"), "{run}");
        }
    });
    assert_eq!((seen.connections, seen.binds, seen.searches, seen.modifies), (2, 2, 0, 0));
    assert_eq!(seen.with_result(49), 2);
}

#[test]
fn authrate_with_all_first_binds_refused_exits_49() {
    let Some(slapd) = slapd(10) else { return };
    let run = || command("authrate").to(&slapd, Transport::Plain).typed("-f -c 2 -m 5000");
    let wrong = run().args(["-w", "wrong", "-D", &user_dn(1)]).run().expect(49);
    // Ten, and one that the other connection had sent.
    assert!((10..=11).contains(&wrong.count("failed")), "{wrong}");
    assert!(wrong.stderr.contains("binds were all refused with invalidCredentials"), "{wrong}");
    assert_eq!(slapd.operations().with_result(49), wrong.count("failed"));
    // Asked for, they are measured like others, and as none succeeds, the run has failed.
    let requested = run().args(["-I", "100", "-w", PASSWORD, "-D", &user_dn(1)]).run().expect(1);
    assert_eq!((requested.count("failed"), requested.results()[&49]), (5000, 5000), "{requested}");
}

#[test]
fn closed_port_and_unknown_host_exit_91() {
    let port = free_port().to_string();
    let run = command("searchrate").args(["-h", "127.0.0.1", "-p", &port]);
    never_began(&search(run), 91, &["127.0.0.1", &port]);
    let run = command("searchrate").args(["-h", "no-such-host.invalid", "-p", &port]);
    never_began(&search(run), 91, &["no-such-host.invalid"]);
}

/// A server that gets no TLS where it expects it may answer with an alert of TLS, or with nothing.
#[test]
fn ldaps_port_spoken_in_the_clear_is_explained() {
    let Some(slapd) = slapd(10) else { return };
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let mute = listener.local_addr().expect("an address").port();
    // It reads the request, and closes without a word.
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { return };
            let _ = stream.read(&mut [0; 512]);
        }
    });
    for port in [slapd.tls_port(), mute] {
        for how in [&[][..], &["-q", "-X"]] {
            let run = command("searchrate").args(["-h", "127.0.0.1", "-p", &port.to_string()]);
            let run = run.args(["-D", ADMIN_DN, "-w", PASSWORD]).args(how);
            never_began(&search(run), 81, &["LDAPS (-Z, ldaps://)"]);
        }
    }
}

#[test]
fn certificate_for_another_host_is_refused() {
    let Some(slapd) = slapd_serving(Some("wrong-host")) else { return };
    let (tls, clear) = (slapd.tls_port().to_string(), slapd.port().to_string());
    let seen = slapd.saw(|| {
        for (port, how) in [(&tls, "-Z"), (&clear, "-q")] {
            let run = command("searchrate").args(["-h", "localhost", "-p", port, how]);
            let run = search(run.arg("--ca").arg(slapd.pki().ca()));
            never_began(&run, 91, &["certificate", "elsewhere.example.com", "localhost"]);
        }
    });
    assert_eq!((seen.searches, seen.binds), (0, 0));
}

#[test]
fn certificate_name_to_check_can_be_given() {
    let Some(slapd) = slapd_serving(Some("wrong-host")) else { return };
    let run = || {
        let port = slapd.tls_port().to_string();
        let run = command("searchrate").args(["-h", "localhost", "-p", &port, "-Z"]);
        run.arg("--ca").arg(slapd.pki().ca())
    };
    never_began(&search(run()), 91, &["--tls-name"]);
    assert_eq!(search(run().args(["--tls-name", "elsewhere.example.com"])).count("ok"), 10);
    never_began(
        &search(run().args(["--tls-name", "other.example.com"])),
        91,
        &["other.example.com"],
    );
}

#[test]
fn certificate_expired_is_refused() {
    let Some(slapd) = slapd_serving(Some("expired")) else { return };
    let mut run = None;
    // Its last second may not be over yet, or be over in the middle of a run.
    until(Duration::from_secs(90), || {
        run = Some(search(command("searchrate").to(&slapd, Transport::Ldaps)));
        run.as_ref().is_some_and(|run| ![0, 1].contains(&run.code()))
    });
    never_began(&run.expect("it ran"), 91, &["certificate", "expired"]);
}

#[test]
fn start_tls_never_falls_back_to_clear_text() {
    let Some(slapd) = slapd_serving(None) else { return };
    let seen = slapd.saw(|| {
        let further: [(&str, &[&str]); 3] = [
            ("authrate", &[]),
            ("searchrate", &["-b", BASE_DN, "(cn=x)"]),
            ("modrate", &["-b", BASE_DN, "description:x"]),
        ];
        for (tool, further) in further {
            let run = command(tool).args(["-h", "localhost", "-p", &slapd.port().to_string()]);
            let run = run.typed("-q -X -f -m 10 -D").args([ADMIN_DN, "-w", PASSWORD]).args(further);
            let run = run.run();
            assert_ne!(run.code(), 0, "{run}");
            never_began(&run, run.code(), &["StartTLS"]);
        }
    });
    // One request of each, and it was the one for TLS.
    assert_eq!((seen.connections, seen.extended, seen.requests()), (3, 3, 3), "{seen:?}");
}

#[test]
fn untrusted_authority_is_refused_on_every_transport() {
    let Some(slapd) = slapd(10) else { return };
    untrusted(&slapd, &["-Z", "-q"]);
}

#[test]
fn untrusted_authority_of_opendj_is_refused() {
    let Some(opendj) = opendj() else { return };
    // Not by StartTLS: see `Directory::stalls`.
    untrusted(&*opendj, &["-Z"]);
}

fn untrusted(server: &impl Directory, ways: &[&str]) {
    let seen = server.saw(|| {
        for &how in ways {
            let port = if how == "-Z" { server.tls_port() } else { server.port() };
            let run = command("searchrate").args(["-h", "127.0.0.1", "-p", &port.to_string(), how]);
            // The client's certificate is no authority.
            let run = search(run.arg("--ca").arg(server.pki().pem("client")));
            never_began(&run, 91, &["certificate"]);
            // Without any trust option it is the machine's own authorities that decide.
            let run = command("searchrate").args(["-h", "127.0.0.1", "-p", &port.to_string(), how]);
            never_began(&search(run), 91, &["certificate"]);
            let run = command("searchrate").args(["-h", "127.0.0.1", "-p", &port.to_string(), how]);
            let run = search(run.arg("-X")).went_well();
            assert_eq!(run.count("ok"), 10);
        }
    });
    assert_eq!(seen.searches, 10 * ways.len() as u64, "only what was trusted was asked: {seen:?}");
}
