//! Wrong groups, branches and repetitions.

use super::{expect, step};

/// A group with these keys, and a step in it.
fn group(keys: &str) -> String {
    step(&format!("name = \"g\"\n{keys}\nsteps = [{{ get = \"/\" }}]"))
}

#[test]
fn group_errors() {
    expect(
        &step("steps = [{ get = \"/\" }]"),
        "p.toml:3:1: scenario[1].steps[1]:",
        &["a group without a name", "name = \"login\""],
    );
    expect(
        &step("name = \"g\"\nget = \"/\"\nsteps = [{ get = \"/\" }]"),
        "p.toml:6:9: scenario[1].steps[1].steps:",
        &["makes this a group"],
    );
    let nested = (0..5).fold("{ get = \"/\" }".to_owned(), |inner, depth| {
        format!("{{ name = \"g{depth}\", steps = [{inner}] }}")
    });
    expect(&step(&format!("name = \"g\"\nsteps = [{nested}]")), "p.toml:5", &["within 4 others"]);
    expect(&step("get = \"/\"\nchoose = \"first\""), "p.toml:5:10", &["belongs to a group"]);
    expect(&step("get = \"/\"\nrepeat = { times = 2 }"), "p.toml:5:10", &["belongs to a group"]);
    expect(&step("get = \"/\"\nweight = 2"), "p.toml:5:10", &["choose = \"weights\""]);
    expect(
        &step("name = \"g\"\nsteps = [{ name = \"g\", get = \"/\" }]"),
        "p.toml:2:1: scenario:",
        &["'g' is the name of a step and that of a group"],
    );
}

#[test]
fn branch_errors() {
    expect(&group("choose = \"weight\""), "p.toml:5:10", &["weights"]);
    expect(
        &step("name = \"g\"\nchoose = \"first\"\nsteps = [{ get = \"/\" }, { get = \"/b\" }]"),
        "p.toml:6:10: scenario[1].steps[1].steps[1]:",
        &["has no 'when'", "put it last"],
    );
    expect(
        &step("name = \"g\"\nchoose = \"weights\"\nsteps = [{ get = \"/\", weight = 0 }]"),
        "p.toml:6:9",
        &["no weight above 0"],
    );
    expect(&step("get = \"/\"\nwhen = [{ value = \"x\" }]"), "p.toml:5:19", &["has no variable"]);
    expect(
        &step("get = \"/\"\nwhen = [{ value = \"${run.user}\", equal = 1 }]"),
        "p.toml:5:34",
        &["did you mean 'equals'?"],
    );
    expect(
        &step("get = \"/\"\nwhen = [{ value = \"${run.user}\", between = \"5..1\" }]"),
        "p.toml:5:44",
        &["must be a range"],
    );
}

#[test]
fn weight_errors() {
    let weight = |variables: &str, weight: &str| {
        let keys = "name = \"g\"\nchoose = \"weights\"\nsteps = [";
        let text =
            step(&format!("{keys}{{ get = \"/\", weight = {weight} }}, {{ get = \"/b\" }}]"));
        format!("{text}[variables]\n{variables}\n")
    };
    let at = "p.toml:6:32: scenario[1].steps[1].steps[1].weight:";
    for (given, found) in [
        ("-1", "is -1"),
        ("1.5", "is 1.5"),
        ("4294967296", "is 4294967296"),
        ("true", "is true"),
        ("\"many\"", "is \"many\""),
        ("\"${share}\"", "is \"${share}\", which is \"some\""),
    ] {
        let text = weight("share = \"${part}\"\npart = \"some\"", given);
        expect(&text, at, &[found, "a whole number of 0 or more", "such as \"${logout}\""]);
    }
    expect(&weight("", "\"${shar}\""), at, &["uses the variable 'shar'"]);
    for given in ["0", "\"7\"", "\"${share}\"", "\"${drawn}\"", "\"${run.user}\""] {
        let text = weight("share = 30\ndrawn = { random = \"1..9\" }", given);
        assert_eq!(super::message(&text), None, "{text}");
    }
}

