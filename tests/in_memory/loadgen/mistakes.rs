//! Wrong job, workload and task files: each is refused before anything is sent, with the file, the line, the key, what
//! is wrong and what would be right.

use crate::planned::{Files, InMemory as _};
use crate::rest_target::RestTarget;

const JOB: &str = r#"{
  "name": "a job",
  "service-location-port": "BASE",
  "ADMINUSERID": "amadmin",
  "threads": 1,
  "threadgroupsize": 0,
  "threadinterval": 0,
  "upperbounds": 9,
  "workloads": [
    { "visit": 1 }
  ]
}"#;
const WORKLOAD: &str = r#"{
  "name": "visit",
  "tasks": [
    { "look": 500 },
    { "sleep": 10 }
  ]
}"#;
const TASK: &str = r#"{
  "name": "look",
  "request": "GET",
  "header": {
    "X-One": "1"
  },
  "url-endpoint": "/echo",
  "url-payload": "?x=1"
}"#;
const SLEEP: &str = r#"{
  "url-endpoint": "$SLEEP",
  "url-payload": 5
}"#;

/// A file, what stands in it, what is written instead, and what must be said.
type Mistake = (&'static str, &'static str, &'static str, &'static [&'static str]);

const IN_JOBS: &[Mistake] = &[
    ("job", "\"threads\": 1,", "", &["line 1,", "\"threads\" is missing", "set the number"]),
    (
        "job",
        "\"threads\": 1",
        "\"threads\": 0",
        &["line 5, column 14, at threads", "0 is not allowed here", "from 1 to"],
    ),
    ("job", "\"threads\": 1", "\"threads\": -4", &["line 5", "-4 is not allowed here"]),
    (
        "job",
        "\"threads\": 1",
        "\"threads\": 1.5",
        &["line 5", "1.5 is not allowed here", "whole number"],
    ),
    (
        "job",
        "\"threads\": 1",
        "\"threads\": \"1\"",
        &["line 5", "this is a string, but must be a whole number", "without quotes"],
    ),
    ("job", "\"threads\": 1", "\"threads\": 99999999", &["line 5", "99999999 is not allowed here"]),
    (
        "job",
        "\"threads\"",
        "\"thread\"",
        &["line 5, column 3, at thread", "did you mean \"threads\"?"],
    ),
    (
        "job",
        "\"threadinterval\"",
        "\"threadintervall\"",
        &["line 7", "did you mean \"threadinterval\"?"],
    ),
    (
        "job",
        "\"name\": \"a job\"",
        "\"nonsense\": 1",
        &["line 2", "the key \"nonsense\" is unknown"],
    ),
    (
        "job",
        "\"name\": \"a job\"",
        "\"name\": 5",
        &["line 2", "at name", "this is a number, but must be a string"],
    ),
    (
        "job",
        "\"upperbounds\": 9",
        "\"upperbounds\": null",
        &["line 8", "this is null, but must be a whole number"],
    ),
    (
        "job",
        "\"threadgroupsize\": 0",
        "\"threadgroupsize\": true",
        &["line 6", "this is true or false, but must be"],
    ),
    (
        "job",
        "\"workloads\": [\n    { \"visit\": 1 }\n  ]",
        "\"x\": 1",
        &["line 9", "the key \"x\" is unknown", "threadinterval, workloads,"],
    ),
    (
        "job",
        "{ \"visit\": 1 }",
        "\"visit\"",
        &["line 10, column 5, at workloads[0]", "this is a string, but must be an object"],
    ),
    ("job", "{ \"visit\": 1 }", "{}", &["line 10", "it is empty", "{ \"workload\": 100 }"]),
    (
        "job",
        "[\n    { \"visit\": 1 }\n  ]",
        "{ \"visit\": 1 }",
        &["line 9", "this is an object, but must be an array", "brackets"],
    ),
    (
        "job",
        "\"visit\": 1",
        "\"visit\": 0",
        &["line 9", "every workload has 0 loops", "set the loops of one of them"],
    ),
    (
        "job",
        "\"visit\": 1",
        "\"visit\": \"1\"",
        &["line 10", "at workloads[0].visit", "this is a string"],
    ),
    ("job", "\"visit\": 1", "\"visit\": 1e3", &["line 10", "1e3 is not allowed here"]),
    (
        "job",
        "\"visit\": 1",
        "\"vist\": 1",
        &["line 10, column 15", "workloads/vist.json", "did you mean \"visit\"?"],
    ),
    (
        "job",
        "\"threads\": 1,",
        "\"threads\": 1",
        &["line 6, column 3", "this is not JSON", "line before"],
    ),
    ("job", "\"upperbounds\": 9,", "\"upperbounds\": 9,,", &["line 8", "this is not JSON"]),
    ("job", "]\n}", "]", &["this is not JSON", "not closed"]),
    (
        "job",
        "{\n  \"name\"",
        "// a remark\n{\n  \"name\"",
        &["line 1, column 1", "this is not JSON"],
    ),
    (
        "job",
        "\"service-location-port\": \"BASE\",",
        "",
        &[
            "tasks/look.json",
            "the location of this task's service is not set",
            "service-location-port",
        ],
    ),
    (
        "job",
        "\"BASE\"",
        "\"127.0.0.1:8080\"",
        &["jobs/job.json, line 3", "has no scheme", "http://127.0.0.1:8080"],
    ),
    ("job", "\"BASE\"", "8080", &["line 3", "this is a number, but must be a string"]),
    (
        "job",
        "\"service-location-port\": \"BASE\"",
        "\"service-location\": \"http://h\", \"service-port\": 70000",
        &["line 3", "70000 is not allowed here"],
    ),
    (
        "job",
        "\"service-location-port\": \"BASE\"",
        "\"service-location\": \"http://h\", \"service-port\": \"x\"",
        &["line 3", "\"x\" is not a port", "65535"],
    ),
    (
        "job",
        "\"name\": \"a job\"",
        "\"persist\": [\"\"]",
        &["line 2", "is not an attribute", "as tokenId"],
    ),
    (
        "job",
        "\"name\": \"a job\"",
        "\"WILDCARDS\": [{\"name\": \"X\", \"type\": \"file\"}]",
        &["line 2", "at WILDCARDS[0].name", "not a wildcard name"],
    ),
    (
        "job",
        "\"name\": \"a job\"",
        "\"WILDCARDS\": [{\"name\": \"$X\", \"type\": \"flie\"}]",
        &["line 2", "did you mean \"file\"?"],
    ),
    (
        "job",
        "\"name\": \"a job\"",
        "\"header\": {\"X-A\": 1}",
        &["line 2", "at header.X-A", "in double quotes"],
    ),
];

const IN_WORKLOADS: &[Mistake] = &[
    ("visit", "\"tasks\"", "\"task\"", &["line 3", "did you mean \"tasks\"?"]),
    (
        "visit",
        "{ \"look\": 500 }",
        "{ \"look\": \"fast\" }",
        &["line 4", "at tasks[0].look", "this is a string, but must be a whole number"],
    ),
    ("visit", "{ \"look\": 500 }", "{ \"look\": -1 }", &["line 4", "-1 is not allowed here"]),
    (
        "visit",
        "{ \"look\": 500 }",
        "{ \"look\": 3000000000 }",
        &["line 4", "3000000000 is not allowed here"],
    ),
    (
        "visit",
        "{ \"look\": 500 }",
        "{ \"lok\": 500 }",
        &["line 4, column 14", "tasks/lok.json", "nor"],
    ),
    (
        "visit",
        "[\n    { \"look\": 500 },\n    { \"sleep\": 10 }\n  ]",
        "[]",
        &["line 3", "without a task does nothing"],
    ),
    (
        "visit",
        "\"tasks\": [\n    { \"look\": 500 },\n    { \"sleep\": 10 }\n  ]",
        "\"persist\": []",
        &["\"tasks\" is missing", "list them"],
    ),
    (
        "visit",
        "{ \"sleep\": 10 }\n",
        "{ \"sleep\": 10 },\n",
        &["line 6", "this is not JSON", "remove the comma"],
    ),
    ("visit", "\"name\": \"visit\"", "\"service-port\": 0", &["line 2", "0 is not allowed here"]),
];

const IN_TASKS: &[Mistake] = &[
    ("look", "\"request\": \"GET\",", "", &["line 1", "\"request\" is missing", "GET, POST"]),
    (
        "look",
        "\"GET\"",
        "\"get\"",
        &["line 3", "at request", "\"get\" is not a method", "did you mean \"GET\"?"],
    ),
    ("look", "\"GET\"", "\"GET \"", &["line 3", "is not a method"]),
    ("look", "\"url-endpoint\": \"/echo\",", "", &["\"url-endpoint\" is missing", "path"]),
    ("look", "\"url-endpoint\"", "\"url-endpont\"", &["line 7", "did you mean \"url-endpoint\"?"]),
    (
        "look",
        "\"X-One\": \"1\"",
        "\"X-One\": 1",
        &["line 5, column 14, at header.X-One", "this is a number", "double quotes"],
    ),
    (
        "look",
        "{\n    \"X-One\": \"1\"\n  }",
        "[]",
        &["line 4", "this is an array, but must be an object"],
    ),
    ("look", "\"?x=1\"", "17", &["line 8", "this is a number, but must be a string"]),
    (
        "look",
        "\"name\": \"look\"",
        "\"data-payload\": 5",
        &["line 2", "a number is no payload", "an object, an array or a string"],
    ),
    (
        "look",
        "\"name\": \"look\"",
        "\"threshold\": 5",
        &["line 2", "a task file has no threshold", "in the workload"],
    ),
    ("look", "\"?x=1\"", "\"?x=1 2\"", &["tasks/look.json", "contains a space", "write it as %20"]),
    ("look", "\"?x=1\"", "\"?x=\u{e9}\"", &["tasks/look.json", "the byte 0xc3", "%C3"]),
    (
        "look",
        "\"X-One\"",
        "\"X One\"",
        &["tasks/look.json", "\"X One\" is not a valid header name"],
    ),
    ("look", "\"X-One\": \"1\"", "\"X-One\": \"1\\n\"", &["header X-One contains", "0x0a"]),
    (
        "look",
        "\"?x=1\"",
        "\"?x=$TOKENID\"",
        &["tasks/look.json", "$TOKENID is used, but no task before \"look\"", "before this one"],
    ),
    (
        "look",
        "\"?x=1\"",
        "\"$ADMINUSERPASSWORD\"",
        &["$ADMINUSERPASSWORD is used", "\"ADMINUSERPASSWORD\" is"],
    ),
    (
        "look",
        "\"name\": \"look\"",
        "\"WILDCARDS\": [{\"name\": \"$F\", \"type\": \"file\", \"source\": \"no.txt\"}], \"ADMINUSERID\": \"$F\"",
        &[],
    ),
    (
        "look",
        "\"?x=1\"",
        "\"$RANDOMFILE\", \"randomfile\": \"nowhere.txt\"",
        &["line 8", "at randomfile", "nowhere.txt", "one value per line"],
    ),
    (
        "look",
        "\"?x=1\"",
        "\"$F\", \"WILDCARDS\": [{\"name\": \"$F\", \"type\": \"file\", \"source\": \"no.txt\"}]",
        &["line 8", "at WILDCARDS[0]", "no.txt"],
    ),
    ("look", "\"?x=1\"", "\"\u{7}\"", &["line 8", "this is not JSON", "\\n for a new line"]),
    (
        "sleep",
        "5",
        "\"5\"",
        &["line 3", "at url-payload", "this is a string, but must be a whole number"],
    ),
    (
        "sleep",
        "\"url-payload\": 5",
        "\"name\": \"nap\"",
        &["\"url-payload\" is missing", "how many milliseconds"],
    ),
];

#[test]
fn mistakes_name_file_line_key_and_remedy() {
    let target = RestTarget::start();
    let mut count = 0;
    let all = [("jobs", IN_JOBS), ("workloads", IN_WORKLOADS), ("tasks", IN_TASKS)];
    for (directory, mistakes) in all {
        for (name, stands, instead, words) in mistakes {
            let files = Files::new();
            let mut changed = false;
            for (place, key, text) in [
                ("jobs", "job", JOB),
                ("workloads", "visit", WORKLOAD),
                ("tasks", "look", TASK),
                ("tasks", "sleep", SLEEP),
            ] {
                let mut text = text.to_owned();
                if (place, key) == (directory, *name) {
                    assert!(text.contains(stands), "{stands} is not in {key}");
                    text = text.replacen(stands, instead, 1);
                    changed = true;
                }
                files.write(&format!("{place}/{key}.json"), &text.replace("BASE", &target.base));
            }
            assert!(changed, "{directory}/{name}");
            let ended = files.run(&[]);
            if words.is_empty() {
                assert_eq!(ended.code(), 0, "{instead}: {ended}");
                continue;
            }
            count += 1;
            assert_eq!(ended.code(), 2, "{instead}: {ended}");
            assert!(ended.stderr.starts_with("failed to read "), "{ended}");
            assert!(ended.stderr.contains(".json, line "), "{instead}: {ended}");
            for word in *words {
                assert!(ended.output().contains(word), "{instead}: {word}: {ended}");
            }
            assert!(ended.stdout.is_empty(), "{ended}");
        }
    }
    assert!(count >= 50, "{count}");
    let seen = target.stop();
    assert!(seen.len() <= 1, "{seen:?}");
}

#[test]
fn invalid_or_missing_files_are_reported() {
    let files = Files::new();
    let ended = files.run(&[]).expect(2);
    assert!(ended.output().contains("jobs/job.json: No such file"), "{ended}");
    assert!(ended.output().contains("name a file that can be read"), "{ended}");
    let path = files.write("jobs/job.json", "");
    std::fs::write(&path, b"{\n \"name\": \"\xff\"}").unwrap();
    let ended = files.run(&[]).expect(2);
    assert!(
        ended
            .output()
            .contains("line 2, column 11: it is not UTF-8 from here on; save it as UTF-8"),
        "{ended}"
    );
    files.write("jobs/job.json", "[1, 2]");
    let ended = files.run(&[]).expect(2);
    assert!(
        ended.output().contains("line 1, column 1: this is an array, but must be an object"),
        "{ended}"
    );
    files.write("jobs/job.json", &format!("{}{}", "[".repeat(9_999), "]".repeat(9_999)));
    assert!(files.run(&[]).expect(2).output().contains("nest less deeply"));
}
