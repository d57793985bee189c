//! Several agents as one run, of which one cannot be heard for some time, exists twice or has no processor time, or
//! which meets the agents of a run whose coordinator was killed.

use std::thread;
use std::time::Duration;

use brunt_record::{Slo, SloOutcome, Status};
use brunt_testbed::{require, until};
use rustix::process::{Pid, Signal, kill_process};

use crate::cluster::{Broker, is_gone, same};
use crate::cluster_attempt::{Attempt, Came, Launcher, pass};
use crate::cluster_link::{Hears, Link, Linked};
use crate::cluster_witnesses::{Directory, RATE, Witness};
use brunt_test_program::{scratch, slapd};

const PATIENCE: Duration = Duration::from_secs(90);
const SECONDS: u64 = 3;

/// Orders so many seconds of searches from two agents, all of which have to be carried out.
fn ordered(run: &str, directory: &Directory, broker: &Broker, seconds: u64) -> Attempt {
    let load = directory.load(run, seconds, &std::env::temp_dir());
    let all = format!("count>={}", RATE * seconds);
    Attempt::start(broker, 2, &["--on-loss", "go-on", "--slo", &all], &load, scratch())
}

/// Checks that all of a run is in its record.
fn is_whole(came: &Came, seen: u64, seconds: u64) {
    let whole = came.whole.as_ref().unwrap_or_else(|| panic!("no record: {}", came.ended));
    assert!(matches!(came.ended.code(), 0 | 4), "{}", came.ended);
    let (sent, planned) = (whole.conservation.counts.sent, RATE * seconds);
    assert_eq!((sent, seen, came.kept_sent()), (planned, planned, planned), "{}", came.ended);
    assert_eq!(whole.slo[0].outcome, SloOutcome::Met, "{:?}: {}", whole.slo, came.ended);
    same(whole, &came.merged());
}

#[test]
fn unheard_agent_delivers_everything_later() {
    let Some(slapd) = slapd(2).filter(|_| require(&["nats-server"])) else { return };
    let (directory, broker) = (Directory::new(&slapd), Broker::start());
    let attempt = ordered("unheard", &directory, &broker, 2 * SECONDS);
    assert!(until(PATIENCE, || directory.has_begun("unheard")), "it does not begin");
    // Its run continues.
    attempt.last().signal(Signal::STOP);
    pass(Duration::from_secs(3));
    attempt.last().signal(Signal::CONT);
    let came = attempt.wait(&[]);
    is_whole(&came, directory.seen("unheard"), 2 * SECONDS);
    let unheard = came.whole.as_ref().and_then(|whole| whole.nodes[1].unheard_s);
    assert!(unheard.is_some_and(|seconds| seconds > 1.0), "{unheard:?}: {}", came.ended);
}

#[test]
fn second_agent_of_the_same_name_is_ignored() {
    let Some(slapd) = slapd(2).filter(|_| require(&["nats-server"])) else { return };
    let (directory, broker) = (Directory::new(&slapd), Broker::start());
    let twins = scratch();
    let _twin = Launcher::agent(&broker, 1).arg("--records").arg(twins.path()).start();
    let came = ordered("twin", &directory, &broker, SECONDS).wait(&[]);
    let seen = directory.seen("twin");
    let whole = came.whole.as_ref().unwrap_or_else(|| panic!("no record: {}", came.ended));
    assert_eq!((whole.nodes.len(), seen), (2, RATE * SECONDS), "{}", came.ended);
    assert_eq!(whole.conservation.counts.sent, seen, "{}", came.ended);
}

#[test]
fn agents_of_a_killed_coordinator_stay_out_of_the_next_run() {
    let Some(slapd) = slapd(2).filter(|_| require(&["nats-server"])) else { return };
    let (directory, broker) = (Directory::new(&slapd), Broker::start());
    let first = ordered("first", &directory, &broker, 60);
    assert!(until(PATIENCE, || directory.has_begun("first")), "it does not begin");
    let orphans = first.runs();
    first.kill_coordinator();
    // Agents of the same names in the same pool, while the others still send.
    let next = ordered("next", &directory, &broker, SECONDS).wait(&[]);
    is_whole(&next, directory.seen("next"), SECONDS);
    let first = first.wait(&orphans);
    assert_eq!((first.kept.len(), first.kept_sent()), (2, directory.seen("first")));
}

/// Lets a process have a tenth of the time, until it is gone.
#[expect(clippy::disallowed_methods, reason = "another process is to stand still for so long")]
fn starve(process: Pid) {
    while !is_gone(process) {
        for (signal, time) in [(Signal::STOP, 90), (Signal::CONT, 10)] {
            let _ = kill_process(process, signal);
            thread::sleep(Duration::from_millis(time));
        }
    }
}

