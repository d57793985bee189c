//! Tests of templates: placeholders, conversions, text that is not changed, and where values are
//! escaped.

use super::*;
use crate::files::Files;
use crate::{Arguments, Settings};

fn row() -> Row {
    let mut row = Row::new();
    row.push_integer(42);
    row.push("Lučić, (J*)".as_bytes());
    row.push_integer(-7);
    row
}

fn render(text: &str, escape: Escape) -> String {
    let mut out = Vec::new();
    Template::compile(text, 3).unwrap().render(&row(), escape, &mut out);
    String::from_utf8(out).unwrap()
}

fn raw(text: &str) -> String {
    render(text, Escape::None)
}

fn complaint(text: &str) -> String {
    Template::compile(text, 3).unwrap_err().to_string()
}

#[test]
fn braces_take_arguments_in_turn_or_by_number() {
    assert_eq!(raw("uid=user.{},ou=people"), "uid=user.42,ou=people");
    assert_eq!(raw("{3}-{}-{1}-{}"), "-7-42-42-Lučić, (J*)");
    assert_eq!(raw("{}{2}{}"), "42Lučić, (J*)Lučić, (J*)");
    assert_eq!(raw("%s {}"), "42 Lučić, (J*)");
}

#[test]
fn other_braces_are_text() {
    for text in ["{SSHA}x==", "{", "}", "a{b}c", "{-1}", "{ }", "{1", "{{a}}", "é{ü}"] {
        assert_eq!(raw(text), text);
    }
    assert_eq!(raw("{{}} {{2}} {{{1}"), "{} {2} {{42");
}

#[test]
fn conversions_are_formatted_like_java() {
    for (text, expected) in [
        ("%d", "42"),
        ("%05d", "00042"),
        ("%3$05d", "-0007"),
        ("%+d %3$+d", "+42 -7"),
        ("[%6d]", "[    42]"),
        ("[%-6d]", "[42    ]"),
        ("[% d]", "[ 42]"),
        ("[% 5d]", "[   42]"),
        ("%x %1$X %1$04x", "2a 2A 002a"),
        ("%3$x", "fffffffffffffff9"),
        ("[%2$14s]", "[   Lučić, (J*)]"),
        ("[%2$-12s]", "[Lučić, (J*) ]"),
        ("%2$s/%s", "Lučić, (J*)/42"),
        ("100%%", "100%"),
        ("%%d", "%d"),
    ] {
        assert_eq!(raw(text), expected, "{text}");
    }
}

#[test]
fn thousands_are_grouped() {
    let mut row = Row::new();
    row.push_integer(-1_234_567);
    row.push_integer(999);
    let mut out = Vec::new();
    Template::compile("%,d %,d %1$012d %1$,012d", 2).unwrap().render(&row, Escape::None, &mut out);
    assert_eq!(out, b"-1,234,567 999 -00001234567 -001,234,567");
}

#[test]
fn percent_sign_without_a_conversion_is_text() {
    for text in [
        "100% sure",
        "100% done",
        "100%",
        "50%, or so",
        "5%free",
        "% ",
        "%é",
        "%-",
        "%5",
        "%z",
        "100%, sure",
    ] {
        assert_eq!(raw(text), text);
    }
}

#[test]
fn invalid_conversions_are_refused() {
    for (text, at, words) in [
        ("a %f", 3, "there are %s, %d, %x and %X"),
        ("é%.3s", 2, "has a precision"),
        ("%0s", 1, "has the flag `0`"),
        ("%#x", 1, "has the flag `#`"),
        ("%-d", 1, "no width to pad to"),
        ("%-05d", 1, "exclude each other"),
        ("%+ 5d", 1, "exclude each other"),
        ("%99999d", 1, "wider than 4096"),
        ("%99999999999999d", 1, "wider than 4096"),
        ("%0$s", 1, "counted from 1"),
        ("%n", 1, "write `%%`"),
    ] {
        let complaint = complaint(text);
        assert!(
            complaint.starts_with(&format!("compile the template `{text}`: at character {at}, ")),
            "{complaint}"
        );
        assert!(complaint.contains(words), "{complaint}");
    }
}

#[test]
fn placeholders_beyond_the_arguments_are_counted() {
    assert_eq!(
        complaint("é {4}"),
        "compile the template `é {4}`: `{4}` at character 3 wants argument 4, and there are 3; add a `-g` for it, \
         or write `{{4}}` or `%%` where text is meant"
    );
    assert!(complaint("{}{}{}{}").contains("character 7 wants argument 4"));
    let counted = complaint("{0}");
    assert!(counted.ends_with(
        "`{0}` at character 1 wants argument 0, and arguments are counted from 1, of which there are 3; write `{1}` \
         for the first, or `{{0}}` where text is meant"
    ));
    assert!(complaint("%9$s").contains("`%9$s` at character 1 wants argument 9"));
    assert!(complaint("{99999999999999999999999}").contains("wants argument"));
    assert!(Template::compile("{}", 0).unwrap_err().to_string().contains("there is none"));
    assert!(Template::compile("{2}", 1).unwrap_err().to_string().contains("there is one"));
}

#[test]
fn integer_conversion_of_text_is_refused() {
    let specs = ["inc(0,9)".to_owned(), "randstr(4)".to_owned()];
    let arguments = Arguments::parse(&specs, &Settings::default(), &Files::default()).unwrap();
    assert!(arguments.template("%d {2} {3}", 1).is_ok());
    let complaint = arguments.template("%1$d %2$05d", 0).unwrap_err().to_string();
    assert!(
        complaint.contains("`%2$05d` at character 6 writes an integer, and argument 2 gives text"),
        "{complaint}"
    );
    assert!(arguments.template("%3$d", 1).is_err(), "an appended value is text");
}

#[test]
fn values_are_escaped_by_their_position() {
    for (text, expected) in [
        ("cn={2},dc=com", r"cn=Lučić\, (J*),dc=com"),
        ("cn=a {2}+sn={2}", r"cn=a Lučić\, (J*)+sn=Lučić\, (J*)"),
        ("{2},dc=com", "Lučić, (J*),dc=com"),
        ("cn=x,{2}", "cn=x,Lučić, (J*)"),
        (r"cn=x\,{2}", r"cn=x\,Lučić\, (J*)"),
        ("{2}", "Lučić, (J*)"),
        ("cn={1}{2}", r"cn=42Lučić\, (J*)"),
    ] {
        assert_eq!(render(text, Escape::Dn), expected, "{text}");
    }
    for (text, expected) in [
        ("(cn={2})", r"(cn=Lučić, \28J\2a\29)"),
        ("(cn=*{2}*)", r"(cn=*Lučić, \28J\2a\29*)"),
        ("(&(uid={1}){2})", "(&(uid=42)Lučić, (J*))"),
        ("({2}=x)", "(Lučić, (J*)=x)"),
        ("(cn>={2})", r"(cn>=Lučić, \28J\2a\29)"),
    ] {
        assert_eq!(render(text, Escape::Filter), expected, "{text}");
    }
}

#[test]
fn pieces_show_what_is_constant() {
    let template = Template::compile("a{{}}%%{1}b", 1).unwrap();
    assert_eq!(template.pieces().len(), 3);
    assert_eq!(template.pieces()[0], Piece::Text("a{}%".to_owned()));
    assert_eq!(template.slots().next().unwrap().argument(), 0);
    assert!(!template.is_constant());
    assert!(Template::compile("dc=com", 1).unwrap().is_constant());
    assert!(Template::compile("", 0).unwrap().pieces().is_empty());
}
