//! Every figure of a record, compared with the results of a short Python program on the log or the script of an
//! embedded server: the program in real time, over sockets. Most cases are in virtual time, in `tests/in_memory`.

use std::fs;
use std::path::Path;

use brunt_testbed::{free_port, measured};
use rustix::process::Signal;

use brunt_test_program::{Ended, Program, Recomputed, binary, command};

const TIMES_ARE_COMPARED: &str = "a server has a real clock of its own";

/// How often a run is made whose times a busy machine made longer.
const ATTEMPTS: u32 = 3;

/// Carries out a plan, with these objectives.
fn carry_out(case: &Recomputed, plan: &str, objectives: &[&str]) -> Ended {
    fs::write(case.path("plan.toml"), plan).expect("a file");
    let mut run = command(binary());
    run.arg("run").arg(case.path("plan.toml")).arg("--record").arg(case.path("record.json"));
    for objective in objectives {
        run.args(["--slo", objective]);
    }
    Program::start(&mut run).wait()
}

/// Holds the record of a run against the log. Whatever is wrong fails at once, unless times are too long as well: then
/// the run is made again, since a machine that serves others as well may have held something up.
fn compare(case: &Recomputed, run: impl Fn() -> Ended) {
    measured(TIMES_ARE_COMPARED, || {
        for attempts_left in (0..ATTEMPTS).rev() {
            let ended = run();
            let found = case.recompute(ended.code());
            match found.code() {
                0 => return,
                2 if attempts_left > 0 => {}
                _ => panic!("{}\n{found}\n{ended}", case.case()),
            }
        }
    });
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
fn rest_target_agrees_with_its_log() {
    let Some(case) = Recomputed::new(
        r#""script": {}, "log": "rest", "stages": [["warm_up", 200, 200, 0.5], ["steady", 200, 200, 1.5]],
           "sessions": 100, "rate": 200"#,
    ) else {
        return;
    };
    compare(&case, || {
        let (target, address) = embedded(&["rest"], None, Some(&case.path("log")));
        let ended = carry_out(
            &case,
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
fn ldap_target_agrees_with_its_script() {
    let Some(case) = Recomputed::new(
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
    compare(&case, || {
        let (target, address) = embedded(&["ldap"], Some(&case.path("script.toml")), None);
        let ended = carry_out(
            &case,
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
        Recomputed::new(&format!(r#"{script}, "stages": [{before} ["steady", 200, 200, 1]]"#))
    else {
        return;
    };
    let rules = "[[rule]]\non = ['discover']\nevery = 10\naction = 'ignore'\n\
                 [[rule]]\non = ['discover']\nevery = 4\naction = { delay = '60ms' }\n";
    fs::write(case.path("script.toml"), rules).expect("a file");
    fs::write(case.path("log"), "").expect("a file");
    compare(&case, || {
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
fn dhcp_drops_of_one_in_ten() {
    leases(false);
}

#[test]
fn dhcp_drops_of_one_in_ten_with_a_warm_up() {
    leases(true);
}
