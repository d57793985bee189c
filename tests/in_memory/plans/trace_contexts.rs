//! Requests that carry an identity for the traces of the target.

use brunt_test_program::{Seen, scratch};
use std::collections::BTreeSet;
use std::fs;

use crate::directory::Directory;
use crate::machine::run;
use crate::planned::{InMemory as _, Plan};
use crate::rest_target::RestTarget;

fn plan(base: &str) -> Plan {
    Plan::from_text(&format!(
        "[run]\nusers = 2\niterations = {{ each = 3 }}\n[http]\nbase = \"{base}\"\n\
         [[scenario]]\nafter-failure = \"go-on\"\n\
         [[scenario.steps]]\nname = \"a\"\nget = \"/a\"\nstatus = 404\n\
         [[scenario.steps]]\nname = \"b\"\nget = \"/headers\"\nstatus = 299\n"
    ))
}

fn identities(seen: &[Seen]) -> BTreeSet<String> {
    let of = |seen: &Seen| seen.header("traceparent").unwrap_or("none").to_owned();
    seen.iter().map(of).collect()
}

/// Whether a header is of version 00, has two identities that are not zero, and asks for a record.
fn is_sampled(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let [version, trace, parent, flags] = parts[..] else { return false };
    let is_hex = |text: &str, length| {
        text.len() == length
            && text.chars().all(|digit| digit.is_ascii_hexdigit() && !digit.is_uppercase())
            && text.chars().any(|digit| digit != '0')
    };
    version == "00" && is_hex(trace, 32) && is_hex(parent, 16) && flags == "01"
}

#[test]
fn traceparent_is_unique_per_request_and_repeats_with_the_seed() {
    let directory = scratch();
    let file = directory.path().join("failed.ndjson").to_string_lossy().into_owned();
    let requested = |seed: &str| {
        let target = RestTarget::start();
        let line = ["--traceparent", "--seed", seed, "--trace", &file];
        let ended = plan(&target.base).run(&line);
        (identities(&target.stop()), ended)
    };
    let (first, ended) = requested("7");
    assert_eq!(first.len(), 12, "{first:?}");
    assert!(first.iter().all(|one| is_sampled(one)), "{first:?}");
    // A failure names the trace to look for in the target, in the record and in the file.
    let record = ended.record();
    let sample = record.samples.first().and_then(|sample| sample.sent.clone());
    let sample = sample.unwrap_or_else(|| panic!("{ended}"));
    assert!(first.iter().any(|one| sample.contains(&format!("(traceparent {one})"))), "{sample}");
    let text = fs::read_to_string(&file).expect("it was written");
    let listed = |one: &&String| text.contains(&format!("\"value\":\"{one}\""));
    assert_eq!(first.iter().filter(listed).count(), 6, "{text}");
    assert_eq!(requested("7").0, first);
    assert!(requested("8").0.is_disjoint(&first));
}

#[test]
fn traceparent_of_the_plan_is_kept_and_off_by_default() {
    let target = RestTarget::start();
    plan(&target.base).run(&[]);
    let own = Plan::from_text(&format!(
        "[run]\nusers = 1\niterations = {{ each = 2 }}\n[http]\nbase = \"{}\"\n\
         headers = {{ Traceparent = \"mine\" }}\n\
         [[scenario]]\n[[scenario.steps]]\nget = \"/headers\"\n",
        target.base
    ));
    own.run(&["--traceparent"]).expect(0);
    run(&["http", "--traceparent", "-n", "3", "-c", "1", &format!("{}/headers", target.base)])
        .expect(0);
    let seen = target.stop();
    let (without, rest) = seen.split_at(12);
    assert_eq!(identities(without), ["none".to_owned()].into());
    assert_eq!(identities(&rest[..2]), ["mine".to_owned()].into());
    assert_eq!(identities(&rest[2..]).len(), 3, "{rest:?}");
}

#[test]
fn traceparent_is_refused_for_a_dhcp_plan() {
    let plan = Plan::from_text(
        "[run]\niterations = { each = 1 }\n[dhcp]\nserver = \"127.0.0.1:1\"\nlocal = \"127.0.0.1:0\"\n\
         [[scenario]]\nsteps = [{ dhcp = \"acquire\" }]\n",
    );
    let ended = plan.run(&["--traceparent"]).expect(2);
    assert!(
        ended.output().contains("use --traceparent: messages of DHCP have no place"),
        "{ended}"
    );
}

#[test]
fn traceparent_is_sent_as_an_ldap_control() {
    Directory::start(5);
    let plan = Plan::from_text(
        "[run]\nusers = 1\niterations = { each = 2 }\n[ldap]\nserver = \"ldap://10.0.0.2:389\"\n\
         [[scenario]]\nafter-failure = \"go-on\"\n\
         [[scenario.steps]]\nname = \"find\"\nldap = { search = { base = \"dc=example,dc=com\", \
         filter = \"(uid=user.1)\" } }\nchecks = [{ attribute = \"uid\", equals = \"user.1\" }]\n\
         [[scenario.steps]]\nname = \"wrong\"\nldap = { delete = { dn = \"uid=none,dc=example,dc=com\" } }\n",
    );
    let once = plan.run(&["--once", "--traceparent", "--seed", "5"]).expect(3);
    let line = |text: &str| text.strip_prefix("   > traceparent: ").is_some_and(is_sampled);
    assert_eq!(once.stdout.lines().filter(|text| line(text)).count(), 2, "{once}");
    let record = plan.run(&["--traceparent", "--seed", "5"]).record();
    let sent = record.samples[0].sent.as_deref().unwrap_or_default();
    let (request, trace) = sent.split_once(" (traceparent ").unwrap_or_else(|| panic!("{sent}"));
    assert_eq!(request, "delete uid=none,dc=example,dc=com");
    assert!(trace.strip_suffix(')').is_some_and(is_sampled), "{sent}");
}
