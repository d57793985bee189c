//! Tests of which dialect a line is in.

use super::*;
use crate::test_surroundings::{TestSurroundings, shell};

const H: &str = "-h 127.0.0.1 -p 29000";
const P: &str = "ou=people,dc=example,dc=com";
const W: &str = "-D cn=admin,dc=example,dc=com -w password";

/// The words of a line in which H, P and W stand for a server, a base and an identity.
fn words(line: &str) -> Vec<String> {
    let long = line.replace(" H ", &format!(" {H} ")).replace(" W ", &format!(" {W} "));
    shell(
        &long
            .replace("/P?", &format!("/{P}?"))
            .replace(",P'", &format!(",{P}'"))
            .replace(" P ", &format!(" {P} ")),
    )
}

fn read_in(
    world: &TestSurroundings,
    linked: Option<Dialect>,
    line: &str,
) -> Result<Parsed, Refusal> {
    let words = words(line);
    parse(Tool::named(&words[0]).unwrap(), linked, &words[1..], world)
}

/// The dialect of a line and its notes, or the message and whether it has OpenDJ's frame.
fn found(line: &str) -> Result<(Dialect, Vec<String>), String> {
    match read_in(&TestSurroundings::default(), None, line) {
        Ok(Parsed::Run(args)) => Ok((args.dialect, args.notes)),
        Ok(other) => panic!("{line}: {other:?}"),
        Err(refusal) => Err(refusal.text),
    }
}

fn is(line: &str, dialect: Dialect) {
    let found = found(line).map(|(dialect, _)| dialect);
    assert_eq!(found, Ok(dialect), "{line}");
}

fn is_in_opendjs_frame(text: &str) -> bool {
    text.contains("to get more usage help")
}

/// Each ran in the original or in brunt before there were dialects, or was refused by both.
#[test]
fn dialect_of_known_command_lines_is_recognized() {
    use Dialect::{Opendj, Unboundid};
    for (line, dialect) in [
        ("authrate H -b P -f '(uid=user.[1-200])' -C password -t 4 -i 1 -I 2", Unboundid),
        (
            "authrate --hostname 127.0.0.1 --port 29000 --baseDN dc=example,dc=com --scope sub --filter \
             '(uid=user.[51-200])' --credentials password --numThreads 4 --intervalDuration 1 --numIntervals 2",
            Unboundid,
        ),
        ("authrate H -B -b 'uid=user.[1:200],P' -C password -a simple -c -i 1 -I 2", Unboundid),
        ("authrate H -D 'uid=user.{},P' -w password -f -c 4 -g 'rand(1,200)' -i 1 -d 2", Opendj),
        (
            "authrate H -D '%2$s' -w password -f -c 4 -b P -s one -g 'rand(1,200)' -i 1 -d 2 '(uid=user.%d)'",
            Opendj,
        ),
        ("authrate H -D 'uid=user.1,P' -w password -B 1 -d 2 -i 1 -f", Opendj),
        ("searchrate H -b P -f '(uid=user.1)'", Opendj),
        ("searchrate H -b P -f '(uid=user.[1-200])' -t 2 -i 1 -I 2", Unboundid),
        ("searchrate H -b P -i 1 -I 2 -f '(uid=user.[1-200])'", Unboundid),
        (
            "searchrate H -b dc=example,dc=com -F -c 2 -t 2 -g 'rand(1,200)' -i 1 -d 2 '(uid=user.%d)' cn mail",
            Opendj,
        ),
        ("searchrate H -b P -i 1 -d 2 -f '(uid=user.1)'", Opendj),
        (
            "searchrate H --ldapURL 'ldap:///P?cn?sub?(uid=user.[1-200])' -r 100 -i 1 -I 2 -c",
            Unboundid,
        ),
        ("searchrate H -b P --filter '(uid=user.[1-200])' -a -O 8 -t 2 -i 1 -I 2", Unboundid),
        (
            "searchrate H --baseDn P --ratePerSecond 100 --csv --intervalDuration 1 -F -d 2 '(uid=user.1)'",
            Opendj,
        ),
        ("modrate H W -b 'uid=user.[1-200],P' -A description -l 12 -t 2 -i 1 -I 2", Unboundid),
        (
            "modrate H W --entryDN 'uid=user.[1-200],P' --attribute description --valueLength 12 --numThreads 2 \
             --intervalDuration 1 --numIntervals 2",
            Unboundid,
        ),
        (
            "modrate H W -F -c 2 -t 2 -b 'uid=user.{1},P' -g 'rand(1,200)' -g 'randstr(16)' -i 1 -d 2 \
             'description:{2}'",
            Opendj,
        ),
        (
            "search-and-mod-rate H W -b P -s sub -f '(uid=user.[1-200])' -A sn -m description -l 10 -C abc -t 2 -i 1 \
             -I 2 -r 100 -c -R 7",
            Unboundid,
        ),
        (
            "search-and-mod-rate H W -F -c 2 -b P -g 'rand(1,200)' -i 1 -d 2 '(uid=user.{1})' 'description:x'",
            Opendj,
        ),
    ] {
        is(line, dialect);
    }
    let text = found("authrate H -b x -c 5").unwrap_err();
    assert!(is_in_opendjs_frame(&text), "{text}");
}

