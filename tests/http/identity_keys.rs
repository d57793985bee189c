//! Keys and what is signed with them: Keycloak checks assertions and proofs, and a server that keeps what it was asked
//! shows the rest.

use std::collections::BTreeSet;
use std::io::{BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;

use brunt_testbed::require;

use crate::brunt::{Run, planned};
use crate::identity::{keycloak, of_realm};

#[test]
fn keycloak_accepts_assertions_and_proofs_of_generated_keys() {
    let Some(server) = keycloak() else { return };
    let plan = include_str!("../../examples/identity/keycloak/keys.toml");
    let mut run = None;
    let load = "users = 3\niterations = { each = 6 }";
    let seen = server.saw(|| run = Some(of_realm(&server, plan, load, &[]).run().went_well()));
    let run: Run = run.expect("it ran");
    for (step, count) in [("create client", 3), ("token", 18), ("userinfo", 18)] {
        assert_eq!(run.count_of(step, "ok"), count, "{step}\n{run}");
    }
    for (event, count) in [
        ("CREATE CLIENT", 3),
        ("CLIENT_LOGIN", 21),
        ("USER_INFO_REQUEST", 18),
        ("CLIENT_LOGIN_ERROR", 0),
    ] {
        assert_eq!(seen.happened(event), count, "{event}\n{run}");
    }
    let (output, record) = (format!("{}{}", run.report, run.notes), run.record().to_string());
    assert!(!output.contains("eyJ") && !record.contains("eyJ"), "{run}");
}

#[test]
fn keycloak_refuses_wrong_audience_and_missing_proof() {
    let Some(server) = keycloak() else { return };
    let plan = include_str!("../../examples/identity/keycloak/keys.toml");
    let load = "users = 1\niterations = { each = 1 }";
    let wrong = plan.replace("aud = \"${issuer}\"", "aud = \"https://elsewhere.example.com\"");
    let run = of_realm(&server, &wrong, load, &[]).run();
    assert_eq!(run.ends_of("token"), [(("result".into(), 400), 1)].into(), "{run}");
    let (before, last) = plan.rsplit_once("dpop = \"proof\"").expect("the last step has a proof");
    let run = of_realm(&server, &format!("{before}{last}"), load, &[]).run();
    assert_eq!(run.ends_of("userinfo"), [(("result".into(), 401), 1)].into(), "{run}");
}

/// A request: its first line, its fields and its body.
#[derive(Clone, Debug)]
struct ReceivedRequest {
    line: String,
    fields: Vec<(String, String)>,
    body: String,
}

impl ReceivedRequest {
    fn field(&self, name: &str) -> &str {
        let known = self.fields.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        known.map_or("", |(_, value)| value)
    }
}

/// A server that keeps what it is asked. It demands a nonce for `/token`, which it changes with each answer.
struct Keeper {
    url: String,
    requested: Arc<Mutex<Vec<ReceivedRequest>>>,
}

impl Keeper {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let requested = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&requested);
        thread::spawn(move || {
            for peer in listener.incoming().flatten() {
                let log = Arc::clone(&log);
                thread::spawn(move || serve(peer, &log));
            }
        });
        Self { url, requested }
    }

    fn run(&self, before: &str, steps: &str) -> Run {
        let plan = format!(
            "{before}\n[http]\nbase = \"{}\"\n[[scenario]]\nname = \"visit\"\n{steps}",
            self.url
        );
        planned(&plan).run()
    }

    fn requested(&self) -> Vec<ReceivedRequest> {
        self.requested.lock().expect("no panic").clone()
    }
}

fn serve(peer: TcpStream, log: &Mutex<Vec<ReceivedRequest>>) {
    let mut out = peer.try_clone().expect("a socket has two sides");
    let mut lines = BufReader::new(peer);
    while let Some(requested) = read(&mut lines) {
        let mut log = log.lock().expect("no panic");
        let refused = requested.line.contains("/token")
            && !claims(requested.field("dpop")).contains("\"nonce\":");
        log.push(requested);
        let (status, body) = if refused {
            ("400 Bad Request", "{\"error\":\"use_dpop_nonce\"}")
        } else {
            ("200 OK", "{\"access_token\":\"bound\"}")
        };
        let nonce = format!("nonce-{}", log.len());
        let head = format!(
            "HTTP/1.1 {status}\r\nDPoP-Nonce: {nonce}\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        if out.write_all(format!("{head}{body}").as_bytes()).is_err() {
            return;
        }
    }
}

fn read(lines: &mut impl std::io::BufRead) -> Option<ReceivedRequest> {
    let mut line = String::new();
    lines.read_line(&mut line).ok().filter(|count| *count > 0)?;
    let mut fields = Vec::new();
    loop {
        let mut field = String::new();
        lines.read_line(&mut field).ok().filter(|count| *count > 0)?;
        let Some((name, value)) = field.trim_end().split_once(':') else { break };
        fields.push((name.to_owned(), value.trim().to_owned()));
    }
    let length = fields.iter().find(|(name, _)| name.eq_ignore_ascii_case("content-length"));
    let length = length.map_or(0, |(_, value)| value.parse().unwrap_or_default());
    let mut body = vec![0; length];
    lines.read_exact(&mut body).ok()?;
    let body = String::from_utf8_lossy(&body).into_owned();
    Some(ReceivedRequest { line: line.trim_end().to_owned(), fields, body })
}

