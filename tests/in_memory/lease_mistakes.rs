//! Wrong command lines of `brunt leases`: each is refused before any store is opened.

use crate::machine::run;

/// A line, what of it is wrong as the message names it, a word of the remedy, and the exit code.
type Mistake = (&'static str, &'static str, &'static str, i32);

const MISTAKES: &[Mistake] = &[
    ("sqllite", "sqllite", "did you mean sqlite", 2),
    ("oracle", "oracle", "use sqlite, memfile, redb", 2),
    ("mysql", "mysql", "mysql://HOST/", 2),
    ("postgres", "postgres", "postgres://HOST/", 2),
    ("sqlite:", "sqlite:", "sqlite:FILE", 2),
    ("sqlite sqlite:x", "two stores", "twice", 2),
    ("mongodb://h/", "mongodb://", "mysql:// or postgres://", 2),
    ("mysql://h/db?sokcet=x", "sokcet", "socket", 2),
    ("postgres://h/db?sslmode=prefer", "sslmode=prefer", "verify-full", 2),
    ("mysql://h/d`b", "d`b", "letters, digits", 2),
    ("mysql://u:hunter2@127.0.0.1:1/x", "127.0.0.1:1", "is the server running", 1),
    ("postgres://u:hunter2@127.0.0.1:1/x", "127.0.0.1:1", "is the server running", 1),
    ("sqlite:/nonexistent/x.db", "/nonexistent", "another directory", 1),
    ("--directory /nonexistent", "/nonexistent", "--directory", 1),
    ("-n 0", "'0'", "at least 1", 2),
    ("-n many", "'many'", "100k", 2),
    ("-n 5 --async-operations 5", "--async-operations", "leave it out", 2),
    ("--durability perhaps", "'perhaps'", "possible values: sync, async, both", 2),
    ("--statements none", "'none'", "prepared, basic, both", 2),
    ("--schema 2013", "'2013'", "2012, kea", 2),
    ("--family 5", "'5'", "4, 6, pd", 2),
    ("--group 0", "--group", "1..=100000", 2),
    ("--workers 0", "--workers", "1..=4096", 2),
    ("--runs 0", "--runs", "1..=1000", 2),
    ("--phases create,drop", "'drop'", "create, search, update, delete", 2),
    ("--phases create,create", "create twice", "leave one out", 2),
    ("--search-by name", "'name'", "address, client-id, hardware", 2),
    ("--hit-ratio 90", "'90'", "from 0 to 1", 2),
    ("--rate fast", "'fast' for '--rate", "2.5/s", 2),
    ("--rate 0", "'0' for '--rate", "2.5/s", 2),
    ("--arrival poisson", "--arrival", "--rate", 2),
    ("--stages sideways", "--stages", "failed to", 2),
    ("--rate 5 --stages 5", "--stages", "cannot be used with", 2),
    ("--mix allocate=1", "--mix", "-d 1m", 2),
    ("--mix allocate -n 5", "'allocate'", "allocate=40", 2),
    ("--mix drop=1 -n 5", "'drop'", "allocate, renew", 2),
    ("--mix renew=0 -n 5", "every weight is 0", "above 0", 2),
    ("--mix renew=1 -n 5 --group 2", "--group", "--mix", 2),
    ("--mix renew=1 -n 5 --phases create", "--phases", "cannot be used with", 2),
    ("--guide --schema kea", "--guide", "cannot be used with", 2),
    ("--guide --mix renew=1", "--guide", "cannot be used with", 2),
    ("--timeout soon", "'soon'", "500ms", 2),
    ("-d never", "'never'", "1m30s", 2),
    ("--slo nonsense", "for '--slo", "bind.p99<20ms", 2),
    ("--slo bind.p99<1s", "bind", "create, search, update, delete", 2),
    ("--percentile 101", "'101'", "from 0 to 100", 2),
    ("--password-file pw", "--password-file", "none of the stores is a database", 2),
    ("mysql://h/ --password-file /nonexistent", "/nonexistent", "cannot be read", 2),
    ("mysql://h/ --ask-password", "--ask-password", "--password-file FILE", 2),
    ("--innodb-flush 1", "'1'", "0 (flush once per second)", 2),
    ("--record /nonexistent/r.json", "/nonexistent/r.json", "another file", 1),
    ("--html /nonexistent/x.html", "/nonexistent/x.html", "another file", 1),
    ("--nonsense", "--nonsense", "unexpected argument", 2),
];

#[test]
fn leases_mistakes_are_named_with_a_remedy() {
    for (line, culprit, remedy, code) in MISTAKES {
        let words: Vec<&str> = ["leases"].into_iter().chain(line.split_whitespace()).collect();
        let ended = run(&words);
        assert_eq!(ended.code(), *code, "{line}\n{ended}");
        let output = ended.output();
        assert!(output.contains(culprit), "{line}: does not name {culprit}\n{ended}");
        assert!(output.contains(remedy), "{line}: does not say {remedy}\n{ended}");
        assert!(!output.contains("hunter2") && !output.contains("panicked"), "{line}\n{ended}");
        assert_eq!(ended.stdout, "", "{line}\n{ended}");
    }
}