#[test]
fn dialect_row_1_user_choice_decides() {
    use Dialect::{Opendj, Unboundid};
    let plain = "searchrate -b dc=x -f (uid=a)";
    let dialect = |world: &TestSurroundings, linked, line: &str| match read_in(world, linked, line)
    {
        Ok(Parsed::Run(args)) => args.dialect,
        other => panic!("{line}: {other:?}"),
    };
    let none = TestSurroundings::default();
    assert_eq!(dialect(&none, None, plain), Opendj);
    assert_eq!(dialect(&none, None, &format!("{plain} --dialect UnboundID")), Unboundid);
    assert_eq!(dialect(&none, None, &plain.replace(" -b", " --dialect=unboundid -b")), Unboundid);
    assert_eq!(dialect(&none, Some(Unboundid), plain), Unboundid);
    assert_eq!(dialect(&none, Some(Unboundid), &format!("{plain} --dialect opendj")), Opendj);
    let by_variable = || TestSurroundings::default().variable("BRUNT_LDAP_DIALECT", "unboundid");
    assert_eq!(dialect(&by_variable(), None, plain), Unboundid);
    let with = |text: &str| by_variable().file("/f", text);
    let named = format!("{plain} --propertiesFilePath /f");
    let named = named.replace("searchrate", "searchrate -t 1");
    assert_eq!(dialect(&with("dialect=opendj\n"), Some(Unboundid), &named), Unboundid);
    assert_eq!(
        dialect(&with("searchrate.dialect=unboundid\ndialect=opendj\n"), None, &named),
        Unboundid
    );
    // A value that looks like the option is none.
    let value = "searchrate -b dc=x -F -D --dialect -w pw (uid=a)";
    assert_eq!(dialect(&none, None, value), Opendj);
    let text = found("searchrate -f (a=b) --dialect netscape").unwrap_err();
    assert!(text.contains("must be opendj or"), "{text}");
    let text = found("addrate --dialect unboundid x").unwrap_err();
    assert!(text.contains("leave out --dialect unboundid"), "{text}");
}

#[test]
fn dialect_rows_2_to_6_one_option_decides() {
    let line = |tool: &str, text: &str| shell(&format!("{tool} {text}"));
    let signs = |tool: &str, text: &str| {
        let words = line(tool, text);
        let tool = Tool::named(tool).unwrap();
        match Line::new(tool, &words[1..]).signs() {
            Signs::One(dialect, by) => Some((dialect, by)),
            Signs::None => None,
            Signs::Both(one, other) => panic!("{text}: {one} and {other}"),
        }
    };
    for (tool, text, by) in [
        ("searchrate", "--filter x", "--filter"),
        ("authrate", "--BindOnly", "--BindOnly"),
        ("searchrate", "--promptForBindPassword", ""),
        ("searchrate", "--num-threads 4", "--num-threads"),
        ("modrate", "--entry-dn x", "--entry-dn"),
        ("searchrate", "-c -i 1", "-c"),
        ("authrate", "-B -b x", "-B"),
        ("authrate", "-a SIMPLE", "-a"),
        ("searchrate", "-a -t 2", "-a"),
        ("search-and-mod-rate", "-m sn", "-m"),
        ("searchrate", "-r 5", "-r"),
        ("modrate", "-l 5", "-l"),
        ("searchrate", "-I 5", "-I"),
        ("searchrate", "-f (a=b) -t 2", "-f"),
        ("searchrate", "-caO5", "-c"),
    ] {
        let (dialect, found) = signs(tool, text).unwrap_or_else(|| panic!("{text}: none"));
        assert_eq!(dialect, Dialect::Unboundid, "{text}");
        assert!(by.is_empty() || found == by, "{text}: {found}");
    }
    for (tool, text, by) in [
        ("authrate", "-g x", "-g"),
        ("searchrate", "-F", "-F"),
        ("searchrate", "-M 5", "-M"),
        ("searchrate", "-m 5", "-m 5"),
        ("searchrate", "-n -v", "-n"),
        ("searchrate", "--numConnections 5", "--numConnections"),
        ("modrate", "--strategy modify", "--strategy"),
        ("searchrate", "-w:env PW", "-w"),
        ("searchrate", "--bindPassword:file /f", "--bindPassword:file"),
        ("searchrate", "--value-patterns", "--value-patterns"),
        ("searchrate", "-b x (uid={})", "(uid={})"),
        ("searchrate", "-b x (uid=%2$s)", "(uid=%2$s)"),
        ("searchrate", "-c 5", "-c 5"),
        ("authrate", "-B 5", "-B 5"),
        ("searchrate", "-a always", "-a"),
    ] {
        let found = signs(tool, text);
        assert_eq!(found, Some((Dialect::Opendj, by.to_owned())), "{text}");
    }
    for (tool, text) in [
        ("searchrate", "-h a -p 1 -D -c -w -F -b x -s sub -t 1 -i 2"),
        ("authrate", "-I 5 -h a"),
        ("searchrate", "--csv --scope sub --ratePerSecond 5 --seed 7 --record x"),
        ("searchrate", "-f (a=b)"),
        ("searchrate", "-f -Z -i 5"),
    ] {
        assert_eq!(signs(tool, text), None, "{text}");
    }
}

