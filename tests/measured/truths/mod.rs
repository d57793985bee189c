//! What quick searches say of eight servers whose capacity is arithmetic, as those in virtual time do of theirs
//! (crates/capacity/tests/search/truths.rs): no claim may be above the truth, and no rate below it be said to fail.

mod server;

use std::thread;
use std::time::Duration;

use brunt_record::Collection;
use brunt_test_program::brunt;
use brunt_testbed::{Answer, Scripted, measured};
use server::{Effect, Server};

const SERVERS_ARE_REAL: &str = "a server of a real rate is searched by real steps";

/// What sockets and threads add to the time that an answer takes.
const WAY_S: f64 = 0.002;
/// A minute at 400/s has 24,000 service times, whose mean has a standard error of 0.65 %. It is four of those.
const CHANCE: f64 = 1.026;
/// A quick search ends in five minutes, after which a step may still wait for its last answers.
const PATIENCE: Duration = Duration::from_secs(360);

/// A server, and the load that it is searched with.
struct Truth {
    name: &'static str,
    effect: Effect,
    objective: &'static str,
    connections: usize,
    /// How many of them it serves.
    served: usize,
}

const fn timed(name: &'static str, effect: Effect) -> Truth {
    Truth { name, effect, objective: "p99<50ms", connections: 200, served: usize::MAX }
}

const fn refusing(name: &'static str, effect: Effect) -> Truth {
    Truth { objective: "errors<1%", ..timed(name, effect) }
}

const QUEUE: Truth = timed("M/M/1", Effect::Plain);
const BUCKET: Truth = timed("token bucket", Effect::Tokens(50.0));
const CLIFF: Truth = refusing("cliff", Effect::Room(40));
const WINDOW: Truth = refusing("429", Effect::Window(400));
const METASTABLE: Truth = timed("metastable", Effect::Tips(100));
const DRIFTING: Truth = timed("drifting", Effect::Fades);
const NOISY: Truth = timed("noisy", Effect::Strays(0.005, 0.125));
/// Each of 20 connections loses a request in ten seconds: 2/s of at most 408 are more than a thousandth.
const HALF: Truth =
    Truth { connections: 40, served: 20, ..timed("half of the connections served", Effect::Deaf) };

impl Truth {
    fn start(&self, seed: u64) -> Scripted {
        let status = if matches!(self.effect, Effect::Window(_)) { 429 } else { 503 };
        let mut server = Server::new(self.effect, seed);
        let script = move |at: Duration| match server.serve(at.as_secs_f64()) {
            Some(ends) => Answer::At(Duration::from_secs_f64(ends)),
            None => Answer::Refused(status),
        };
        Scripted::with_workers(self.served, script)
    }

    /// Searches it once.
    fn searched(&'static self, seed: u64) -> SearchResult {
        let server = self.start(seed);
        let search = brunt("find-max --quick --quiet").args(["--slo", self.objective]).recorded();
        let search = search.args(["--seed", &seed.to_string()]).typed("-- http --timeout 10s -c");
        let search = search.arg(self.connections.to_string()).arg(server.url());
        let ended = search.start().wait_for(PATIENCE);
        let lasted = server.time().as_secs_f64();
        let (code, words) = (ended.code(), ended.to_string());
        let found = Collection::read(ended.record_path());
        let found = found.unwrap_or_else(|error| panic!("{error}\n{words}"));
        SearchResult { truth: self, seed, lasted, code, found, words }
    }
}

/// What a search said.
struct SearchResult {
    truth: &'static Truth,
    seed: u64,
    /// How long the server had run by its end, in seconds.
    lasted: f64,
    code: i32,
    found: Collection,
    words: String,
}

impl SearchResult {
    /// The rate that it claimed, as its limit or as less than that.
    fn claimed(&self) -> Option<f64> {
        let figures = &self.found.figures;
        figures.get("claim").or_else(|| figures.get("floor")).copied()
    }

    /// The lowest rate that it said to fail: of a floor or without a claim, of single steps, which say nothing.
    fn fails_at(&self) -> Option<f64> {
        let figures = &self.found.figures;
        figures.get("fails_at").filter(|_| figures.contains_key("claim")).copied()
    }

    /// No noise of the machine makes a server answer sooner, so this holds on every machine.
    fn claims_nothing_above(&self) {
        let most = self.truth.effect.bears(0.0, 0.0) * CHANCE;
        if let Some(claimed) = self.claimed() {
            assert!(claimed <= most, "{claimed} of {most}: {self}");
        }
        let answer = self.found.facts["answer"].as_str();
        let codes: &[i32] = match answer {
            "claim" => &[0],
            "floor" => &[4],
            "away" | "not recovered" => &[5],
            "protected" => &[8],
            "no claim" => &[9],
            "nothing passes" => &[99],
            _ => &[],
        };
        assert!(codes.contains(&self.code), "{self}");
    }

    fn fails_at_nothing_below(&self) {
        let least = self.truth.effect.bears(self.lasted, WAY_S) / CHANCE;
        if let Some(fails) = self.fails_at() {
            assert!(fails >= least, "{fails} of {least}: {self}");
        }
        let nothing = self.found.facts["answer"] == "nothing passes";
        assert!(least <= 0.0 || !nothing, "it bears {least}: {self}");
    }
}

impl std::fmt::Display for SearchResult {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { truth, seed, lasted, code, .. } = self;
        let [most, least] = [0.0, *lasted].map(|lasted| truth.effect.bears(lasted, 0.0));
        write!(f, "{} with seed {seed} bears {most:.1} to {least:.1}/s, ", truth.name)?;
        write!(f, "was said to bear {:?} and to fail at ", self.claimed())?;
        writeln!(f, "{:?}, exit code {code}:\n{}", self.fails_at(), self.words)
    }
}

/// Searches servers twice each, all at the same time: together they do little.
#[expect(clippy::print_stdout, reason = "what was said is for a person to read")]
fn hold(truths: [&'static Truth; 2]) {
    let mut all: Vec<SearchResult> = Vec::new();
    measured(SERVERS_ARE_REAL, || {
        all = thread::scope(|scope| {
            let runs = truths.into_iter().flat_map(|truth| [(truth, 7), (truth, 8)]);
            let runs = runs.map(|(truth, seed)| scope.spawn(move || truth.searched(seed)));
            let runs: Vec<_> = runs.collect();
            runs.into_iter().map(|run| run.join().expect("a search ends")).collect()
        });
        for output in &all {
            println!("{output}");
            output.fails_at_nothing_below();
        }
        assert!(all.iter().any(|output| output.claimed().is_some()), "no search had an answer");
    });
    for output in &all {
        output.claims_nothing_above();
    }
}

#[test]
#[ignore = "slow: .ci/slow runs it"]
fn quick_search_is_right_about_queues() {
    hold([&QUEUE, &BUCKET]);
}

#[test]
#[ignore = "slow: .ci/slow runs it"]
fn quick_search_is_right_about_servers_that_refuse() {
    hold([&CLIFF, &WINDOW]);
}

#[test]
#[ignore = "slow: .ci/slow runs it"]
fn quick_search_is_right_about_servers_that_degrade() {
    hold([&METASTABLE, &DRIFTING]);
}

#[test]
#[ignore = "slow: .ci/slow runs it"]
fn quick_search_is_right_about_uneven_servers() {
    hold([&NOISY, &HALF]);
}
