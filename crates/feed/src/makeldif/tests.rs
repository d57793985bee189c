//! Tests of `MakeLDIF` templates, compared with what `OpenDJ` 5.0.3 writes for the same files.

use super::*;
use std::collections::HashSet;
use std::io::Write;

fn parse(text: &str) -> MakeLdif {
    MakeLdif::parse(text, "t.template", &Sources::default()).unwrap()
}

fn ldif(entry: &Entry) -> String {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    let values: Vec<String> =
        entry.values().map(|(name, value)| format!("{}: {}", text(name), text(value))).collect();
    format!("dn: {}\n{}\n", text(entry.dn()), values.join("\n"))
}

fn entry(forest: &MakeLdif, number: u64) -> String {
    let mut entry = Entry::new();
    assert!(forest.entry(number, &mut entry));
    let mut dn = Vec::new();
    assert!(forest.dn(number, &mut dn));
    assert_eq!(dn, entry.dn(), "the DN alone is the DN of the entry");
    ldif(&entry)
}

fn branch(forest: &MakeLdif, index: usize) -> String {
    let mut entry = Entry::new();
    assert!(forest.branch(index, &mut entry));
    ldif(&entry)
}

/// A template whose entries have these lines.
fn person(lines: &str) -> String {
    format!(
        "branch: dc=com\nsubordinateTemplate: p:100\n\ntemplate: p\nrdnAttr: uid\nuid: u<sequential>\n{lines}\n"
    )
}

/// The value of `name` in the first entries of a template with these lines.
fn values(lines: &str, name: &str, count: u64) -> Vec<String> {
    let forest = parse(&person(lines));
    let prefix = format!("{name}: ");
    let value = |number| {
        entry(&forest, number).lines().find_map(|line| Some(line.strip_prefix(&prefix)?.to_owned()))
    };
    (0..count).filter_map(value).collect()
}

fn complaint(text: &str) -> String {
    MakeLdif::parse(text, "t.template", &Sources::default()).unwrap_err().to_string()
}

#[test]
fn deterministic_tags_match_opendj() {
    let forest = parse(
        "define suffix=dc=example,dc=com\ndefine n=3\n\nbranch: [suffix]\nsubordinateTemplate: person:[n]\n\n\
         template: person\nrdnAttr: uid\nobjectClass: person\nuid: user.<sequential:5>\na: <dn>\nb: <dn:1>\n\
         c: <DN:-2>\nd: <rdn>\ne: <_dn> <_ParentDN>\nk: <presence:100>here\nl: <ifpresent:k>k is there\n\
         m: <ifabsent:k>k is away\nt: <sequential:10:true>\nobjectClass: top\n# A comment.\n\
         r: {uid:2}|{uid:100}|{uid}\n",
    );
    assert_eq!(forest.len(), Some(3));
    assert_eq!(
        entry(&forest, 1),
        "dn: uid=user.6,dc=example,dc=com\nobjectClass: person\nobjectClass: top\nuid: user.6\n\
         a: uid=user.6,dc=example,dc=com\nb: uid=user.6\nc: dc=example,dc=com\nd: uid=user.6\n\
         e: uid=user.6_dc=example_dc=com dc=example_dc=com\nk: here\nl: k is there\nt: 11\nr: us|user.6|user.6\n"
    );
    assert!(!forest.entry(3, &mut Entry::new()));
    assert!(!forest.dn(3, &mut Vec::new()));
    assert!(forest.warnings().is_empty());
}

#[test]
fn conditions_match_opendj() {
    let forest = parse(&person(
        "k: <presence:0>x\nl: <ifpresent:k>x\nm: <ifabsent:k>yes\nn: <ifpresent:uid:val>q\no: <ifpresent:uid:u0>q\n\
         uid: b<list:b;9>\nw: <sequential:3> <sequential:3:false>\nx: [{k}]",
    ));
    assert_eq!(
        entry(&forest, 0),
        "dn: uid=u0,dc=com\nuid: u0\nuid: bb\nm: yes\no: q\nw: 3 3\nx: []\n"
    );
    assert_eq!(entry(&forest, 1), "dn: uid=u1,dc=com\nuid: u1\nuid: bb\nm: yes\nw: 4 4\nx: []\n");
    let half = values("k: <presence:50>x", "k", 100).len();
    assert!((25..75).contains(&half), "{half} of 100");
}

