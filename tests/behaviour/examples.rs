//! The examples of every help that are about an embedded server, carried out against it as it starts by default.
//!
//! They are taken from the pages of the commands, which a test writes from the same tables as the helps.

use std::fs;
use std::path::Path;
use std::process::Command;

use brunt_record::Record;

use brunt_testbed::{free_port, require};

use brunt_test_program::{binary, command, ldap_tools, scratch};

/// Ports of the embedded servers, as examples name them.
const PORTS: [(&str, &str); 3] = [("1389", "ldap"), ("1636", "ldap"), ("8080", "rest")];

/// What takes long and is shortened, and objectives that a busy machine misses.
const SHORTER: [(&str, &str); 17] = [
    ("--deleteSizeThreshold 10,000", "--deleteSizeThreshold 20"),
    ("--maxDuration 30 ", "--maxDuration 1 "),
    (" -d 30 ", " -d 1 "),
    ("-d30s", "-d1s"),
    ("-z 20s", "-z 1s"),
    ("-z 30s", "-z 1s"),
    ("-n 10k", "-n 100"),
    ("-q 2000", "-q 20"),
    ("-c 100", "-c 2"),
    ("-c100", "-c2"),
    ("--runs 9", "--runs 1"),
    ("--slo 'bind.p99<20ms'", "--slo 'bind.p99<60s'"),
    ("--slo 'p99<20ms' http", "--slo 'p99<60s' http"),
    ("--slo 'p99<20ms' --record", "--slo 'p99<60s' --record"),
    ("-i 1 -I 30", "-i 1 -I 1"),
    ("-I 12", "-i 1 -I 1"),
    ("find-max ", "find-max --second 10ms "),
];

/// Starts servers, and then the example as a user pastes it. Each tool of an older name is brunt; the loads of a
/// directory that have no limit end after fifty; those of UnboundID's tools have one, and no option for fifty.
const WRAPPER: &str = r#"brunt() { "$BRUNT" "$@"; }
rated() {
    tool=$1; shift
    case " $* $UNBOUNDID " in *" yes "|*" -m "*|*" -d "*|*" --maxDuration "*) ;; *) set -- -m 50 "$@" ;; esac
    case " $* " in *" --record "*) ;; *) set -- --record run.json "$@" ;; esac
    brunt "$tool" "$@"
}
for tool in $TOOLS; do
    eval "$tool() { rated $tool \"\$@\"; }"
done
"#;

/// An example: the page, and its block.
fn examples() -> Vec<(String, String)> {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs");
    let mut all = Vec::new();
    for entry in fs::read_dir(docs).expect("pages") {
        let path = entry.expect("an entry").path();
        let Ok(text) = fs::read_to_string(&path) else { continue };
        let Some((_, examples)) = text.split_once("\n## Examples\n") else { continue };
        let examples = examples.split("\n## ").next().unwrap_or_default();
        let blocks = examples.split("```sh\n").skip(1).filter_map(|it| it.split("```").next());
        let name = path.file_stem().expect("a name").display().to_string();
        all.extend(blocks.map(|block| (name.clone(), block.to_owned())));
    }
    all
}

/// Whether a page is of a tool that loads a directory: each of its examples is one for the embedded one.
fn loads_a_directory(page: &str) -> bool {
    is_of_unboundid(page) || ldap_tools().any(|tool| tool == page)
}

/// Whether a page is of a tool with the options of UnboundID's.
fn is_of_unboundid(page: &str) -> bool {
    page.starts_with("unboundid-")
}

/// Whether an example is about an embedded server. Those that start one, or only convert a file, are not.
fn is_for_one(name: &str, block: &str) -> bool {
    let at =
        |port: &str| block.contains(&format!(":{port}")) || block.contains(&format!("-p {port}"));
    let loads = !name.starts_with("target-") && !name.starts_with("import");
    let job = name == "loadgen";
    loads_a_directory(name) || loads && (job || PORTS.iter().any(|(port, _)| at(port)))
}

