//! Tests that the search which a run proposes at its end is one that the program reads and find-max accepts.

use brunt_run::{World, search_words};

use super::inner::Inner;
use crate::cli::args::Verb;
use crate::cli::{self, Command};

/// Loads, and the words of a search for the highest rate of each.
const LOADS: [(&str, &str); 16] = [
    (
        "authrate --noPropertiesFile -h h -D uid=u,dc=x -w p -M 900 -d 5 -B 1 -f -c 5",
        "-- authrate --noPropertiesFile -h h -D uid=u,dc=x -w PW -f -c 5",
    ),
    (
        "searchrate --noPropertiesFile --targetthroughput=9 --maxIterations 5 -b dc=x (a=b) cn",
        "-- searchrate --noPropertiesFile -b dc=x (a=b) cn",
    ),
    (
        "modrate --noPropertiesFile -M9 -d5 --arrival poisson --backlog 9 -b dc=x description:x",
        "-- modrate --noPropertiesFile -b dc=x description:x",
    ),
    (
        "comparerate --noPropertiesFile --stages 5/s,9/s -m 5 -b dc=x cn:x",
        "-- comparerate --noPropertiesFile -b dc=x cn:x",
    ),
    (
        "deleterate --noPropertiesFile -M 9 --warmUpDuration 1 -b dc=x",
        "-- deleterate --noPropertiesFile -b dc=x",
    ),
    (
        "moddnrate --noPropertiesFile -M 9 -d 3 -b uid=u,dc=x uid=v",
        "-- moddnrate --noPropertiesFile -b uid=u,dc=x uid=v",
    ),
    (
        "addrate --noPropertiesFile -M 9 --codes -c 2 t.template",
        "-- addrate --noPropertiesFile --codes -c 2 t.template",
    ),
    (
        "search-and-mod-rate --noPropertiesFile -M 9 -d 5 -b dc=x (a=b) description:x",
        "-- search-and-mod-rate --noPropertiesFile -b dc=x (a=b) description:x",
    ),
    (
        "searchrate --dialect unboundid -h h -b dc=x -f (a=b) -r 9 --num-intervals 3 \
         --warmUpIntervals 1 -t 2",
        "-- searchrate --dialect unboundid -h h -b dc=x -f (a=b) -t 2",
    ),
    (
        "modrate --dialect unboundid -b uid=u,dc=x -A title --RatePerSecond=9 -I3 --csv",
        "-- modrate --dialect unboundid -b uid=u,dc=x -A title --csv",
    ),
    (
        "perfdhcp -4 -r 90 -n 9 -p 5 -D 3 --arrival poisson -R 5 127.0.0.1",
        "-- perfdhcp -4 -R 5 127.0.0.1",
    ),
    ("perfdhcp -4 -r 90 -f 5 -F5 --slo p99<1s --html x.html 127.0.0.1", "-- perfdhcp -4 127.0.0.1"),
    (
        "http -q5 -c 9 --requests=5 --record=x.json --abort-on errors>50% --yes --allow 10.0.0.0/8 \
         --dscp ef --web http://h/",
        "--allow 10.0.0.0/8 -- http -c 9 --abort-on errors>50% --dscp ef http://h/",
    ),
    ("http --rate 5 -d 3s --arrival poisson --backlog 5 --quiet http://h/", "-- http http://h/"),
    ("http -q 5 -d text http://h/", "-- http -d PW http://h/"),
    (
        "names lookup --rate 5 -n 9 --backlog 5 --monitor pid:1 --keys 1-9",
        "-- names lookup --backlog 5 --keys 1-9",
    ),
];

/// The words of a search of this load, after `brunt find-max`.
fn words_of(line: &str) -> Vec<String> {
    let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
    match cli::load(&words, &World::of_process()) {
        Ok(Ok(load)) => search_words(&*load),
        Ok(Err(other)) => panic!("{line}: {other:?}"),
        Err(refusal) => panic!("{line}: {}", refusal.text),
    }
}