#[test]
fn dialect_mixture_of_options_is_refused() {
    let text = found("searchrate --filter (a=b) -d 5 -b x").unwrap_err();
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        text.contains("--filter is an option of UnboundID's searchrate, and -d one of OpenDJ's"),
        "{text}"
    );
    assert!(text.contains("start it as unboundid-searchrate"), "{text}");
    let text = found("authrate -C 12345 -d 5").unwrap_err();
    assert!(!text.contains("12345"), "a password is not shown: {text}");
}

#[test]
fn dialect_rows_7_to_10_readability_decides() {
    // Only one of the grammars reads these.
    is("searchrate -b dc=x (uid=a)", Dialect::Opendj);
    is(
        "searchrate (uid=a) -b dc=x".replace("(uid=a) -b dc=x", "--ldapURL ldap:///").as_str(),
        Dialect::Unboundid,
    );
    // Case c: nothing but options that both have.
    is("modrate -b uid=a,dc=x --attribute description --valueLength 8", Dialect::Unboundid);
    // A switch at the end, or an option of OpenDJ's without its value.
    is("searchrate -b dc=x -f (uid=a) -c", Dialect::Unboundid);
    let text = found("authrate -D cn=a -w b -c").unwrap_err();
    assert!(is_in_opendjs_frame(&text) && text.contains("Argument -c"), "{text}");
    // A pattern is UnboundID's.
    is("searchrate -b dc=x -f (uid=user.[1-9])", Dialect::Unboundid);
    is("searchrate -b ou=[1:9],dc=x -f (uid=a)", Dialect::Unboundid);
    // Cases a and b: the same line in both.
    for line in [
        "searchrate -b dc=x -f (uid=a)",
        "search-and-mod-rate -b dc=x --modifyAttribute sn -f (uid=a)",
    ] {
        let (dialect, notes) = found(line).unwrap();
        assert_eq!(dialect, Dialect::Opendj);
        let note = notes.iter().find(|note| note.contains("--dialect unboundid"));
        assert!(note.is_some_and(|note| note.contains("(-f keeps connections open)")), "{notes:?}");
    }
    // Neither reads this: OpenDJ's message and what to do.
    let text = found("searchrate -b dc=x").unwrap_err();
    assert!(is_in_opendjs_frame(&text) && text.contains("--dialect opendj"), "{text}");
    let text = found("searchrate").unwrap_err();
    assert!(is_in_opendjs_frame(&text) && !text.contains("--dialect"), "{text}");
    // The help is that of OpenDJ's unless a dialect is given.
    let page = |line| match read_in(&TestSurroundings::default(), None, line) {
        Ok(Parsed::Help(page)) => page,
        other => panic!("{line}: {other:?}"),
    };
    assert!(page("searchrate --help").contains("--keepConnectionsOpen"));
    assert!(page("searchrate --help --dialect unboundid").contains("--warmUpIntervals"));
}

#[test]
fn dialect_of_a_recorded_line_is_kept() {
    for (linked, line, expected) in [
        (
            None,
            "searchrate -f (a=[1-2]) -D cn=a -w pw",
            "searchrate --dialect unboundid -f (a=[1-2]) -D cn=a -w ***",
        ),
        (
            None,
            "searchrate -f (a=b) --dialect unboundid -w pw -D cn=a",
            "searchrate -f (a=b) --dialect unboundid -w *** -D cn=a",
        ),
        (
            Some(Dialect::Opendj),
            "searchrate -b x -f (a=b)",
            "searchrate --dialect opendj -b x -f (a=b)",
        ),
        (None, "searchrate -b x -F (a=b)", "searchrate -b x -F (a=b)"),
    ] {
        match read_in(&TestSurroundings::default(), linked, line) {
            Ok(Parsed::Run(args)) => assert_eq!(args.output.typed.join(" "), expected),
            other => panic!("{line}: {other:?}"),
        }
    }
}
