//! The import of a recording takes work that is linear in its length, as counted by its allocations: they stand for
//! the values that are looked at, the URLs that are joined and the pages that are read.
//!
//! This test has its own binary, because the allocator belongs to the whole process.

use std::fmt::Write as _;

use brunt_flow_import::{Filter, Pauses, Secrets, har};
use brunt_testbed::{CountingAllocator, allocations};
use serde_json::json;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// How many links each page has.
const LINKS: u64 = 40;

/// A value that looks drawn, another for each number.
fn drawn(number: u64) -> String {
    let mut state = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut text = String::new();
    for _ in 0..20 {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        text.push(char::from(b"abcdefghijkmnpqrstuvwxyz23456789ABCD"[(state % 36) as usize]));
    }
    text
}

/// A page with a form and links, of which the next requests send the form and call an interface with its token.
fn visits(count: u64) -> String {
    let mut entries = String::new();
    for visit in 0..count {
        let (token, id) = (drawn(3 * visit), drawn(3 * visit + 1));
        let link = |link| {
            let id = drawn(1_000_000 + visit * LINKS + link);
            format!("<a href='/p/{link}?id={id}'>x</a>")
        };
        let links: String = (0..LINKS).map(link).collect();
        let page = format!(
            "<form id=f action=/send method=post><input type=hidden name=csrf value='{token}'>\
             <input name=q></form>{links}"
        );
        let item = |item| json!({ "id": drawn(9_000_000 + visit * 10 + item) });
        let items: Vec<_> = (0..10).map(item).collect();
        let (api, form) = ("application/json", Some(format!("csrf={token}&q=a")));
        let items = json!({ "items": items, "id": id }).to_string();
        for (method, url, sent, kind, text) in [
            ("GET", format!("http://h/page/{visit}"), None, "text/html", page),
            ("POST", "http://h/send".to_owned(), form, "text/plain", "ok".to_owned()),
            ("GET", format!("http://h/api?t={token}"), None, api, items),
            ("GET", format!("http://h/api/{id}"), None, api, "{}".to_owned()),
        ] {
            let mut entry = json!({
                "startedDateTime": "2026-01-02T03:04:05Z",
                "request": { "method": method, "url": url },
                "response": { "status": 200, "content": { "mimeType": kind, "text": text } },
            });
            if let Some(sent) = sent {
                let kind = "application/x-www-form-urlencoded";
                entry["request"]["postData"] = json!({ "mimeType": kind, "text": sent });
            }
            let comma = if entries.is_empty() { "" } else { "," };
            let _ = write!(entries, "{comma}{entry}");
        }
    }
    format!("{{\"log\":{{\"entries\":[{entries}]}}}}")
}

/// How often the import of so many visits allocates.
fn allocated(count: u64) -> u64 {
    let text = visits(count);
    let before = allocations::by_thread();
    let imported = har(&text, &Filter::default(), Pauses::Recorded, Secrets::Named);
    let allocated = allocations::by_thread() - before;
    let imported = imported.expect("a recording");
    assert_eq!(imported.steps.len() as u64, 4 * count);
    assert!(imported.steps.iter().filter(|step| !step.extracts.is_empty()).count() as u64 >= count);
    allocated
}

#[test]
fn har_import_work_is_linear() {
    let [some, twice, more] = [50, 100, 400].map(allocated);
    assert!(10 * twice < 22 * some, "{some} for 50 visits, {twice} for 100");
    assert!(10 * more < 44 * twice, "{twice} for 100 visits, {more} for 400");
}
