//! Paths on the document of RFC 9535 and on arbitrary documents, and a comparison with another implementation.

use super::*;
use proptest::prelude::*;
use serde_json::json;

fn found(path: &str, value: &Value) -> Result<Vec<Value>, Unexamined> {
    let found = JsonPath::parse(path).unwrap().find(value, &Work::default())?;
    Ok(found.into_iter().cloned().collect())
}

#[test]
fn path_examples_of_the_rfc_are_found() {
    let value = json!({"a": [3, 5, 1, 2, 4, 6, {"b": "j"}, {"b": "k"}, {"b": {}}, {"b": "kilo"}],
        "o": {"p": 1, "q": 2, "r": 3, "s": 5, "t": {"u": 6}}, "e": "f"});
    // Table 12 of section 2.3.5.3, and similar cases.
    let cases = [
        ("$.a[?@.b == 'kilo']", json!([{"b": "kilo"}])),
        ("$.a[?(@.b == 'kilo')]", json!([{"b": "kilo"}])),
        ("$.a[?@>3.5]", json!([5, 4, 6])),
        ("$.a[?@.b]", json!([{"b": "j"}, {"b": "k"}, {"b": {}}, {"b": "kilo"}])),
        ("$[?@.*]", json!([value["a"], value["o"]])),
        ("$[?@[?@.b]]", json!([value["a"]])),
        ("$.o[?@<3, ?@<3]", json!([1, 2, 1, 2])),
        ("$.a[?@<2 || @.b == \"k\"]", json!([1, {"b": "k"}])),
        ("$.a[?match(@.b, \"[jk]\")]", json!([{"b": "j"}, {"b": "k"}])),
        ("$.a[?search(@.b, \"[jk]\")]", json!([{"b": "j"}, {"b": "k"}, {"b": "kilo"}])),
        ("$.o[?@>1 && @<4]", json!([2, 3])),
        ("$.o[?@.u || @.x]", json!([{"u": 6}])),
        // Table 11: two absent values are equal, and so are two `true` values, but nothing more.
        ("$.a[?$.x <= $.y][0]", json!([])),
        ("$.o[?$.x <= $.y && true >= true && !($.a <= 1)]", json!([1, 2, 3, 5, {"u": 6}])),
        ("$.a[?@.b == $.x]", json!([3, 5, 1, 2, 4, 6])),
        ("$.a[?length(@.b) > 1 && !(@.b == 'k')]", json!([{"b": "kilo"}])),
        ("$[?count(@.*) == 5].p", json!([1])),
        ("$[?value(@..u) == 6].q", json!([2])),
        ("$.a[-1, 0, 99].b", json!(["kilo"])),
        ("$[?@[-1].b == 'kilo'][0]", json!([3])),
        ("$.a[1:6:2]", json!([5, 2, 6])),
        ("$.a[2::-1]", json!([1, 5, 3])),
        ("$.a[::0]", json!([])),
        ("$ .a\n[ 0 , 1 ]", json!([3, 5])),
        ("$['\\u0061', \"'x\"]", json!([value["a"]])),
        ("$..u", json!([6])),
        ("$", json!([value])),
    ];
    for (path, expected) in cases {
        assert_eq!(found(path, &value).map(Value::from), Ok(expected), "{path}");
    }
}

#[test]
fn path_errors_give_the_reason() {
    let cases = [
        ("", "it ends where '$'"),
        ("a", "'a' at character 1 stands where '$'"),
        (" $", "' ' at character 1"),
        ("$ ", "' ' at character 2 stands where the end"),
        ("$.", "it ends where a name"),
        ("$.a[", "it ends where a name in quotes"),
        ("$.a[1", "it ends where ']'"),
        ("$[01]", "a whole number"),
        ("$[9007199254740992]", "below 2^53"),
        ("$['a", "is not closed"),
        ("$['\\x']", "a backslash"),
        ("$['\\ud800']", "half of a character"),
        ("$[?@.*==1]", "@.* may lead to several values"),
        ("$[?1]", "a comparison of 1"),
        ("$[?!@.a==1]", "must stand in parentheses"),
        ("$[?length(@.a)]", "a comparison of length(@.a)"),
        ("$[?match(@.a,'b')==true]", "is true or false already"),
        ("$[?match(@.a,@.b)]", "must be a text in quotes"),
        ("$[?match(@.a,'(')]", "unclosed group"),
        ("$[?count(1)>2]", "takes a query"),
        ("$[?length(1,2)>2]", "takes 1 arguments and not 2"),
        ("$[?foo(@)]", "there is no function foo()"),
        ("$[?@.a=='b' or @.c]", "']' or ','"),
    ];
    for (path, expected) in cases {
        let output = JsonPath::parse(path).unwrap_err().to_string();
        assert!(output.contains(expected), "{path}: {output}");
    }
}

#[test]
fn path_nesting_is_limited() {
    for unit in ["[?@", "[?(", "[?!", "[?$[?", "[?length(", "[?count(@"] {
        for text in [format!("${}", unit.repeat(1_913)), format!("${}", unit.repeat(400))] {
            assert!(JsonPath::parse(&text).is_err(), "{unit}");
        }
    }
    let refused = |times: usize| JsonPath::parse(&format!("${}", "[?@".repeat(times))).unwrap_err();
    assert_eq!((refused(1_913), refused(400)), (JsonPathError::Long, JsonPathError::Deep));
    let twelve = format!("${}{}", "[?@".repeat(12), "]".repeat(12));
    assert!(JsonPath::parse(&twelve).is_ok());
}

