//! Wrong places of JSON to set.

use super::{expect, step};

#[test]
fn set_errors() {
    let with =
        |json: &str, set: &str| step(&format!("post = \"/\"\njson = {json}\nset = {{ {set} }}"));
    let at = "p.toml:6:";
    let page = "\"${run.user}\"";
    expect(&with(page, "a = 1"), at, &["set.a", "no place in JSON", "write /a"]);
    expect(&with(page, "\"$.a[\" = 1"), at, &["no place in JSON"]);
    expect(&with(page, "\"/a\" = \"${usr}\""), at, &["variable 'usr'"]);
    expect(&with("{ a = 1 }", "\"/b\" = 1"), at, &["does not fit 'json'", "leads to no value"]);
    expect(&with("[1, 2]", "\"$[*]\" = 1"), at, &["leads to 2 values"]);
    let many: Vec<String> = (0..65).map(|number| format!("\"/{number}\" = 1")).collect();
    expect(&with(page, &many.join(", ")), at, &["65 places", "64"]);
    expect(&step("post = \"/\"\nset = { \"/a\" = 1 }"), "p.toml:5:7", &["belongs to 'json'"]);
    expect(
        &step("post = \"/\"\njson = {}\nset-missing = \"skip\""),
        "p.toml:6:15",
        &["belongs to 'set'"],
    );
    expect(
        &step("post = \"/\"\njson = {}\nset-missing = \"skp\""),
        "p.toml:6:15",
        &["fail", "skip"],
    );
}