#[test]
fn help_examples_work_against_the_embedded_servers() {
    let all: Vec<_> = examples().into_iter().filter(|(name, it)| is_for_one(name, it)).collect();
    let of = |name: &str| all.iter().filter(|(page, _)| page == name).count();
    assert!(ldap_tools().all(|tool| of(tool) > 0) && of("http") > 1 && of("loadgen") > 3);
    let can = |name: &str| name != "cluster-run" || require(&["nats-server"]);
    let wrong: Vec<String> = all
        .iter()
        .filter(|(name, _)| can(name))
        .filter_map(|(name, block)| carried_out(name, block).err())
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// Examples with files name such as there are.
#[test]
fn help_examples_name_existing_files() {
    let files = examples().into_iter().flat_map(|(name, block)| {
        let words: Vec<String> = block.split_whitespace().map(str::to_owned).collect();
        words.into_iter().map(move |word| (name.clone(), word))
    });
    let mut found = 0;
    for (name, word) in files {
        if word.ends_with(".template") || word.starts_with("examples/") {
            found += 1;
            assert!(Path::new(env!("CARGO_MANIFEST_DIR")).join(&word).exists(), "{name}: {word}");
        }
    }
    assert!(found > 6);
}

/// Carries an example out; the error says what is wrong.
fn carried_out(name: &str, block: &str) -> Result<(), String> {
    let directory = scratch();
    let here = directory.path();
    let mut copy = Command::new("cp");
    copy.args(["-r", "examples"]).arg(here);
    let copied = copy.current_dir(env!("CARGO_MANIFEST_DIR")).status().expect("cp runs");
    assert!(copied.success());
    let mut example = SHORTER.iter().fold(block.to_owned(), |it, (from, to)| it.replace(from, to));
    let ports = PORTS.map(|(port, kind)| (port, kind, free_port().to_string()));
    for (port, _, free) in &ports {
        example = example.replace(port, free);
    }
    let [plain, tls, rest] = ports.map(|(_, _, free)| free);
    let servers = if loads_a_directory(name) || block.contains("1389") {
        let listen = format!("--listen 127.0.0.1:{plain} --listen-tls 127.0.0.1:{tls}");
        format!("\"$BRUNT\" target ldap {listen} > ldap.log 2>&1 &\n")
    } else {
        let job = here.join("examples/loadgen/jobs/sessions.json");
        let text = fs::read_to_string(&job).expect("a job").replace("8080", &rest);
        fs::write(&job, text).expect("a file");
        format!("\"$BRUNT\" target rest --listen 127.0.0.1:{rest} > rest.log 2>&1 &\n")
    };
    let script = format!("{WRAPPER}{servers}{example}\nstatus=$?\nkill $(jobs -p); exit $status\n");
    let mut bash = command(Path::new("bash"));
    bash.args(["-c", &script]).current_dir(here).env("BRUNT", binary()).env("PW", "password");
    bash.env("TOOLS", ldap_tools().collect::<Vec<_>>().join(" "));
    bash.env("UNBOUNDID", if is_of_unboundid(name) { "yes" } else { "no" });
    let ended = bash.output().expect("bash runs");
    let message = String::from_utf8_lossy(&ended.stdout) + String::from_utf8_lossy(&ended.stderr);
    // On a busy machine a comparison or a search decides nothing.
    let undecided = matches!(name, "ab" | "find-max" | "cluster-run");
    let code = ended.status.code().expect("it ended by itself");
    let is_wrong = if undecided { [1, 2].contains(&code) } else { code != 0 };
    if is_wrong {
        return Err(format!("{code}: {block}\n{message}"));
    }
    if is_of_unboundid(name) && !message.contains("was read as one of UnboundID's") {
        return Err(format!("not read as a line of UnboundID's: {block}\n{message}"));
    }
    if loads_a_directory(name) {
        let record = Record::read(&here.join("run.json")).expect("a record");
        let failed = record.counts.failed;
        if record.counts.ok == 0 || failed > 0 {
            return Err(format!("{failed} failed: {block}\n{message}"));
        }
    }
    Ok(())
}
