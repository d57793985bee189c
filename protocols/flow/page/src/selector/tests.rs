//! Selectors on small pages.

use super::*;
use crate::meter::Unlimited;

const PAGE: &str = r#"<!DOCTYPE html><html><body>
<div id="top" class="a b"><p>one <b>two</b></p><br><p class="note">three</p></div>
<ul><li><a href="/x?a=1&amp;b=2" rel="nofollow next">X</a></li><li><a href="https://h/y.pdf">Y</a></li></ul>
<div><script>var token = "<b>t</b>";</script>text</div>
<svg><path/><a href="/in">In</a></svg><p>last</body></html>"#;

fn found(selector: &str, attribute: Option<&str>) -> Vec<String> {
    let document = Document::read(PAGE.as_bytes(), &Unlimited).unwrap();
    let selector = Selector::parse(selector).unwrap();
    let values = selector.values(&document, attribute, usize::MAX, &Unlimited).unwrap();
    assert_eq!(selector.count(&document, attribute, &Unlimited), Ok(values.len()));
    values
}

#[test]
fn selector_kinds_find_their_elements() {
    for (selector, expected) in [
        ("b", vec!["two"]),
        ("#top", vec!["one twothree"]),
        ("div.a.b > p", vec!["one two", "three"]),
        ("div b", vec!["two"]),
        ("div > b", vec![]),
        ("body > div > p > b", vec!["two"]),
        ("p.note, b", vec!["two", "three"]),
        ("script", vec!["var token = \"<b>t</b>\";"]),
        ("div + div", vec![]),
        ("p[class]", vec!["three"]),
        ("*.note", vec!["three"]),
        ("a[href^='/x']", vec!["X"]),
        ("a[href$=\".pdf\"]", vec!["Y"]),
        ("a[href*=h]", vec!["Y"]),
        ("a[rel~=next]", vec!["X"]),
        ("a[rel=next]", vec![]),
        ("a[rel~='']", vec![]),
        ("svg > a", vec!["In"]),
        ("DIV[ID=top] B", vec!["two"]),
    ] {
        if selector.contains('+') {
            assert!(Selector::parse(selector).is_err());
        } else {
            assert_eq!(found(selector, None), expected, "{selector}");
        }
    }
}

#[test]
fn selector_attributes_are_decoded_and_text_omits_scripts() {
    assert_eq!(found("a", Some("href")), ["/x?a=1&b=2", "https://h/y.pdf", "/in"]);
    assert_eq!(found("p", Some("class")), ["note"]);
    assert_eq!(found("div", None)[1], "text");
}

#[test]
fn selector_errors_are_explained() {
    for (text, word) in [
        ("", "empty"),
        ("a:hover", "':'"),
        ("a + b", "'+'"),
        ("a ~ b", "'~'"),
        ("a[b|=c]", "'|'"),
        ("a[b", "']'"),
        ("a[b='c]", "quote"),
        ("> a", "before '>'"),
        ("a >", "after '>'"),
        ("a,,b", "empty"),
        ("#", "name"),
        (".1", "name"),
        (
            "a b c d e f g h i j k l m n o p q r s t u v w x y z a b c d e f g h i j k l m n o p q r s t u v w x y z \
          a b c d e f g h i j k l m",
            "64",
        ),
    ] {
        let output = Selector::parse(text).unwrap_err().to_string();
        assert!(output.contains(word), "{text}: {output}");
    }
}

#[test]
fn selector_work_is_limited() {
    struct Limited(std::cell::Cell<u64>);
    impl Meter for Limited {
        fn spend(&self, units: u64) -> Result<(), Spent> {
            self.0.set(self.0.get().checked_sub(units).ok_or(Spent)?);
            Ok(())
        }
    }
    let limited = || Limited(std::cell::Cell::new(5_000_000));
    let everything = Selector::parse("div div").unwrap();
    let deep = "<div>".repeat(100_000) + &"x</p>".repeat(100_000);
    let document = Document::read(deep.as_bytes(), &Unlimited).unwrap();
    assert_eq!(everything.values(&document, None, usize::MAX, &limited()), Err(Spent));
    assert_eq!(everything.values(&document, None, 1, &limited()), Err(Spent));
    assert!(Document::read("<p>".repeat(1 << 20).as_bytes(), &limited()).is_err());
}