#[test]
fn entries_come_in_the_order_of_makeldif() {
    let forest = parse(
        "branch: dc=com\nsubordinateTemplate: p:2\nsubordinateTemplate: q:2\n\nTEMPLATE: p\nrdnattr: uid\n\
         subordinateTemplate: q:2\nuid: a<sequential>\n\ntemplate: q\nrdnAttr: cn\n\
         cn: c<sequential:0:true>d<sequential:0:false>e<sequential>\n",
    );
    assert_eq!(forest.len(), Some(8));
    let dns: Vec<String> =
        (0..8).map(|number| entry(&forest, number).lines().next().unwrap().to_owned()).collect();
    // OpenDJ writes c2..c5, since it does not start again despite `true`; the rest is its order.
    assert_eq!(
        dns,
        [
            "dn: uid=a0,dc=com",
            "dn: cn=c0d0e0,uid=a0,dc=com",
            "dn: cn=c1d1e1,uid=a0,dc=com",
            "dn: uid=a1,dc=com",
            "dn: cn=c0d2e2,uid=a1,dc=com",
            "dn: cn=c1d3e3,uid=a1,dc=com",
            "dn: cn=c0d4e4,dc=com",
            "dn: cn=c1d5e5,dc=com",
        ]
    );
}

#[test]
fn branches_follow_each_other_and_count_on() {
    let forest = parse(
        "branch: ou=A,dc=com\nsubordinateTemplate: p:2\n\nbranch: ou=B,dc=com\nsubordinateTemplate: p\n\n\
         template: p\nrdnAttr: uid\nuid: u<sequential>\n",
    );
    assert_eq!(forest.len(), None);
    for (number, dn) in [
        (1, "dn: uid=u1,ou=A,dc=com"),
        (2, "dn: uid=u2,ou=B,dc=com"),
        (1_000_000_000_000, "dn: uid=u1000000000000,ou=B,dc=com"),
    ] {
        assert_eq!(entry(&forest, number).lines().next(), Some(dn));
    }
}

#[test]
fn branches_are_complete_entries() {
    let forest = parse(
        "branch: ou=a\\2cb+cn=b,o=foo\nobjectClass: top\n\nbranch: dc=x,o=foo\ndescription: at <dn> <rdn> <_DN>\n\n\
         branch: uid=x,o=foo\n",
    );
    assert_eq!(forest.branch_count(), 3);
    assert_eq!(branch(&forest, 0), "dn: ou=a\\2cb+cn=b,o=foo\nobjectClass: top\nou: a,b\ncn: b\n");
    assert_eq!(
        branch(&forest, 1),
        "dn: dc=x,o=foo\ndescription: at dc=x,o=foo dc=x dc=x_o=foo\ndc: x\nobjectClass: top\nobjectClass: domain\n"
    );
    assert!(branch(&forest, 2).contains("objectClass: extensibleObject"));
    assert!(!forest.branch(3, &mut Entry::new()));
    assert!(forest.is_empty());
}

#[test]
fn rdns_are_escaped() {
    let forest = parse(
        "branch: dc=com\nsubordinateTemplate: p:1\n\ntemplate: p\nrdnAttr: uid+cn\nuid: a,b\ncn: x<sequential>\n\
         a: <rdn:1>\nb: <dn:1>\n",
    );
    assert_eq!(
        entry(&forest, 0),
        "dn: uid=a\\,b+cn=x0,dc=com\nuid: a,b\ncn: x0\na: uid=a\\,b\nb: uid=a\\,b+cn=x0\n"
    );
}

#[test]
fn escapes_and_constants_are_read() {
    let forest = MakeLdif::parse(
        &format!(
            "define a=one\ndefine b=[a]-two\n\n{}",
            person("s: \\<x\\> \\{y\\} \\[z\\] a\\\\b > } ] \\q\nt: [A] [b] [\nu: [undefined]\nv: one\n  two\nw:\n")
        ),
        "t.template",
        &Sources { constants: vec![("a".to_owned(), "ONE".to_owned())], ..Sources::default() },
    )
    .unwrap();
    assert_eq!(
        entry(&forest, 0),
        "dn: uid=u0,dc=com\nuid: u0\ns: <x> {y} [z] a\\b > } ] \\q\nt: ONE ONE-two [\nu: [undefined]\nv: one two\nw: \n"
    );
    assert_eq!(
        forest.warnings(),
        [
            "line 12: `[undefined]` is not a constant and is kept as it is",
            "line 15: the attribute `w` has an empty value"
        ]
    );
}

#[test]
fn templates_extend_templates() {
    let forest = parse(
        "branch: dc=com\nsubordinateTemplate: q:1\n\ntemplate: p\nrdnAttr: uid\nuid: u<sequential:7>\nsn: x\n\n\
         template: q\nextends: p\ncn: {sn} {uid}\n",
    );
    assert_eq!(entry(&forest, 0), "dn: uid=u7,dc=com\nuid: u7\nsn: x\ncn: x u7\n");
    assert_eq!(forest.warnings(), ["line 4: nothing uses the template `p`"]);
}

