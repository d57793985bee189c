//! What a run may reach, and how much load it may make: every route to another address ends before anything is sent.
//!
//! Each trick is tried twice: with only the target granted, when a listener beside it receives nothing; and with both
//! granted, when the listener receives something. So without the address policy each of them would have reached it.

use std::net::Ipv4Addr;

use brunt_envelope::{Grant, RunSpec};
use brunt_serve::queue::{RunRequest, State};

use crate::counted::Counted;
use crate::site::{Site, children, request};

fn once(http: &str, url: &str) -> String {
    format!(
        "[run]\niterations = {{ each = 1 }}\n[http]\nconnect-timeout = \"2s\"\n{http}\n[[scenario]]\nname = \"s\"\n\
         steps = [{{ get = \"{url}\", timeout = \"5s\" }}]\n"
    )
}

#[test]
fn address_policy_resists_redirects_proxies_and_names() {
    let site = Site::new();
    let target = Counted::start();
    let canary = Counted::start();
    let port = canary.at().port();
    let elsewhere = format!("http://{}/", canary.at());
    let redirecting = Counted::redirecting(&elsewhere);
    let tricks = [
        ("plain", once("", &elsewhere)),
        ("a redirect", once("redirects = 3", &format!("http://{}/", redirecting.at()))),
        ("a mapped address", once("", &format!("http://[::ffff:127.0.0.1]:{port}/"))),
        ("hexadecimal", once("", &format!("http://0x7f.1:{port}/"))),
        ("a number", once("", &format!("http://{}:{port}/", u32::from(Ipv4Addr::LOCALHOST)))),
        ("a name", once("", &format!("http://localhost:{port}/"))),
        ("resolve", once(&format!("resolve = {{ \"x:80\" = \"{}\" }}", canary.at()), "http://x/")),
    ];
    let granted = [target.at().to_string(), redirecting.at().to_string()];
    for (name, plan) in &tricks {
        let before = canary.connections();
        let (_, status) = site.run(plan, &granted);
        assert_eq!((status.state, status.exit), (State::Failed, Some(8)), "{name}: {status:?}");
        assert!(status.reason.contains(&port.to_string()), "{name}: {status:?}");
        assert_eq!(canary.connections(), before, "{name}: it got there");
        let both = [&granted[..], &[canary.at().to_string()]].concat();
        site.run(plan, &both);
        assert!(canary.connections() > before, "{name}: this would not have got there anyway");
    }
    assert_eq!(target.connections(), 0);
}

#[test]
fn address_policy_without_a_grant_allows_nothing() {
    let (site, canary) = (Site::new(), Counted::start());
    let (_, status) = site.run(&once("", &format!("http://{}/", canary.at())), &[]);
    assert_eq!((status.state, status.exit), (State::Failed, Some(8)), "{status:?}");
    assert_eq!(canary.connections(), 0);
}

#[test]
fn address_policy_violations_and_excess_load_name_their_line() {
    let target = "http://127.0.0.1:9/";
    let scenario = format!(
        "[[scenario]]\nname = \"s\"\nsteps = [{{ get = \"{target}\" }}, {{ pause = \"1s\" }}, \
         {{ get = \"{target}\" }}]\n"
    );
    let most = Grant {
        rate_max: Some(100.0),
        users_max: Some(20),
        seconds_max: Some(60),
        ..Grant::default()
    };
    let check = |head: &str, grant: &Grant| {
        let plan = format!("{head}\n{scenario}");
        children()
            .check(&RunSpec { plan, grant: grant.clone(), ..RunSpec::default() }, None)
            .unwrap()
    };
    for (head, line, field) in [
        ("http.proxy = \"http://127.0.0.1:3128\"", 1, "http.proxy"),
        ("http.unix = \"run/x.sock\"", 1, "http.unix"),
        ("http.source-ips = \"127.0.0.2\"", 1, "http.source-ips"),
        ("[dhcp]\nserver = \"127.0.0.1:67\"\nlocal = \"127.0.0.2:67\"", 3, "dhcp.local"),
        ("[run]\nusers = 21\nrate = \"1/s\"\nduration = \"1s\"", 2, "run.users"),
        ("[run]\nrate = \"51/s\"\nusers = 9\nduration = \"1s\"", 2, "run.rate"),
        ("[run]\nusers = 9\nstages = \"ramp 1..60 over 5s\"", 3, "run.stages"),
        ("[run]\nusers = 9\nrate = \"1/s\"\nduration = \"61s\"", 4, "run.duration"),
        ("[run]\nusers = 9\nrate = \"1/s\"", 1, "run.duration"),
        ("[run]\nusers = 9\nduration = \"9s\"", 1, "run"),
    ] {
        let checked = check(head, &most);
        let [finding] = &checked.findings[..] else { panic!("{head}: {checked:?}") };
        assert_eq!((finding.line, finding.field.as_str()), (Some(line), field), "{finding:?}");
    }
    let fits = "[run]\nusers = 9\nrate = \"50/s\"\nduration = \"50s\"\nwarm-up = \"10s\"";
    let checked = check(fits, &most);
    assert!(checked.findings.is_empty(), "{checked:?}");
    let load = checked.load.expect("it has a load");
    assert_eq!((load.users, load.iterations, load.exchanges), (9, Some(50.0), Some(100.0)));
    assert_eq!(load.seconds, Some(60.0));
    // A redirect that is followed is a request more.
    let checked = check(&format!("{fits}\n[http]\nredirects = 1"), &most);
    assert_eq!(checked.findings.len(), 1, "{checked:?}");
    let closed = Grant { closed: true, ..most };
    assert!(check("[run]\nusers = 9\nduration = \"9s\"", &closed).findings.is_empty());
}

#[test]
fn excess_load_ends_the_run_before_sending() {
    let (site, target) = (Site::new(), Counted::start());
    let plan = format!(
        "[run]\nrate = \"200/s\"\nduration = \"1s\"\n{}",
        once("", &format!("http://{}/", target.at())).split_once("}\n").unwrap().1
    );
    let RunRequest { mut requested, about } = request(&plan, &[target.at().to_string()]);
    requested.grant.rate_max = Some(199.0);
    let id = site.queue().submit(RunRequest { requested, about }).unwrap();
    let status = site.end(&id);
    assert_eq!((status.state, status.exit), (State::Failed, Some(8)), "{status:?}");
    assert!(status.reason.contains("plan.toml:2"), "{status:?}");
    assert_eq!(target.connections(), 0);
}
