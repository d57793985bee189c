//! `[prepare]` and `[clean-up]`: what the target was asked before a load, in it and after it, in its own log.

use brunt_test_program::{Ended, Seen};

use crate::machine::run;
use crate::planned::{InMemory as _, Plan};
use crate::rest_target::RestTarget;

/// A plan whose scenario asks for `/echo/load`, with a token that is prepared.
fn plan(target: &RestTarget, run: &str, tables: &str) -> String {
    format!(
        "[run]\n{run}\n[http]\nbase = \"{}\"\n[variables]\nadmin = {{ extracted = \"LASTS\" }}\n{tables}\n\
         [[scenario]]\n\
         steps = [{{ name = \"load\", get = \"/echo/load\", bearer = \"${{admin}}\" }}]\n",
        target.base
    )
}

/// The token of a user.
fn token(user: &str) -> String {
    format!(
        "{{ name = \"token\", post = \"/oauth2/access_token\", form = {{ grant_type = \"password\", client_id = \"c\", \
         username = \"{user}\", password = \"password\" }}, \
         extract = {{ admin = {{ json = \"/access_token\", missing = \"fail\" }} }} }}"
    )
}

fn prepared(each: &str, user: &str) -> String {
    let made = "{ name = \"made\", put = \"/echo/made\", bearer = \"${admin}\", text = \"x\" }";
    format!("[prepare]\neach = \"{each}\"\nsteps = [{}, {made}]\n", token(user))
}

fn cleaned(each: &str) -> String {
    let removed = "{ name = \"removed\", delete = \"/echo/made\", bearer = \"${admin}\" }";
    format!("[clean-up]\neach = \"{each}\"\nsteps = [{removed}]\n")
}

/// The indices of the requests with this method and target.
fn places(seen: &[Seen], method: &str, target: &str) -> Vec<usize> {
    let all = seen.iter().enumerate();
    let these = all.filter(|(_, seen)| seen.method == method && seen.target == target);
    these.map(|(place, _)| place).collect()
}

fn notes(ended: &Ended) -> String {
    ended.record().verdict.notes.join("\n")
}

#[test]
fn prepare_once_per_node_shares_its_value_and_cleans_up() {
    let target = RestTarget::start();
    let tables = prepared("node", "user.1") + &cleaned("node");
    let text =
        plan(&target, "users = 4\niterations = { each = 5 }", &tables).replace("LASTS", "node");
    let ended = Plan::from_text(&text).run(&["--details"]).expect(0);
    let record = ended.record();
    assert_eq!((record.counts.planned, record.operations.len()), (20, 1), "{ended}");
    let seen = target.stop();
    let load = places(&seen, "GET", "/echo/load");
    let (requested, made) =
        (places(&seen, "POST", "/oauth2/access_token"), places(&seen, "PUT", "/echo/made"));
    assert_eq!((requested, made), (vec![0], vec![1]), "{ended}");
    assert_eq!(load, (2..22).collect::<Vec<_>>(), "{ended}");
    assert_eq!(places(&seen, "DELETE", "/echo/made"), [22], "{ended}");
    let used = seen[1].header("authorization").expect("a token");
    assert!(
        used.len() > 10 && seen[1..].iter().all(|seen| seen.header("authorization") == Some(used))
    );
    let notes = notes(&ended);
    assert!(notes.contains("prepared in ") && notes.contains(": token 200 OK in "), "{notes}");
    assert!(notes.contains("cleaned up in ") && notes.contains(": removed 200 OK in "), "{notes}");
    assert!(ended.stdout.to_lowercase().contains("prepared in"), "{ended}");
}

#[test]
fn prepare_per_user_cleans_up_with_its_own_value() {
    let target = RestTarget::start();
    let tables = prepared("user", "user.${run.user}") + &cleaned("user");
    let text =
        plan(&target, "users = 3\niterations = { each = 2 }", &tables).replace("LASTS", "user");
    let ended = Plan::from_text(&text).run(&[]).expect(0);
    assert_eq!(ended.record().counts.planned, 6, "{ended}");
    let seen = target.stop();
    assert_eq!(seen.len(), 3 + 3 + 6 + 3, "{ended}");
    let of = |method: &str, target: &str| {
        let mut tokens: Vec<&str> = places(&seen, method, target)
            .iter()
            .map(|place| seen[*place].header("authorization").expect("a token"))
            .collect();
        tokens.sort_unstable();
        tokens
    };
    let (made, removed) = (of("PUT", "/echo/made"), of("DELETE", "/echo/made"));
    let mut load = of("GET", "/echo/load");
    assert!(made[0] != made[1] && made[1] != made[2], "{ended}");
    load.dedup();
    assert_eq!((&load, &removed), (&made, &made), "{ended}");
    assert!(notes(&ended).contains("by 3 users"), "{ended}");
}

