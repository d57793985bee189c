//! Every figure of a record, compared with the results of a short Python program on the target's own log.
//!
//! The target, [`Scripted`], treats request number N according to a script and logs the times. Delays are far apart, so
//! that a rank that is off by one shows as another delay; and as time is virtual, each is there to the microsecond. The
//! embedded servers of other protocols have no such log, but do what their scripts say.

use std::fs;

use brunt_test_program::{Ended, Recomputed};
use serde_json::json;

use crate::dhcp::Dhcp;
use crate::directory::Directory;
use crate::machine::{Machine, run};
use crate::scripted::Scripted;

/// Carries out a load of the scripted target, and holds the record against its log.
fn hold(case: &Recomputed, load: &str, objectives: &[&str]) {
    let mut machine = Machine::new(7);
    let target = Scripted::new(&case.case()["script"], machine.time());
    machine.serve("10.0.0.1:80", target.clone());
    let plan = format!(
        "[run]\nworkers = 1\n{load}\n[http]\nbase = 'http://10.0.0.1:80'\n[[scenario]]\nname = 'all'\n\
         [[scenario.steps]]\nname = 'n'\nget = '/n/${{run.iteration}}'\n"
    );
    fs::write(case.path("plan.toml"), plan).expect("a file");
    let [plan, record] = ["plan.toml", "record.json"].map(|it| case.path(it).display().to_string());
    let words = words(&["run", &plan, "--record", &record], objectives);
    let ended = machine.run(&words);
    fs::write(case.path("log"), target.log()).expect("a file");
    compare(case, &ended);
}

