//! Examples of a help that start processes of their own, as they stand there but for their length. All others are
//! carried out in the process of the tests (`tests/in_memory`).

use std::fs;

use brunt_test_program::{Target, brunt, scratch};
use brunt_testbed::require;

/// The example of a page that names an embedded server, as words; `loads` is what is made shorter in its loads.
fn example(page: &str, address: &str, loads: [(&str, &str); 2]) -> Vec<String> {
    let path = format!("{}/docs/{page}.md", env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(&path).expect("a page");
    let mut blocks = text.split("```sh\n").filter_map(|it| it.split("```").next());
    let block = blocks.find(|block| block.contains("127.0.0.1:8080")).expect("an example");
    let line = block.replace("\\\n", " ").replace("127.0.0.1:8080", address);
    let line = loads.iter().fold(line, |line, (from, to)| {
        assert!(line.contains(from), "{line}");
        line.replace(from, to)
    });
    line.split_whitespace().skip(1).map(str::to_owned).collect()
}

#[test]
fn help_examples_of_commands_with_processes_work() {
    let target = Target::start("rest");
    for (page, loads) in [
        ("ab", [("-z 20s", "-n 20"), ("--runs 9", "--runs 1")]),
        ("cluster-run", [("-z 30s", "-n 20"), ("-q 2000", "-q 20")]),
    ] {
        if page == "cluster-run" && !require(&["nats-server"]) {
            continue;
        }
        let directory = scratch();
        let words = example(page, target.address(), loads);
        let ended = brunt("").within(directory.path()).args(&words).run();
        // What a comparison of so few requests finds is chance's.
        assert!([0, 4, 5, 6].contains(&ended.code()), "{ended}");
        let left = fs::read_dir(directory.path()).expect("a directory").count();
        assert_eq!(left, usize::from(page == "ab"), "{ended}");
    }
}
