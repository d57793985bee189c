//! Secrets of a website: they are sent to a target, and are visible nowhere else, in any encoding.

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use brunt_testbed::until;
use flate2::read::GzDecoder;

use crate::website::{Visitor, between, end, site};
use brunt_test_program::{Program, scratch};

const PATIENCE: Duration = Duration::from_secs(90);
/// Of characters that are written otherwise in URLs and in JSON.
const CANARY: &str = "canary/7c1e\"+&b9";

/// The canary in every way in which it might be written.
fn ways() -> Vec<String> {
    let hex = CANARY.bytes().fold(String::new(), |all, byte| all + &format!("{byte:02x}"));
    let url: String = form_urlencoded(CANARY);
    vec![
        CANARY.to_owned(),
        CANARY.replace('"', "\\\""),
        CANARY.replace('"', "&quot;").replace('&', "&amp;"),
        "canary/7c1e&quot;+&amp;b9".to_owned(),
        "canary/7c1e".to_owned(),
        url,
        BASE64.encode(CANARY),
        // In a longer text its first bytes may be another's.
        BASE64.encode(&CANARY[..CANARY.len() / 3 * 3]),
        hex,
    ]
}

fn form_urlencoded(text: &str) -> String {
    let escaped = |byte: u8| match byte {
        b'a'..=b'z' | b'0'..=b'9' => char::from(byte).to_string(),
        _ => format!("%{byte:02X}"),
    };
    text.bytes().map(escaped).collect()
}

/// What of the canary is in these bytes.
fn found(bytes: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(bytes).to_lowercase();
    ways().into_iter().filter(|way| text.contains(&way.to_lowercase())).collect()
}

/// A server that refuses every request, and returns what it received, in every encoding.
fn telling() -> (SocketAddr, Arc<Mutex<BTreeSet<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let at = listener.local_addr().expect("it is bound");
    let seen = Arc::new(Mutex::new(BTreeSet::new()));
    let into = Arc::clone(&seen);
    std::thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            let into = Arc::clone(&into);
            std::thread::spawn(move || drop(refuse(&stream, &into)));
        }
    });
    (at, seen)
}

fn refuse(mut stream: &TcpStream, seen: &Mutex<BTreeSet<String>>) -> std::io::Result<()> {
    let mut lines = BufReader::new(stream.try_clone()?);
    let (mut given, mut line) = (String::new(), String::new());
    while lines.read_line(&mut line)? > 0 {
        if let Some(value) = line.strip_prefix("X-Plain: ") {
            value.trim_end().clone_into(&mut given);
        }
        if line.trim().is_empty() {
            seen.lock().expect("nobody panics").insert(given.clone());
            let body =
                format!("no: {given} or {} or {}", BASE64.encode(&given), form_urlencoded(&given));
            write!(
                stream,
                "HTTP/1.1 401 No\r\nWWW-Authenticate: Custom {given}\r\nContent-Length: {}\r\n\r\n{body}",
                body.len()
            )?;
        }
        line.clear();
    }
    Ok(())
}

/// Lists a target and stores its secret.
fn furnish(visitor: &Visitor, at: SocketAddr, allow: &str) {
    let fields =
        format!("name=api&allow={allow}&settings=BASE=http://{at}&users=10&seconds=60&days=1");
    let (head, body) = visitor.send("/targets", "/targets", &fields);
    assert!(head.starts_with("HTTP/1.1 303"), "{head}\n{body}");
}

/// The number of the target, which changes when it is listed again.
fn number(visitor: &Visitor) -> String {
    let (_, shown) = visitor.ask("GET", "/secrets", "", "");
    between(&shown, "<option value=\"", "\"").to_owned()
}

fn save(visitor: &Visitor, text: &str) {
    let (_, shown) = visitor.ask("GET", "/plans/1", "", "");
    let after = between(&shown, "name=\"after\" value=\"", "\"").to_owned();
    let text = form_urlencoded(text);
    let (head, body) = visitor.send("/plans/1", "/plans/1", &format!("after={after}&text={text}"));
    assert!(head.starts_with("HTTP/1.1 303"), "{head}\n{body}");
}

const PLAN: &str = "[run]\nusers = 5\nrate = \"20/s\"\nduration = \"2s\"\n[http]\nbase = \"${env:BASE}\"\n[variables]\n\
                    thing = { env = \"API_KEY\" }\n[[scenario]]\nname = \"s\"\n[[scenario.steps]]\nname = \"ask\"\n\
                    get = \"/?q=${thing}\"\nheaders = { X-Plain = \"${thing}\" }\n";

/// What the processes of this program reveal to other users.
fn shown_by_processes(program: &Program) -> Vec<String> {
    let mut found_there = Vec::new();
    let group = fs::read_dir("/proc").expect("Linux").filter_map(Result::ok);
    for process in group.filter(|entry| is_number(&entry.file_name().to_string_lossy())) {
        let of = |name: &str| fs::read(process.path().join(name)).unwrap_or_default();
        let is_ours = process.file_name().to_string_lossy() == program.id().to_string();
        if is_ours || of("cmdline").ends_with(b"serve-child\0") {
            for name in ["cmdline", "environ"] {
                found_there.extend(found(&of(name)));
            }
        }
    }
    found_there
}

