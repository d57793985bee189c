//! Every figure of a record, compared with the results of a short Python program on the target's own log.
//!
//! The target, `recomputed/target.py`, treats request number N according to a script and records the times. The same
//! load exists twice: once as a plan for brunt, once as a schedule for `recomputed/recompute.py`, which is independent
//! of brunt's code and computes counts, rates, percentiles with their bounds, steps, phases and objectives by itself.
//! Delays are far apart, so that a rank that is off by one shows as another delay.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use brunt_testbed::{free_port, measured, require};
use rustix::process::Signal;
use serde_json::{Value, json};
use tempfile::TempDir;

use brunt_test_program::{Ended, Program, binary, command, scratch};

const TIMES_ARE_COMPARED: &str =
    "a record is compared with the log of a server in Python, which has a real clock";

/// Half of all are answered at once, two in five after 50 ms, and so on.
const SHARES: &str = r#""shares": [[50, 0], [40, 50], [8, 100], [2, 200]]"#;

/// How often a run is made whose times a busy machine made longer.
const ATTEMPTS: u32 = 3;

/// One run, and what is known of it beforehand.
struct Case {
    /// The case as `recompute.py` reads it.
    case: String,
    directory: TempDir,
}

impl Case {
    /// A case, unless there is no Python.
    fn new(case: &str) -> Option<Self> {
        if !require(&["python3"]) {
            return None;
        }
        let case = format!("{{{case}}}").replace("SHARES", SHARES);
        let directory = scratch();
        fs::write(directory.path().join("case.json"), &case).expect("a file");
        Some(Self { case, directory })
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// A program of `recomputed`, which must not leave its compiled form beside the sources.
    fn python(&self, program: &str) -> Command {
        let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/measured/recomputed");
        let mut python = Command::new("python3");
        python.arg("-B").arg(sources.join(program)).arg(self.path("case.json"));
        python.arg(self.path("log")).stdin(Stdio::piped());
        python
    }

    /// Carries out a plan, with these objectives.
    fn carry_out(&self, plan: &str, objectives: &[&str]) -> Ended {
        fs::write(self.path("plan.toml"), plan).expect("a file");
        let mut run = command(binary());
        run.arg("run").arg(self.path("plan.toml")).arg("--record").arg(self.path("record.json"));
        for objective in objectives {
            run.args(["--slo", objective]);
        }
        Program::start(&mut run).wait()
    }

    /// Carries out a load of the scripted target, and holds the record against its log.
    fn hold(&self, load: &str, objectives: &[&str]) {
        self.compare(|| {
            let mut target = Program::start(&mut self.python("target.py"));
            let port = first_line(&mut target);
            let step = "[[scenario]]\nname = 'all'\n[[scenario.steps]]\nname = 'n'\n\
                        get = '/n/${run.iteration}'\n";
            let plan = format!("[run]\n{load}\n[http]\nbase = 'http://127.0.0.1:{port}'\n{step}");
            let ended = self.carry_out(&plan, objectives);
            target.end_of_input();
            target.wait().expect(0);
            ended
        });
    }

    /// Holds the record of a run against the log. Whatever is wrong fails at once, unless times are too long as well:
    /// then the run is made again, since a machine that serves others as well may have held something up.
    fn compare(&self, run: impl Fn() -> Ended) {
        measured(TIMES_ARE_COMPARED, || {
            for attempts_left in (0..ATTEMPTS).rev() {
                let ended = run();
                let found = self.recompute(ended.code());
                match found.code() {
                    0 => return,
                    2 if attempts_left > 0 => {}
                    _ => panic!("{}\n{found}\n{ended}", self.case),
                }
            }
        });
    }

    /// What Python says of the record, given how brunt ended.
    fn recompute(&self, code: i32) -> Ended {
        let mut recompute = self.python("recompute.py");
        Program::start(recompute.arg(self.path("record.json")).arg(code.to_string())).wait()
    }

    /// Makes one figure of the record another, and looks whether that is noticed, under this name.
    fn falsify(&self, figure: &str, value: &Value, name: &str) {
        let path = self.path("record.json");
        let text = fs::read_to_string(&path).expect("a record");
        let mut record: Value = serde_json::from_str(&text).expect("it is JSON");
        *record.pointer_mut(figure).expect("it is there") = value.clone();
        fs::write(&path, record.to_string()).expect("a file");
        let found = self.recompute(99);
        assert_ne!(found.code(), 0, "{figure}\n{found}");
        assert!(found.stdout.lines().any(|line| line.starts_with(name)), "{figure}\n{found}");
        fs::write(&path, text).expect("a file");
    }
}

/// The first line a program prints.
fn first_line(program: &mut Program) -> String {
    program.wait_for_lines(1);
    program.printed().lines().next().unwrap_or_default().to_owned()
}

/// An embedded server of this binary, and the line that says where it is.
fn embedded(words: &[&str], script: Option<&Path>, log: Option<&Path>) -> (Program, String) {
    let mut target = command(binary());
    target.arg("target").args(words).args(["--listen", "127.0.0.1:0"]);
    for (name, path) in [("--script", script), ("--log", log)] {
        if let Some(path) = path {
            target.arg(name).arg(path);
        }
    }
    let mut program = Program::start(&mut target);
    let address = first_line(&mut program);
    (program, address)
}

fn stop(target: Program) {
    target.signal(Signal::INT);
    target.wait().expect(0);
}

#[test]
fn delays_at_a_constant_rate() {
    let Some(case) = Case::new(
        r#""script": {SHARES}, "stages": [["steady", 200, 200, 1.5]], "sessions": 100, "rate": 200"#,
    ) else {
        return;
    };
    // The ranks lie on the last of a step: 50 % is answered at once, the next one is not.
    let objectives = ["p50<40ms", "p51<40ms", "p90<90ms", "p98<190ms", "p99<190ms", "max>=200ms"];
    let more = ["mean<60ms", "achieved>=99%", "goodput>=199/s", "offered>=200/s", "count>=300"];
    case.hold(
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
fn every_twentieth_is_never_answered_after_a_warm_up() {
    let Some(case) = Case::new(
        r#""script": {SHARES, "rules": [{"every": 20, "at": 7, "do": "silent"}]}, "timeout_ms": 300,
           "stages": [["warm_up", 200, 200, 0.5], ["steady", 200, 200, 1.5]], "sessions": 100, "rate": 200"#,
    ) else {
        return;
    };
    let objectives = ["errors<=5%", "errors<5%", "timeouts<=20", "p95<250ms", "p96<1s"];
    let more = ["ok.p99<250ms", "service.p95<250ms", "achieved>=95%", "achieved>=96%", "ok>=95%"];
    case.hold(
        "rate = '200/s'\nusers = 100\nwarm-up = '500ms'\nduration = '1500ms'\ntimeout = '300ms'",
        &[&objectives[..], &more].concat(),
    );
}

#[test]
fn a_warm_up_a_ramp_and_stages() {
    let Some(case) = Case::new(
        r#""script": {SHARES, "rules": [{"every": 10, "at": 3, "do": "503"}]}, "sessions": 150,
           "stages": [["warm_up", 100, 100, 0.5], ["ramp", 100, 300, 1], ["steady", 300, 300, 0.5],
                      ["steady", 300, 100, 1]]"#,
    ) else {
        return;
    };
    case.hold(
        "stages = '100/s for 500ms as warm-up, ramp 100..300 over 1s as ramp, 300/s for 500ms, \
         ramp 300..100 over 1s as steady'\nusers = 150",
        &["p50<40ms", "p90<300ms", "errors==10%", "ok.p99<250ms", "achieved>=100%", "dropped==0"],
    );
}

#[test]
fn one_in_ten_is_refused() {
    let Some(case) = Case::new(
        r#""script": {SHARES, "rules": [{"every": 10, "at": 3, "do": "503"}]},
           "stages": [["steady", 200, 200, 1.5]], "sessions": 100, "rate": 200"#,
    ) else {
        return;
    };
    let objectives = ["p90<1s", "p90.1<10s", "mean<1s", "errors<=10%", "errors<10%", "errors<=40"];
    let more = ["goodput>=90%", "goodput>=91%", "achieved>=99%", "timeouts==0", "ok.p50<90ms"];
    case.hold(
        "rate = '200/s'\nusers = 100\nduration = '1500ms'",
        &[&objectives[..], &more].concat(),
    );
}

#[test]
fn connections_that_end_without_a_word() {
    let Some(case) = Case::new(
        r#""script": {SHARES, "rules": [{"every": 25, "at": 4, "do": "close"}]},
           "stages": [["warm_up", 200, 200, 0.5], ["steady", 200, 200, 1.5]], "sessions": 100, "rate": 200"#,
    ) else {
        return;
    };
    case.hold(
        "rate = '200/s'\nusers = 100\nwarm-up = '500ms'\nduration = '1500ms'",
        &["errors==4%", "p95<250ms", "p97<1s", "achieved>=96%", "achieved>=97%"],
    );
}

#[test]
fn a_stall_of_700_ms() {
    let Some(case) = Case::new(
        r#""script": {"shares": [[100, 2]], "stall": {"after_ms": 1000, "lasts_ms": 700}},
           "stages": [["steady", 500, 500, 2.5]], "sessions": 20, "rate": 500, "simulated_within_ms": 120"#,
    ) else {
        return;
    };
    // 350 fell due in the stall, 28 % of all; 20 of them were on the wire.
    let objectives = ["p50<100ms", "p99>500ms", "service.p98<400ms", "errors==0", "max>=690ms"];
    let load = "rate = '500/s'\nusers = 20\nduration = '2500ms'\nworkers = 1";
    case.hold(load, &objectives);
}

#[test]
fn a_target_that_stops_answering() {
    let Some(case) = Case::new(
        r#""script": {SHARES, "rules": [{"first": 120, "do": "silent"}]}, "stop_s": 3,
           "stages": [["steady", 100, 100, 2]], "sessions": 250, "rate": 100"#,
    ) else {
        return;
    };
    let load = "rate = '100/s'\nusers = 250\nduration = '2s'\ndrain = '1s'";
    // 80 of 200 waited for 1 to 1.8 seconds when the run ended.
    let objectives = ["p50<190ms", "p99<900ms", "p99<5s", "errors<=40%", "errors<40%", "max<1.5s"];
    case.hold(load, &[&objectives[..], &["ok.p99<1s", "achieved>=60%", "mean<100s"]].concat());
}

#[test]
fn what_was_in_flight_leaves_an_objective_undecided() {
    let Some(case) = Case::new(
        r#""script": {"rules": [{"first": 90, "do": "silent"}]}, "stop_s": 1.4,
           "stages": [["steady", 100, 100, 1]], "sessions": 150, "rate": 100"#,
    ) else {
        return;
    };
    let load = "rate = '100/s'\nusers = 150\nduration = '1s'\ndrain = '400ms'";
    case.hold(load, &["p90<200ms", "p91<5s", "errors<=10%"]);
}

#[test]
fn more_than_the_sessions_can_carry() {
    let Some(case) = Case::new(
        r#""script": {"shares": [[100, 210]]}, "stages": [["warm_up", 60, 60, 0.5], ["steady", 60, 60, 2.5]],
           "sessions": 10, "rate": 60, "simulated_within_ms": 120"#,
    ) else {
        return;
    };
    let load = "rate = '60/s'\nusers = 10\nwarm-up = '500ms'\nduration = '2500ms'\nworkers = 1";
    case.hold(load, &["p50>300ms", "p99<1500ms", "service.p99<300ms", "dropped==0"]);
}

#[test]
fn a_backlog_that_is_too_small() {
    let Some(case) = Case::new(
        r#""script": {"shares": [[100, 205]]}, "stages": [["warm_up", 100, 100, 0.5], ["steady", 100, 100, 1.5]],
           "sessions": 4, "backlog": 10, "rate": 100, "simulated_within_ms": 120"#,
    ) else {
        return;
    };
    let load = "rate = '100/s'\nusers = 4\nbacklog = 10\nwarm-up = '500ms'\nduration = '1500ms'\nworkers = 1";
    case.hold(load, &["dropped<85%", "dropped<10%", "p50<10s", "p5<2s", "ok.p99<2s", "errors<85%"]);
}

#[test]
fn a_closed_loop_until_each_user_is_done() {
    let Some(case) = Case::new(
        r#""script": {SHARES, "rules": [{"every": 40, "at": 9, "do": "503"}]}, "counted": true, "sessions": 5,
           "closed": [["steady", 1000]]"#,
    ) else {
        return;
    };
    let load = "users = 5\niterations = { each = 40 }";
    case.hold(load, &["count==200", "errors==2.5%", "p50<90ms", "p99<1s", "ok.p99<250ms"]);
}

#[test]
fn a_closed_loop_with_a_warm_up() {
    let Some(case) = Case::new(
        r#""script": {"shares": [[60, 20], [40, 100]]}, "sessions": 8,
           "closed": [["warm_up", 0.5], ["steady", 2]]"#,
    ) else {
        return;
    };
    let load = "users = 8\nwarm-up = '500ms'\nduration = '2s'";
    case.hold(load, &["p50<90ms", "p70>90ms", "errors==0", "ok.p99<200ms"]);
}

#[test]
fn the_web_server_in_memory_by_its_own_log() {
    let Some(case) = Case::new(
        r#""script": {}, "log": "rest", "stages": [["warm_up", 200, 200, 0.5], ["steady", 200, 200, 1.5]],
           "sessions": 100, "rate": 200"#,
    ) else {
        return;
    };
    case.compare(|| {
    let (target, address) = embedded(&["rest"], None, Some(&case.path("log")));
    let ended = case.carry_out(
        &format!(
            "[run]\nrate = '200/s'\nusers = 100\nwarm-up = '500ms'\nduration = '1500ms'\n[http]\nbase = '{}'\n\
             [variables]\ndelay = {{ choice = {{ 0 = 5, 60 = 4, 150 = 1 }} }}\n[[scenario]]\nname = 'all'\n\
             [[scenario.steps]]\nname = 'n'\nget = '/sleep?ms=${{delay}}&n=${{run.iteration}}'\n",
            address.trim_end_matches('/')
        ),
        &["errors==0", "p99<200ms", "p99>140ms", "achieved>=99%"],
    );
    stop(target);
    ended
    });
}

#[test]
fn the_directory_in_memory_by_its_script() {
    let Some(case) = Case::new(
        r#""script": {"rules": [{"every": 25, "at": 24, "do": "silent"}, {"every": 10, "at": 9, "do": "200",
           "delay_ms": 100}]}, "log": "script", "timeout_ms": 900, "sessions": 50, "rate": 100,
           "stages": [["warm_up", 100, 100, 0.5], ["steady", 100, 100, 1.5]]"#,
    ) else {
        return;
    };
    let rules = "[[rule]]\non = ['search']\nevery = 25\naction = 'drop'\n\
                 [[rule]]\non = ['search']\nevery = 10\naction = { delay = '100ms' }\n";
    fs::write(case.path("script.toml"), rules).expect("a file");
    fs::write(case.path("log"), "").expect("a file");
    case.compare(|| {
    let (target, address) = embedded(&["ldap"], Some(&case.path("script.toml")), None);
    let ended = case.carry_out(
        &format!(
            "[run]\nrate = '100/s'\nusers = 50\nwarm-up = '500ms'\nduration = '1500ms'\ntimeout = '900ms'\n\
             workers = 1\n\
             [ldap]\nserver = '{address}'\n[[scenario]]\nname = 'all'\n[[scenario.steps]]\nname = 'n'\n\
             ldap.search = {{ base = 'ou=people,dc=example,dc=com', filter = '(uid=user.1)' }}\n"
        ),
        &["errors==4%", "p87<90ms", "p96<150ms", "p97<1s", "ok.p88<90ms"],
    );
    stop(target);
    ended
    });
}