/// A line with objectives.
fn words<'a>(line: &[&'a str], objectives: &[&'a str]) -> Vec<&'a str> {
    let objectives = objectives.iter().flat_map(|objective| ["--slo", objective]);
    line.iter().copied().chain(objectives).collect()
}

/// Holds the record of a run against its log.
fn compare(case: &Recomputed, ended: &Ended) {
    let found = case.recompute(ended.code());
    assert_eq!(found.code(), 0, "{}\n{found}\n{ended}", case.case());
}

#[test]
fn delays_at_a_constant_rate() {
    let Some(case) = Recomputed::new(
        r#""virtual": true, "script": {SHARES}, "stages": [["steady", 200, 200, 1.5]], "sessions": 100, "rate": 200"#,
    ) else {
        return;
    };
    // The ranks lie on the last of a step: 50 % is answered at once, the next one is not.
    let objectives = ["p50<40ms", "p51<40ms", "p90<90ms", "p98<190ms", "p99<190ms", "max>=200ms"];
    let more = ["mean<60ms", "achieved>=99%", "goodput>=199/s", "offered>=200/s", "count>=300"];
    hold(
        &case,
        "rate = '200/s'\nusers = 100\nduration = '1500ms'",
        &[&objectives[..], &more].concat(),
    );
    // What is not so is noticed.
    for (figure, value, name) in [
        ("/counts/ok", json!(299), "counts ok: 299, the log says"),
        ("/rates/achieved", json!(199.0), "achieved: "),
        ("/operations/0/response/percentiles/1/us", json!(400.0), "response p75: "),
        ("/operations/0/service/percentiles/4/us", json!(100_900.0), "service p99: "),
        ("/operations/0/service/mean_us", json!(25_000.0), "service mean: "),
        ("/series/1/due/planned", json!(201), "step steady "),
        ("/series/1/ended/ok", json!(150), "series ended ok: "),
        ("/slo/1/outcome", json!("met"), "objective p51<40ms: met, the log says missed"),
    ] {
        case.falsify(figure, &value, name);
    }
}

#[test]
fn timeouts_of_every_twentieth_after_a_warm_up() {
    let Some(case) = Recomputed::new(
        r#""virtual": true, "script": {SHARES, "rules": [{"every": 20, "at": 7, "do": "silent"}]}, "timeout_ms": 300,
           "stages": [["warm_up", 200, 200, 0.5], ["steady", 200, 200, 1.5]], "sessions": 100, "rate": 200"#,
    ) else {
        return;
    };
    let objectives = ["errors<=5%", "errors<5%", "timeouts<=20", "p95<250ms", "p96<1s"];
    let more = ["ok.p99<250ms", "service.p95<250ms", "achieved>=95%", "achieved>=96%", "ok>=95%"];
    hold(
        &case,
        "rate = '200/s'\nusers = 100\nwarm-up = '500ms'\nduration = '1500ms'\ntimeout = '300ms'",
        &[&objectives[..], &more].concat(),
    );
}

#[test]
fn warm_up_ramp_and_stages() {
    let Some(case) = Recomputed::new(
        r#""virtual": true, "script": {SHARES, "rules": [{"every": 10, "at": 3, "do": "503"}]}, "sessions": 150,
           "stages": [["warm_up", 100, 100, 0.5], ["ramp", 100, 300, 1], ["steady", 300, 300, 0.5],
                      ["steady", 300, 100, 1]]"#,
    ) else {
        return;
    };
    hold(
        &case,
        "stages = '100/s for 500ms as warm-up, ramp 100..300 over 1s as ramp, 300/s for 500ms, \
         ramp 300..100 over 1s as steady'\nusers = 150",
        &["p50<40ms", "p90<300ms", "errors==10%", "ok.p99<250ms", "achieved>=100%", "dropped==0"],
    );
}

#[test]
fn refusals_of_one_in_ten() {
    let Some(case) = Recomputed::new(
        r#""virtual": true, "script": {SHARES, "rules": [{"every": 10, "at": 3, "do": "503"}]},
           "stages": [["steady", 200, 200, 1.5]], "sessions": 100, "rate": 200"#,
    ) else {
        return;
    };
    let objectives = ["p90<1s", "p90.1<10s", "mean<1s", "errors<=10%", "errors<10%", "errors<=40"];
    let more = ["goodput>=90%", "goodput>=91%", "achieved>=99%", "timeouts==0", "ok.p50<90ms"];
    hold(
        &case,
        "rate = '200/s'\nusers = 100\nduration = '1500ms'",
        &[&objectives[..], &more].concat(),
    );
}

#[test]
fn connections_closed_without_an_answer() {
    let Some(case) = Recomputed::new(
        r#""virtual": true, "script": {SHARES, "rules": [{"every": 25, "at": 4, "do": "close"}]},
           "stages": [["warm_up", 200, 200, 0.5], ["steady", 200, 200, 1.5]], "sessions": 100, "rate": 200"#,
    ) else {
        return;
    };
    hold(
        &case,
        "rate = '200/s'\nusers = 100\nwarm-up = '500ms'\nduration = '1500ms'",
        &["errors==4%", "p95<250ms", "p97<1s", "achieved>=96%", "achieved>=97%"],
    );
}

#[test]
fn stall_of_700_ms() {
    let Some(case) = Recomputed::new(
        r#""virtual": true, "script": {"shares": [[100, 2]], "stall": {"after_ms": 1000, "lasts_ms": 700}},
           "stages": [["steady", 500, 500, 2.5]], "sessions": 20, "rate": 500, "simulated_within_ms": 120"#,
    ) else {
        return;
    };
    // 350 became due in the stall, 28 % of all; 20 of them were on the wire.
    let objectives = ["p50<100ms", "p99>500ms", "service.p98<400ms", "errors==0", "max>=690ms"];
    let load = "rate = '500/s'\nusers = 20\nduration = '2500ms'";
    hold(&case, load, &objectives);
}

#[test]
fn target_that_stops_answering() {
    let Some(case) = Recomputed::new(
        r#""virtual": true, "script": {SHARES, "rules": [{"first": 120, "do": "silent"}]}, "stop_s": 3,
           "stages": [["steady", 100, 100, 2]], "sessions": 250, "rate": 100"#,
    ) else {
        return;
    };
    let load = "rate = '100/s'\nusers = 250\nduration = '2s'\ndrain = '1s'";
    // 80 of 200 waited for 1 to 1.8 seconds when the run ended.
    let objectives = ["p50<190ms", "p99<900ms", "p99<5s", "errors<=40%", "errors<40%", "max<1.5s"];
    hold(&case, load, &[&objectives[..], &["ok.p99<1s", "achieved>=60%", "mean<100s"]].concat());
}

#[test]
fn unfinished_exchanges_leave_an_objective_undecided() {
    let Some(case) = Recomputed::new(
        r#""virtual": true, "script": {"rules": [{"first": 90, "do": "silent"}]}, "stop_s": 1.4,
           "stages": [["steady", 100, 100, 1]], "sessions": 150, "rate": 100"#,
    ) else {
        return;
    };
    let load = "rate = '100/s'\nusers = 150\nduration = '1s'\ndrain = '400ms'";
    hold(&case, load, &["p90<200ms", "p91<5s", "errors<=10%"]);
}

#[test]
fn rate_beyond_the_sessions() {
    let Some(case) = Recomputed::new(
        r#""virtual": true, "script": {"shares": [[100, 210]]},
           "stages": [["warm_up", 60, 60, 0.5], ["steady", 60, 60, 2.5]],
           "sessions": 10, "rate": 60, "simulated_within_ms": 120"#,
    ) else {
        return;
    };
    let load = "rate = '60/s'\nusers = 10\nwarm-up = '500ms'\nduration = '2500ms'";
    hold(&case, load, &["p50>300ms", "p99<1500ms", "service.p99<300ms", "dropped==0"]);
}

#[test]
fn backlog_too_small() {
    let Some(case) = Recomputed::new(
        r#""virtual": true, "script": {"shares": [[100, 205]]},
           "stages": [["warm_up", 100, 100, 0.5], ["steady", 100, 100, 1.5]],
           "sessions": 4, "backlog": 10, "rate": 100, "simulated_within_ms": 120"#,
    ) else {
        return;
    };
    let load = "rate = '100/s'\nusers = 4\nbacklog = 10\nwarm-up = '500ms'\nduration = '1500ms'";
    hold(
        &case,
        load,
        &["dropped<85%", "dropped<10%", "p50<10s", "p5<2s", "ok.p99<2s", "errors<85%"],
    );
}

#[test]
fn closed_loop_until_each_user_is_done() {
    let Some(case) = Recomputed::new(
        r#""virtual": true, "script": {"shares": [[50, 5], [40, 50], [8, 100], [2, 200]],
           "rules": [{"every": 40, "at": 9, "do": "503"}]}, "counted": true, "sessions": 5,
           "closed": [["steady", 1000]]"#,
    ) else {
        return;
    };
    let load = "users = 5\niterations = { each = 40 }";
    hold(&case, load, &["count==200", "errors==2.5%", "p50<90ms", "p99<1s", "ok.p99<250ms"]);
}

