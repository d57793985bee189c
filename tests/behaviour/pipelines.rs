//! The pipelines in `extras`: the steps of the one for GitHub Actions are carried out, and the one for GitLab has the
//! same.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use brunt_record::Record;
use brunt_testbed::{free_port, require, until};
use saphyr_parser::{Event, Parser};

use brunt_test_program::{binary, command, is_junit, scratch};

const GITHUB: &str = "extras/github/load-test.yml";
const GITLAB: &str = "extras/gitlab/load-test.yml";

/// The steps that run brunt, which both have.
const SHARED: [&str; 4] =
    ["Start the service", "Load test", "Compare with main", "Write the summary"];

/// `gh` on a runner: the last run on main is the directory `main`, if it is there.
const GH: &str = r#"#!/bin/sh
case "$1 $2" in
"run list") [ ! -d ../main ] || echo 7 ;;
"run download") [ "$3" = 7 ] && cp -r ../main baseline ;;
esac
"#;

/// brunt on a machine that disturbs so many loads as the file `undecided` says.
const BRUNT: &str = r#"#!/bin/sh
left=$(cat ../undecided)
if [ "$1" = http ] && [ "$left" -gt 0 ]; then
    echo $((left - 1)) > ../undecided
    "$BRUNT" "$@"
    exit 4
fi
exec "$BRUNT" "$@"
"#;