#[test]
fn path_work_is_limited() {
    // A document of 961 KB: each `..` after the first multiplies the work by the depth of the values.
    let chains = vec!["[".repeat(100) + &"]".repeat(100); 4_800].join(",");
    assert!(chains.len() > 960_000);
    let chains: Value = serde_json::from_str(&format!("[{chains}]")).unwrap();
    let wide = json!(vec![json!({"a": "x".repeat(100)}); 5_000]);
    let cube = json!(vec![vec![vec![1; 10]; 10]; 50]);
    let long = json!({"t": "x".repeat(500_000), "l": vec![1; 5_000]});
    for (value, path) in [
        (&chains, "$..*..*..*"),
        (&chains, "$..[?@..*]"),
        (&wide, "$[?count($..*) == 1]"),
        (&cube, "$[*,*,*,*,*,*,*,*,*,*][*,*,*,*,*,*,*,*,*,*][*,*,*,*,*,*,*,*,*,*]"),
        (&long, "$.l[?length($.t) == @]"),
        (&long, "$.l[?$.t == $.t]"),
        (&long, "$.l[?search($.t, 'y')]"),
    ] {
        let outcome = JsonPath::parse(path).unwrap().find(value, &Work::new(500_000));
        assert_eq!(outcome.map(|all| all.len()), Err(Unexamined::Work), "{path}");
    }
    assert_eq!(found("$..a", &wide).unwrap().len(), 5_000);
    assert_eq!(found("$[?match(@.a, 'x*')].a", &wide).unwrap().len(), 5_000);
}

fn values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-3_i64..4).prop_map(Value::from),
        (-2_i32..3).prop_map(|half| Value::from(f64::from(half) / 2.0)),
        "[ab]{0,2}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map("[ab]", inner, 0..3)
                .prop_map(|map| map.into_iter().collect::<serde_json::Map<_, _>>().into()),
        ]
    })
}

/// Paths without `<=` and `>=`: the other implementation says that they do not hold for two absent values, or for
/// `true` and `true`.
fn paths() -> impl Strategy<Value = String> {
    let selector = prop_oneof![
        Just("*".to_owned()),
        "'[ab]'",
        "-?[0-3]".prop_filter("no negative zero", |index| index != "-0"),
        "(-?[1-3])?:(-?[1-3])?(:(-?[1-2])?)?",
    ];
    let plain = prop::collection::vec(
        prop_oneof![
            "\\.[ab]",
            Just(".*".to_owned()),
            prop::collection::vec(selector.clone(), 1..3)
                .prop_map(|all| format!("[{}]", all.join(", "))),
            selector.prop_map(|one| format!("..[{one}]")),
        ],
        0..3,
    )
    .prop_map(|segments| segments.concat());
    // No negative indices: in a comparison the other implementation finds no value for them.
    let single = "(\\.[ab]|\\[[0-2]\\]){0,2}";
    let operand = prop_oneof![
        single.prop_map(|path| format!("@{path}")),
        single.prop_map(|path| format!("${path}")),
        "(-?[1-3]|0\\.5|true|false|null|'[ab]{0,2}')",
        single.prop_map(|path| format!("length(@{path})")),
        plain.clone().prop_map(|path| format!("count(@{path})")),
        plain.clone().prop_map(|path| format!("value(@{path})")),
    ];
    let basic = prop_oneof![
        plain.clone().prop_map(|path| format!("@{path}")),
        plain.clone().prop_map(|path| format!("!@{path}")),
        (operand.clone(), "(==|!=|<|>)", operand)
            .prop_map(|(left, comparison, right)| format!("{left} {comparison} {right}")),
        (single, "(match|search)", "[ab.]{1,2}[*]?")
            .prop_map(|(path, name, pattern)| format!("{name}(@{path}, '{pattern}')")),
    ];
    let filter = prop::collection::vec((basic, "( && | \\|\\| )"), 1..3).prop_map(|all| {
        let mut text = String::new();
        for (at, (condition, operator)) in all.iter().enumerate() {
            text += if at == 0 { "" } else { operator };
            text += condition;
        }
        text
    });
    (plain.clone(), prop::option::of(filter), plain).prop_map(|(before, filter, after)| {
        let filter = filter.map(|filter| format!("[?{filter}]")).unwrap_or_default();
        format!("${before}{filter}{after}")
    })
}

proptest! {
    #[test]
    fn paths_equal_another_implementation(value in values(), path in paths()) {
        let theirs = serde_json_path::JsonPath::parse(&path);
        let ours = JsonPath::parse(&path);
        prop_assert_eq!(ours.is_ok(), theirs.is_ok(), "{}: {:?}", path, ours.err());
        if let (Ok(ours), Ok(theirs)) = (JsonPath::parse(&path), theirs) {
            // The implementations return nested values in different orders.
            let sorted = |all: Vec<&Value>| {
                let mut all: Vec<String> = all.into_iter().map(Value::to_string).collect();
                all.sort();
                all
            };
            let found = ours.find(&value, &Work::default()).unwrap();
            prop_assert_eq!(sorted(found), sorted(theirs.query(&value).all()), "{}", path);
        }
    }

    #[test]
    fn arbitrary_text_is_parsed_or_refused(text in "\\$[$@.*?!&|<>='\"\\\\(),:a-e0-9 \\[\\]u-]{0,30}") {
        let value = json!({"a": [1, {"b": "c"}], "b": {"a": null}});
        if let Ok(path) = JsonPath::parse(&text) {
            prop_assert!(path.find(&value, &Work::default()).is_ok());
        }
    }
}
