//! Tests that an edit changes only what it names: comments, order, and the content of a form.

use proptest::prelude::*;
use proptest::sample::Index;

use super::*;

const PLAN: &str = include_str!("testdata/plan.toml");

fn key(key: &str) -> Part {
    Part::Key(key.to_owned())
}

/// A path as a test writes it: keys, and numbers of elements.
fn path(text: &str) -> Vec<Part> {
    let parts = text.split('.').filter(|part| !part.is_empty());
    parts.map(|part| part.parse().map_or_else(|_| key(part), Part::Index)).collect()
}

fn set(at: &str, text: &str) -> Change {
    Change::Set { path: path(at), text: text.to_owned() }
}

fn add(at: &str, name: &str) -> Change {
    Change::Add { path: path(at), key: Some(name.to_owned()), at: None }
}

fn more(at: &str) -> Change {
    Change::Add { path: path(at), key: None, at: None }
}

fn unset(at: &str) -> Change {
    Change::Unset { path: path(at) }
}

fn edited(text: &str, changes: Vec<Change>, at: &str) -> EditReply {
    reply_to(&EditRequest {
        text: text.to_owned(),
        changes,
        at: path(at),
        ..EditRequest::default()
    })
}

/// The differences between two texts, line by line: removed lines and added ones.
fn difference(before: &str, after: &str) -> (Vec<String>, Vec<String>) {
    let mut gone: Vec<&str> = before.lines().collect();
    let mut came = Vec::new();
    for line in after.lines() {
        match gone.iter().position(|one| *one == line) {
            Some(at) => drop(gone.remove(at)),
            None => came.push(line.to_owned()),
        }
    }
    let lines = |lines: Vec<&str>| {
        lines.into_iter().map(str::to_owned).filter(|line| !line.is_empty()).collect()
    };
    (lines(gone), came)
}

#[test]
fn edit_changes_only_its_lines() {
    let shapes = Shapes::of_plans();
    for (change, gone, came) in [
        (
            set("run.users", "50"),
            "users = 20 # as many as in production",
            "users = 50 # as many as in production",
        ),
        (set("run.think", "1s"), "", "think = \"1s\""),
        (set("name", "x"), "name = \"visit\"", "name = \"x\""),
        (unset("run.users"), "users = 20 # as many as in production", "# as many as in production"),
        (
            set("scenario.0.steps.0.headers.X-Odd key", "a\"b"),
            "headers = { Accept = \"text/html\" }",
            "headers = { Accept = \"text/html\", \"X-Odd key\" = 'a\"b' }",
        ),
        (
            unset("scenario.0.steps.0.headers.Accept"),
            "headers = { Accept = \"text/html\" }",
            "headers = {  }",
        ),
        (unset("objectives.0"), "  \"errors < 1%\", # none", "  # none"),
        (add("http", "tls"), "", "tls = {}"),
        (add("", "ldap"), "", "[ldap]|server = \"\""),
        (set("variables.who", "x"), "", "who = \"x\""),
        (
            more("scenario.0.steps.1.checks"),
            "checks = [{ code = true, equals = 200 }]",
            "checks = [{ code = true, equals = 200 }, { code = true, equals = 200 }]",
        ),
        (more("scenario.1.steps"), "", "[[scenario.steps]]|get = \"/\""),
        (more("scenario"), "", "[[scenario]]|[[scenario.steps]]|get = \"/\""),
        (
            unset("scenario.1"),
            "[[scenario]]|name = \"rare\"|weight = 1|[[scenario.steps]]|# last|pause = \"2s\"",
            "",
        ),
    ] {
        let after =
            changed(PLAN, &change, &shapes).unwrap_or_else(|why| panic!("{change:?}: {why}"));
        let lines = |text: &str| {
            text.split('|').filter(|line| !line.is_empty()).map(str::to_owned).collect::<Vec<_>>()
        };
        let (mut went, mut new) = difference(PLAN, &after);
        let (mut gone, mut came) = (lines(gone), lines(came));
        new.retain(|line| !line.is_empty());
        for list in [&mut went, &mut new, &mut gone, &mut came] {
            list.sort();
        }
        assert_eq!((went, new), (gone, came), "{change:?}:\n{after}");
    }
}

#[test]
fn move_takes_comments_along() {
    let shapes = Shapes::of_plans();
    let forth = Change::Move { path: path("scenario.0.steps.0"), to: 2 };
    let back = Change::Move { path: path("scenario.0.steps.2"), to: 0 };
    let moved = changed(PLAN, &forth, &shapes).unwrap();
    assert_eq!(difference(PLAN, &moved), (Vec::new(), Vec::new()), "{moved}");
    let above = moved.split("get = \"/\"").next().unwrap();
    assert!(above.ends_with("# The first page.\n[[scenario.steps]]\n"), "{moved}");
    assert_eq!(changed(&moved, &back, &shapes).unwrap(), PLAN);
    let scenarios = Change::Move { path: path("scenario.1"), to: 0 };
    let moved = changed(PLAN, &scenarios, &shapes).unwrap();
    assert_eq!(read(&moved).unwrap()["scenario"][0]["name"].as_str(), Some("rare"));
    assert_eq!(difference(PLAN, &moved), (Vec::new(), Vec::new()), "{moved}");
}

