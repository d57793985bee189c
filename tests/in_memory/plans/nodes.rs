//! Several nodes that share a run: no value is used twice and none is left out.

use std::collections::BTreeSet;
use std::path::Path;

use brunt_record::Record;

use brunt_test_program::scratch;

use crate::machine::run;
use crate::planned::{InMemory as _, Plan};
use crate::rest_target::RestTarget;

#[test]
fn nodes_share_iterations_and_unique_feeder_rows() {
    let target = RestTarget::start();
    let text = format!(
        "[run]\nusers = 4\nworkers = 2\nseed = 9\n[http]\nbase = \"{}\"\n[feeders.people]\ncsv = \"people.csv\"\n\
        order = \"unique\"\n\
         [[scenario]]\nname = \"once\"\n[[scenario.steps]]\nname = \"once\"\npost = \"/echo\"\n\
         json = {{ uid = \"${{people.uid}}\", name = \"${{people.name}}\", iteration = \"${{run.iteration}}\" }}\n",
        target.base
    );
    let plan = Plan::from_text(&text);
    let rows: Vec<String> = (0..100).map(|n| format!("u{n},\"name, {n}\"\n")).collect();
    plan.beside("people.csv", &format!("uid,name\n{}", rows.concat()));
    let records = ["0/2", "1/2"].map(|node| {
        let ended = plan.run(&["--node", node]).expect(0);
        assert_eq!(ended.record().counts.failed, 0, "{ended}");
        ended.record()
    });
    merged(&records);
    let seen = target.stop();
    let bodies: BTreeSet<String> = seen.iter().map(|seen| seen.body.clone()).collect();
    let expected: BTreeSet<String> = (0..100)
        .map(|n| format!("{{\"uid\":\"u{n}\",\"name\":\"name, {n}\",\"iteration\":\"{n}\"}}"))
        .collect();
    assert_eq!((seen.len(), &bodies), (100, &expected));
}

/// Merges the records of the nodes, and refuses what does not belong together.
fn merged(nodes: &[Record; 2]) {
    let directory = scratch();
    let path = |name: &str| directory.path().join(name).display().to_string();
    let files = [path("n0.json"), path("n1.json")];
    for (node, file) in nodes.iter().zip(&files) {
        node.write(Path::new(file)).expect("it can be written");
    }
    let all = path("all.json");
    let ended = run(&["merge", &files[1], &files[0], "--record", &all, "--details"]).expect(0);
    assert!(ended.stdout.contains("100 planned, 100 sent"), "{ended}");
    let whole = Record::read(Path::new(&all)).expect("it was written");
    assert_eq!((whole.counts.ok, whole.nodes.len(), &whole.node), (100, 2, &None));
    let of = |record: &Record| record.operations[0].response.histogram().expect("it is one");
    let mut expected = of(&nodes[0]);
    expected.merge(&of(&nodes[1]));
    assert_eq!(of(&whole), expected);
    assert_eq!(run(&["report", &all, "--details"]).expect(0).stdout, ended.stdout);
    let screen = run(&["merge", &files[1], &files[0], "--record", &all]).expect(0);
    assert_eq!(run(&["report", &all]).expect(0).stdout, screen.stdout);
    let full = ["merge", &files[0], &files[1], "--record", "/dev/full", "--details"];
    let full = run(&full).expect(1);
    assert_eq!(full.stdout, ended.stdout, "shown all the same");
    assert!(full.output().contains("error: failed to write the record /dev/full"), "{full}");
    let twice = run(&["merge", &files[0], &files[0]]).expect(2);
    assert!(twice.stderr.contains("both are node 0 of 2"), "{twice}");
}
