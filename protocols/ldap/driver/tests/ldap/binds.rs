//! Binds with every mechanism, completed against a server that checks them.

use crate::server::{Reaction, Server, answer};
use crate::{arguments, outcomes, plan, run, setup, simple};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use brunt_exchange::{Class, Outcome};
use brunt_ldap_driver::sasl::SaslOptions;
use brunt_ldap_driver::{Identity, Plan, PlanError, Task};
use brunt_ldap_wire::message::{Authentication, Message, Request};
use brunt_ldap_wire::reply;
use hmac::{Hmac, KeyInit, Mac};
use md5::{Digest, Md5};
use sha2::Sha256;
use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::Mutex;

const PASSWORD: &str = "s3cret";

fn sasl(options: &[(&str, &str)], password: &str) -> Task {
    let options = SaslOptions::parse(options, None).unwrap();
    Task::Bind {
        identity: Identity::Sasl { options, password: password.into() },
        invalid_percent: 0,
    }
}

/// Answers each step of a bind with the code, and the credentials to send with it.
async fn server(
    verdict: impl Fn(usize, &str, &[u8]) -> (u32, Vec<u8>) + Send + Sync + 'static,
) -> Server {
    let steps: Mutex<HashMap<usize, usize>> = Mutex::default();
    Server::start(move |incoming| {
        let Request::Bind {
            authentication: Authentication::Sasl { mechanism, credentials }, ..
        } = &incoming.message.request
        else {
            return Vec::new();
        };
        let mut steps = steps.lock().unwrap();
        let step = steps.entry(incoming.connection).or_default();
        let (code, proof) = verdict(
            *step,
            std::str::from_utf8(mechanism).unwrap(),
            credentials.unwrap_or(b"<none>"),
        );
        *step = if code == 14 { *step + 1 } else { 0 };
        vec![Reaction::Send(bind_answer(incoming.message, code, &proof))]
    })
    .await
}

fn bind_answer(message: &Message<'_>, code: u32, proof: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let proof = Some(proof).filter(|proof| !proof.is_empty());
    reply::bind(&mut bytes, message.message_id, &reply::Answer::code(code), proof, &[]);
    bytes
}

async fn bound(server: &Server, task: Task, count: u64) -> Vec<Outcome> {
    let mut setup = setup(server.address, task);
    setup.arguments = arguments(&["inc(1,9)"]);
    outcomes(&run(&plan(setup), count).await)
}

#[tokio::test]
async fn wrong_passwords_are_sent_in_the_given_percentage() {
    let server = Server::start(|incoming| {
        let Request::Bind { authentication: Authentication::Simple(password), .. } =
            &incoming.message.request
        else {
            return Vec::new();
        };
        vec![Reaction::Send(answer(
            incoming.message,
            if *password == b"invalid-password" { 49 } else { 0 },
            "",
        ))]
    })
    .await;
    for (percent, wrong) in [(0, 0..=0), (100, 200..=200), (25, 25..=75)] {
        let task = Task::Bind { identity: simple("cn=a", "right"), invalid_percent: percent };
        let ran = outcomes(&run(&plan(setup(server.address, task)), 200).await);
        let rejected =
            ran.iter().filter(|outcome| **outcome == Outcome::Failed(Class::Result, 49)).count();
        assert!(wrong.contains(&rejected), "{percent}: {rejected}");
        assert_eq!(
            ran.iter().filter(|outcome| **outcome == Outcome::Ok(0)).count(),
            200 - rejected
        );
    }
}

#[tokio::test]
async fn plain_and_anonymous_take_one_step() {
    let server = server(|_, mechanism, credentials| match (mechanism, credentials) {
        ("PLAIN", b"dn:cn=admin\0user.1\0s3cret" | b"dn:cn=admin\0user.2\0s3cret") => {
            (0, Vec::new())
        }
        ("ANONYMOUS", b"trace") => (0, Vec::new()),
        _ => (49, Vec::new()),
    })
    .await;
    let plain = [("mech", "PLAIN"), ("authid", "user.{}"), ("authzid", "dn:cn=admin")];
    assert_eq!(
        bound(&server, sasl(&plain, PASSWORD), 3).await,
        [Outcome::Ok(0), Outcome::Ok(0), Outcome::Failed(Class::Result, 49)]
    );
    let anonymous = [("mech", "ANONYMOUS"), ("authid", "trace")];
    assert_eq!(bound(&server, sasl(&anonymous, ""), 1).await, [Outcome::Ok(0)]);
    assert_eq!(server.log.count("bind"), 4);
}

