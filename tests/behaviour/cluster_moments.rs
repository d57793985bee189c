//! Several agents as one run, of which a part is killed at any moment. Each time, what the server saw is compared with
//! the merged record: everything that was reported is in it, the amount that is missing is stated, nothing was sent
//! twice, and no agent continues to send.
//!
//! Each exchange of each run requests something with its own number, so the server's own log shows which exchanges of
//! which run arrived, and how many times ([`Witness`]).

use std::collections::{BTreeSet, HashMap};
use std::hash::{BuildHasher as _, RandomState};
use std::thread;
use std::time::Duration;

use brunt_record::Record;
use brunt_testbed::{Kea, KeaOptions, Nginx, require, until};

use crate::cluster::{Broker, is_gone, same};
use crate::cluster_attempt::{Attempt, Came, Launcher, Victim, pass};
use crate::cluster_wide::Wide;
use crate::cluster_witnesses::{Directory, RATE, Witness};
use brunt_test_program::{scratch, slapd};

const PATIENCE: Duration = Duration::from_secs(90);
/// From the start of the programs to some time after the end of an undisturbed run.
const SPAN: Duration = Duration::from_secs(9);
/// How many runs there are at a time.
const TOGETHER: usize = 5;
/// How long agents send that hear nothing of their coordinator, and a while.
const ORPHANED: Duration = Duration::from_secs(10);

/// The seconds of a run of which something is killed.
const SECONDS: u64 = 3;

/// What happens to a run of two agents.
#[derive(Clone, Copy, Debug)]
enum Event {
    /// Something is killed.
    Killed(Victim, Moment),
    /// The broker is away for so many seconds, this long after the first exchange.
    Away(u64, Duration),
    /// The coordinator is killed, this long after the first exchange.
    Orphaned(Duration),
}

/// When something is killed.
#[derive(Clone, Copy, Debug)]
enum Moment {
    /// So long after the programs were started.
    Started(Duration),
    /// So long after the first exchange.
    Begun(Duration),
}

/// Numbers that look random, from a seed that a failure names.
struct Random(u64);

impl Random {
    #[expect(clippy::print_stderr, reason = "a failure is to be had again")]
    fn new() -> Self {
        let given = std::env::var("BRUNT_TEST_SEED").ok().and_then(|seed| seed.parse().ok());
        let seed = given.unwrap_or_else(|| RandomState::new().hash_one(0) >> 1);
        eprintln!("BRUNT_TEST_SEED={seed} has the same moments again");
        Self(seed)
    }

    /// From 0 up to 1.
    fn share(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 33) as f64 / f64::from(1_u32 << 31)
    }

    fn victim(&mut self) -> Victim {
        [Victim::Agent, Victim::Run, Victim::Both][(self.share() * 3.0) as usize % 3]
    }

    /// One in each of as many parts of this time, so that no part of it is left out.
    fn kills(&mut self, count: u32, time: Duration, of: fn(Duration) -> Moment) -> Vec<Event> {
        let moments = (0..count).map(|number| {
            let moment = time.mul_f64((f64::from(number) + self.share()) / f64::from(count));
            Event::Killed(self.victim(), of(moment))
        });
        moments.collect()
    }

    /// Few of all of these: from its start, and while the run sends.
    fn events(&mut self) -> Vec<Event> {
        let started = self.kills(1, SPAN, Moment::Started);
        let begun = self.kills(3, Duration::from_secs(SECONDS), Moment::Begun);
        [started, begun, self.others().to_vec()].concat()
    }

    /// The broker away for one second and for eight, and the coordinator killed.
    fn others(&mut self) -> [Event; 3] {
        let mut pause = || Duration::from_secs_f64(self.share());
        [Event::Away(1, pause()), Event::Away(8, pause()), Event::Orphaned(pause())]
    }
}

impl Event {
    /// How many seconds the affected run must last. If no process is left to order its end, it has none.
    fn seconds(self) -> u64 {
        match self {
            Self::Killed(..) => SECONDS,
            Self::Away(1, _) => 4,
            Self::Away(..) | Self::Orphaned(_) => 60,
        }
    }