#[test]
fn first_invalid_change_is_named_after_applying_earlier_ones() {
    let changes = vec![set("run.users", "50"), set("run.users", "many"), set("name", "x")];
    let reply = edited(PLAN, changes, "run");
    assert_eq!(reply.refused, Some(1), "{}", reply.fault);
    assert!(reply.text.contains("users = 50") && !reply.text.contains("name = \"x\""));
    assert_eq!(edited(PLAN, vec![set("run.users", "50")], "run").refused, None);
}

#[test]
fn invalid_change_is_refused_without_effect() {
    for change in [
        set("run.users", "many"),
        set("run.users.x", "1"),
        unset("run.nothing"),
        unset(""),
        more("run"),
        add("run", "users"),
        Change::Move { path: path("scenario.0.steps.0"), to: 99 },
        Change::Paste { path: path("scenario.0.steps"), text: "= x".to_owned(), at: None },
        Change::Choose { path: path("run.users"), kind: 7 },
    ] {
        let reply = edited(PLAN, vec![change.clone()], "");
        assert!(!reply.fault.is_empty(), "{change:?}");
        assert_eq!(reply.text, PLAN, "{change:?}");
    }
    let reply = edited("a = ", Vec::new(), "");
    assert!(reply.form.is_none() && reply.fault.contains("line 1"), "{}", reply.fault);
}

#[test]
fn form_shows_present_and_possible_values() {
    let requested = |at: &str| edited(PLAN, Vec::new(), at);
    let run = requested("run").form.unwrap();
    let users = run.parts.iter().find(|part| part.label == "users").unwrap();
    assert_eq!((users.widget, users.value.as_str(), users.loadgen), ("number", "20", "threads"));
    assert!(
        run.add.iter().any(|add| add.word == "rate")
            && !run.add.iter().any(|add| add.word == "users")
    );
    let step = requested("scenario.0.steps.1").form.unwrap();
    let widgets: Vec<(&str, &str)> =
        step.parts.iter().map(|part| (part.label.as_str(), part.widget)).collect();
    assert_eq!(
        widgets,
        [
            ("post", "text"),
            ("basic", "object"),
            ("json", "toml"),
            ("checks", "list"),
            ("timeout", "time"),
            ("extract", "map"),
        ]
    );
    let password = &step.parts[1].parts[1];
    assert_eq!(
        (password.label.as_str(), password.widget, password.value.as_str()),
        ("password", "secret", "")
    );
    assert_eq!(
        requested("").outline.iter().map(|entry| entry.label.as_str()).collect::<Vec<_>>(),
        [
            "Plan",
            "Load",
            "HTTP",
            "Variables",
            "Scenario usual",
            "get /",
            "post /login",
            "pause 1s",
            "Scenario rare",
            "pause 2s",
        ]
    );
    assert_eq!(requested("").names, ["number", "token"]);
    // If the requested part no longer exists, the form is that of the part above.
    assert_eq!(requested("scenario.7.steps.1").form.unwrap().label, "scenario");
}

#[test]
fn copied_step_equals_the_original() {
    let shapes = Shapes::of_plans();
    let own = edited(PLAN, Vec::new(), "scenario.0.steps.1").own;
    let paste = Change::Paste { path: path("scenario.1.steps"), text: own, at: Some(0) };
    let after = read(&changed(PLAN, &paste, &shapes).unwrap()).unwrap();
    assert_eq!(after["scenario"][1]["steps"][0], after["scenario"][0]["steps"][1]);
}

#[test]
fn alone_uses_one_user_and_thresholds_are_set() {
    let shapes = Shapes::of_plans();
    let alone = Change::Alone { duration: "30s".to_owned() };
    let crowded = PLAN.replace("users = 20", "rate = \"5/s\"\nusers = 20");
    let after = read(&changed(&crowded, &alone, &shapes).unwrap()).unwrap();
    assert_eq!(after["run"].as_table().unwrap().len(), 2);
    assert_eq!(after["run"]["users"].as_integer(), Some(1));
    assert_eq!(after["run"]["duration"].as_str(), Some("30s"));
    let of = [("get /", "12ms"), ("nothing", "1s")];
    let of = of.map(|(name, time)| (name.to_owned(), time.to_owned())).into();
    let (gone, came) =
        difference(PLAN, &changed(PLAN, &Change::Thresholds { of }, &shapes).unwrap());
    assert_eq!((gone, came), (Vec::new(), vec!["threshold = \"12ms\"".to_owned()]));
}

