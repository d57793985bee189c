//! Every figure of a record, compared with the results of a short Python program on the log of an embedded server: the
//! program in real time, over sockets. All other cases are in virtual time, in `tests/in_memory`.

use std::fs;
use std::path::Path;

use brunt_testbed::measured;
use rustix::process::Signal;

use brunt_test_program::{Ended, Program, Recomputed, brunt};

const TIMES_ARE_COMPARED: &str = "a server has a real clock of its own";

/// Carries out a plan, with these objectives.
fn carry_out(case: &Recomputed, plan: &str, objectives: &[&str]) -> Ended {
    fs::write(case.path("plan.toml"), plan).expect("a file");
    let run = brunt("run").arg(case.path("plan.toml"));
    let run = run.arg("--record").arg(case.path("record.json"));
    run.args(objectives.iter().flat_map(|objective| ["--slo", objective])).run()
}

/// The identity API of this binary, with a log, and where it is.
fn target(log: &Path) -> (Program, String) {
    let mut program = brunt("target rest --listen 127.0.0.1:0 --log").arg(log).start();
    let address = program.wait_for_url("");
    (program, address)
}

#[test]
fn rest_target_agrees_with_its_log() {
    let Some(case) = Recomputed::new(
        r#""script": {}, "log": "rest", "stages": [["warm_up", 200, 200, 0.5], ["steady", 200, 200, 1.5]],
           "sessions": 100, "rate": 200"#,
    ) else {
        return;
    };
    measured(TIMES_ARE_COMPARED, || {
        let (target, address) = target(&case.path("log"));
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
        target.signal(Signal::INT);
        target.wait().expect(0);
        let found = case.recompute(ended.code());
        assert_eq!(found.code(), 0, "{}\n{found}\n{ended}", case.case());
    });
}