#[test]
fn closed_loop_with_a_warm_up() {
    let Some(case) = Recomputed::new(
        r#""virtual": true, "script": {"shares": [[60, 20], [40, 100]]}, "sessions": 8,
           "closed": [["warm_up", 0.5], ["steady", 2]]"#,
    ) else {
        return;
    };
    let load = "users = 8\nwarm-up = '500ms'\nduration = '2s'";
    hold(&case, load, &["p50<90ms", "p70>90ms", "errors==0", "ok.p99<200ms"]);
}

#[test]
fn ldap_target_agrees_with_its_script() {
    let Some(case) = Recomputed::new(
        r#""script": {"rules": [{"every": 25, "at": 24, "do": "silent"}, {"every": 10, "at": 9, "do": "200",
           "delay_ms": 100}]}, "log": "script", "timeout_ms": 900, "sessions": 50, "rate": 100,
           "stages": [["warm_up", 100, 100, 0.5], ["steady", 100, 100, 1.5]]"#,
    ) else {
        return;
    };
    Directory::scripted(
        "[[rule]]\non = ['search']\nevery = 25\naction = 'drop'\n\
         [[rule]]\non = ['search']\nevery = 10\naction = { delay = '100ms' }\n",
    );
    let plan = "[run]\nrate = '100/s'\nusers = 50\nwarm-up = '500ms'\nduration = '1500ms'\ntimeout = '900ms'\n\
         workers = 1\n[ldap]\nserver = 'ldap://10.0.0.2:389'\n[[scenario]]\nname = 'all'\n\
         [[scenario.steps]]\nname = 'n'\n\
         ldap.search = { base = 'ou=people,dc=example,dc=com', filter = '(uid=user.1)' }\n";
    fs::write(case.path("plan.toml"), plan).expect("a file");
    fs::write(case.path("log"), "").expect("a file");
    let [plan, record] = ["plan.toml", "record.json"].map(|it| case.path(it).display().to_string());
    let objectives = ["errors==4%", "p87<90ms", "p96<150ms", "p97<1s", "ok.p88<90ms"];
    compare(&case, &run(&words(&["run", &plan, "--record", &record], &objectives)));
}

/// The messages of each phase are counted elsewhere; these are the exchanges and their times.
fn leases(before: &str, warm_up: &[&str]) {
    let script = r#""script": {"rules": [{"every": 10, "at": 9, "do": "silent"}, {"every": 4, "at": 3, "do": "200",
                    "delay_ms": 60}]}, "log": "script", "timeout_ms": 900, "sessions": 10000, "rate": 200"#;
    let stages = format!(r#"{script}, "stages": [{before} ["steady", 200, 200, 1]]"#);
    let Some(case) = Recomputed::new(&stages) else { return };
    Dhcp::start(
        "[[rule]]\non = ['discover']\nevery = 10\naction = 'ignore'\n\
         [[rule]]\non = ['discover']\nevery = 4\naction = { delay = '60ms' }\n",
    );
    fs::write(case.path("log"), "").expect("a file");
    let record = case.path("record.json").display().to_string();
    let line = ["perfdhcp", "-4", "-l", "10.0.3.9", "-r", "200", "-p", "1", "-R", "10000"];
    let times = ["-d", "0.9", "-t", "1", "--record", &record];
    let objectives = ["errors==10%", "p69<50ms", "p90<90ms", "p91<10s", "ok.p99<90ms"];
    let line = [&line[..], &times, warm_up].concat();
    compare(&case, &run(&[words(&line, &objectives), vec!["10.0.3.1"]].concat()));
}

#[test]
fn dhcp_drops_of_one_in_ten() {
    leases("", &[]);
}

#[test]
fn dhcp_drops_of_one_in_ten_with_a_warm_up() {
    leases(r#"["warm_up", 200, 200, 0.5],"#, &["--warm-up", "0.5"]);
}