    /// How long its coordinator waits for agents. What waits for the first exchange needs all of them, however busy the
    /// machine is; where one is killed before, there is nothing to wait for.
    fn patience(self) -> &'static str {
        match self {
            Self::Killed(_, Moment::Started(_)) => "8s",
            Self::Killed(_, Moment::Begun(_)) | Self::Away(..) | Self::Orphaned(_) => "60s",
        }
    }

    /// Has a run of two agents, and this happen to it.
    fn befall(self, run: &str, place: &mut dyn Launcher, witness: &dyn Witness) -> Came {
        let directory = scratch();
        let load = witness.load(run, self.seconds(), directory.path());
        let patience = ["--patience", self.patience()];
        let attempt = Attempt::start(place, 2, &patience, &load, directory);
        match self {
            Self::Killed(victim, moment) => {
                match moment {
                    Moment::Started(moment) => attempt.at(moment),
                    Moment::Begun(pause) => begun(run, witness, pause),
                }
                let runs = attempt.runs();
                attempt.kill(victim);
                attempt.wait(&runs)
            }
            Self::Away(seconds, pause) => {
                begun(run, witness, pause);
                let runs = attempt.runs();
                place.take_broker_away();
                pass(Duration::from_secs(seconds));
                place.bring_broker_back();
                attempt.wait(&runs)
            }
            Self::Orphaned(pause) => {
                begun(run, witness, pause);
                let runs = attempt.runs();
                attempt.kill_coordinator();
                let gone = until(ORPHANED, || runs.iter().all(|pid| is_gone(*pid)));
                assert!(gone, "{run}: agents send without a coordinator");
                attempt.wait(&runs)
            }
        }
    }

    /// Compares the result with the number of exchanges that the server saw.
    fn judge(self, came: &Came, seen: u64) -> &'static str {
        let counted = came.whole.as_ref().map_or(0, |whole| whole.conservation.counts.sent);
        let context = format!("{self:?}: {counted} of {seen}\n{}", came.ended);
        match self {
            Self::Killed(victim, _) => return killed(victim, came, (counted, seen), &context),
            Self::Away(1, _) => {
                assert!(matches!(came.ended.code(), 0 | 4), "{context}");
                let planned = RATE * self.seconds();
                assert_eq!((counted, seen), (planned, planned), "{context}");
                let whole = came.whole.as_ref().expect("a record");
                let notes = &whole.verdict.notes;
                let is_noted = notes.iter().any(|note| note.contains("the broker was away"));
                assert!(is_noted && whole.conservation.holds, "{notes:?} {context}");
                same(whole, &came.merged());
            }
            Self::Away(..) => assert_eq!(came.ended.code(), 7, "{context}"),
            Self::Orphaned(_) => {}
        }
        // Whatever the coordinator has of it, what the agents have kept is all.
        assert_eq!((came.kept.len(), came.kept_sent()), (2, seen), "{context}");
        "the whole"
    }
}

/// The kind of result of a run of which a part was killed.
fn killed(victim: Victim, came: &Came, counted_seen: (u64, u64), context: &str) -> &'static str {
    let (counted, seen) = counted_seen;
    let code = came.ended.code();
    let Some(whole) = &came.whole else {
        assert_eq!((code, seen), (1, 0), "{context}");
        return "before it began";
    };
    if matches!(code, 0 | 4) {
        assert!(whole.conservation.holds, "{context}");
        let planned = RATE * SECONDS;
        assert_eq!((counted, seen), (planned, planned), "{context}");
        return "after its end";
    }
    let counts = whole.conservation.counts;
    let nothing_succeeded = counts.planned > 0 && counts.ok == 0;
    assert_eq!(code, if nothing_succeeded { 1 } else { 5 }, "{context}");
    conserved_but_for_the_last(whole, context);
    // The whole contains what the others have kept, and what the victim had reported.
    let missing =
        seen.checked_sub(counted).unwrap_or_else(|| panic!("more than was sent\n{context}"));
    match output(whole) {
        Some(seconds) => {
            let most = (seconds * (RATE / 2) as f64).ceil() as u64 + 1;
            assert!(missing <= most, "{missing} and not {most} are missing\n{context}");
        }
        None => assert_eq!(missing, 0, "{context}"),
    }
    assert!(came.kept_sent() <= seen, "{context}");
    if matches!(victim, Victim::Agent) {
        // Its run has ended in good order, so nothing is lost to who merges the records that were kept.
        assert_eq!(came.kept_sent(), seen, "{context}");
    } else {
        let least = came.kept.iter().map(|record| record.conservation.counts.sent).min();
        assert!(counted >= least.unwrap_or_default(), "{context}");
    }
    "during the run"
}

/// All counts add up, except for what a killed run could not report: exchanges that were scheduled and had not ended at
/// its last reported interval, which on a busy machine are also those that waited then, are counted only as planned in
/// the record.
fn conserved_but_for_the_last(whole: &Record, context: &str) {
    let counts = whole.conservation.counts;
    assert_eq!(counts.sent, counts.completed() + counts.cut_off, "{context}");
    let accounted = counts.sent + counts.dropped + counts.skipped;
    let open = counts.planned.checked_sub(accounted);
    let open = open.unwrap_or_else(|| panic!("{counts:?}: more than was planned\n{context}"));
    let most = RATE / 2 + whole.backlog_peak;
    assert!(open <= most, "{counts:?}: more than one interval of one agent\n{context}");
    assert_eq!(whole.conservation.holds, open == 0, "{counts:?}\n{context}");
}

/// How many seconds of a share the record says are in none of its figures.
fn output(whole: &Record) -> Option<f64> {
    let reasons = whole.verdict.reasons.iter().map(|reason| reason.text.as_str());
    let text = reasons.into_iter().find(|text| text.contains("are in none"))?;
    let (_, rest) = text.split_once("up to ").unwrap_or_else(|| panic!("{text}"));
    assert!(rest.contains(&format!("of its {}/s", RATE / 2)), "{text}");
    Some(rest.split(' ').next()?.parse().expect("seconds"))
}

