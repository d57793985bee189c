//! Wrong bodies with files.

use super::{expect, step};

/// A step with these parts.
fn parts(parts: &str) -> String {
    step(&format!("post = \"/\"\nmultipart = {{ {parts} }}"))
}

#[test]
fn multipart_errors() {
    let at = "p.toml:5:";
    expect(&parts("a = { fil = \"x\" }"), at, &["did you mean 'file'?"]);
    expect(&parts("a = { type = \"x/y\" }"), at, &["multipart.a", "file, text, json"]);
    expect(&parts("a = { text = \"\", json = {} }"), at, &["cannot be used with 'text'"]);
    expect(&parts("a = []"), at, &["empty array"]);
    expect(
        &parts("a = [1, { file = \"gone.txt\" }]"),
        at,
        &["a[2].file", "gone.txt", "cannot be read"],
    );
    expect(&parts("a = { text = \"x\", type = \"a\\nb\" }"), at, &["control character"]);
    expect(&parts("a = 1 }\njson = { x = 1"), "p.toml:", &["cannot be used with 'json'"]);
    expect(
        &parts("a = 1 }\ncontent-type = \"text/plain\"\nquery = { x = 1"),
        "p.toml:6:",
        &["multipart/mixed"],
    );
    expect(
        &parts("a = 1 }\nheaders = { content-type = \"multipart/form-data\""),
        "p.toml:6:",
        &["derived from 'multipart'"],
    );
    expect(
        &step("get = \"/\"\n[[scenario.steps]]\nsubmit = true\nmultipart = { a = 1 }"),
        "p.toml:7:",
        &["cannot be used with 'submit'"],
    );
}

#[test]
fn multipart_file_names_must_be_known_before_the_run() {
    let with = |variables: &str, file: &str| {
        format!("{}[variables]\n{variables}\n", parts(&format!("a = {{ file = \"{file}\" }}")))
    };
    let two = "a = { choice = [\"there\", \"x\"] }\nb = { choice = [\"txt\", \"y\"] }";
    let random = "n = { random = \"0..9\" }";
    expect(&with(random, "${n}.txt"), "p.toml:", &["uses 'n'", "not known before the run"]);
    expect(&with(two, "${a}.${b}"), "p.toml:", &["two variables that vary"]);
    expect(&with(two, "${a}.txt"), "p.toml:", &["x.txt, which cannot be read"]);
    let empty = "e = { choice = [\"there.txt\", \"\"] }";
    expect(&with(empty, "${e}"), "p.toml:", &["empty in some cases"]);
}

#[test]
fn multipart_files_have_a_total_limit() {
    let plan = parts(
        "a = { file = \"there.txt\" }, b = { file = \"x/there.txt\" }, c = { file = \"there.txt\" }",
    );
    let limited = |limit: &str| format!("http.limits.uploads = {limit}\n{plan}");
    assert_eq!(super::message(&limited("12")), None);
    expect(
        &limited("11"),
        "p.toml:",
        &["multipart.b.file", "x/there.txt", "12 bytes", "http.limits.uploads", "11 bytes"],
    );
}
