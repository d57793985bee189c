//! Each manifest is what its launcher reads: checked by the types of the Kubernetes API, by bash and shellcheck, and
//! with a stand-in for ssh.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Output};

use brunt_testbed::require;
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::batch::v1::Job;
use k8s_openapi::api::core::v1::Service;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::*;

/// Words that have a special meaning in each of the languages.
const HOSTILE: &[&str] = &[
    "run",
    "it's.toml",
    "--slo",
    "p99<20ms",
    "$(touch x)",
    "${HOME}",
    "%{if}",
    "a b",
    "\"",
    "`id`",
    "#",
    ": - &a",
    "\\",
];

fn requested(agents: u32) -> LaunchOptions {
    LaunchOptions {
        agents,
        nats: "tls://nats.lab:4222".to_owned(),
        pool: "lab".to_owned(),
        cores: 2,
        deadline: Duration::from_secs(3_601),
        command: HOSTILE.iter().map(ToString::to_string).collect(),
    }
}

fn kubernetes() -> Kubernetes {
    Kubernetes {
        image: "registry.lab/brunt:0.1".to_owned(),
        nats_image: "nats:2.10-alpine".to_owned(),
        namespace: Some("load".to_owned()),
    }
}

fn slurm() -> String {
    Slurm { partition: Some("short".to_owned()), account: None }.text(&requested(4)).unwrap()
}

fn ssh(agents: u32) -> String {
    let hosts = (0..agents).map(|n| format!("jo@load{n}")).collect();
    Ssh { hosts }.text(&requested(agents)).unwrap()
}

fn nomad() -> String {
    let nomad = Nomad { image: "registry.lab/brunt:0.1".to_owned(), datacenter: "dc1".to_owned() };
    nomad.text(&requested(4)).unwrap()
}

/// A field that the type does not have is lost when the value is read and written again.
fn is_of<T: DeserializeOwned + Serialize>(value: &Value) {
    let read: T =
        serde_json::from_value(value.clone()).unwrap_or_else(|error| panic!("{error}: {value}"));
    assert_eq!(serde_json::to_value(read).unwrap(), *value);
}

#[test]
fn kubernetes_manifest_matches_the_api_types() {
    let documents = kubernetes().documents(&requested(4)).unwrap();
    for document in &documents {
        match document["kind"].as_str() {
            Some("Deployment") => is_of::<Deployment>(document),
            Some("Service") => is_of::<Service>(document),
            Some("Job") => is_of::<Job>(document),
            other => panic!("{other:?}"),
        }
    }
    let mut wrong = documents[0].clone();
    wrong["spec"]["replica"] = 1.into();
    assert!(
        std::panic::catch_unwind(|| is_of::<Deployment>(&wrong)).is_err(),
        "the check finds a wrong field"
    );
}

#[test]
fn kubernetes_agents_are_not_replaced_and_have_own_nodes() {
    let documents = kubernetes().documents(&requested(4)).unwrap();
    let named = |name: &str| documents.iter().find(|it| it["metadata"]["name"] == name).unwrap();
    let job = &named("brunt-agents")["spec"];
    assert_eq!(
        (&job["completions"], &job["parallelism"], &job["backoffLimit"]),
        (&4.into(), &4.into(), &0.into())
    );
    assert_eq!(
        (&job["completionMode"], &job["activeDeadlineSeconds"]),
        (&"Indexed".into(), &3_601.into())
    );
    let pod = &job["template"]["spec"];
    assert_eq!(pod["restartPolicy"], "Never");
    let apart =
        &pod["affinity"]["podAntiAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"][0];
    assert_eq!(apart["topologyKey"], "kubernetes.io/hostname");
    assert_eq!(apart["labelSelector"]["matchLabels"], job["template"]["metadata"]["labels"]);
    let resources = &pod["containers"][0]["resources"];
    assert_eq!(resources["requests"], resources["limits"]);
    // The Service selects the broker, and all objects are in the namespace.
    let broker = &named("brunt-nats")["spec"]["template"]["metadata"]["labels"];
    let service = documents.iter().find(|it| it["kind"] == "Service").unwrap();
    assert_eq!(service["spec"]["selector"], *broker);
    assert!(documents.iter().all(|it| it["metadata"]["namespace"] == "load"));
}