#[test]
fn parallel_errors() {
    let at_once = |keys: &str, steps: &str| {
        step(&format!("name = \"g\"\nparallel = {keys}\nsteps = [{{ get = \"/\" }}, {steps}]"))
    };
    let get = "{ get = \"/b\" }";
    for wrong in ["false", "1", "-3", "\"all\""] {
        expect(&at_once(wrong, get), "p.toml:5:12: scenario[1].steps[1].parallel:", &["true"]);
    }
    expect(&step("get = \"/\"\nparallel = true"), "p.toml:5:12", &["belongs to a group"]);
    expect(
        &at_once("true\nchoose = \"weights\"", get),
        "p.toml:5:12: scenario[1].steps[1].parallel:",
        &["cannot be used with 'choose'"],
    );
    for (keys, key) in [
        ("pause = \"1s\"", "pause"),
        ("name = \"h\", steps = [{ get = \"/c\" }]", "steps"),
        ("dhcp = \"acquire\"", "dhcp"),
        ("get = \"/c\", retry = { times = 2 }", "retry"),
        ("get = \"/c\", connection = \"new\"", "connection"),
    ] {
        let at = format!(": scenario[1].steps[1].steps[2].{key}:");
        expect(
            &at_once("2", &format!("{{ {keys} }}")),
            "p.toml:6:",
            &[&at, "single requests over HTTP"],
        );
    }
    expect(
        &at_once(
            "2",
            "{ name = \"a\", get = \"/a\", extract = { id = \"/id\" } }, { get = \"/x/${id}\" }",
        ),
        "p.toml:6:",
        &["steps[3]: uses 'id', which 'a' extracts", "before or after the group"],
    );
    let many = vec![get; 100].join(", ");
    expect(&at_once("6", &many), "p.toml", &["has 101 steps", "maximum is 100"]);
}

#[test]
fn repeat_errors() {
    let repeat = |keys: &str| group(&format!("repeat = {{ {keys} }}"));
    expect(&repeat(""), "p.toml:5:10", &["does not say how often"]);
    expect(&repeat("times = 0"), "p.toml:5:20", &["is 0"]);
    expect(&repeat("times = -1"), "p.toml:5:20", &["a whole number above 0"]);
    expect(&repeat("times = \"${run.user}\""), "p.toml:5:20", &["needs 'most'"]);
    expect(&repeat("while = [{ value = \"${run.user}\" }]"), "p.toml:5:20", &["needs 'most'"]);
    expect(&repeat("times = 2, pause = \"soon\""), "p.toml:5:31", &["failed to"]);
    expect(
        &repeat("times = 100001"),
        "p.toml:3:1: scenario[1].steps:",
        &["makes up to 100001 exchanges an iteration", "maximum is 100000"],
    );
}

#[test]
fn retry_and_poll_errors() {
    let get = |keys: &str| step(&format!("get = \"/\"\n{keys}"));
    expect(&get("retry = { times = 0 }"), "p.toml:5:19", &["between 1 and 1000"]);
    expect(&get("retry = { of = [\"closd\"] }"), "p.toml:5:16", &["did you mean 'closed'?"]);
    expect(&get("retry = { of = \"9x\" }"), "p.toml:5:16", &["neither a code such as"]);
    expect(&get("every = \"5s\""), "p.toml:5:9", &["belongs to 'pending'"]);
    let pending = |keys: &str| get(&format!("pending = [{{ code = true, equals = 202 }}]\n{keys}"));
    expect(&pending(""), "p.toml:3", &["'pending' needs the time between two requests"]);
    expect(&pending("every = \"5ms\""), "p.toml:6:9", &["at least 100ms"]);
    expect(&pending("every = \"often\""), "p.toml:6:9", &["must be a time"]);
    expect(&get("connection = \"old\""), "p.toml:5:14", &["new"]);
    expect(
        &step("get = \"/\"\nextract = { t = { json = \"/t\", expires = { early = \"1s\" } } }"),
        "p.toml:5",
        &["what to check"],
    );
}
