//! Tests the plans in `examples/plans` and `examples/identity`: the reader and the schema must accept each.

use std::path::{Path, PathBuf};

use brunt_engine::{Load, Node};
use brunt_flow_driver::Order;
use brunt_run::options::surroundings::Surroundings;

use super::broken::Sparse;
use super::compile::{CompileEnvironment, Compiled, compile};
use super::model::Plan;
use super::reader::{Text, read};
use super::{merged, preview, schema};

/// The machine, with the variables that examples refer to.
struct ExampleMachine;

impl Surroundings for ExampleMachine {
    fn variable(&self, name: &str) -> Option<String> {
        (name == "CLIENT_SECRET").then(|| "opensesame".to_owned())
    }

    fn files(&self) -> brunt_run::Files {
        brunt_run::Files::default()
    }

    fn read(&self, path: &Path) -> std::io::Result<Vec<u8>> {
        std::fs::read(path)
    }

    fn interactive(&self) -> bool {
        Sparse.interactive()
    }

    fn prompt(&self, prompt: &str) -> std::io::Result<brunt_net::secret::Secret> {
        Sparse.prompt(prompt)
    }
}

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../examples/plans")
}

/// Every example: its name, seen from `examples/plans`, and its text.
fn examples() -> Vec<(String, String)> {
    let plans = |below: &str| {
        let below = below.to_owned();
        let files = std::fs::read_dir(directory().join(&below)).unwrap();
        let files = files.map(|entry| entry.unwrap().path());
        let plans = files.filter(|path| path.extension().is_some_and(|it| it == "toml"));
        plans.map(move |path| {
            let name = format!("{below}{}", path.file_name().unwrap().to_string_lossy());
            (name, std::fs::read_to_string(&path).unwrap())
        })
    };
    let identity = ["idp", "keycloak", "openam", "pingds", "scim"];
    let identity = identity.map(|kind| format!("../identity/{kind}/"));
    plans("").chain(identity.iter().flat_map(|below| plans(below))).collect()
}

/// The directory of an example.
fn base(name: &str) -> PathBuf {
    directory().join(name).parent().unwrap().to_owned()
}

fn plan(name: &str, text: &str) -> Plan {
    let text = Text { name, text, unset: &[], overrides: &[] };
    read(&text, &|name| ExampleMachine.variable(name))
        .unwrap_or_else(|error| panic!("{error}"))
        .plan
}

fn compiled(name: &str, plan: &Plan) -> Compiled {
    let environment = CompileEnvironment { surroundings: &ExampleMachine, base: &base(name) };
    compile(plan, Node::default(), 7, &environment)
        .unwrap_or_else(|fault| panic!("{name}: {fault}"))
}

fn json(text: &str) -> serde_json::Value {
    serde_json::to_value(text.parse::<toml::Table>().unwrap()).unwrap()
}

#[test]
fn examples_are_accepted_by_reader_and_schema() {
    let schema: serde_json::Value = serde_json::from_str(&schema::text()).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    assert!(examples().len() >= 3);
    for (name, text) in examples() {
        let plan = plan(&name, &text);
        let compiled = compiled(&name, &plan);
        let errors: Vec<String> =
            validator.iter_errors(&json(&text)).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{name}: {errors:?}");
        // The merged text of a plan is a plan as well, and the same one.
        let shown = merged::text(&plan, compiled.settings.sessions, 7);
        let again = super::examples::plan("shown", &shown);
        assert!(validator.is_valid(&json(&shown)), "{name}: {shown}");
        assert_eq!(merged::text(&again, compiled.settings.sessions, 7), shown, "{name}");
    }
}