#[test]
fn command_words_arrive_unchanged() {
    let documents = kubernetes().documents(&requested(1)).unwrap();
    let words =
        documents[3]["spec"]["template"]["spec"]["containers"][0]["command"].as_array().unwrap();
    let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
    let after: Vec<String> =
        words[words.len() - HOSTILE.len()..].iter().map(|word| word.replace("$$(", "$(")).collect();
    assert_eq!(after, HOSTILE);
    assert!(words.contains(&"$$(touch x)"));
    let line = shell_line(&requested(1).command);
    let message = run("bash", &["-c", &format!("printf '%s\\n' {line}")]);
    assert_eq!(String::from_utf8(message.stdout).unwrap().lines().collect::<Vec<_>>(), HOSTILE);
    let nomad = nomad();
    assert!(
        nomad.contains("\"$${HOME}\"") && nomad.contains("\"%%{if}\"") && nomad.contains(r#""\"""#),
        "{nomad}"
    );
}

#[test]
fn yaml_document_equals_its_value() {
    let documents = kubernetes().documents(&requested(2)).unwrap();
    for document in &documents {
        let text = yaml::document(document);
        // Every text and number, in order, as JSON writes it.
        let mut scalars = Vec::new();
        gather(document, &mut scalars);
        let mut rest = text.as_str();
        for scalar in &scalars {
            let at = rest
                .find(scalar.as_str())
                .unwrap_or_else(|| panic!("{scalar} is missing:\n{text}"));
            rest = &rest[at + scalar.len()..];
        }
    }
    let sample =
        serde_json::json!({"a": [{"b": 1, "c-d": {}}, ["x", []], "y: z"], "e": {"f": null}});
    let expected =
        "a:\n  - b: 1\n    \"c-d\": {}\n  -\n    - \"x\"\n    - []\n  - \"y: z\"\ne:\n  f: null\n";
    assert_eq!(yaml::document(&sample), expected);
}

fn gather(value: &Value, into: &mut Vec<String>) {
    match value {
        Value::Object(members) => members.values().for_each(|value| gather(value, into)),
        Value::Array(elements) => elements.iter().for_each(|value| gather(value, into)),
        scalar => into.push(scalar.to_string()),
    }
}

fn run(program: &str, words: &[&str]) -> Output {
    Command::new(program).args(words).output().unwrap_or_else(|error| panic!("{program}: {error}"))
}

#[test]
fn scripts_pass_bash_and_shellcheck() {
    let directory = tempfile::tempdir().unwrap();
    for (name, text) in [("slurm", slurm()), ("ssh", ssh(3))] {
        let path = directory.path().join(name);
        fs::write(&path, &text).unwrap();
        let path = path.display().to_string();
        let checked = run("bash", &["-n", &path]);
        assert!(checked.status.success(), "{name}: {checked:?}\n{text}");
        if require(&["shellcheck"]) {
            let checked = run("shellcheck", &[&path]);
            assert!(
                checked.status.success(),
                "{name}: {}\n{text}",
                String::from_utf8_lossy(&checked.stdout)
            );
        }
    }
    for option in [
        "--nodes=5",
        "--ntasks-per-node=1",
        "--exclusive",
        "--no-requeue",
        "--time=61",
        "--partition=short",
    ] {
        assert!(slurm().contains(&format!("\n#SBATCH {option}\n")), "{option}");
    }
}

/// Writes an executable shell script.
fn program(directory: &Path, name: &str, text: &str) {
    let path = directory.join(name);
    fs::write(&path, format!("#!/bin/bash\n{text}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn ssh_agents_end_with_the_script() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    // This stands in for ssh and for the agent: it logs its arguments, and ends when its input does.
    program(directory.path(), "ssh", "echo \"$@\" >> \"$0.log\"; cat; echo ended >> \"$0.log\"");
    // The run begins when both agents are present.
    let brunt = "until [ \"$(grep -c with-stdin \"${0%brunt}ssh.log\")\" = 2 ]; do sleep 0.01; done\n\
                 printf '%s\\n' \"$@\" > \"$0.log\"; exit 7";
    program(directory.path(), "brunt", brunt);
    fs::write(at("run.sh"), ssh(2)).unwrap();
    fs::write(at("ssh.log"), "").unwrap();
    let path =
        format!("{}:{}", directory.path().display(), std::env::var("PATH").unwrap_or_default());
    let ended = Command::new("bash")
        .arg(at("run.sh"))
        .env("PATH", path)
        .env("BRUNT_KEYS", "/k")
        .output()
        .unwrap();
    assert_eq!(ended.status.code(), Some(7), "{ended:?}");
    let log = fs::read_to_string(at("ssh.log")).unwrap();
    assert_eq!(log.matches("ended").count(), 2, "{log}");
    for index in 0..2 {
        let called = format!("-- jo@load{index} exec brunt agent --once");
        assert!(log.contains(&called) && log.contains("--keys brunt-keys"), "{log}");
    }
    let words = fs::read_to_string(at("brunt.log")).unwrap();
    let words: Vec<&str> = words.lines().collect();
    assert_eq!(words[..2], ["cluster", "run"]);
    assert_eq!(words[words.len() - HOSTILE.len()..], *HOSTILE);
    assert!(words.contains(&"/k/coordinator") && words.contains(&"--agents"), "{words:?}");
}

#[test]
fn nomad_job_restarts_nothing_and_is_well_formed() {
    let text = nomad();
    let (mut depth, mut quoted, mut before) = (0, false, ' ');
    for it in text.lines().filter(|line| !line.starts_with('#')).flat_map(str::chars) {
        match it {
            '"' if before != '\\' => quoted = !quoted,
            '{' if !quoted => depth += 1,
            '}' if !quoted => depth -= 1,
            _ => {}
        }
        before = if before == '\\' { ' ' } else { it };
        assert!(depth >= 0, "{text}");
    }
    assert_eq!((depth, quoted), (0, false), "{text}");
    assert_eq!(text.matches("attempts = 0\n      mode     = \"fail\"").count(), 2);
    assert_eq!(text.matches("unlimited = false").count(), 2);
    assert!(text.contains("count = 4") && text.contains("distinct_hosts = true"));
    assert!(text.contains("agent-${NOMAD_ALLOC_INDEX}"));
}

#[test]
fn manifest_is_deterministic_and_names_are_validated() {
    assert_eq!(kubernetes().text(&requested(3)), kubernetes().text(&requested(3)));
    assert_eq!((slurm(), ssh(2), nomad()), (slurm(), ssh(2), nomad()));
    let with = |change: &dyn Fn(&mut LaunchOptions)| {
        let mut requested = requested(1);
        change(&mut requested);
        Slurm::default().text(&requested)
    };
    assert!(with(&|_| {}).is_ok());
    assert!(with(&|it| it.nats = "nats://nats.lab:4222".to_owned()).is_err(), "without TLS");
    assert!(with(&|it| it.nats = "tls://x;id".to_owned()).is_err());
    assert!(with(&|it| it.pool = "a b".to_owned()).is_err());
    assert!(with(&|it| it.command = vec!["a\nb".to_owned()]).is_err());
    assert!(
        Slurm { partition: Some("x\n#SBATCH -x".to_owned()), account: None }
            .text(&requested(1))
            .is_err()
    );
    assert!(Ssh { hosts: vec!["-oProxyCommand=id".to_owned()] }.text(&requested(1)).is_err());
    assert!(Ssh { hosts: vec!["a".to_owned()] }.text(&requested(2)).is_err());
    assert!(Kubernetes { image: "x y".to_owned(), ..kubernetes() }.text(&requested(1)).is_err());
    assert!(kubernetes().text(&requested(201)).is_err());
}
