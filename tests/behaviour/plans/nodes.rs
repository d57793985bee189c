//! Several nodes that share a run: no value is used twice and none is left out.

use std::collections::BTreeSet;

use super::files::Plan;
use crate::loadgen::target::RestTarget;
use crate::program::among_others;

#[test]
fn nodes_share_iterations_and_the_rows_of_a_unique_feeder() {
    let _among = among_others();
    let target = RestTarget::start();
    let text = format!(
        "[run]\nusers = 3\nseed = 9\n[http]\nbase = \"{}\"\n[feeders.people]\ncsv = \"people.csv\"\n\
        order = \"unique\"\n\
         [[scenario]]\nname = \"once\"\n[[scenario.steps]]\nname = \"once\"\npost = \"/echo\"\n\
         json = {{ uid = \"${{people.uid}}\", name = \"${{people.name}}\", iteration = \"${{run.iteration}}\" }}\n",
        target.base
    );
    let plan = Plan::of(&text);
    let rows: Vec<String> = (0..100).map(|n| format!("u{n},\"name, {n}\"\n")).collect();
    plan.beside("people.csv", &format!("uid,name\n{}", rows.concat()));
    let nodes = [plan.start(&["--node", "0/2"]), plan.start(&["--node", "1/2"])];
    for node in nodes {
        let ended = node.wait().expect(0);
        assert_eq!(ended.record().counts.failed, 0, "{ended}");
    }
    let seen = target.stop();
    let bodies: BTreeSet<String> = seen.iter().map(|seen| seen.body.clone()).collect();
    let expected: BTreeSet<String> = (0..100)
        .map(|n| format!("{{\"uid\":\"u{n}\",\"name\":\"name, {n}\",\"iteration\":\"{n}\"}}"))
        .collect();
    assert_eq!((seen.len(), &bodies), (100, &expected));
}
