//! The workflows that a forge runs, as far as they can be checked against this repository without a forge. actionlint,
//! which `tests/setup` installs if Go is available, checks their grammar.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::made::{ROOT, VERSION};

fn workflows() -> Vec<(PathBuf, String)> {
    let mut all = Vec::new();
    for directory in [".github/workflows", "extras/github"] {
        for entry in fs::read_dir(Path::new(ROOT).join(directory)).expect("workflows") {
            let path = entry.expect("an entry").path();
            let text = fs::read_to_string(&path).expect("a workflow");
            all.push((path, text));
        }
    }
    assert!(all.len() >= 3);
    all
}

#[test]
fn workflows_pass_actionlint() {
    if Command::new("go").arg("version").output().is_err() {
        return brunt_testbed::skip_anywhere("no go, to build actionlint with");
    }
    if !brunt_testbed::require(&["actionlint", "shellcheck"]) {
        return;
    }
    let lint = |path: &Path| {
        // Hints about quotes are no faults.
        let mut actionlint = Command::new("actionlint");
        actionlint
            .arg(path)
            .env("SHELLCHECK_OPTS", "--severity=warning")
            .output()
            .expect("it starts")
    };
    for (path, text) in workflows() {
        let ended = lint(&path);
        assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stdout));
        let directory = tempfile::tempdir().expect("a directory");
        let wrong = directory.path().join("wrong.yml");
        fs::write(&wrong, text.replace("runs-on:", "runs-in:")).expect("a file");
        assert!(!lint(&wrong).status.success(), "a wrong word is found");
    }
}

/// A workflow may be given no more than it asks for, and it names what there is.
#[test]
fn workflows_use_existing_files_and_few_permissions() {
    for (path, text) in workflows() {
        let name = path.display();
        assert!(text.contains("\npermissions:\n  contents: read\n"), "{name}");
        assert!(!text.contains("pull_request_target"), "{name}");
        for word in text.split_whitespace() {
            let ours = ["packaging/", ".ci/", "tests/"].iter().any(|begin| word.starts_with(begin));
            let word = word.trim_end_matches(['\'', ')', ',']);
            if ours && !word.contains("setup')") {
                assert!(Path::new(ROOT).join(word).exists(), "{name}: {word}");
            }
        }
    }
    // What a release is compared with before it is built.
    let changes = fs::read_to_string(Path::new(ROOT).join("CHANGELOG.md")).expect("the changes");
    assert!(changes.contains(&format!("\n## {VERSION}")));
}

/// What a change is not held up by is not forgotten: it runs every night, and no release is drafted before it has
/// passed.
#[test]
fn slow_checks_run_every_night_and_before_a_release() {
    let read = |path: &str| fs::read_to_string(Path::new(ROOT).join(path)).expect(path);
    let nightly = read(".github/workflows/nightly.yml");
    let runs = |command: &str| nightly.lines().any(|line| line.trim() == command);
    assert!(runs("schedule:") && runs("workflow_call:"));
    assert!(runs(".ci/slow") && runs("tests/noise 4 ./test --ordinary"));
    let release = read(".github/workflows/release.yml");
    let (_, slow) = release.split_once("\n  slow:\n").expect("a job");
    assert!(slow.starts_with("    uses: ./.github/workflows/nightly.yml\n"));
    assert!(release.contains("\n  draft:\n    needs: [packages, same, slow]\n"));
    // A script in .ci that neither of the two runs would be run by nobody.
    let scripts = read(".ci/run") + &read(".ci/slow");
    for entry in fs::read_dir(Path::new(ROOT).join(".ci")).expect("scripts") {
        let name = entry.expect("an entry").file_name().into_string().expect("text");
        if !["run", "slow"].contains(&&*name) && !name.contains('.') {
            let mut code = scripts.lines().filter(|line| !line.starts_with('#'));
            assert!(code.any(|line| line.contains(&format!(".ci/{name}"))), ".ci/{name}");
        }
    }
}

/// The container for contributors: comments are allowed in its file, and what it runs is here.
#[test]
fn devcontainer_file_is_valid_json_with_comments() {
    let path = Path::new(ROOT).join(".devcontainer/devcontainer.json");
    let text = fs::read_to_string(path).expect("a file");
    let options = jsonc_parser::ParseOptions::default();
    let read = |text: &str| jsonc_parser::parse_to_value(text, &options).is_ok();
    assert!(read(&text));
    assert!(!read(&text.replacen('{', "", 1)), "what is wrong is found");
    let value = jsonc_parser::parse_to_value(&text, &options).expect("JSON with comments");
    let Some(jsonc_parser::JsonValue::Object(container)) = value else { panic!("{text}") };
    let word = |key: &str| container.get_string(key).expect(key).to_string();
    assert_eq!(word("remoteUser"), "root", "the tests make namespaces");
    assert!(word("postCreateCommand").starts_with("tests/setup &&"));
    // `tests/setup` installs packages of that release.
    assert!(word("image").ends_with("-bookworm"));
}
