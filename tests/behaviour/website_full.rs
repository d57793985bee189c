//! A website whose disk is full: it says so, to people and to programs, and leaves nothing in part.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use brunt_testbed::require;

use crate::website::{Visitor, address, api, end, record};
use brunt_test_program::{Program, binary, command, scratch};

/// The site with a small disk of its own, in a mount namespace, and the path by which that is reached from outside.
fn small(directory: &Path) -> (Program, Visitor, PathBuf) {
    let at = directory.join("site");
    fs::create_dir(&at).expect("a directory");
    let script =
        r#"mount -t tmpfs -o size=3m,mode=700 none "$1"; at=$1; shift; exec "$@" --dir "$at""#;
    let mut serve = command(Path::new("unshare"));
    serve.args(["--mount", "sh", "-c", script, "sh"]).arg(&at).arg(binary());
    serve.args(["serve", "--listen", "127.0.0.1:0"]).env("XDG_RUNTIME_DIR", directory);
    let mut program = Program::start(&mut serve);
    let output = address(&mut program);
    let (host, link) = output.split_once("/welcome#").expect("a link");
    let visitor = Visitor::welcomed(host, link);
    let inside = PathBuf::from(format!("/proc/{}/root{}", program.id(), at.display()));
    (program, visitor, inside)
}

/// Fills the disk, and then leaves so many bytes free.
fn fill(inside: &Path, free: u64) {
    let path = inside.join("ballast");
    let mut ballast = fs::File::create(&path).expect("a file");
    while ballast.write_all(&[1; 4_096]).is_ok() {}
    let full = ballast.metadata().expect("a length").len();
    ballast.set_len(full.saturating_sub(free)).expect("a shorter file");
}

fn names(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).expect("a directory");
    let mut names: Vec<String> = entries
        .map(|it| it.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort_unstable();
    names
}

#[test]
fn full_disk_is_reported_and_leaves_no_partial_files() {
    if !require(&["root", "unshare"]) {
        return;
    }
    let directory = scratch();
    let (_api, target) = api();
    let records = [("a.json", "1"), ("b.json", "2")].map(|named| {
        let path = record(directory.path(), &target, named);
        fs::read_to_string(path).expect("a record")
    });
    let (program, visitor, inside) = small(directory.path());
    let token = visitor.token("push");
    let push = |record: &str| {
        let by = format!("Authorization: Bearer {token}\r\n");
        visitor.ask("PUT", "/api/v1/records", &by, record)
    };
    let (head, body) = push(&records[0]);
    assert!(head.starts_with("HTTP/1.1 201"), "{head}\n{body}");
    let kept = names(&inside.join("runs"));
    assert_eq!(kept.len(), 1);
    let length = records[1].len() as u64;
    // Without room for the record; and with room for it, but not for what is made of it.
    for free in [0, length.next_multiple_of(4_096) + 4_096] {
        fill(&inside, free);
        let (head, body) = push(&records[1]);
        assert!(head.starts_with("HTTP/1.1 507"), "{free} free: {head}\n{body}");
        assert!(head.contains("application/problem+json"), "{head}");
        assert!(body.contains("The disk of this site is full"), "{free} free: {body}");
        assert_eq!(names(&inside.join("runs")), kept, "{free} free");
        assert_eq!(names(&inside.join("incoming")), [""; 0], "{free} free");
        // What is there is still shown.
        let (head, page) = visitor.ask("GET", "/", "", "");
        assert!(head.starts_with("HTTP/1.1 200") && page.contains("1 run"), "{head}\n{page}");
    }
    let (head, body) = visitor.ask("GET", "/readyz", "", "");
    assert!(head.starts_with("HTTP/1.1 503") && body.contains("disk"), "{head}\n{body}");
    fs::remove_file(inside.join("ballast")).expect("room");
    let (head, body) = push(&records[1]);
    assert!(head.starts_with("HTTP/1.1 201"), "{head}\n{body}");
    assert_eq!(names(&inside.join("runs")).len(), 2);
    end(program);
}