#[test]
fn prepare_failure_stops_the_run_and_cleans_up() {
    let target = RestTarget::scripted(
        "[[rule]]\npath = \"/echo/made\"\nmethod = [\"PUT\"]\naction = { status = 503 }\n",
    );
    let tables = prepared("node", "user.1") + &cleaned("node");
    let text =
        plan(&target, "users = 2\niterations = { each = 5 }", &tables).replace("LASTS", "node");
    let plan = Plan::from_text(&text);
    let ended = plan.run(&[]).expect(1);
    let why = "failed to prepare: step 'made': 503 Service Unavailable";
    assert!(ended.output().contains(why), "{ended}");
    let seen = target.stop();
    let methods: Vec<&str> = seen.iter().map(|seen| seen.method.as_str()).collect();
    assert_eq!(methods, ["POST", "PUT", "DELETE"], "{ended}");
}

#[test]
fn prepare_timeout_fails_the_run() {
    let target = RestTarget::scripted("[[rule]]\npath = \"/echo/made\"\naction = \"silence\"\n");
    let tables = prepared("node", "user.1").replace("each", "within = \"300ms\"\neach");
    let text =
        plan(&target, "users = 2\niterations = { each = 5 }", &tables).replace("LASTS", "node");
    let ended = Plan::from_text(&text).run(&[]).expect(1);
    assert!(ended.output().contains("failed to prepare: "), "{ended}");
    assert!(ended.output().contains("within 300ms"), "{ended}");
    assert!(places(&target.stop(), "GET", "/echo/load").is_empty(), "{ended}");
}

#[test]
fn clean_up_failure_decides_the_exit_code() {
    let target = RestTarget::scripted(
        "[[rule]]\npath = \"/echo/made\"\nmethod = [\"DELETE\"]\naction = { status = 503 }\n",
    );
    let tables = prepared("node", "user.1") + &cleaned("node");
    let text =
        plan(&target, "users = 1\niterations = { each = 3 }", &tables).replace("LASTS", "node");
    let ended = Plan::from_text(&text).run(&[]);
    assert_ne!(ended.code(), 0, "{ended}");
    assert!(ended.output().contains("failed to clean up: step 'removed': 503"), "{ended}");
    assert_eq!(ended.record().counts.ok, 3, "{ended}");
}

#[test]
fn prepare_once_per_run_happens_on_the_first_node_only() {
    let target = RestTarget::start();
    let made = "[prepare]\neach = \"run\"\nsteps = [{ put = \"/echo/made\", text = \"x\" }]\n";
    let removed = "[clean-up]\neach = \"run\"\nsteps = [{ delete = \"/echo/made\" }]\n";
    let text =
        plan(&target, "users = 2\nseed = 3\niterations = { each = 3 }", &[made, removed].concat());
    let text = text.replace("LASTS", "iteration").replace(", bearer = \"${admin}\"", "");
    let plan = Plan::from_text(&text);
    for node in ["0/2", "1/2"] {
        let ended = plan.run(&["--node", node]).expect(0);
        assert_eq!(notes(&ended).contains("prepared in"), node == "0/2", "{ended}");
    }
    let seen = target.stop();
    let count = |method: &str| seen.iter().filter(|seen| seen.method == method).count();
    assert_eq!((count("PUT"), count("DELETE"), count("GET")), (1, 1, 6));
}

#[test]
fn once_and_check_show_prepare_and_clean_up() {
    let target = RestTarget::start();
    let tables = prepared("user", "user.${run.user}") + &cleaned("user");
    let text =
        plan(&target, "users = 3\niterations = { each = 2 }", &tables).replace("LASTS", "user");
    let plan = Plan::from_text(&text);
    let once = plan.run(&["--once"]).expect(0);
    let order = [
        "\nprepare\n=======\n",
        "-- token",
        "-- made",
        "-- load",
        "\nclean-up\n========\n",
        "-- removed",
    ];
    let places: Vec<usize> = order.iter().map(|part| once.stdout.find(part).expect(part)).collect();
    assert!(places.is_sorted(), "{once}");
    assert!(once.stdout.contains("1 step: 1 passed"), "{once}");
    let seen = target.stop();
    assert_eq!(seen.len(), 4, "{once}");
    let check = plan.run(&["--check"]).expect(0);
    for part in
        ["Before the load, by each user, within 1m", "-- made", "After the load, by each user"]
    {
        assert!(check.stdout.contains(part), "{part}: {check}");
    }
}

#[test]
fn find_max_prepares_once_and_refuses_prepare_per_user() {
    let target = RestTarget::start();
    let tables = prepared("user", "user.1");
    let text = plan(&target, "users = 2", &tables).replace("LASTS", "user");
    let plan = Plan::from_text(&text);
    let path = plan.path().display().to_string();
    let ended = run(&["find-max", "--", "run", &path]).expect(2);
    assert!(ended.output().contains("'prepare.each' is \"user\""), "{ended}");
    let canary = plan.run(&["--canary", "1"]).expect(2);
    assert!(canary.output().contains("a canary has other users than the run"), "{canary}");
    assert!(target.stop().is_empty());
}
