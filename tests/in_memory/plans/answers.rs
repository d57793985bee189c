//! The effects of answers on a plan: what is kept, what is checked, what is skipped, and the exit code.

use crate::machine::run;
use crate::planned::{InMemory as _, Plan};
use crate::rest_target::RestTarget;

/// Every third token is refused, and every fifth look is slow.
const SCRIPT: &str = "
[[rule]]
path = \"/oauth2/access_token\"
every = 3
action = { status = 503 }

[[rule]]
path = \"/oauth2/userinfo\"
every = 5
action = { delay = \"750ms\" }
";

fn sign_in(base: &str) -> String {
    format!(
        "[run]\nusers = 1\niterations = {{ each = 30 }}\n[http]\nbase = \"{base}\"\n\
         [variables]\nsecret = {{ env = \"PLAN_SECRET\" }}\n\
         [[scenario]]\nname = \"sign in\"\n\
         [[scenario.steps]]\nname = \"token\"\npost = \"/oauth2/access_token\"\n\
         form = {{ grant_type = \"password\", client_id = \"c\", username = \"user.${{run.iteration}}\", \
         password = \"password\", note = \"${{secret}}\" }}\n\
         extract = {{ token = {{ json = \"/access_token\", missing = \"fail\" }} }}\n\
         [[scenario.steps]]\npause = \"20ms\"\n\
         [[scenario.steps]]\nname = \"look\"\nget = \"/oauth2/userinfo\"\nbearer = \"${{token}}\"\n\
         threshold = \"500ms\"\n\
         checks = [{{ json = \"/sub\", equals = \"user.${{run.iteration}}\" }}]\n\
         [[scenario.steps]]\nname = \"leave\"\npost = \"/oauth2/token/revoke\"\nneeds = [\"token\"]\n\
         form = {{ token = \"${{token}}\", client_id = \"c\" }}\n"
    )
}

/// Of thirty tokens ten are refused; of the remaining twenty requests four are late, and no user leaves after those.
#[test]
fn failure_skips_later_steps_and_reveals_no_secret() {
    let target = RestTarget::scripted(SCRIPT);
    let ended = Plan::from_text(&sign_in(&target.base)).run(&[]).expect(0);
    let record = ended.record();
    let counts = |name: &str| {
        let operation = record.operations.iter().find(|operation| operation.name == name).unwrap();
        (operation.counts.ok, operation.counts.failed, operation.counts.skipped)
    };
    assert_eq!(counts("token"), (20, 10, 0), "{ended}");
    assert_eq!(counts("look"), (16, 4, 10), "{ended}");
    assert_eq!(counts("leave"), (16, 0, 14), "{ended}");
    // No pause is in a latency: the slowest look is the script's, whatever was paused before it.
    let text = std::fs::read_to_string(ended.record_path()).unwrap();
    for output in [&text, &ended.stdout, &ended.stderr] {
        assert!(!output.contains("opensesame"), "{ended}");
    }
    let seen = target.stop();
    let requested = |path: &str| seen.iter().filter(|seen| seen.target == path).count();
    assert_eq!(
        (
            requested("/oauth2/access_token"),
            requested("/oauth2/userinfo"),
            requested("/oauth2/token/revoke")
        ),
        (30, 20, 16)
    );
    assert!(
        seen.iter()
            .filter(|seen| seen.method == "POST" && seen.body.contains("note=opensesame"))
            .count()
            == 30
    );
    // One user, one connection, whatever the outcome of the steps.
    assert!(seen.iter().all(|each| each.connection == seen[0].connection));
}

/// A check that does not hold, and an answer that is expected to be a no.
#[test]
fn checks_decide_success() {
    let target = RestTarget::start();
    let base = &target.base;
    let plan = format!(
        "objectives = [\"good.errors==0\", \"bad.errors<50%\"]\n[run]\niterations = {{ each = 4 }}\n[http]\n\
        base = \"{base}\"\n\
         [[scenario]]\nname = \"a\"\nafter-failure = \"go-on\"\n\
         [[scenario.steps]]\nname = \"bad\"\nget = \"/xml\"\nchecks = [{{ xpath = \"//nothing\" }}]\n\
         [[scenario.steps]]\nname = \"good\"\nget = \"/status/404\"\nstatus = \"400..404\"\n\
         [[scenario.steps]]\nname = \"good\"\nget = \"/gzip\"\nheaders = {{ Accept-Encoding = \"gzip\" }}\n\
         checks = [{{ size = \"1..\" }}]\n"
    );
    let ended = Plan::from_text(&plan).run(&[]);
    let ended = ended.expect(99);
    let row = |name: &str| {
        let line = ended.stdout.lines().find(|line| line.starts_with(&format!("  {name} ")));
        line.map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
    };
    assert_eq!(row("good.errors").as_deref(), Some("good.errors == 0 0 met"), "{ended}");
    assert_eq!(row("bad.errors").as_deref(), Some("bad.errors < 50% 100 % missed"), "{ended}");
    let record = ended.record();
    assert_eq!((record.counts.ok, record.counts.failed), (8, 4), "{ended}");
    drop(target.stop());
}

#[test]
fn status_of_a_step_decides_success() {
    let target = RestTarget::start();
    let plan = format!(
        "[run]\niterations = {{ each = 5 }}\n[http]\nbase = \"{}\"\n[[scenario]]\nafter-failure = \"go-on\"\n\
         [[scenario.steps]]\nname = \"wanted\"\nget = \"/status/404\"\nstatus = 404\n\
         [[scenario.steps]]\nname = \"unwanted\"\nget = \"/\"\nstatus = [201, \"300..399\"]\n\
         [[scenario.steps]]\nname = \"some\"\nget = \"/status/409\"\nstatus = \"200..299, 409\"\n",
        target.base
    );
    let run = Plan::from_text(&plan).run(&[]).expect(0);
    assert_eq!(run.ends_of("wanted"), [(("ok".into(), 404), 5)].into(), "{run}");
    assert_eq!(run.ends_of("unwanted"), [(("result".into(), 200), 5)].into(), "{run}");
    assert_eq!(run.ends_of("some"), [(("ok".into(), 409), 5)].into(), "{run}");
    assert_eq!(target.stats().requests, [15, 0], "{run}");
}

#[test]
fn plan_error_names_its_line_and_exits_2() {
    let plan = Plan::from_text("[run]\nusers = 5\n\n[[scenario]]\nsteps = [{ gte = \"/\" }]\n");
    let ended = plan.run(&[]).expect(2);
    let place = format!("{}:5:12: scenario[1].steps[1].gte: ", plan.path().display());
    assert!(ended.stderr.starts_with(&place), "{ended}");
    assert!(ended.output().contains("did you mean 'get'?"), "{ended}");
    let ended = run(&["run", "no-such-plan.toml"]).expect(2);
    assert!(ended.output().contains("no-such-plan.toml"), "{ended}");
    let ended = plan.run(&["--set", "scenario.1.steps.1.get=/", "--set", "run.user=5"]).expect(2);
    assert!(
        ended.output().contains("gte") || ended.output().contains("--set run.user=5"),
        "{ended}"
    );
}