/// A file of this repository.
fn ours(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// The scripts of the steps of a workflow, by their names, as the runner takes them from the file.
fn steps(workflow: &str) -> Vec<(String, String)> {
    let mut steps: Vec<(String, String)> = Vec::new();
    let mut lines = workflow.lines().peekable();
    while let Some(line) = lines.next() {
        if let Some(name) = line.trim().strip_prefix("- name: ") {
            steps.push((name.to_owned(), String::new()));
        } else if let Some(script) = line.trim().strip_prefix("run: ") {
            let step = steps.last_mut().expect("a name comes first");
            script.clone_into(&mut step.1);
            if script == "|" {
                let within = line.len() - line.trim_start().len();
                step.1.clear();
                while let Some(next) = lines.next_if(|next| {
                    next.trim().is_empty() || next.len() - next.trim_start().len() > within
                }) {
                    step.1 += next.get(within + 2..).unwrap_or_default();
                    step.1.push('\n');
                }
            }
        }
    }
    steps.retain(|(_, script)| !script.is_empty());
    steps
}

/// How each of the steps ended, by its name.
type Ends = Vec<(String, Option<i32>)>;

/// A directory in which the workflow is carried out, as often as it is asked to.
struct Runner {
    directory: tempfile::TempDir,
    /// Where the service is: runs at different addresses are not compared.
    address: String,
}

impl Runner {
    fn new() -> Self {
        let address = format!("127.0.0.1:{}", free_port());
        let runner = Self { directory: scratch(), address };
        for (name, text) in [("gh", GH), ("brunt", BRUNT)] {
            let path = runner.at("bin").join(name);
            fs::create_dir_all(runner.at("bin")).expect("a directory");
            fs::write(&path, text).expect("a file");
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("a program");
        }
        runner
    }

    fn at(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Runs the steps in a new directory, with this objective, where so many loads are disturbed. Like the runner, it
    /// leaves out the steps after one that failed, except for those that always run.
    fn follow(&self, name: &str, objective: &str, undecided: u32) -> Ends {
        let workflow = fs::read_to_string(ours(GITHUB)).expect("a workflow");
        let (address, here) = (&self.address, self.at(name));
        fs::create_dir(&here).expect("a directory");
        fs::write(self.at("undecided"), undecided.to_string()).expect("a file");
        let path = format!("{}:{}", self.at("bin").display(), env!("PATH"));
        let mut ended = Ends::new();
        for (name, script) in steps(&workflow) {
            let (_, step) = workflow.split_once(&format!("- name: {name}\n")).expect("the step");
            let always = step.trim_start().starts_with("if: always()");
            let failed = ended.iter().any(|(_, code)| *code != Some(0));
            if name == "Build brunt once" {
                assert!(script.starts_with("cargo install --locked "), "{script}");
                continue;
            }
            if failed && !always {
                continue;
            }
            let script = script.replace("127.0.0.1:8080", address);
            let mut script = script.replace("p99<100ms", objective);
            if name == "Start the service" {
                script += "\necho \"$!\" > service.pid\n";
            }
            let mut bash = command(Path::new("bash"));
            bash.args(["-e", "-c", &script]).current_dir(&here).env("PATH", &path);
            bash.env("URL", format!("http://{address}/sleep?ms=1")).env("BRUNT", binary());
            bash.env("RATE", "50").env("DURATION", "2s").env("TOLERANCE", "1000000%");
            bash.env("GITHUB_STEP_SUMMARY", here.join("summary.md"));
            let run = bash.output().expect("bash runs");
            ended.push((name, run.status.code()));
        }
        let pid = fs::read_to_string(here.join("service.pid")).expect("the service runs");
        let stopped = Command::new("kill").args(["-INT", pid.trim()]).status();
        assert!(stopped.expect("kill runs").success(), "the service ran to the end");
        // The next one is to listen at the same address.
        let free = || TcpListener::bind(&self.address).is_ok();
        assert!(until(Duration::from_secs(60), free), "the service still listens");
        ended
    }

    fn summary(&self, name: &str) -> String {
        fs::read_to_string(self.at(name).join("summary.md")).expect("a summary")
    }
}

/// How a step ended.
fn code_of(ended: &Ends, name: &str) -> Option<i32> {
    ended.iter().find(|(step, _)| step == name).and_then(|(_, code)| *code)
}

#[test]
fn github_workflow_fails_on_a_missed_slo_and_keeps_files() {
    if !require(&["curl", "xmllint"]) {
        return;
    }
    for (objective, code, word) in [("p99<60s", 0, " met"), ("p99<1us", 99, " missed")] {
        let runner = Runner::new();
        let ended = runner.follow("run", objective, 0);
        assert_eq!(code_of(&ended, "Load test"), Some(code), "{ended:?}");
        let compared = code_of(&ended, "Compare with main");
        assert_eq!(compared, (code == 0).then_some(0), "{ended:?}");
        assert!(ended.iter().all(|(name, code)| name == "Load test" || *code == Some(0)));
        let kept = runner.at("run/load-test");
        let record = Record::read(&kept.join("run.json")).expect("a record");
        assert_eq!(record.counts.planned, 100);
        assert!(is_junit(&kept.join("objectives.xml")).0);
        for file in ["run.ndjson", "run.html", "intervals.csv", "summary.md"] {
            assert!(fs::metadata(kept.join(file)).is_ok_and(|file| file.len() > 100), "{file}");
        }
        let summary = runner.summary("run");
        assert!(summary.contains(word) && summary.matches("```").count() == 2, "{summary}");
        assert!(!summary.contains("## Compared with main"), "{summary}");
    }
}

#[test]
fn github_workflow_compares_with_main_and_retries_undecided() {
    if !require(&["curl"]) {
        return;
    }
    let runner = Runner::new();
    let left = || fs::read_to_string(runner.at("undecided")).expect("a file");
    assert_eq!(code_of(&runner.follow("first", "p99<60s", 2), "Load test"), Some(0));
    assert_eq!(left().trim(), "0", "two loads were undecided");
    fs::rename(runner.at("first/load-test"), runner.at("main")).expect("a directory");
    let ended = runner.follow("second", "p99<60s", 0);
    assert_eq!(code_of(&ended, "Compare with main"), Some(0), "{ended:?}");
    assert!(runner.summary("second").contains("## Compared with main"));
    let ended = runner.follow("third", "p99<60s", 5);
    assert_eq!((code_of(&ended, "Load test"), left().trim()), (Some(4), "2"), "{ended:?}");
}

/// Every text in a file of YAML.
fn texts(yaml: &str) -> Vec<String> {
    let scalars = Parser::new_from_str(yaml).filter_map(|event| match event.expect("YAML").0 {
        Event::Scalar(text, ..) => Some(text.trim().to_owned()),
        _ => None,
    });
    scalars.collect()
}

#[test]
fn gitlab_pipeline_has_the_same_steps() {
    let [github, gitlab] = [GITHUB, GITLAB].map(|path| fs::read_to_string(ours(path)).expect(path));
    let all = texts(&gitlab);
    let steps = steps(&github);
    for name in SHARED {
        let (_, script) = steps.iter().find(|(step, _)| step == name).expect(name);
        assert!(texts(&github).contains(&script.trim().to_owned()), "{script}");
        assert!(all.contains(&script.trim().to_owned()), "{name} differs in {GITLAB}");
    }
    for (name, value) in [("RATE", "200"), ("DURATION", "30s"), ("TOLERANCE", "25%")] {
        for all in [&all, &texts(&github)] {
            let at = all.iter().position(|text| text == name).expect(name);
            assert_eq!(all[at + 1], value);
        }
    }
    // The shell of a job of GitLab is one for all its items: none of them ends it where it succeeded.
    let mut bash = Command::new("bash");
    let job = all.iter().filter(|text| text.contains('\n')).map(String::as_str);
    bash.args(["-n", "-c", &job.collect::<Vec<_>>().join("\n")]);
    assert!(bash.status().expect("bash runs").success());
    assert!(!gitlab.contains("\n      exit "), "{GITLAB}");
    assert!(Parser::new_from_str("a: [").any(|event| event.is_err()), "what is wrong is found");
}
