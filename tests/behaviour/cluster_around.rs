//! `[prepare]` and `[clean-up]` of a plan that agents share: who performs them and when, in the target's own log.

use brunt_record::Record;
use brunt_test_program::{Ended, Plan, Program, RestTarget, Seen, brunt};
use brunt_testbed::require;
use rustix::process::Signal;

/// A plan of four users, each of which performs `run`, with both tables for each of these.
fn plan(target: &RestTarget, run: &str, each: &str) -> Plan {
    Plan::from_text(&format!(
        "[run]\nusers = 4\nseed = 3\n{run}\n[http]\nbase = \"{}\"\n\
         [prepare]\neach = \"{each}\"\nsteps = [{{ name = \"made\", put = \"/echo/made\", text = \"x\" }}]\n\
         [clean-up]\neach = \"{each}\"\nsteps = [{{ name = \"removed\", delete = \"/echo/made\" }}]\n\
         [[scenario]]\nsteps = [{{ name = \"load\", get = \"/echo/load\" }}]\n",
        target.base
    ))
}

/// Two agents of this machine begin to carry it out.
fn shared(plan: &Plan) -> Program {
    let cluster = brunt("cluster run --local 2 --record").arg(record(plan));
    cluster.typed("-- run").arg(plan.path()).start()
}

fn record(plan: &Plan) -> std::path::PathBuf {
    plan.path().with_file_name("whole.json")
}

fn whole(plan: &Plan, ended: &Ended) -> Record {
    Record::read(&record(plan)).unwrap_or_else(|error| panic!("{error}\n{ended}"))
}

/// The places of the requests with this method.
fn places(seen: &[Seen], method: &str) -> Vec<usize> {
    let these = seen.iter().enumerate().filter(|(_, seen)| seen.method == method);
    these.map(|(place, _)| place).collect()
}

#[test]
fn agents_prepare_before_the_load_and_clean_up_after_it() {
    if !require(&["nats-server"]) {
        return;
    }
    // Each user of the whole run performs five iterations.
    for (each, times, says) in [("run", 1, 1), ("node", 2, 2), ("user", 4, 2)] {
        let target = RestTarget::start();
        let plan = plan(&target, "iterations = { each = 5 }", each);
        let ended = shared(&plan).wait().expect(0);
        let whole = whole(&plan, &ended);
        let seen = target.stop();
        let [made, load, removed] = ["PUT", "GET", "DELETE"].map(|method| places(&seen, method));
        assert_eq!((made.len(), removed.len()), (times, times), "{each}: {ended}");
        assert_eq!((load.len() as u64, whole.counts.ok), (20, 20), "{each}: {ended}");
        assert_eq!(made, (0..times).collect::<Vec<_>>(), "{each}: before all load: {ended}");
        let notes = whole.verdict.notes.iter();
        let told = |what: &str| notes.clone().filter(|note| note.contains(what)).count();
        assert_eq!((told("prepared in"), told("cleaned up in")), (says, says), "{each}: {ended}");
    }
}

#[test]
fn failed_prepare_of_one_agent_stops_all_and_cleans_up() {
    if !require(&["nats-server"]) {
        return;
    }
    let rule = "[[rule]]\npath = \"/echo/made\"\nmethod = [\"PUT\"]\nlast = 1\n\
                action = { status = 503 }\n";
    let target = RestTarget::scripted(rule);
    let plan = plan(&target, "duration = \"10m\"", "node");
    let ended = shared(&plan).wait();
    assert_ne!(ended.code(), 0, "{ended}");
    assert!(ended.output().contains("failed to prepare: step 'made': 503"), "{ended}");
    let seen = target.stop();
    assert!(places(&seen, "GET").is_empty(), "{ended}");
    assert_eq!(places(&seen, "PUT").len(), places(&seen, "DELETE").len(), "{ended}");
}

#[test]
fn coordinator_signal_makes_agents_clean_up() {
    if !require(&["nats-server"]) {
        return;
    }
    let target = RestTarget::start();
    let plan = plan(&target, "duration = \"10m\"\nthink = \"50ms\"", "node");
    let program = shared(&plan);
    target.wait_for(20);
    program.signal(Signal::INT);
    let ended = program.wait();
    assert_eq!(ended.code(), 130, "{ended}");
    let whole = whole(&plan, &ended);
    let seen = target.stop();
    let [made, load, removed] = ["PUT", "GET", "DELETE"].map(|method| places(&seen, method));
    assert_eq!((made, removed.len()), (vec![0, 1], 2), "{ended}");
    assert_eq!(load.len() as u64, whole.counts.sent, "{ended}");
}

#[test]
fn signal_during_prepare_makes_agents_clean_up() {
    if !require(&["nats-server"]) {
        return;
    }
    let rule = "[[rule]]\npath = \"/echo/made\"\nmethod = [\"PUT\"]\naction = \"silence\"\n";
    let target = RestTarget::scripted(rule);
    let plan = plan(&target, "duration = \"10m\"", "run");
    let program = shared(&plan);
    target.wait_for(1);
    program.signal(Signal::INT);
    let ended = program.wait();
    assert_ne!(ended.code(), 0, "{ended}");
    let methods: Vec<String> = target.stop().into_iter().map(|seen| seen.method).collect();
    assert_eq!(methods, ["PUT", "DELETE"], "{ended}");
}