#[test]
fn random_tags_have_their_shapes() {
    let all = |tag: &str, fits: &dyn Fn(&str) -> bool| {
        let values = values(&format!("x: {tag}"), "x", 100);
        assert_eq!(values.len(), 100, "{tag}");
        assert!(values.iter().all(|value| fits(value)), "{tag}: {values:?}");
        values.into_iter().collect::<HashSet<_>>().len()
    };
    let digits = |value: &str| value.bytes().all(|byte| byte.is_ascii_digit());
    all("<random:numeric:5>", &|value| value.len() == 5 && digits(value));
    assert_eq!(all("<random:numeric:5:9>", &|value| ("5"..="9").contains(&value)), 5);
    all("<random:numeric:1:9999:00000>", &|value| value.len() == 5 && digits(value));
    all("<random:alpha:3:5>", &|value| {
        (3..=5).contains(&value.len()) && value.bytes().all(|b| b.is_ascii_lowercase())
    });
    all("<random:alphanumeric:4>", &|value| value.len() == 4);
    all("<random:hex:8>", &|value| u32::from_str_radix(value, 16).is_ok() && value.len() == 8);
    all("<random:base64:4>", &|value| value.len() == 4);
    assert_eq!(all("<random:chars:ab:1>", &|value| "ab".contains(value)), 2);
    assert_eq!(all("<random:month>", &|value| value.len() >= 3), 12);
    assert_eq!(all("<random:month:3>", &|value| value.len() == 3), 12);
    all("<random:telephone>", &|value| {
        value.len() == 15 && value.starts_with("+1 ") && digits(&value[3..6])
    });
    assert_eq!(all("<guid>", &|value| value.len() == 36), 100);
    assert_eq!(all("<list:a:b:c>", &|value| "abc".contains(value)), 3);
    all("<list:a;0:b;9:c\\>>", &|value| value == "b" || value == "c>");
    assert_eq!(all("<list:a;x>", &|value| value == "a;x"), 1);
}

#[test]
fn names_are_unique_pairs() {
    let lists = tempfile::tempdir().unwrap();
    for (name, text) in
        [("first.names", "Ann\nBob\n"), ("last.names", "Xu\nYo\nZa\n"), ("streets", "Elm\nOak\n")]
    {
        std::fs::File::create(lists.path().join(name)).unwrap().write_all(text.as_bytes()).unwrap();
    }
    let sources = Sources { resource_dir: Some(lists.path().to_owned()), ..Sources::default() };
    let text =
        person("cn: <first> <last>\ng: <first>\ns: <file:streets:sequential>\nc: <file:cities>");
    let forest = MakeLdif::parse(&text, "t.template", &sources).unwrap();
    let names: Vec<String> =
        (0..7).map(|number| entry(&forest, number).lines().nth(2).unwrap().to_owned()).collect();
    let expected: HashSet<String> = ["Ann", "Bob"]
        .iter()
        .flat_map(|first| ["Xu", "Yo", "Za"].map(|last| format!("cn: {first} {last}")))
        .collect();
    assert_eq!(names[..6].iter().cloned().collect::<HashSet<_>>(), expected);
    assert!(names[6].contains("1 ") && names[6].ends_with('1'), "{names:?}");
    assert!(entry(&forest, 0).contains("s: Elm\n") && entry(&forest, 1).contains("s: Oak\n"));
}

#[test]
fn lists_built_in_are_valid() {
    for name in ["cities", "first.names", "last.names", "states", "streets"] {
        let lines = Resources::new(None, Files::default()).lines(name).unwrap();
        let all: HashSet<&[u8]> = (0..lines.len()).map(|index| lines.line(index)).collect();
        assert_eq!(all.len() as u64, lines.len(), "{name} repeats a line");
        assert!(all.iter().all(|line| !line.is_empty() && line.trim_ascii() == *line));
    }
}

#[test]
fn entries_depend_on_seed_and_number() {
    let text = person("a: <random:hex:16> <guid> <first>");
    let seeded =
        |seed| MakeLdif::parse(&text, "t", &Sources { seed, ..Sources::default() }).unwrap();
    let (forest, mut late) = (seeded(1), Entry::new());
    for number in (0..50).rev() {
        assert!(forest.entry(number, &mut late));
        assert_eq!(ldif(&late), entry(&seeded(1), number));
    }
    assert_ne!(entry(&seeded(1), 0), entry(&seeded(2), 0));
}

