//! Properties of what an import extracts: each value is really where the plan will look for it; echoes and words are
//! not taken for values of answers.

use std::fmt::Write as _;

use proptest::prelude::*;
use serde_json::{Value as Json, json};

use super::page::Page;
use super::*;
use crate::imported::{Extract, Location};

/// The value at a place of an answer, as a run finds it.
fn at(place: &Location, entry: &Entry) -> Option<String> {
    let response = &entry.response;
    let first = |pattern: &str, text: &str| {
        let expression = regex::Regex::new(pattern).unwrap();
        expression.captures(text).map(|captures| captures[1].to_owned())
    };
    match place {
        Location::Json(pointer) => {
            let body: Json = serde_json::from_str(&response.text()).ok()?;
            let value = body.pointer(pointer)?;
            Some(value.as_str().map_or_else(|| value.to_string(), str::to_owned))
        }
        Location::Header(name) => response.header(&name.to_ascii_lowercase()).map(str::to_owned),
        Location::Cookie(name) => {
            response.cookies().find(|(known, _)| known == name).map(|(_, value)| value.to_owned())
        }
        Location::Pattern(pattern) => first(pattern, &response.text()),
        Location::Within(inside, pattern) => first(pattern, &at(inside, entry)?),
        Location::Html(selector, attribute) => {
            let page = Page::from_response(response, &entry.url()?);
            let link = selector.strip_prefix("a[href^='").and_then(|it| it.strip_suffix("']"));
            let link = link.and_then(|begin| page.links.iter().find(|it| it.to.starts_with(begin)));
            let held = |value: &&super::page::Value| {
                value.selector == *selector && Some(&value.attribute) == attribute.as_ref()
            };
            let value = page.values.iter().find(held).map(|value| value.held.clone());
            value.or_else(|| Some(link?.to.clone()))
        }
        Location::Parameter(inside, name) => {
            let url = entry.url()?.join(&at(inside, entry)?).ok()?;
            url.query_pairs().find(|(known, _)| known == name).map(|(_, value)| value.into_owned())
        }
        Location::Url(_) => None,
    }
}

/// An answer that gives a value in one of several ways, between other texts.
fn answer(way: usize, value: &str, other: &str) -> Json {
    let json = "application/json";
    let body = |kind: &str, text: String| {
        let content = json!({ "mimeType": kind, "text": text });
        json!({ "status": 200, "content": content })
    };
    let head = |status: u16, name: &str, value: String| {
        let header = json!({ "name": name, "value": value });
        json!({ "status": status, "headers": [header] })
    };
    match way {
        0 => body(json, json!([{ "o": other, "a/b": { "t": value } }]).to_string()),
        1 => body(json, json!({ "to": format!("/x?o={other}&t={value};") }).to_string()),
        2 => head(201, "Location", format!("/a/{value}")),
        3 => head(200, "X-Token", value.to_owned()),
        4 => head(200, "ETag", format!("\"{value}\"")),
        5 => head(200, "Set-Cookie", format!("{other}=1\nT={value}; Path=/")),
        6 => {
            body("text/html", format!("<input name=o value={other}><input name=t value='{value}'>"))
        }
        7 => body("text/html", format!("<meta name=t content='{value}'><p data-o='{other}'>")),
        8 => body("text/html", format!("<a href='/o?t={other}'>x</a><a href='/p?t={value}'>y</a>")),
        9 => body("text/html", format!("<script>var o = '{other}', t = '{value}'</script>")),
        10 => body("application/xml", format!("<r><o>{other}</o><sid>{value}</sid></r>")),
        _ => body("text/plain", format!("o: {other}\nt: {value}\n")),
    }
}

/// The ways of [`answer`].
const WAYS: usize = 12;

fn visit(answer: &Json, second: &str) -> String {
    json!({ "log": { "entries": [
        { "request": { "method": "GET", "url": "http://h/start" }, "response": answer },
        { "request": { "method": "GET", "url": second }, "response": { "status": 200 } },
    ] } })
    .to_string()
}

fn imported(text: &str) -> Imported {
    har(text, &Filter::default(), Pauses::None, Secrets::Kept).unwrap()
}

