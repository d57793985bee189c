//! A plan on standard input.

use brunt_test_program::{RestTarget, brunt};

fn plan(base: &str) -> String {
    format!(
        "[run]\nrate = \"50/s\"\nduration = \"1s\"\n[http]\nbase = \"{base}\"\n\
         headers = {{ Authorization = \"Basic c2VjcmV0\" }}\n\
         [variables]\nsecret = {{ env = \"PLAN_SECRET\" }}\nperson = {{ random = \"10..10\" }}\n\
         [[scenario]]\nname = \"only\"\n[[scenario.steps]]\nname = \"ask\"\nget = \"/users/user ${{person}}\"\n\
         query = {{ key = \"${{secret}}\" }}\nextract = {{ id = \"/id\" }}\n\
         [[scenario.steps]]\nname = \"again\"\nget = \"/users/${{id}}\"\n"
    )
    .replace("user ${person}", "user${person}")
}

#[test]
fn plan_is_read_from_stdin_and_set_overrides_it() {
    let target = RestTarget::start();
    let run = brunt("run - --set run.duration=300ms --set http.base").env("PLAN_SECRET", "x");
    let mut program = run.typing().start();
    program.end_of_input();
    let ended = program.wait().expect(2);
    assert!(ended.output().contains("--set http.base: has no value"), "{ended}");
    let run = brunt("run - --details --set run.duration=300ms --set").env("PLAN_SECRET", "x");
    let mut program = run.arg(format!("http.base={}", target.base)).typing().start();
    program.write(&plan("http://127.0.0.1:1"));
    program.end_of_input();
    let ended = program.wait();
    assert!(ended.stdout.contains("open model"), "{ended}");
    let seen = target.stop();
    let asked = seen.iter().filter(|seen| seen.target == "/users/user10?key=x").count();
    assert!((10..=20).contains(&asked), "{asked}");
}