/// If the schema accepted what the reader refuses, an editor would show no error.
#[test]
fn schema_refuses_what_the_reader_refuses() {
    let schema: serde_json::Value = serde_json::from_str(&schema::text()).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let mut tried = 0;
    for (name, text) in examples() {
        for (number, line) in text.lines().enumerate() {
            let Some((key, _)) =
                line.split_once(" = ").filter(|(key, _)| !key.contains(['#', '"', '{', ' ']))
            else {
                continue;
            };
            if key.is_empty() || line.starts_with(char::is_uppercase) {
                continue;
            }
            let misspelt: Vec<String> = text
                .lines()
                .enumerate()
                .map(|(n, line)| {
                    if n == number {
                        line.replacen(key, &format!("{key}x"), 1)
                    } else {
                        line.to_owned()
                    }
                })
                .collect();
            let misspelt = misspelt.join("\n");
            let Ok(table) = misspelt.parse::<toml::Table>() else { continue };
            let read =
                read(&Text { name: &name, text: &misspelt, unset: &[], overrides: &[] }, &|name| {
                    ExampleMachine.variable(name)
                });
            // Names that the user chooses can be anything.
            if let Err(error) = read {
                tried += 1;
                assert!(error.to_string().contains(&format!("{name}:{}", number + 1)), "{error}");
                let table = serde_json::to_value(table).unwrap();
                assert!(
                    !validator.is_valid(&table),
                    "{name}: the schema takes line {}: {key}x",
                    number + 1
                );
            }
        }
    }
    assert!(tried > 40, "{tried}");
}

/// A plan that is cut off anywhere, or has a line too few or too many, gives a plan or an error, and never a panic. Of
/// all places one in three is tried.
#[test]
fn truncated_plan_is_valid_or_an_error_with_its_place() {
    let mut wrong = 0;
    for (name, text) in examples() {
        let lines: Vec<&str> = text.lines().collect();
        let without = (0..lines.len()).map(|number| {
            let rest = lines.iter().enumerate().filter(|(n, _)| *n != number);
            rest.map(|(_, line)| *line).collect::<Vec<_>>().join("\n")
        });
        let twice = (0..lines.len()).map(|number| {
            let (before, after) = lines.split_at(number);
            [before, &lines[number..=number], after].concat().join("\n")
        });
        let places = (0..text.len()).step_by(3).filter(|at| text.is_char_boundary(*at));
        let cut = places.map(|at| text[..at].to_owned());
        for text in without.chain(twice).chain(cut) {
            let text = Text { name: "p.toml", text: &text, unset: &[], overrides: &[] };
            let environment =
                CompileEnvironment { surroundings: &ExampleMachine, base: &base(&name) };
            let error = match read(&text, &|name| ExampleMachine.variable(name)) {
                Err(error) => error,
                Ok(written) => match compile(&written.plan, Node::default(), 7, &environment) {
                    Err(fault) => written.error(fault),
                    Ok(_) => continue,
                },
            };
            wrong += 1;
            assert!(error.to_string().starts_with("p.toml:"), "{name}: {error}");
        }
    }
    assert!(wrong > 1_000, "{wrong}");
}

#[test]
fn example_login_compiles_to_what_it_describes() {
    let (name, text) = examples().into_iter().find(|(name, _)| name == "login.toml").unwrap();
    let plan = plan(&name, &text);
    let compiled = compiled(&name, &plan);
    let flow = &compiled.flow;
    assert_eq!(flow.operations, ["authenticate", "read", "logout", "wrong password"]);
    assert!(matches!(&flow.order, Order::Weights(weights) if *weights == [9, 1]));
    assert!(matches!(compiled.settings.load, Load::Closed(_)) && !flow.arrivals);
    assert_eq!(
        (compiled.settings.sessions, compiled.settings.stop.time.map(|t| t.as_secs())),
        (20, Some(10))
    );
    // Three requests and a pause; the think time is not a step.
    assert_eq!(flow.scenarios[0].steps.len(), 4);
    assert!(flow.between.think.is_some());
}

#[test]
fn preview_shows_first_requests_and_no_secret() {
    for (name, text) in examples() {
        let plan = plan(&name, &text);
        let compiled = compiled(&name, &plan);
        let shown = format!("{}{}", merged::text(&plan, 1, 7), preview::text(&plan, &compiled));
        assert!(!shown.contains("opensesame"), "{shown}");
        // `brunt:opensesame` in base64.
        assert!(!shown.contains("YnJ1bnQ6b3BlbnNlc2FtZQ"), "{shown}");
        if name == "tokens.toml" {
            for part in [
                "POST http://127.0.0.1:8080/oauth2/access_token",
                "Authorization: Basic ***",
                "grant_type=password&username=user.",
                "&scope=openid+profile&nonce=",
                "Authorization: Bearer <access>",
                "kept as access: the JSON value at '/access_token'",
                "in stages: ramp 20..100 over 5s",
                "only with refresh",
            ] {
                assert!(shown.contains(part), "{part} is not in {shown}");
            }
        }
    }
}