proptest! {
    #[test]
    fn extracted_value_is_found_at_its_origin(
        way in 0..WAYS, value in "[a-z0-9]{3}[0-9][A-Z]{2}[a-z0-9]{6,20}", other in "[a-z]{1,5}[0-9]{6}[A-Z]{4}",
    ) {
        let text = visit(&answer(way, &value, &other), &format!("http://h/next?t={value}"));
        let imported = imported(&text);
        let [Extract { name, from }] = &imported.steps[0].extracts[..] else { panic!("{way}: {imported:?}") };
        prop_assert!(imported.steps[1].url.starts_with(&format!("http://h/next?t=${{{name}")), "{:?}", imported);
        let entries = entries(&text).unwrap();
        prop_assert_eq!(at(from, &entries[0]), Some(value), "{:?}", from);
        // Another user's answer has another value at the same place.
        let again = visit(&answer(way, "k2Pz8Qw5Xc", &other), "http://h/");
        let entries = super::entries(&again).unwrap();
        let found = at(from, &entries[0]);
        prop_assert_eq!(found.as_deref(), Some("k2Pz8Qw5Xc"), "{:?}", from);
    }

    #[test]
    fn value_sent_by_the_client_first_is_an_echo(value in "[a-z0-9]{4}[0-9][A-Z]{3}[a-z0-9]{8}") {
        let text = json!({ "log": { "entries": [
            { "request": { "method": "GET", "url": format!("http://h/a?q={value}") },
              "response": { "status": 200, "content": {
                  "mimeType": "application/json", "text": format!("{{\"token\":\"{value}\"}}") } } },
            { "request": { "method": "GET", "url": format!("http://h/b?q={value}") }, "response": { "status": 200 } },
        ] } });
        let imported = imported(&text.to_string());
        prop_assert!(imported.steps.iter().all(|step| step.extracts.is_empty()), "{:?}", imported);
        prop_assert!(imported.notes.join("\n").contains(&value[..6]), "{:?}", imported.notes);
    }

    #[test]
    fn arbitrary_recording_is_imported_or_refused(
        urls in prop::collection::vec("(http://[ab]/)?[a-c/?=&.%$\\{\\}]{0,12}", 1..6),
        text in "[<>{}\\[\\]\":,/= a-c0-9'$%]{0,80}",
        kind in prop::sample::select(vec!["text/html", "application/json", ""]),
    ) {
        let mut entries = String::new();
        for url in &urls {
            let content = json!({ "mimeType": kind, "text": text });
            let header = |name: &str, value: &str| json!([{ "name": name, "value": value }]);
            let entry = json!({
                "request": { "method": "POST", "url": url, "headers": header("X-A", &text), "postData": content },
                "response": { "status": 302, "headers": header("Location", &urls[0]), "content": content },
            });
            let comma = if entries.is_empty() { "" } else { "," };
            write!(entries, "{comma}{entry}").unwrap();
        }
        let text = format!("{{\"log\":{{\"entries\":[{entries}]}}}}");
        let _ = har(&text, &Filter::default(), Pauses::None, Secrets::Named);
    }
}

#[test]
fn short_value_is_extracted_if_place_or_name_identifies_it() {
    let sent = |answer: &str, value: &str| {
        let answer =
            json!({ "status": 200, "content": { "mimeType": "application/json", "text": answer } });
        let text = visit(&answer, &format!("http://h/next?v={value}"));
        !imported(&text).steps[0].extracts.is_empty()
    };
    for (answer, value, taken) in [
        (r#"{"v":"x7Kq92"}"#, "x7Kq92", true),
        (r#"{"v":"x7Kq9"}"#, "x7Kq9", false),
        (r#"{"userId":"x7Kq9"}"#, "x7Kq9", true),
        (r#"{"v":4711}"#, "4711", false),
        (r#"{"id":4711}"#, "4711", true),
        (r#"{"id":471}"#, "471", false),
        (r#"{"id":20931774}"#, "20931774", true),
        (r#"{"id":"12345678901234567890"}"#, "12345678901234567890", true),
        (r#"{"v":"kJhGfDsAqWeRtYuIoP"}"#, "kJhGfDsAqWeRtYuIoP", true),
        (r#"{"v":"authorization_code"}"#, "authorization_code", false),
        (r#"{"typeId":"user"}"#, "user", false),
    ] {
        assert_eq!(sent(answer, value), taken, "{answer}");
    }
}