#[test]
fn proposed_search_of_each_tool_is_accepted() {
    for (line, expected) in LOADS {
        let words = words_of(line);
        assert_eq!(words.join(" ").replace("***", "PW"), expected, "{line}");
        let typed = ["brunt", "find-max", "--slo", "errors<1%", "--to", "220/s"];
        let typed: Vec<String> = typed.map(str::to_owned).into_iter().chain(words).collect();
        let world = World::of_process();
        let args = match cli::read(&typed, &world) {
            Ok(Command::Verb(Verb::FindMax(args))) => args,
            other => panic!("{line}: {other:?}"),
        };
        if let Err(refusal) = Inner::read(&args.command, None, &world) {
            panic!("{line}: {}", refusal.text);
        }
    }
}

#[test]
fn proposed_search_is_absent_if_the_load_would_differ() {
    for line in [
        "perfdhcp -4 --scenario avalanche -R 5 127.0.0.1",
        "perfdhcp -4 -r 9 -w ./hook 127.0.0.1",
        "names lookup --rate 5 --distribution once",
        "authrate --noPropertiesFile -h h -D uid=u,dc=x -f -M 9 --outputFile x -w p",
        "http -q 5 --node 0/2 --seed 5 http://h/",
        "http -q 5 --trace x http://h/",
        "loadgen --config job",
    ] {
        assert!(words_of(line).is_empty(), "{line}");
    }
}

/// The words of the search that a run of a plan proposes, with its file as `PLAN`.
fn words_of_plan(run: &str, line: &str) -> (String, Option<String>) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("p.toml");
    let text = format!(
        "objectives = [\"a.p99 < 1s\"]\n[run]\n{run}\n[http]\nbase = \"http://127.0.0.1:1\"\n[[scenario]]\n\
         steps = [{{ name = \"a\", get = \"/a\" }}, {{ name = \"b\", get = \"/b\" }}]\n"
    );
    std::fs::write(&path, text).unwrap();
    let (world, network) = (World::of_process(), brunt_net::Network::private());
    let path = path.to_str().unwrap();
    let typed = line.replace("PLAN", path);
    let words: Vec<String> = typed.split(' ').map(str::to_owned).collect();
    let load = match cli::load(&words, &world) {
        Ok(Ok(load)) => load,
        other => panic!("{line}: {:?}", other.map(|_| ())),
    };
    let search = load.examine(&world, &network).unwrap_or_else(|no| panic!("{}", no.text)).search;
    let shown = search.join(" ").replace(path, "PLAN");
    let Some(at) = search.iter().position(|word| word == "--") else { return (shown, None) };
    // The search reads the plan, compiles it, and accepts it.
    let refused = match Inner::read(&search[at + 1..], None, &world) {
        Err(refusal) => Some(refusal.text),
        Ok(inner) => inner.prepare(&world, &network, &|_| Ok(())).err().map(|no| no.text),
    };
    (shown, refused)
}

#[test]
fn proposed_search_of_a_plan_unsets_its_rate() {
    for (run, line, expected) in [
        (
            "rate = \"5/s\"\nduration = \"9s\"",
            "run PLAN",
            "-- run PLAN --unset run.rate --unset run.duration",
        ),
        ("users = 9", "run PLAN --set run.rate=9/s --duration 5s --quiet", "-- run PLAN"),
        (
            "rate = \"5/s\"\narrival = \"poisson\"\nbacklog = 9",
            "run PLAN --set=run.rate=9/s --set run.users=7 --allow 10.0.0.0/8",
            "--allow 10.0.0.0/8 -- run PLAN --set run.users=7 --unset run.rate --unset run.arrival \
             --unset run.backlog",
        ),
        (
            "stages = \"5/s for 9s\"\nwarm-up = \"1s\"",
            "run PLAN --set http.connect-timeout=1s --slo errors<1% --unset run.stages --set run.rate=3/s",
            "-- run PLAN --set http.connect-timeout=1s --unset run.stages --unset run.warm-up --slo errors<1%",
        ),
    ] {
        assert_eq!(words_of_plan(run, line), (expected.to_owned(), None), "{run}: {line}");
    }
    // A search has no think time and no rounds: it would be another load.
    for (run, line) in [
        ("think = \"1s\"", "run PLAN"),
        ("rate = \"5/s\"", "run PLAN --node 0/2 --seed 5"),
        ("rate = \"5/s\"", "run PLAN --trace x.har"),
    ] {
        assert_eq!(words_of_plan(run, line).0, "", "{run}: {line}");
    }
}