#[test]
fn search_edit_removes_rate_and_duration() {
    let shapes = Shapes::of_plans();
    let crowded = "# Kept.\n[run]\nrate = \"5/s\"\nbacklog = 9\nusers = 20\nthink = \"1s\"\nback-off = \"1s\"\n\
                   warm-up = \"1s\"\nduration = \"5s\"\nseed = 7\ntimeout = \"2s\" # kept too\n";
    let after = changed(crowded, &Change::Search, &shapes).unwrap();
    assert_eq!(after, "# Kept.\n[run]\nseed = 7\ntimeout = \"2s\" # kept too\n");
}

/// Every path of a value, and how many elements its list has.
fn paths(value: &Value, at: &mut Vec<Part>, all: &mut Vec<(Vec<Part>, usize)>) {
    match value {
        Value::Table(table) => {
            for (name, value) in table {
                at.push(key(name));
                all.push((at.clone(), 0));
                paths(value, at, all);
                at.pop();
            }
        }
        Value::Array(list) => {
            for (index, value) in list.iter().enumerate() {
                at.push(Part::Index(index));
                all.push((at.clone(), list.len()));
                paths(value, at, all);
                at.pop();
            }
        }
        _ => {}
    }
}

fn comments(text: &str) -> Vec<&str> {
    let mut all: Vec<&str> =
        text.lines().filter_map(|line| line.find("# ").map(|at| &line[at..])).collect();
    all.sort_unstable();
    all
}

const PLANS: [&str; 4] = [
    PLAN,
    include_str!("../../../../../examples/plans/login.toml"),
    include_str!("../../../../../examples/plans/keycloak.toml"),
    include_str!("../../../../../examples/plans/mixed.toml"),
];

/// What a typed text means: the text itself, or TOML if the schema has no kind for it and it is TOML.
fn meant(shapes: &Shapes, values: &Value, path: &[Part], typed: &str) -> Value {
    let shape = shapes.at(values, path);
    let known = shape.is_some_and(|shape| {
        let shape = shapes.fitting(&shape, whole::at(values, path));
        shape.is("string") || !shape.words().is_empty()
    });
    let spelled = toml::from_str::<toml::Table>(&format!("value = {typed}")).ok();
    let spelled = spelled.filter(|_| !known).and_then(|mut table| table.remove("value"));
    spelled.unwrap_or_else(|| Value::from(typed))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Forty random edits: each is made as intended or not at all, and a comment is removed only with its item.
    #[test]
    fn random_edits_keep_comments_and_meaning(
        plan in 0..PLANS.len(),
        edits in prop::collection::vec((0..5_u8, any::<Index>(), any::<Index>(), "[a-z\"'\\\\\n#${}]{0,6}"), 40),
    ) {
        let shapes = Shapes::of_plans();
        let mut text = PLANS[plan].to_owned();
        let (mut made, mut refused) = (0, 0);
        for (kind, which, to, typed) in edits {
            let values = read(&text).unwrap();
            let mut all = Vec::new();
            paths(&values, &mut Vec::new(), &mut all);
            if all.is_empty() {
                break;
            }
            let (path, beside) = all[which.index(all.len())].clone();
            let is_list = whole::at(&values, &path).is_some_and(Value::is_array);
            let change = match kind {
                0 if whole::at(&values, &path).is_some_and(Value::is_str) => Change::Set { path, text: typed },
                1 if beside > 1 => Change::Move { path, to: to.index(beside) },
                2 if is_list => Change::Add { path, key: None, at: Some(to.index(4)) },
                3 => Change::Add { path, key: Some(format!("k{}", to.index(1_000))), at: None },
                4 if path.len() > 2 => Change::Unset { path },
                _ => continue,
            };
            let Ok(after) = changed(&text, &change, &shapes) else {
                refused += 1;
                continue;
            };
            made += 1;
            if !matches!(change, Change::Unset { .. } | Change::Set { .. }) {
                prop_assert_eq!(comments(&text), comments(&after), "{:?}", change);
            }
            // The form of the resulting text shows the value that was set.
            if let Change::Set { path, text: typed } = &change {
                let now = read(&after).unwrap();
                let expected = meant(&shapes, &values, path, typed);
                prop_assert_eq!(whole::at(&now, path), Some(&expected));
                let old = whole::at(&values, path).and_then(Value::as_str).unwrap_or_default();
                let lines = |text: &str| 2 + text.matches('\n').count() * 2;
                let (gone, came) = difference(&text, &after);
                let few = gone.len() < lines(old) && came.len() < lines(typed);
                prop_assert!(few, "{:?}: {:?} {:?}", change, gone, came);
            }
            text = after;
        }
        prop_assert!(refused <= made + 12, "{} of {} were refused", refused, refused + made);
    }
}
