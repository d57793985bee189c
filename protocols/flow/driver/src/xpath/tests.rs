//! Expressions on documents like those of identity servers.

use super::*;
use proptest::prelude::*;

const SAML: &str = r#"<?xml version="1.0"?>
<!-- a response -->
<samlp:Response xmlns:samlp="urn:p" xmlns:saml="urn:a" ID="_1">
  <samlp:Status><samlp:StatusCode Value="urn:Success"/></samlp:Status>
  <saml:Assertion>
    <saml:Subject><saml:NameID Format="x">jo</saml:NameID></saml:Subject>
    <saml:Attribute Name="role"><saml:Value>admin</saml:Value><saml:Value>user</saml:Value></saml:Attribute>
    <saml:Attribute Name="age"><saml:Value> 41 </saml:Value></saml:Attribute>
  </saml:Assertion>
  <other xmlns="urn:o" xml:lang="de">a<b>b</b>c<?go now?></other>
</samlp:Response>"#;

fn found(expression: &str) -> Option<String> {
    let document = Document::parse(SAML).unwrap();
    XPath::parse(expression).unwrap().find(&document, &Work::default()).unwrap()
}

#[test]
fn xpath_finds_elements_attributes_and_text() {
    // The results of `xmllint --xpath` for the same cases, except for names without a prefix.
    let cases = [
        ("/samlp:Response/@ID", "_1"),
        ("//NameID", "jo"),
        ("//saml:NameID/text()", "jo"),
        ("/*/*[2]/*[1]/*", "jo"),
        ("//Attribute[@Name='age']/Value", " 41 "),
        ("//Attribute[2]/@Name", "age"),
        ("//Attribute[last()]/@Name", "age"),
        ("//Attribute[Value='user']/@Name", "role"),
        ("//Value[. = 'user']/../@Name", "role"),
        ("//Attribute[not(@Name='role')]/@Name", "age"),
        ("(//Value)[2]", "user"),
        ("//Value[2]", "user"),
        ("//other", "abc"),
        ("//*[local-name()='b']", "b"),
        ("//b/preceding-sibling::text()", "a"),
        ("//b/following-sibling::node()", "c"),
        ("//processing-instruction()", "now"),
        ("//comment()", " a response "),
        ("//NameID/ancestor::*[1]/following-sibling::*/@Name", "role"),
        ("//b/preceding::Value[1]", " 41 "),
        ("//NameID/following::Value", "admin"),
        ("//@xml:lang", "de"),
        ("//other/@*", "de"),
        ("//saml:*[@Format]", "jo"),
        ("//NameID/@Format/..", "jo"),
        ("//missing | //NameID", "jo"),
        ("//Attribute[position() mod 2 = 0]/@Name", "age"),
        ("//Attribute[Value > 40]/@Name", "age"),
        ("//Attribute[40 < Value]/@Name", "age"),
        (
            "//StatusCode[contains(@Value, 'Success') and starts-with(@Value, 'urn')]/@Value",
            "urn:Success",
        ),
        ("descendant::NameID/self::node()", "jo"),
    ];
    for (expression, expected) in cases {
        assert_eq!(found(expression).as_deref(), Some(expected), "{expression}");
    }
    for nothing in [
        "//missing",
        "//NameID[2]",
        "//samlp:NameID",
        "//nowhere:NameID",
        "/NameID",
        "//@Name[. = 'x']",
        "//Value[0]",
    ] {
        assert_eq!(found(nothing), None, "{nothing}");
    }
}

#[test]
fn xpath_functions_and_operators_follow_the_spec() {
    let cases = [
        ("count(//Value)", "3"),
        ("count(//Value | //Value)", "3"),
        ("string(//Attribute[2])", " 41 "),
        ("normalize-space(//Attribute[2])", "41"),
        ("number(//Attribute[2]) + 1", "42"),
        ("sum(//Attribute[2]/Value)", "41"),
        ("name(//NameID)", "saml:NameID"),
        ("namespace-uri(//other)", "urn:o"),
        ("concat('a', 1, true())", "a1true"),
        // The examples of section 4.2 and 4.4.
        ("substring-before('1999/04/01','/')", "1999"),
        ("substring-after('1999/04/01','/')", "04/01"),
        ("substring('12345', 2, 3)", "234"),
        ("substring('12345', 2)", "2345"),
        ("substring('12345', 1.5, 2.6)", "234"),
        ("substring('12345', 0, 3)", "12"),
        ("substring('12345', 0 div 0, 3)", ""),
        ("substring('12345', -42, 1 div 0)", "12345"),
        ("translate('bar','abc','AB')", "BAr"),
        ("translate('--aaa--','abc-','ABC')", "AAA"),
        ("string-length('äb')", "2"),
        ("5 mod 2", "1"),
        ("-5 mod 2", "-1"),
        ("1.5 mod -0.5", "0"),
        ("6 div 4 - 1", "0.5"),
        ("2 * 3 + 4 * 5", "26"),
        ("--'3'", "3"),
        ("1 div 0", "Infinity"),
        ("-1 div 0", "-Infinity"),
        ("number('x')", "NaN"),
        ("number('1e3')", "NaN"),
        ("floor(-1.5)", "-2"),
        ("ceiling(1.2)", "2"),
        ("round(2.5)", "3"),
        ("round(-2.5)", "-2"),
        ("3 > 2 > 1", "false"),
        ("1 = '1.0'", "true"),
        ("'1' = '1.0'", "false"),
        ("true() = 'x'", "true"),
        ("//Value != 'admin'", "true"),
        ("//missing = //missing", "false"),
        ("//missing = false()", "true"),
        ("boolean(//missing) or not(//missing)", "true"),
        ("1 or (1 div 0)", "true"),
    ];
    for (expression, expected) in cases {
        assert_eq!(found(expression).as_deref(), Some(expected), "{expression}");
    }
    let document = Document::parse(SAML).unwrap();
    let count =
        |expression| XPath::parse(expression).unwrap().count(&document, &Work::default()).unwrap();
    assert_eq!((count("//Value"), count("//missing"), count("1 + 1")), (3, 0, 1));
}