#[tokio::test]
async fn cram_md5_takes_two_steps_in_one_exchange() {
    let server = server(|step, mechanism, credentials| {
        assert_eq!(mechanism, "CRAM-MD5");
        if step == 0 {
            assert_eq!(credentials, b"<none>");
            return (14, b"<1@example>".to_vec());
        }
        let digest = Hmac::<Md5>::new_from_slice(PASSWORD.as_bytes()).unwrap();
        let digest = digest.chain_update(b"<1@example>").finalize().into_bytes();
        (
            if credentials == format!("user.1 {}", hex(&digest)).as_bytes() { 0 } else { 49 },
            Vec::new(),
        )
    })
    .await;
    let options = [("mech", "CRAM-MD5"), ("authid", "user.{}")];
    let ran = bound(&server, sasl(&options, PASSWORD), 2).await;
    assert_eq!(ran, [Outcome::Ok(0), Outcome::Failed(Class::Result, 49)]);
    assert_eq!(server.log.count("bind"), 4);
}

fn hex(bytes: &[u8]) -> String {
    let mut text = String::new();
    for byte in bytes {
        write!(text, "{byte:02x}").unwrap();
    }
    text
}

fn md5(parts: &[&[u8]]) -> Vec<u8> {
    Md5::digest(parts.concat()).to_vec()
}

/// The server's side of RFC 2831, with the client's cnonce taken from its response.
fn digest(response: &str, method: &str) -> String {
    let field = |name: &str| {
        let rest = response.split_once(&format!("{name}=\"")).unwrap().1;
        rest.split_once('"').unwrap().0.to_owned()
    };
    let (cnonce, uri) = (field("cnonce"), field("digest-uri"));
    let secret = md5(&[b"user.1:example.com:s3cret"]);
    let a1 = hex(&md5(&[&secret, b":abcdef:", cnonce.as_bytes(), b":u:admin"]));
    let a2 = hex(&md5(&[method.as_bytes(), b":", uri.as_bytes()]));
    hex(&md5(&[format!("{a1}:abcdef:00000001:{cnonce}:auth:{a2}").as_bytes()]))
}

#[tokio::test]
async fn digest_md5_authenticates_both_sides() {
    for honest in [true, false] {
        let server = server(move |step, _, credentials| {
            if step == 0 {
                let challenge = "realm=\"example.com\",nonce=\"abcdef\",qop=\"auth\",charset=utf-8,algorithm=md5-sess";
                return (14, challenge.into());
            }
            let response = String::from_utf8_lossy(credentials);
            assert!(response.contains("digest-uri=\"ldap/127.0.0.1\""), "{response}");
            if !response.contains(&digest(&response, "AUTHENTICATE")) {
                return (49, Vec::new());
            }
            let proof = if honest { digest(&response, "") } else { "0".repeat(32) };
            (0, format!("rspauth={proof}").into_bytes())
        })
        .await;
        let options = [("mech", "DIGEST-MD5"), ("authid", "user.1"), ("authzid", "u:admin")];
        let expected = if honest { Outcome::Ok(0) } else { Outcome::Failed(Class::Check, 82) };
        assert_eq!(bound(&server, sasl(&options, PASSWORD), 2).await, [expected; 2]);
        let wrong = bound(&server, sasl(&options, "guess"), 1).await;
        assert_eq!(wrong, [Outcome::Failed(Class::Result, 49)]);
    }
}

