//! Callbacks: the identity API in memory gets back what it asked with, and nothing but the values is changed.

use serde_json::Value;

use crate::machine::run;
use crate::planned::{InMemory as _, Plan};
use crate::rest_target::RestTarget;

#[test]
fn callbacks_are_returned_filled_in() {
    let target = RestTarget::start();
    let base = format!("http.base={}/openam/json", target.base);
    let plan = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/identity/openam/callbacks.toml");
    let left_out = ["run.duration", "run.ramp-up", "run.think", "objectives"];
    let set = ["run.users=2", "run.iterations.each=20", &base];
    let left_out = left_out.iter().flat_map(|key| ["--unset", key]);
    let set = set.iter().flat_map(|text| ["--set", text]);
    let words = ["run", plan, "--seed", "7"].into_iter().chain(left_out).chain(set);
    run(&words.collect::<Vec<_>>()).expect(0);
    let requested = target.stop();
    let (mut right, mut wrong) = (0, 0);
    for seen in requested.iter().filter(|seen| seen.target.ends_with("/authenticate")) {
        let json = seen.json();
        let Some(callbacks) = json["callbacks"].as_array() else { continue };
        let value = |at: usize| callbacks[at]["input"][0]["value"].as_str().expect("a text");
        assert!(value(0).starts_with("user."), "{seen:?}");
        assert_eq!(callbacks[0]["output"][0]["value"], Value::from("User Name:"));
        assert_eq!(json["stage"], Value::from("DataStore1"));
        match seen.status {
            200 => right += usize::from(value(1) == "password"),
            _ => wrong += usize::from(value(1) == "not password"),
        }
    }
    assert_eq!(right + wrong, 40);
    assert!(right > wrong);
    let validated = requested.iter().filter(|seen| seen.target.contains("_action=validate"));
    assert_eq!(validated.count(), right);
}

#[test]
fn callbacks_with_an_unknown_position_send_nothing() {
    let target = RestTarget::start();
    let plan = Plan::from_text(&format!(
        "[run]\nusers = 1\niterations = {{ each = 1 }}\n[http]\nbase = \"{}/openam/json\"\n[[scenario]]\n\
         steps = [{{ post = \"/authenticate\", json = {{}}, extract = {{ page = {{ body = true }} }} }}, \
         {{ post = \"/authenticate\", json = \"${{page}}\", set = {{ \"$.callbacks[9].input\" = 1 }} }}]\n",
        target.base
    ));
    let ended = plan.run(&["--once"]);
    let output = format!("{}{}", ended.stdout, ended.stderr);
    assert!(output.contains("set: '$.callbacks[9].input' leads to no value"), "{output}");
    assert_eq!(target.stop().len(), 1);
}
