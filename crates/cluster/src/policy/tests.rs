//! Every rule permits what it allows, and refuses the nearest thing that it does not allow, under its own name.

use super::*;
use crate::signature::Signer;

const NOW: &str = "2026-11-22T12:00:00Z";

fn requested<'a>(signer: Option<&'a str>, now: &str) -> JobRequest<'a> {
    JobRequest {
        command: "authrate",
        rate: Some(250.0),
        allow: &[],
        variables: &[],
        signer,
        now: now.parse().unwrap(),
    }
}

fn written(key: &str, rest: &str) -> String {
    format!("targets = ['10.1.0.0/16:389,636', '192.0.2.7']\norders_from = ['{key}']\n{rest}")
}

#[test]
fn policy_rules_refuse_by_name() {
    let ours = Signer::generate().0.public();
    let other = Signer::generate().0.public();
    let rules = "rate_max = 250\ncommands = ['authrate', 'names lookup']\nexpires = 2026-11-22\nvariables = ['PW']";
    let policy = Policy::parse(&written(&ours, rules)).unwrap();
    let signed = requested(Some(&ours), NOW);
    let (pw, home) = (["PW".to_owned()], ["HOME".to_owned()]);
    let narrow = ["10.1.4.0/24:389".to_owned()];
    let wide = ["10.1.4.0/24:389".to_owned(), "10.0.0.0/8".to_owned()];
    for (requested, rule) in [
        (signed, None),
        (
            JobRequest {
                command: "names lookup",
                rate: Some(0.1),
                variables: &pw,
                allow: &narrow,
                ..signed
            },
            None,
        ),
        (requested(Some(&ours), "2026-11-22T23:59:59Z"), None),
        (requested(Some(&ours), "2026-11-23T00:00:00Z"), Some(Rule::Expires)),
        (requested(None, NOW), Some(Rule::OrdersFrom)),
        (requested(Some(&other), NOW), Some(Rule::OrdersFrom)),
        (JobRequest { command: "names", ..signed }, Some(Rule::Commands)),
        (JobRequest { rate: Some(250.1), ..signed }, Some(Rule::RateMax)),
        (JobRequest { rate: Some(f64::NAN), ..signed }, Some(Rule::RateMax)),
        (JobRequest { rate: None, ..signed }, Some(Rule::RateMax)),
        (JobRequest { variables: &home, ..signed }, Some(Rule::Variables)),
        (JobRequest { allow: &wide, ..signed }, Some(Rule::Targets)),
    ] {
        let judged = policy.judge(&requested);
        assert_eq!(judged.as_ref().err().map(|it| it.rule), rule, "{requested:?}: {judged:?}");
        if let Err(refusal) = judged {
            assert!(refusal.to_string().contains(refusal.rule.name()), "{refusal}");
        }
    }
    let permit = policy.judge(&signed).unwrap();
    assert_eq!(
        permit.allow,
        ["--allow=10.1.0.0/16:389", "--allow=10.1.0.0/16:636", "--allow=192.0.2.7"]
    );
    assert!(policy.judge(&JobRequest { allow: &narrow, ..signed }).unwrap().allow.is_empty());
}

#[test]
fn policy_without_a_file_allows_only_loopback() {
    let policy = Policy::of_loopback();
    let unsigned = JobRequest { rate: None, ..requested(None, NOW) };
    assert_eq!(policy.judge(&unsigned).unwrap().allow, ["--allow=127.0.0.0/8", "--allow=::1"]);
    assert_eq!(policy.signer(b"order", b""), Ok(None));
    for elsewhere in ["10.1.0.1", "0.0.0.0/0", "hostname", ""] {
        let elsewhere = [elsewhere.to_owned()];
        let refused = policy.judge(&JobRequest { allow: &elsewhere, ..unsigned }).unwrap_err();
        assert_eq!(refused.rule, Rule::Targets);
    }
}

#[test]
fn policy_accepts_orders_signed_by_a_named_key() {
    let (ours, _) = Signer::generate();
    let (other, _) = Signer::generate();
    let policy = Policy::parse(&written(&ours.public(), "")).unwrap();
    assert_eq!(policy.signer(b"order", &ours.sign(b"order")), Ok(Some(&*ours.public())));
    for (bytes, signature) in [
        (&b"order"[..], other.sign(b"order")),
        (b"Order", ours.sign(b"order")),
        (b"order", Vec::new()),
    ] {
        assert_eq!(policy.signer(bytes, &signature).unwrap_err().rule, Rule::OrdersFrom);
    }
}

#[test]
fn policy_file_errors_are_named() {
    let key = Signer::generate().0.public();
    for (text, word) in [
        (String::new(), "targets"),
        ("targets = []".to_owned(), "orders_from"),
        (written("UABC", ""), "UABC"),
        (written(&key, "rate_max = 0"), "rate_max"),
        (written(&key, "rate_max = nan"), "rate_max"),
        (written(&key, "expires = 12:00:00"), "expires"),
        (written(&key, "rates_max = 5"), "rates_max"),
        (written(&key, "data = 'here'"), "data"),
        (written(&key, "").replace("192.0.2.7", "localhost"), "localhost"),
    ] {
        let error = Policy::parse(&text).unwrap_err().to_string();
        assert!(error.contains(word), "{text}: {error}");
    }
    let moment = Policy::parse(&written(&key, "expires = 2026-11-22T13:00:00+02:00")).unwrap();
    assert_eq!(moment.judge(&requested(Some(&key), NOW)).unwrap_err().rule, Rule::Expires);
    let missing = Policy::read(Path::new("/no/such/agent.toml")).unwrap_err();
    assert!(missing.to_string().starts_with("read /no/such/agent.toml: "), "{missing}");
}

#[test]
fn policy_refusals_contain_no_control_characters() {
    let policy = Policy::of_loopback();
    let hostile = ["\u{1b}[2J".to_owned() + &"x".repeat(10_000)];
    let output = policy
        .judge(&JobRequest { allow: &hostile, ..requested(None, NOW) })
        .unwrap_err()
        .to_string();
    assert!(!output.contains('\u{1b}') && output.len() < 700, "{output}");
}