fn hmac(key: &[u8], message: &str) -> Vec<u8> {
    Hmac::<Sha256>::new_from_slice(key)
        .unwrap()
        .chain_update(message)
        .finalize()
        .into_bytes()
        .to_vec()
}

#[tokio::test]
async fn scram_authenticates_both_sides() {
    for in_band in [true, false] {
        let firsts: Mutex<(String, String)> = Mutex::default();
        let mut salted = [0; 32];
        pbkdf2::pbkdf2_hmac::<Sha256>(PASSWORD.as_bytes(), b"salt", 64, &mut salted);
        let server = server(move |step, mechanism, credentials| {
            assert_eq!(mechanism, "SCRAM-SHA-256");
            let text = std::str::from_utf8(credentials).unwrap();
            let mut firsts = firsts.lock().unwrap();
            if step == 0 {
                let bare = text.strip_prefix("n,,").unwrap();
                let nonce = bare.strip_prefix("n=user.1,r=").unwrap();
                let first = format!("r={nonce}more,s={},i=64", STANDARD.encode("salt"));
                *firsts = (bare.to_owned(), first.clone());
                return (14, first.into_bytes());
            }
            if step == 2 {
                return (0, Vec::new());
            }
            let (without_proof, proof) = text.split_once(",p=").unwrap();
            let message = format!("{},{},{without_proof}", firsts.0, firsts.1);
            let stored = Sha256::digest(hmac(&salted, "Client Key"));
            let signature = hmac(&stored, &message);
            let proof = STANDARD.decode(proof).unwrap();
            let client: Vec<u8> =
                proof.iter().zip(&signature).map(|(proof, signed)| proof ^ signed).collect();
            if Sha256::digest(client) != stored {
                return (49, Vec::new());
            }
            let proof =
                format!("v={}", STANDARD.encode(hmac(&hmac(&salted, "Server Key"), &message)));
            (if in_band { 14 } else { 0 }, proof.into_bytes())
        })
        .await;
        let options = [("mech", "SCRAM-SHA-256"), ("authid", "user.1")];
        assert_eq!(bound(&server, sasl(&options, PASSWORD), 3).await, [Outcome::Ok(0); 3]);
        assert_eq!(
            bound(&server, sasl(&options, "guess"), 1).await,
            [Outcome::Failed(Class::Result, 49)]
        );
    }
}

#[tokio::test]
async fn endless_sasl_conversation_is_cut_short() {
    let server = server(|_, _, _| (14, b"again".to_vec())).await;
    let options = [("mech", "CRAM-MD5"), ("authid", "user.1")];
    assert_eq!(
        bound(&server, sasl(&options, PASSWORD), 1).await,
        [Outcome::Failed(Class::Protocol, 0)]
    );
}

#[test]
fn external_without_tls_is_refused() {
    let external = || sasl(&[("mech", "EXTERNAL")], "");
    let address = "127.0.0.1:389".parse().unwrap();
    let as_task = setup(address, external());
    let mut as_login = setup(address, sasl(&[("mech", "PLAIN"), ("authid", "a")], "b"));
    let Task::Bind { identity, .. } = external() else { return };
    as_login.login = identity;
    for setup in [as_task, as_login] {
        assert!(matches!(Plan::compile(setup), Err(PlanError::ExternalWithoutTls)));
    }
}

#[tokio::test]
async fn authzid_dn_values_are_escaped_unless_raw() {
    for (raw, expected) in [(false, "dn:cn=a\\,b,dc=x\0a,b\0p"), (true, "dn:cn=a,b,dc=x\0a,b\0p")] {
        let server = server(move |_, _, credentials| {
            (if credentials == expected.as_bytes() { 0 } else { 49 }, Vec::new())
        })
        .await;
        let options = [("mech", "PLAIN"), ("authid", "{}"), ("authzid", "dn:cn={},dc=x")];
        let mut setup = setup(server.address, sasl(&options, "p"));
        (setup.arguments, setup.raw) = (arguments(&["a,b"]), raw);
        assert_eq!(outcomes(&run(&plan(setup), 1).await), [Outcome::Ok(0)]);
    }
}
