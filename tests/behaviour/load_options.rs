//! The options that all loads have in common, in tools that got them from the others: they have the effect that they
//! have there.

use std::net::TcpListener;

use brunt_record::Collection;
use brunt_test_program::{run, scratch};

#[test]
fn abort_on_ends_a_comparison_of_stores() {
    let directory = scratch();
    let path = directory.path().join("record.json");
    let line = "leases memfile --durability async --phases create,search --rate 100 -d 5m --drain 10s --quiet \
                --abort-on";
    let words = line.split_whitespace().chain(["count>0 for 1s", "--directory"]);
    let place = directory.path().to_str().unwrap();
    let ended = run(words.chain([place, "--record", path.to_str().unwrap()])).expect(10);
    let collection = Collection::read(&path).unwrap_or_else(|error| panic!("{error}\n{ended}"));
    assert_eq!(collection.cells.len(), 1, "{ended}");
}

#[test]
fn drain_is_announced_when_nothing_answers() {
    let mute = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", mute.local_addr().unwrap());
    let ended = run(["http", "-c", "4", "-z", "1s", "--drain", "3s", &url]).expect(1);
    assert!(ended.output().contains("the time is over; waiting up to"), "{ended}");
}

#[test]
fn no_pin_is_refused_where_threads_are_not_pinned() {
    for words in [["leases", "--no-pin"].as_slice(), &["names", "lookup", "--no-pin"]] {
        let ended = run(words).expect(2);
        assert!(ended.stderr.contains("these are not pinned"), "{ended}");
    }
}
