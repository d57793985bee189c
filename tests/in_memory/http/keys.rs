//! What is signed with keys and made of seeds, as a site gets it: proofs, message authentication codes, one-time
//! passwords.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};

use base64::prelude::{BASE64_URL_SAFE_NO_PAD, Engine as _};
use brunt_testbed::require;

use super::site::{Requested, Site, json};
use crate::planned::{InMemory as _, Plan};
use brunt_test_program::Ended;

/// A site that demands a nonce for `/token`, which it changes with each answer.
fn keeper() -> Site {
    let answered = AtomicU64::new(0);
    Site::answering(move |requested, _| {
        let number = 1 + answered.fetch_add(1, Ordering::Relaxed);
        let has_nonce = claims(proof(requested)).contains("\"nonce\":");
        let (status, body) = if requested.target().starts_with("/token") && !has_nonce {
            (400, "{\"error\":\"use_dpop_nonce\"}")
        } else {
            (200, "{\"access_token\":\"bound\"}")
        };
        json(status, &format!("DPoP-Nonce: nonce-{number}\r\n"), body)
    })
}

/// Carries out these steps with this load and these tables.
fn visit(site: &Site, (load, tables): (&str, &str), steps: &str) -> Ended {
    Plan::from_text(&site.plan(load, tables, steps)).run(&[])
}

fn proof(requested: &Requested) -> &str {
    requested.field("dpop").unwrap_or_default()
}

/// What the second part of a JWT says; empty if there is none.
fn claims(jwt: &str) -> String {
    let part = jwt.split('.').nth(1).unwrap_or_default();
    let bytes = BASE64_URL_SAFE_NO_PAD.decode(part).expect("base64url");
    String::from_utf8(bytes).expect("text")
}

#[test]
fn dpop_nonce_is_sent_at_once_and_counted_separately() {
    let keeper = keeper();
    let load = "users = 1\niterations = { each = 3 }";
    let keys = "[keys]\nproof = { generate = \"EdDSA\" }";
    let steps = "[[scenario.steps]]\nname = \"token\"\npost = \"/token?a=1\"\ndpop = \"proof\"\n\
                 extract = { token = \"/access_token\" }\n\
                 [[scenario.steps]]\nname = \"api\"\nget = \"/api\"\nbearer = \"${token}\"\ndpop = \"proof\"\n";
    let run = visit(&keeper, (load, keys), steps).went_well();
    // Only the first proof has no nonce: every answer brings the next.
    assert_eq!((run.count_of("token", "ok"), run.count_of("token nonce", "ok")), (3, 1), "{run}");
    let requested = keeper.requested("");
    assert_eq!(requested.len(), 7);
    let nonce = |number: usize| claims(proof(&requested[number]));
    assert!(nonce(1).contains("\"nonce\":\"nonce-1\""), "{}", nonce(1));
    assert!(nonce(2).contains("\"nonce\":\"nonce-2\""), "{}", nonce(2));
    // The query is no part of the URL that is proved; a token is named by its hash.
    assert!(nonce(1).contains(&format!("\"htu\":\"{}/token\"", keeper.url)), "{}", nonce(1));
    assert!(!nonce(1).contains("\"ath\"") && nonce(2).contains("\"ath\":\""), "{}", nonce(2));
    assert_eq!(requested[2].field("authorization"), Some("DPoP bound"));
    let all: BTreeSet<&str> = requested.iter().map(proof).collect();
    assert_eq!(all.len(), 7, "no proof is used twice");
}

#[test]
fn hmac_equals_openssl() {
    if !require(&["openssl"]) {
        return;
    }
    let keeper = keeper();
    let load = "users = 1\niterations = { each = 2 }";
    let keys = "[keys]\npartner = { secret = \"s3cret\" }\n[variables.seal]\nkey = \"partner\"\n\
                hmac = \"${request.method}\\n${request.path}\\n${request.body}\"";
    let steps = "[[scenario.steps]]\nname = \"order\"\npost = \"/orders?n=${run.iteration}\"\n\
                 text = \"order ${run.iteration}\"\nheaders = { \"X-Seal\" = \"v1=${seal}\" }\n";
    let run = visit(&keeper, (load, keys), steps).went_well();
    for (number, requested) in keeper.requested("").iter().enumerate() {
        let message = format!("POST\n/orders?n={number}\norder {number}");
        assert_eq!(
            (&*requested.body, requested.target()),
            (&*format!("order {number}"), &*format!("/orders?n={number}"))
        );
        assert_eq!(requested.field("x-seal"), Some(&*format!("v1={}", hmac(&message))), "{run}");
    }
    assert!(!run.json().to_string().contains("s3cret"), "{run}");
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
    let keeper = keeper();
    let load = "users = 2\niterations = { each = 2 }";
    let code = "[variables]\ncode = { totp = \"JBSWY3DPEHPK3PXP\", period = \"1s\" }";
    let steps =
        "[[scenario.steps]]\nname = \"code\"\npost = \"/code\"\nform = { otp = \"${code}\" }\n";
    let run = visit(&keeper, (load, code), steps).went_well();
    let codes: BTreeSet<String> =
        keeper.requested("").into_iter().map(|requested| requested.body).collect();
    assert_eq!(codes.len(), 4, "{codes:?}\n{run}");
    assert!(codes.iter().all(|code| code.len() == "otp=".len() + 6), "{codes:?}");
    // All but the first may have waited; nobody waits in the exchange.
    assert!(run.tally("pause one-time password made") <= 3, "{run}");
    let wrong = code.replace("JBSWY3DPEHPK3PXP", "not base32!");
    let run = visit(&keeper, (load, &wrong), steps);
    assert_eq!(run.ends_of("code"), [(("check".into(), 0), 4)].into(), "{run}");
}
