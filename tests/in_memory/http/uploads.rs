//! Bodies of several parts: what a server gets is what RFC 7578 says, and every file that a plan names arrives whole.

use std::collections::BTreeSet;

use super::pages::{pages, plan_of};
use crate::planned::{InMemory as _, Plan};

/// The parts of a body: the head of each and its content.
fn parts(kind: &str, body: &str) -> Vec<(String, String)> {
    let line = kind.split_once("boundary=").expect("a boundary").1;
    let whole = body.strip_suffix(&format!("--{line}--\r\n")).expect("the last line");
    let between = format!("--{line}\r\n");
    let parts = whole.split(&between).skip(1);
    let part = |part: &str| {
        let (head, content) = part.split_once("\r\n\r\n").expect("a head");
        (head.to_owned(), content.strip_suffix("\r\n").expect("a line end").to_owned())
    };
    parts.map(part).collect()
}

#[test]
fn multipart_files_arrive_complete_under_their_row() {
    let site = pages();
    let plan = plan_of(
        &site,
        "",
        "[[scenario.steps]]\nname = \"send\"\npost = \"/send\"\n\
         multipart = { user = \"${photos.user}\", photo = { file = \"${photos.file}\", type = \"image/png\" } }\n\
         [[scenario.steps]]\nname = \"raw\"\nput = \"/raw\"\nbody-file = \"${photos.file}\"\n\
         [feeders.photos]\ncsv = \"photos.csv\"\n",
    );
    let long = "x----brunt-form-00000000\r\n".repeat(100_000);
    let plan = Plan::from_text(&plan);
    plan.beside("photos.csv", "user,file\njo,a.png\nal,long.png\n");
    plan.beside("a.png", "A");
    plan.beside("long.png", &long);
    let run = plan.run(&[]);
    assert_eq!((run.count_of("send", "ok"), run.count_of("raw", "ok")), (6, 6), "{run}");
    let sent = site.requested("POST /send");
    let mut seen = BTreeSet::new();
    for requested in &sent {
        let kind = requested.field("content-type").expect("a type");
        let [(user, name), (photo, content)] = &parts(kind, &requested.body)[..] else {
            panic!("two")
        };
        assert_eq!(user, "Content-Disposition: form-data; name=\"user\"");
        let (file, whole) = if name == "jo" { ("a.png", "A") } else { ("long.png", long.as_str()) };
        let head = "Content-Disposition: form-data; name=\"photo\"; filename=";
        assert_eq!(*photo, format!("{head}\"{file}\"\r\nContent-Type: image/png"));
        assert!(content == whole, "{} bytes for {name}", content.len());
        seen.insert(name.clone());
    }
    assert_eq!((sent.len(), seen.len()), (6, 2));
    let raw = site.requested("PUT /raw");
    assert!(raw.iter().all(|requested| requested.body == "A" || requested.body == long));
}

#[test]
fn multipart_preview_hides_secrets_and_file_contents() {
    let site = pages();
    let steps = "[[scenario.steps]]\npost = \"/send\"\n\
                 multipart = { password = \"s3cr3t\", photo = { file = \"a.png\" } }\n";
    for option in ["--once", "--check"] {
        let plan = Plan::from_text(&plan_of(&site, "", steps));
        plan.beside("a.png", "PNGPNG");
        let output = plan.run(&[option]).text();
        assert!(output.contains("(6 bytes of a file)"), "{option}: {output}");
        assert!(!output.contains("s3cr3t") && !output.contains("PNGPNG"), "{option}: {output}");
    }
}
