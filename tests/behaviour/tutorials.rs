//! The tutorials, carried out: every command of a page, in order, as a reader pastes all of them into a shell at once.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use brunt_testbed::{free_port, until};

use crate::website::{Visitor, between};
use brunt_test_program::{binary, scratch};

/// How long a reader's part of a page may take to come up.
const PATIENCE: Duration = Duration::from_secs(90);

/// Ports that the pages name; each test has free ones instead.
const PORTS: [&str; 6] = ["1389", "7878", "8080", "8081", "10067", "10068"];

/// What the pages have, and what stands there instead, so that on a busy machine, too, commands end as the pages say.
/// Objectives of runs that are meant to meet them leave room for a stall of the machine; the one that a page's own
/// stall has to miss stays. Runs are shorter where nothing on the page depends on their length; the stall of a page,
/// after five seconds, is within the last stage all the same. A comparison needs the seconds that it has.
const ROOM: [(&str, &str); 8] = [
    ("p99<200ms", "p99<5s"),
    // What a busy machine has no time to send is dropped, which an objective of errors counts.
    ("errors<0.1%", "errors<99%"),
    ("errors < 0.1%", "errors < 99%"),
    (
        "brunt run storm.toml --record ",
        "brunt run storm.toml --set 'objectives.1=sign-in.p99 < 5s' --record ",
    ),
    ("brunt perfdhcp -4 ", "brunt perfdhcp -4 -d 5 -d 5 "),
    (" -R 1000 -p 5 ", " -R 1000 -p 2 "),
    (
        "'500/s for 2s, 1000/s for 2s, 2000/s for 2s'",
        "'500/s for 1s, 1000/s for 1s, 2000/s for 1s'",
    ),
    (
        "10/s for 2s as warm-up, ramp 10..100 over 5s as steady, 100/s for 5s",
        "10/s for 1s as warm-up, ramp 10..100 over 3s as steady, 100/s for 3s",
    ),
];

/// Records how each command ended. A record is pushed when the browser has done its part. Nothing else is waited for: a
/// page is pasted as a whole, and its loads wait for their targets.
const WRAPPER: &str = r#"brunt() {
    if [ "$1" = target ]; then exec "$BRUNT" "$@"; fi
    if [ "$1" = serve ]; then exec "$BRUNT" "$@" 2>site.log; fi
    if [ "$1" = push ]; then for _ in {1..600}; do [ -e "ready.$2" ] && break; sleep 0.1; done; fi
    "$BRUNT" "$@"
    echo "$?" "$*" >>statuses
}
"#;

#[test]
fn first_run() {
    carried_out("first-run", 6, |_| ());
}

#[test]
fn login_storm() {
    carried_out("login-storm", 5, |_| ());
}

#[test]
fn dhcp_limit() {
    carried_out("dhcp-limit", 2, |_| ());
}

#[test]
fn many_machines() {
    carried_out("many-machines", 5, |_| ());
}

#[test]
fn in_ci() {
    carried_out("in-ci", 10, |_| ());
}

#[test]
fn website() {
    carried_out("website", 4, |directory| {
        // The password, and a token.
        let link = awaited(directory, "site.log", "serve: http://");
        let (at, link) = link.split_once("/welcome#").expect("a link");
        let visitor = Visitor::welcomed(at, link);
        fs::write(directory.join("token.txt"), visitor.token("push")).expect("a file");
        fs::write(directory.join("ready.first.json"), "").expect("a file");
        // The run is marked as a baseline on its page.
        awaited(directory, "statuses", "0 push first.json");
        let (_, runs) = visitor.ask("GET", "/", "", "");
        assert!(runs.contains("The first run"), "{runs}");
        let page = format!("/runs/{}", between(&runs, "href=\"/runs/", "\""));
        let (head, _) = visitor.send(&page, &format!("{page}/about"), "baseline=1");
        assert!(head.starts_with("HTTP/1.1 303"), "{head}");
        fs::write(directory.join("ready.second.json"), "").expect("a file");
    });
}

/// Waits until a file has a line that begins so, and returns the rest of the line.
fn awaited(directory: &Path, file: &str, begin: &str) -> String {
    let mut rest = None;
    let comes = until(PATIENCE, || {
        let text = fs::read_to_string(directory.join(file)).unwrap_or_default();
        let mut whole = text.split_inclusive('\n').filter(|line| line.ends_with('\n'));
        rest = whole.find_map(|line| line.strip_prefix(begin).map(|rest| rest.trim().to_owned()));
        rest.is_some()
    });
    assert!(comes, "{file} has no line that begins with {begin}");
    rest.expect("it was waited for")
}