#[test]
fn slow_agent_is_named_as_the_limit_of_the_run() {
    let Some(slapd) = slapd(2).filter(|_| require(&["nats-server"])) else { return };
    let (directory, broker) = (Directory::new(&slapd), Broker::start());
    // The target answers in less than that, and waiting for the agent takes seconds.
    let load = format!(
        "searchrate -h 127.0.0.1 -p {} -b dc=example,dc=com -c 2 -M 2000 -d 6 --slo p99<500ms \
         -g inc(0,99999) (uid=starved-%d)",
        slapd.port()
    );
    let attempt = Attempt::start(&broker, 2, &[], &load, scratch());
    assert!(until(PATIENCE, || directory.has_begun("starved")), "it does not begin");
    let runs = attempt.runs();
    let starved = *attempt.runs_of_last().first().expect("the run of the last agent");
    let came = thread::scope(|scope| {
        scope.spawn(|| starve(starved));
        attempt.wait(&runs)
    });
    let whole = came.whole.as_ref().unwrap_or_else(|| panic!("no record: {}", came.ended));
    assert_eq!(whole.verdict.status, Status::GeneratorLimited, "{}", came.ended);
    // Which of the two is said depends on what starving leaves of the lateness: what is late is not sent at all.
    // Where the machine limits the other agent as well, there is nobody to compare it with.
    let own = |text: &str| text.contains("its own machine") || text.contains("the others at most");
    let both = whole.nodes[0].verdict.status == Status::GeneratorLimited;
    let named = |text: &str| text.contains("node 1 of 2") && (both || own(text));
    let reasons = &whole.verdict.reasons;
    assert!(reasons.iter().any(|reason| named(&reason.text)), "{reasons:?}: {}", came.ended);
    assert!(whole.nodes[1].counts.dropped > 0, "{:?}: {}", whole.nodes[1].counts, came.ended);
    // A machine that starves the target as well makes its own answers late enough to miss the objective.
    let at_target = whole.operations[0].service.histogram().expect("a histogram").quantile(0.99);
    let is_late = at_target.is_some_and(|took| took >= Duration::from_millis(500));
    let (outcome, code) = match whole.slo[0].outcome {
        SloOutcome::Missed if both && is_late => (SloOutcome::Missed, 99),
        _ => (SloOutcome::Undecided, 4),
    };
    assert_eq!(whole.slo[0].outcome, outcome, "{}", came.ended);
    let objective: Slo = "p99<500ms".parse().expect("an objective");
    assert_eq!(objective.evaluate(whole).expect("of this run"), whole.slo[0], "{}", came.ended);
    came.ended.expect(code);
}

#[test]
fn late_cancellation_leaves_a_record_of_what_was_sent() {
    let Some(slapd) = slapd(2).filter(|_| require(&["nats-server"])) else { return };
    let (directory, mut broker) = (Directory::new(&slapd), Broker::start());
    // The last agent never hears when to begin, and the first does not hear that the run is called off for that reason.
    let links = [Hears::WhenToBegin, Hears::NotWhenToBegin].map(|last| Link::to(&broker, last));
    let place = Linked { broker: &mut broker, links: links.to_vec() };
    let load = directory.load("late", SECONDS, &std::env::temp_dir());
    let attempt = Attempt::start(&place, 2, &[], &load, scratch());
    assert!(until(PATIENCE, || directory.has_begun("late")), "it does not begin");
    links.iter().for_each(Link::mend);
    let came = attempt.wait(&[]);
    let seen = directory.seen("late");
    let whole = came.whole.as_ref().unwrap_or_else(|| panic!("no record: {}", came.ended));
    let sent: Vec<u64> = whole.nodes.iter().map(|node| node.counts.sent).collect();
    assert_eq!((sent, came.kept_sent()), (vec![seen, 0], seen), "{}", came.ended);
    assert!(seen < RATE / 2 * SECONDS, "it was not stopped: {seen}");
    assert_eq!(whole.verdict.status, Status::Partial, "{}", came.ended);
    let named = |text: &str| text.contains("n1") && text.contains("did not acknowledge");
    let mut reasons = whole.verdict.reasons.iter();
    assert!(reasons.any(|reason| named(&reason.text)), "{:?}", whole.verdict.reasons);
    came.ended.expect(5);
}

#[test]
fn cancellation_before_the_start_reports_nothing_sent() {
    let Some(slapd) = slapd(2).filter(|_| require(&["nats-server"])) else { return };
    let (directory, mut broker) = (Directory::new(&slapd), Broker::start());
    let link = Link::to(&broker, Hears::NotWhenToBegin);
    let place = Linked { broker: &mut broker, links: vec![link.clone()] };
    let load = directory.load("off", SECONDS, &std::env::temp_dir());
    let attempt = Attempt::start(&place, 1, &[], &load, scratch());
    assert!(until(PATIENCE, || !attempt.runs().is_empty()), "its agent does not start");
    let runs = attempt.runs();
    assert!(until(PATIENCE, || is_gone(runs[0])), "it waits without its coordinator");
    link.mend();
    let came = attempt.wait(&runs);
    assert!(came.whole.is_none() && directory.seen("off") == 0, "{}", came.ended);
    let ended = came.ended.expect(1);
    assert!(
        ended.output().contains("did not acknowledge when to begin; nothing was sent"),
        "{ended}"
    );
}