fn is_number(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Every file below a directory, unpacked where it is packed.
fn files(directory: &Path, each: &mut impl FnMut(&Path, &[u8])) {
    for entry in fs::read_dir(directory).expect("a directory").map(|entry| entry.expect("an entry"))
    {
        let path = entry.path();
        if path.is_dir() {
            files(&path, each);
            continue;
        }
        let bytes = fs::read(&path).unwrap_or_default();
        each(&path, &bytes);
        let mut unpacked = Vec::new();
        if bytes.starts_with(&[0x1f, 0x8b])
            && GzDecoder::new(&bytes[..]).read_to_end(&mut unpacked).is_ok()
        {
            each(&path, &unpacked);
        }
    }
}

#[test]
fn secret_reaches_only_its_target() {
    let directory = scratch();
    let at = directory.path().join("site");
    let (server, seen) = telling();
    let (program, visitor) = site(&at);
    furnish(&visitor, server, &server.to_string());
    let fields =
        format!("target={}&name=API_KEY&value={}", number(&visitor), form_urlencoded(CANARY));
    let (head, body) = visitor.send("/secrets", "/secrets", &fields);
    assert!(head.starts_with("HTTP/1.1 303"), "{head}\n{body}");
    visitor.send("/plans", "/plans", "name=ask&template=0");
    save(&visitor, PLAN);
    let mut pages = vec![visitor.ask("GET", "/plans/1", "", "").1];
    assert!(
        pages[0].contains("The plan can be run.") && pages[0].contains("q=***"),
        "{}",
        pages[0]
    );
    // As a setting it is not there: what is filled in so is shown.
    save(&visitor, &PLAN.replace("${thing}\"\n", "${env:API_KEY}\"\n"));
    let (_, refused) = visitor.ask("GET", "/plans/1", "", "");
    assert!(refused.contains("names API_KEY, which is a secret of the target"), "{refused}");
    save(&visitor, PLAN);
    let target = number(&visitor);
    let (head, body) = visitor.send("/plans/1", "/plans/1/run", &format!("target={target}"));
    let live = between(&head, "location: ", "\r\n").to_owned();
    pages.push(head + &body);
    let run = live.replace("/live/", "/runs/");
    let done = until(PATIENCE, || {
        assert_eq!(shown_by_processes(&program), [""; 0]);
        pages.push(visitor.ask("GET", &live, "", "").1);
        visitor.ask("GET", &run, "", "").0.starts_with("HTTP/1.1 200")
    });
    assert!(done, "{}", pages.last().unwrap());
    assert!(seen.lock().unwrap().contains(CANARY), "it was not sent: {seen:?}");
    let others = ["/", "/secrets", "/targets", "/audit", "/plans/1/revisions", "/account"];
    for path in others
        .map(str::to_owned)
        .into_iter()
        .chain(["", "/csv", "/html"].map(|part| format!("{run}{part}")))
    {
        let (head, body) = visitor.ask("GET", &path, "", "");
        assert!(head.starts_with("HTTP/1.1 200"), "{path}: {head}");
        pages.push(body);
    }
    let page = visitor.ask("GET", &run, "", "").1;
    assert!(page.contains("***"), "what the target said of it is starred: {page}");
    for page in &pages {
        assert_eq!(found(page.as_bytes()), [""; 0], "{page}");
    }
    let mut looked_at = 0;
    files(&at, &mut |path, bytes| {
        looked_at += 1;
        assert_eq!(found(bytes), [""; 0], "{}", path.display());
    });
    assert!(looked_at > 8, "{looked_at} files");
    program.signal(rustix::process::Signal::INT);
    let ended = program.wait();
    assert_eq!(found(ended.stderr.as_bytes()), [""; 0], "{}", ended.stderr);
}

#[test]
fn secrets_are_dropped_when_target_addresses_change() {
    let directory = scratch();
    let (server, seen) = telling();
    let (program, visitor) = site(&directory.path().join("site"));
    furnish(&visitor, server, &server.to_string());
    let fields =
        format!("target={}&name=API_KEY&value={}", number(&visitor), form_urlencoded(CANARY));
    visitor.send("/secrets", "/secrets", &fields);
    visitor.send("/plans", "/plans", "name=ask&template=0");
    save(&visitor, PLAN);
    furnish(&visitor, server, &format!("{server} 127.0.0.1:1"));
    let target = number(&visitor);
    let (head, _) = visitor.send("/plans/1", "/plans/1/run", &format!("target={target}"));
    let live = between(&head, "location: ", "\r\n").to_owned();
    let mut shown = String::new();
    let refused = until(PATIENCE, || {
        shown = visitor.ask("GET", &live, "", "").1;
        shown.contains("There is no record of this run")
    });
    assert!(refused && shown.contains("stored for other addresses"), "{shown}");
    assert!(seen.lock().unwrap().is_empty(), "{seen:?}");
    // With the target it goes.
    visitor.send("/targets", "/targets/end", &format!("id={target}"));
    assert!(visitor.ask("GET", "/secrets", "", "").1.contains("There are no secrets yet"));
    end(program);
}