/// Waits until so long after the first exchange of a run.
fn begun(run: &str, witness: &dyn Witness, pause: Duration) {
    assert!(until(PATIENCE, || witness.has_begun(run)), "{run} does not begin");
    pass(pause);
}

/// One run, what happens to it, where, and who sees it.
struct Scene<'a, P> {
    run: String,
    event: Event,
    place: P,
    witness: &'a dyn Witness,
}

/// Makes all these events happen, several at a time, judges their results, and returns how many times each kind
/// occurred.
fn play<P: Launcher>(
    mut scenes: Vec<Scene<'_, P>>,
    settle: &dyn Fn(),
) -> HashMap<&'static str, u32> {
    let mut came = Vec::new();
    for wave in scenes.chunks_mut(TOGETHER) {
        let ended = thread::scope(|scope| {
            let befall = |scene: &mut Scene<'_, P>| {
                scene.event.befall(&scene.run, &mut scene.place, scene.witness)
            };
            let threads: Vec<_> =
                wave.iter_mut().map(|scene| scope.spawn(move || befall(scene))).collect();
            threads.into_iter().map(|it| it.join().expect("it does not panic")).collect::<Vec<_>>()
        });
        came.extend(ended);
    }
    settle();
    let (mut kinds, mut all) = (HashMap::new(), Vec::new());
    for (scene, came) in scenes.iter().zip(&came) {
        let seen = scene.witness.seen(&scene.run);
        *kinds.entry(scene.event.judge(came, seen)).or_default() += 1;
        all.push(seen);
    }
    // No agent continues to send.
    let later: Vec<u64> = scenes.iter().map(|scene| scene.witness.seen(&scene.run)).collect();
    assert_eq!(later, all);
    let runs: BTreeSet<&str> = scenes.iter().map(|scene| scene.run.as_str()).collect();
    assert_eq!(runs.len(), scenes.len(), "runs are told apart by name");
    kinds
}

/// A run for each of these events, all of which one server sees.
fn at_one_server(events: Vec<Event>, witness: &dyn Witness) -> Vec<Scene<'_, Broker>> {
    let scene = |(number, event)| {
        let run = format!("m{number}");
        Scene { run, event, place: Broker::start(), witness }
    };
    events.into_iter().enumerate().map(scene).collect()
}

#[test]
fn killed_agent_leaves_a_record_that_names_what_is_missing() {
    let Some(slapd) = slapd(2).filter(|_| require(&["nats-server"])) else { return };
    let directory = Directory::new(&slapd);
    // Runs that were killed leave requests of which slapd may not have heard yet.
    let settle = || {
        slapd.operations();
    };
    // Where much else is done at once, all that is killed at some time after its start may be before or after its run.
    let mut random = Random::new();
    let started = random.kills(5, SPAN, Moment::Started);
    let begun = random.kills(5, Duration::from_secs(SECONDS), Moment::Begun);
    let kinds = play(at_one_server([started, begun].concat(), &directory), &settle);
    assert!(kinds.contains_key("during the run"), "{kinds:?}");
}

#[test]
fn broker_back_after_eight_seconds_finds_agents_stopped() {
    let Some(slapd) = slapd(2).filter(|_| require(&["nats-server"])) else { return };
    let directory = Directory::new(&slapd);
    let pause = Duration::from_secs_f64(Random::new().share());
    play(at_one_server(vec![Event::Away(8, pause)], &directory), &|| {});
}

#[test]
fn nginx_log_agrees_with_the_record_after_kills() {
    if !require(&["nats-server", "nginx"]) {
        return;
    }
    let nginx = Nginx::start();
    let events = Random::new().events();
    let kinds = play(at_one_server(events, &nginx), &|| {});
    assert!(kinds.contains_key("during the run") && kinds["the whole"] == 3, "{kinds:?}");
}

#[test]
fn kea_counts_agree_with_the_record_after_kills() {
    if !require(&["ip", "root", "kea-dhcp4", "nats-server"]) {
        return;
    }
    let events = Random::new().events();
    // Kea counts for all its clients together, so each run has a Kea of its own.
    let grounds: Vec<(Wide, Kea)> = thread::scope(|scope| {
        let ground = || {
            let wide = Wide::start(2);
            let kea = Kea::v4(&wide.lan, &KeaOptions::default());
            (wide, kea)
        };
        let threads: Vec<_> = events.iter().map(|_| scope.spawn(ground)).collect();
        threads.into_iter().map(|it| it.join().expect("it does not panic")).collect()
    });
    let (places, servers): (Vec<Wide>, Vec<Kea>) = grounds.into_iter().unzip();
    let scenes = events.into_iter().zip(places).zip(&servers).enumerate();
    let scenes = scenes.map(|(number, ((event, place), kea))| Scene {
        run: format!("m{number}"),
        event,
        place,
        witness: kea,
    });
    let kinds = play(scenes.collect(), &|| {});
    assert!(kinds.contains_key("during the run") && kinds["the whole"] == 3, "{kinds:?}");
}