#[test]
fn xpath_operator_words_may_be_names() {
    let document = Document::parse("<and><or div='1'>x</or><mod>2</mod></and>").unwrap();
    let find = |expression: &str| {
        XPath::parse(expression).unwrap().find(&document, &Work::default()).unwrap().unwrap()
    };
    assert_eq!(find("/and/or"), "x");
    assert_eq!(find("/and/or/@div div 1"), "1");
    assert_eq!(find("and/mod mod 2"), "0");
    assert_eq!(find("*/* = 'x' and count(*) * 2 = 2"), "true");
}

#[test]
fn xpath_errors_give_the_reason() {
    let cases = [
        ("", "the end stands where a value should"),
        ("/a[", "the end stands where a value should"),
        ("/a[1", "the end stands where ']' should"),
        ("//", "the end stands where a name should"),
        ("/a b", "the name 'b' stands where the expression should end"),
        ("'open", "is not closed"),
        ("$x", "no variables"),
        ("/a#b", "'#' stands"),
        ("nothing(1)", "no function nothing()"),
        ("contains('a')", "takes 2 arguments and not 1"),
        ("/a/sideways::b", "no axis 'sideways'"),
        ("/a/count(b)", "count() cannot be a step"),
        ("id('a')", "no function id()"),
    ];
    for (expression, expected) in cases {
        let output = XPath::parse(expression).unwrap_err().to_string();
        assert!(output.contains(expected), "{expression}: {output}");
    }
    assert!(XPath::parse(&"(".repeat(2000)).unwrap_err().to_string().contains("deep"));
    assert!(XPath::parse(&"-".repeat(2000)).is_err());
    assert!(XPath::parse(&"a".repeat(5000)).unwrap_err().to_string().contains("longer"));
}

#[test]
fn xpath_work_is_limited() {
    let wide = format!("<a>{}</a>", "<b/>".repeat(20_000));
    let text = format!("<a><t>{}</t>{}</a>", "x".repeat(400_000), "<b/>".repeat(20_000));
    let deep = ["<b>".repeat(20_000), "</b>".repeat(20_000)].concat();
    let named = (0..500).fold("<a".to_owned(), |text, at| text + &format!(" xmlns:n{at}='u'"));
    let named = format!("{named}>{}</a>", "<b c='d'/>".repeat(20_000));
    let attributes = (0..1_000).fold("<a".to_owned(), |text, at| text + &format!(" n{at}='1'"));
    let attributes = attributes + "/>";
    let find = |document: &str, expression: &str| {
        let document = Document::parse(document).unwrap();
        XPath::parse(expression).unwrap().find(&document, &Work::new(500_000))
    };
    assert_eq!(find(&wide, "count(//b)"), Ok(Some("20000".to_owned())));
    let long = format!("concat({0},{0},{0})", "concat(//t,//t,//t,//t)");
    for (document, expression) in [
        // 20,000 nodes, each with all that follow it, would be 200 million.
        (&wide, "count(//b/following::b)"),
        (&wide, "//b[. = //b]"),
        (&text, "//b[contains(//t, 'y')]"),
        (&text, "//b[//t > 1]"),
        (&text, "translate(//t, //t, 'y')"),
        (&text, &format!("concat({long},{long},{long},{long},{long})")),
        (&deep, "count(//b/following::c)"),
        (&deep, "//b[. = 'x']"),
        (&named, "count(//n499:b)"),
        (&attributes, "count(//@*[. = //@*[. = //@*]])"),
    ] {
        let shown = &expression[..expression.len().min(60)];
        assert_eq!(find(document, expression), Err(Unexamined::Work), "{shown}");
    }
    for kinds in ["('a')/b", "('a' | //b)", "count(('a')[1]/b)"] {
        assert_eq!(find(&wide, kinds), Err(Unexamined::NoNodes), "{kinds}");
    }
}

proptest! {
    #[test]
    fn xpath_arbitrary_text_is_parsed_or_refused(text in "[a-c/@\\[\\]().*|<=!'\"0-9 :,-]{0,40}") {
        let document = Document::parse("<a><b c='1'>2</b></a>").unwrap();
        if let Ok(path) = XPath::parse(&text) {
            let _ = path.find(&document, &Work::default());
            let _ = path.count(&document, &Work::default());
        }
    }
}