/// The messages of each phase are counted in `tests/behaviour`; these are the exchanges and their times.
fn leases(warm_up: bool) {
    let before = if warm_up { r#"["warm_up", 200, 200, 0.5],"# } else { "" };
    let script = r#""script": {"rules": [{"every": 10, "at": 9, "do": "silent"}, {"every": 4, "at": 3, "do": "200",
                    "delay_ms": 60}]}, "log": "script", "timeout_ms": 900, "sessions": 10000, "rate": 200"#;
    let Some(case) =
        Case::new(&format!(r#"{script}, "stages": [{before} ["steady", 200, 200, 1]]"#))
    else {
        return;
    };
    let rules = "[[rule]]\non = ['discover']\nevery = 10\naction = 'ignore'\n\
                 [[rule]]\non = ['discover']\nevery = 4\naction = { delay = '60ms' }\n";
    fs::write(case.path("script.toml"), rules).expect("a file");
    fs::write(case.path("log"), "").expect("a file");
    case.compare(|| {
        let words = ["dhcp", "--reply-to-source"];
        let (target, address) = embedded(&words, Some(&case.path("script.toml")), None);
        let port = address.rsplit(':').next().expect("a port");
        let mut run = command(binary());
        run.args(["perfdhcp", "-L", &free_port().to_string(), "-N", port, "-r", "200", "-p", "1"]);
        run.args(["-R", "10000", "-d", "0.9", "-t", "1", "--record"]);
        run.arg(case.path("record.json"));
        if warm_up {
            run.args(["--warm-up", "0.5"]);
        }
        for objective in ["errors==10%", "p69<50ms", "p90<90ms", "p91<10s", "ok.p99<90ms"] {
            run.args(["--slo", objective]);
        }
        let ended = Program::start(run.arg("127.0.0.1")).wait();
        stop(target);
        ended
    });
}

#[test]
fn one_lease_in_ten_is_ignored() {
    leases(false);
}

#[test]
fn one_lease_in_ten_is_ignored_with_a_warm_up() {
    leases(true);
}