/// Blocks of other pages that start a target in the background and load it.
#[test]
fn docs_blocks_with_a_background_target_run() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let pages =
        fs::read_dir(root.join("docs")).expect("pages").map(|page| page.expect("one").path());
    let mut pasted_any = false;
    for path in pages.chain([root.join("README.md")]).filter(|path| path.is_file()) {
        let page = fs::read_to_string(path).expect("a page");
        for block in page.split("```sh\n").skip(1).filter_map(|it| it.split("```").next()) {
            let starts = |line: &str| line.starts_with("brunt target ") && line.ends_with('&');
            if block.lines().any(starts) {
                let loads =
                    block.lines().filter(|line| line.starts_with("brunt ") && !starts(line));
                pasted(&page, block, loads.count(), |_| ());
                pasted_any = true;
            }
        }
    }
    assert!(pasted_any);
}

/// Carries out a page, which has so many commands of ours besides servers, and meanwhile does what a reader does in a
/// browser.
fn carried_out(name: &str, commands: usize, browser: impl FnOnce(&Path) + Send) {
    let page = page(name);
    pasted(&page, &commands_of(&page), commands, browser);
}

/// Pastes commands of a page into a shell, all at once.
fn pasted(page: &str, script: &str, commands: usize, browser: impl FnOnce(&Path) + Send) {
    let directory = scratch();
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    symlink(examples, directory.path().join("examples")).expect("a link");
    let script = format!("{WRAPPER}{}\n{ENDING}", with_free_ports(&with_room(script)));
    let run = std::thread::scope(|scope| {
        scope.spawn(|| browser(directory.path()));
        Command::new("bash")
            .args(["-c", &script])
            .current_dir(directory.path())
            .env("BRUNT", binary())
            .output()
            .expect("bash runs")
    });
    let message = String::from_utf8_lossy(&run.stdout) + String::from_utf8_lossy(&run.stderr);
    let statuses = fs::read_to_string(directory.path().join("statuses")).unwrap_or_default();
    let ended: Vec<_> = statuses.lines().filter_map(|line| line.split_once(' ')).collect();
    assert_eq!(ended.len(), commands, "{statuses}{message}");
    for (status, command) in ended {
        assert!(may_end(page, status, command), "{command} ended with {status}\n{message}");
    }
}

/// Ends the targets that a page started, and waits for them.
const ENDING: &str = "kill $(jobs -p); wait";

/// Whether the page lets a command end so. On a busy machine an objective may be undecided and the last answers may
/// come too late, and what a comparison of short runs finds is chance's.
fn may_end(page: &str, status: &str, command: &str) -> bool {
    let message = page.lines().find_map(|line| {
        let (line, ending) = line.split_once(" # ends with ")?;
        let words: Vec<_> = line.split_whitespace().skip(1).take(2).collect();
        (command.starts_with(&words.join(" ")) && command.ends_with(line.split(' ').next_back()?))
            .then_some(ending)
    });
    match message {
        Some(message) => message.split(" or ").any(|message| status == message),
        None if command.starts_with("compare ") => matches!(status, "0" | "4" | "6"),
        None => matches!(status, "0" | "4" | "5"),
    }
}

fn page(name: &str) -> String {
    let path: PathBuf = [env!("CARGO_MANIFEST_DIR"), "docs/tutorials", name].iter().collect();
    fs::read_to_string(path.with_extension("md")).expect("a tutorial")
}

/// The commands of a page that are not marked as ones that cannot be run.
fn commands_of(page: &str) -> String {
    let mut blocks = String::new();
    let parts: Vec<&str> = page.split("```").collect();
    for pair in parts.chunks(2) {
        let [before, block] = pair else { continue };
        let marked = before.trim_end().ends_with("-->") && before.contains("<!-- not run: ");
        // A block with variables is a script, and its lines cannot be read separately.
        if let Some(commands) = block.strip_prefix("sh\n").or(block.strip_prefix("bash\n"))
            && !marked
        {
            blocks.push_str(commands);
        }
    }
    blocks
}

fn with_room(script: &str) -> String {
    ROOM.iter().fold(script.to_owned(), |script, (theirs, ours)| script.replace(theirs, ours))
}

fn with_free_ports(script: &str) -> String {
    PORTS
        .iter()
        .fold(script.to_owned(), |script, port| script.replace(port, &free_port().to_string()))
}

/// Every tutorial has a test here.
#[test]
fn tutorials_all_have_a_test() {
    let of_this = include_str!("tutorials.rs");
    let pages = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/tutorials");
    let mut commands = String::new();
    for file in fs::read_dir(pages).expect("a directory") {
        let name =
            file.expect("an entry").path().file_stem().expect("a name").display().to_string();
        assert!(of_this.contains(&format!("carried_out(\"{name}\", ")), "{name}");
        commands += &commands_of(&page(&name));
    }
    // Otherwise a page was changed, and its commands no longer have the room.
    let unused = ROOM.iter().find(|(theirs, _)| !commands.contains(theirs));
    assert_eq!(unused, None);
}