/// What the second part of a JWT says; empty if there is none.
fn claims(jwt: &str) -> String {
    let part = jwt.split('.').nth(1).unwrap_or_default();
    let mut bits = (0_u32, 0);
    let mut bytes = Vec::new();
    let alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    for digit in part.bytes() {
        let value = alphabet.iter().position(|known| *known == digit).expect("base64url");
        bits = ((bits.0 << 6 | value as u32) & 0xffff, bits.1 + 6);
        if bits.1 >= 8 {
            bits.1 -= 8;
            bytes.push((bits.0 >> bits.1 & 0xff) as u8);
        }
    }
    String::from_utf8(bytes).expect("text")
}

#[test]
fn dpop_nonce_is_sent_at_once_and_counted_separately() {
    let keeper = Keeper::start();
    let before =
        "[run]\nusers = 1\niterations = { each = 3 }\n[keys]\nproof = { generate = \"EdDSA\" }\n";
    let steps = "[[scenario.steps]]\nname = \"token\"\npost = \"/token?a=1\"\ndpop = \"proof\"\n\
                 extract = { token = \"/access_token\" }\n\
                 [[scenario.steps]]\nname = \"api\"\nget = \"/api\"\nbearer = \"${token}\"\ndpop = \"proof\"\n";
    let run = keeper.run(before, steps).went_well();
    // Only the first proof has no nonce: every answer brings the next.
    assert_eq!((run.count_of("token", "ok"), run.count_of("token nonce", "ok")), (3, 1), "{run}");
    let requested = keeper.requested();
    assert_eq!(requested.len(), 7);
    let nonce = |number: usize| claims(requested[number].field("dpop"));
    assert!(nonce(1).contains("\"nonce\":\"nonce-1\""), "{}", nonce(1));
    assert!(nonce(2).contains("\"nonce\":\"nonce-2\""), "{}", nonce(2));
    // The query is no part of the URL that is proved; a token is named by its hash.
    assert!(nonce(1).contains(&format!("\"htu\":\"{}/token\"", keeper.url)), "{}", nonce(1));
    assert!(!nonce(1).contains("\"ath\"") && nonce(2).contains("\"ath\":\""), "{}", nonce(2));
    assert_eq!(requested[2].field("authorization"), "DPoP bound");
    let all: BTreeSet<&str> = requested.iter().map(|one| one.field("dpop")).collect();
    assert_eq!(all.len(), 7, "no proof is used twice");
}

#[test]
fn hmac_equals_openssl() {
    if !require(&["openssl"]) {
        return;
    }
    let keeper = Keeper::start();
    let before = "[run]\nusers = 1\niterations = { each = 2 }\n[keys]\npartner = { secret = \"s3cret\" }\n\
                  [variables.seal]\nkey = \"partner\"\n\
                  hmac = \"${request.method}\\n${request.path}\\n${request.body}\"\n";
    let steps = "[[scenario.steps]]\nname = \"order\"\npost = \"/orders?n=${run.iteration}\"\n\
                 text = \"order ${run.iteration}\"\nheaders = { \"X-Seal\" = \"v1=${seal}\" }\n";
    let run = keeper.run(before, steps).went_well();
    for (number, requested) in keeper.requested().iter().enumerate() {
        let message = format!("POST\n/orders?n={number}\norder {number}");
        assert_eq!(
            (requested.body.as_str(), requested.line.split(' ').nth(1)),
            (&message[message.len() - 7..], message.split('\n').nth(1))
        );
        assert_eq!(requested.field("x-seal"), format!("v1={}", hmac(&message)), "{run}");
    }
    assert!(!run.record().to_string().contains("s3cret"), "{run}");
}

/// The code of a message under "s3cret", by openssl.
fn hmac(message: &str) -> String {
    let mut openssl = Command::new("openssl")
        .args(["dgst", "-sha256", "-hmac", "s3cret", "-r"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("openssl starts");
    openssl.stdin.take().expect("it reads").write_all(message.as_bytes()).expect("it is read");
    let output = openssl.wait_with_output().expect("openssl ends").stdout;
    String::from_utf8_lossy(&output).split(' ').next().unwrap_or_default().to_owned()
}

#[test]
fn totp_code_is_used_only_once() {
    let keeper = Keeper::start();
    let before = "[run]\nusers = 2\niterations = { each = 2 }\n\
                  [variables]\ncode = { totp = \"JBSWY3DPEHPK3PXP\", period = \"1s\" }\n";
    let steps =
        "[[scenario.steps]]\nname = \"code\"\npost = \"/code\"\nform = { otp = \"${code}\" }\n";
    let run = keeper.run(before, steps).went_well();
    let codes: BTreeSet<String> =
        keeper.requested().into_iter().map(|requested| requested.body).collect();
    assert_eq!(codes.len(), 4, "{codes:?}\n{run}");
    assert!(codes.iter().all(|code| code.len() == "otp=".len() + 6), "{codes:?}");
    // All but the first may have waited; nobody waits in the exchange.
    assert!(run.tally("pause one-time password made") <= 3, "{run}");
    let wrong = before.replace("JBSWY3DPEHPK3PXP", "not base32!");
    let run = keeper.run(&wrong, steps);
    assert_eq!(run.ends_of("code"), [(("check".into(), 0), 4)].into(), "{run}");
}
