//! Records that a user uploads: accepted once, read by a child process, and refused with a message if they are invalid.

use std::fs;
use std::io::Write as _;

use brunt_envelope::Compared;
use brunt_history::{About, RECORD_KEPT, RunId};
use brunt_serve::child::ChildError;
use brunt_serve::history::EditError;
use brunt_test_program::brunt;
use flate2::Compression;
use flate2::write::GzEncoder;

use crate::counted::Counted;
use crate::site::{Site, children};

/// The record of a run on a command line.
fn record(server: &Counted, words: &[&str]) -> Vec<u8> {
    let url = format!("http://{}/", server.at());
    let run = brunt("http -c 2 --quiet").arg(url).recorded().args(words).run().expect(0);
    fs::read(run.record_path()).expect("it wrote one")
}

fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::default());
    packed.write_all(bytes).expect("memory takes it");
    packed.finish().expect("memory takes it")
}

#[test]
fn record_is_stored_once_however_it_arrives() {
    let (site, server) = (Site::new(), Counted::start());
    let bytes = record(&server, &["-n", "40"]);
    let about =
        About { name: "nightly".to_owned(), tags: vec!["ci".to_owned()], ..About::default() };
    let first = site.history.put(&site.children, &bytes, about.clone()).unwrap();
    assert!(first.is_new && first.entry.about.origin.brought);
    assert_eq!(first.entry.summary.figures.ok, server.requests());
    for again in [bytes.clone(), packed(&bytes)] {
        let put = site.history.put(&site.children, &again, About::default()).unwrap();
        assert!(!put.is_new && put.entry == first.entry);
    }
    let site = site.restarted();
    let put = site.history.put(&site.children, &bytes, About::default()).unwrap();
    assert!(!put.is_new && put.entry == first.entry);
    assert_eq!(site.history.ids().unwrap(), std::slice::from_ref(&first.entry.id));
    // What is kept is what came, to the byte.
    let kept = fs::File::open(site.history.files(&first.entry.id).path(RECORD_KEPT)).unwrap();
    let mut text = Vec::new();
    std::io::copy(&mut flate2::read::GzDecoder::new(kept), &mut text).unwrap();
    assert_eq!(text, bytes);
    let page = site.history.page(&first.entry.id).unwrap().expect("it has a page");
    assert!(page.sections.len() > 3 && page.title.contains("http"), "{}", page.title);
    // What people say of it changes, and where it comes from does not.
    let edited = site.history.edit(&first.entry.id, |about| {
        about.note = "slow disk".to_owned();
        about.origin.brought = false;
    });
    let edited = edited.unwrap();
    assert!(edited.origin.brought && edited.name == "nightly" && edited.note == "slow disk");
    assert_eq!(site.history.entry(&first.entry.id).unwrap().unwrap().about, edited);
    let long = site.history.edit(&first.entry.id, |about| about.name = "x".repeat(1_000));
    assert!(matches!(long, Err(EditError::About(_))));
    assert!(site.history.remove(&first.entry.id).unwrap());
    assert!(site.history.put(&site.children, &bytes, about).unwrap().is_new);
}

#[test]
fn invalid_record_is_refused_without_residue() {
    let (site, server) = (Site::new(), Counted::start());
    let whole = record(&server, &["-n", "10"]);
    let text = String::from_utf8(whole.clone()).unwrap();
    // A file of zeroes a thousand times as long as it comes.
    let bomb = packed(&vec![b' '; 40 << 20]);
    assert!(bomb.len() < 1 << 17);
    let histogram = text.find("\"hdr_v2\": \"").unwrap() + 20;
    let mut damaged = whole.clone();
    damaged[histogram..histogram + 8].copy_from_slice(b"AAAAAAAA");
    for (what, bytes) in [
        ("nothing", Vec::new()),
        ("words", b"hello".to_vec()),
        ("another version", text.replace("brunt-record/2", "brunt-record/9").into_bytes()),
        ("half of one", whole[..whole.len() / 2].to_vec()),
        ("a bomb", bomb),
        ("a damaged histogram", damaged),
        ("depth", "[".repeat(100_000).into_bytes()),
    ] {
        let put = site.history.put(&site.children, &bytes, About::default());
        let error = put.expect_err(what).to_string();
        assert!(
            error.starts_with("take the record: ") || error.starts_with("get an answer"),
            "{what}: {error}"
        );
        assert!(!error.contains("panicked"), "{what}: {error}");
    }
    assert_eq!(site.history.ids().unwrap(), [] as [RunId; 0]);
    let incoming = fs::read_dir(site.history.directory().join("incoming")).unwrap();
    assert_eq!(incoming.count(), 0);
    assert!(site.history.put(&site.children, &whole, About::default()).unwrap().is_new);
}

#[test]
fn runs_of_the_history_are_compared() {
    let (site, server) = (Site::new(), Counted::start());
    let put = || {
        let bytes = record(&server, &["-q", "100", "-z", "2s"]);
        site.history.put(&site.children, &bytes, About::default()).unwrap().entry
    };
    let entries = [put(), put()];
    let compared = entries.iter().map(|entry| Compared {
        name: entry.id.to_string(),
        record: site.history.files(&entry.id).path(RECORD_KEPT),
    });
    let page = children().compare(site.history.directory(), compared.collect());
    let page = page.expect("they can be compared");
    assert!(page.unlike.is_empty(), "{:?}", page.unlike);
    assert!(page.page.sections.iter().any(|(_, html)| html.contains("response p50")));
    let json: serde_json::Value = serde_json::from_str(&page.json).unwrap();
    assert!(json["schema"].as_str().is_some_and(|schema| schema.starts_with("brunt-comparison/")));
    let none = children().compare(site.history.directory(), Vec::new());
    assert!(matches!(none, Err(ChildError::Declined(_))), "{none:?}");
}