#[test]
fn template_errors_are_named_by_line() {
    for (lines, words) in [
        ("x: <foo>", "there is no tag <foo>"),
        ("x: {y}\ny: 1", "no line above gives it; move it up"),
        ("x: <ifpresent:y>1", "no line above gives it"),
        ("x: {uid:a}", "`a` is not a number of characters"),
        ("x: {uid:1:2}", "a reference is"),
        ("x: <uid", "is not closed"),
        ("x: {uid", "is not closed"),
        ("x: <first:3>", "<first> takes no argument"),
        ("x: <random>", "<random> cannot make ``"),
        ("x: <random:numeric:9:1>", "a maximum not below it"),
        ("x: <random:numeric:a:b>", "a maximum not below it"),
        ("x: <random:numeric:1:2:3:4>", "a maximum not below it"),
        ("x: <random:numeric:1:2:E>", "number format"),
        ("x: <random:alpha:0>", "takes a length"),
        ("x: <random:alpha:5:2>", "takes a length"),
        ("x: <random:chars>", "the set of characters is empty"),
        ("x: <random:month:x>", "takes a number, not `x`"),
        ("x: <random:telephone:1>", "takes no argument"),
        ("x: <list>", "needs values"),
        ("x: <list:a;0>", "every weight"),
        ("x: <file>", "takes 1 to 2 arguments"),
        ("x: <file:nofile>", "there is no file `nofile`, and there is no resource directory"),
        ("x: <file:cities:backwards>", "random or sequential, not `backwards`"),
        ("x: <presence:101>", "wants 0 to 100 percent"),
        ("x: <presence>", "takes 1 to 1 arguments"),
        ("x: <sequential:a>", "takes a number, not `a`"),
        ("x: <sequential:1:maybe>", "true or false, not `maybe`"),
        ("x: <sequential:1:true:2>", "no more"),
        ("x: <dn:a>", "takes a number"),
        ("x: <dn:1:2>", "takes one argument at most"),
        ("x:: YQ==", "is LDIF for encoded values"),
        ("noline", "has no colon"),
        ("include a.b", "names a Java class"),
        ("define a", "write `define name=value`"),
        ("template: q", "put an empty line before it"),
        ("\nx: 1", "belongs to no branch"),
        ("subordinateTemplate: q:2", "there is no template `q`"),
        ("subordinateTemplate: p:x", "the number an integer"),
        ("extends: q", "is not defined above"),
        (": x", "is not an attribute name"),
    ] {
        let complaint = complaint(&person(lines));
        let line = 7 + lines.strip_prefix('\n').map_or(0, |_| 1);
        assert!(
            complaint.starts_with(&format!("use the template file: t.template:{line}: ")),
            "{lines}: {complaint}"
        );
        assert!(complaint.contains(words), "{lines}: {complaint}");
    }
}

#[test]
fn file_errors_are_named_by_line() {
    for (text, line, words) in [
        ("", 1, "has no branch"),
        ("foo: bar\n", 1, "belongs to no branch"),
        (" foo\n", 1, "continues none"),
        ("branch: \n", 1, "has no name"),
        ("branch: com\n", 1, "is not a DN"),
        ("branch: dc=\n", 1, "is not a DN"),
        ("branch: ,dc=com\n", 1, "is not a DN"),
        ("branch: dc=com\n\nbranch: DC=com\n", 3, "is defined on line 1 already"),
        ("branch: dc=com\nrdnAttr: dc\n", 2, "a branch has its DN"),
        ("branch: dc=com\nextends: p\n", 2, "a branch cannot extend"),
        ("branch: dc=com\nx: <parentdn>\n", 2, "not allowed in a branch"),
        (
            "branch: dc=com\nsubordinateTemplate: p:1\n\ntemplate: p\nuid: 1\n",
            4,
            "lacks a line `rdnAttr",
        ),
        ("branch: dc=com\n\ntemplate: p\nrdnAttr: cn\nuid: 1\n", 4, "gives no `cn`"),
        (
            "branch: dc=com\n\ntemplate: p\nrdnAttr: uid\nuid: <presence:5>1\n",
            4,
            "without conditions",
        ),
        (
            "branch: dc=com\n\ntemplate: p\nrdnAttr: uid\na: <parentdn>\nuid: {a}\n",
            4,
            "from the DN that holds it",
        ),
        (
            "branch: dc=com\n\ntemplate: p\nrdnAttr: u\nsubordinateTemplate: p:1\nu: 1\n",
            3,
            "is one below itself?",
        ),
        (
            "branch: dc=com\nsubordinateTemplate: p\nsubordinateTemplate: p:1\n\ntemplate: p\nrdnAttr: u\nu: 1\n",
            3,
            "never comes",
        ),
        (
            "branch: dc=a\nsubordinateTemplate: p\n\nbranch: dc=b\nsubordinateTemplate: p\n\n\
             template: p\nrdnAttr: u\nu: 1\n",
            5,
            "never comes",
        ),
    ] {
        let complaint = complaint(text);
        assert!(
            complaint.starts_with(&format!("use the template file: t.template:{line}: ")),
            "{text}: {complaint}"
        );
        assert!(complaint.contains(words), "{text}: {complaint}");
    }
    let missing = MakeLdif::read(Path::new("/nonexistent/t.template"), &Sources::default())
        .unwrap_err()
        .to_string();
    assert!(missing.contains("/nonexistent/t.template"), "{missing}");
}
