//! Wrong tables `[prepare]` and `[clean-up]`, and values that would not be there where they are used.

use super::{expect, message};

/// A plan with these tables before its scenario, whose step is this.
fn plan(tables: &str, step: &str) -> String {
    format!("http.base = \"http://x\"\n{tables}\n[[scenario]]\nsteps = [{{ {step} }}]\n")
}

const TOKEN: &str = "steps = [{ post = \"/token\", extract = { admin = \"/token\" } }]";

#[test]
fn prepare_and_clean_up_errors() {
    let get = "get = \"/\"";
    for table in ["prepare", "clean-up"] {
        let of = |keys: &str| plan(&format!("[{table}]\n{keys}"), get);
        expect(&of("each = \"once\""), "p.toml:3:8", &["run", "node", "user"]);
        expect(
            &of("steps = []"),
            &format!("p.toml:3:9: {table}.steps:"),
            &["no step that sends anything"],
        );
        let dhcp = "steps = [{ dhcp = \"acquire\" }]";
        expect(&of(dhcp), &format!("p.toml:3:9: {table}.steps:"), &["only scenarios can have"]);
        let zero = "within = \"0s\"\nsteps = [{ get = \"/\" }]";
        expect(&of(zero), &format!("p.toml:3:10: {table}.within:"), &["more than 0"]);
        let wrong = "steps = [{ get = \"/\", statu = 200 }]";
        expect(&of(wrong), "p.toml:3", &["did you mean 'status'?"]);
        let many =
            "steps = [{ name = \"g\", repeat = { times = 100001 }, steps = [{ get = \"/\" }] }]";
        expect(&of(many), "p.toml:3", &["maximum is 100000"]);
    }
}

#[test]
fn extracted_value_scope_errors() {
    let node = "[variables]\nadmin = { extracted = \"node\" }\n";
    let uses = "get = \"/\", bearer = \"${admin}\"";
    expect(&plan(node, uses), "p.toml:3:23: variables.admin.extracted:", &["no step of [prepare]"]);
    expect(
        &plan(&format!("{node}[prepare]\n{TOKEN}"), "get = \"/\", extract = { admin = \"/a\" }"),
        "p.toml:7",
        &["a value of all users", "only steps of [prepare] can"],
    );
    let each = |kind: &str, each: &str| {
        let variable = format!("[variables]\nadmin = {{ extracted = \"{kind}\" }}\n");
        plan(&format!("{variable}[prepare]\neach = \"{each}\"\n{TOKEN}"), uses)
    };
    expect(&each("node", "user"), "p.toml:6", &["declare it with extracted = \"user\""]);
    expect(&each("user", "node"), "p.toml:6", &["declare it with extracted = \"node\""]);
    for (kind, who) in [("node", "node"), ("node", "run"), ("user", "user")] {
        assert_eq!(message(&each(kind, who)), None, "{kind} {who}");
    }
    // What only the table itself uses need not last.
    expect(
        &plan(&format!("[prepare]\n{TOKEN}"), uses),
        "p.toml:3:9: prepare.steps:",
        &["extracts 'admin', which scenarios use", "admin = { extracted = \"node\" }"],
    );
    assert_eq!(message(&plan(&format!("[prepare]\n{TOKEN}"), "get = \"/\"")), None);
    let expires = "steps = [{ post = \"/token\", \
                   extract = { admin = { json = \"/token\", expires = { json = \"/in\" } } } }]";
    expect(
        &plan(&format!("{node}[prepare]\n{expires}"), uses),
        "p.toml:5",
        &["expires", "extracted = \"user\""],
    );
}
