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
fn the_search_that_each_tool_proposes_is_accepted() {
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
fn no_search_is_proposed_that_would_be_of_another_load() {
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
