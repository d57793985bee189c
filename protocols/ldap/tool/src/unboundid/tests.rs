//! Tests of what lines of UnboundID's grammar become.

use std::time::Duration;

use brunt_net::secret::Secret;
use brunt_run::options::arrivals::{Arrival, Rate};

use super::*;
use crate::options::rate::RateArgs;
use crate::options::rate::identity::{Identity, Measured};
use crate::options::rate::load::ConnectionMode;
use crate::options::rate::operation::{Operation, Scope, ValueText};
use crate::options::rate::security::{Transport, Trust};
use crate::options::rate::table_options::Timestamps;
use crate::test_surroundings::{TestSurroundings, shell};

fn parsed_in(surroundings: &TestSurroundings, line: &str) -> Result<Parsed, Refusal> {
    let words = shell(line);
    parse(Tool::named(&words[0]).unwrap(), &words[1..], surroundings)
}

fn run_in(surroundings: &TestSurroundings, line: &str) -> RateArgs {
    match parsed_in(surroundings, line) {
        Ok(Parsed::Run(args)) => *args,
        other => panic!("{line}: {other:?}"),
    }
}

fn run(line: &str) -> RateArgs {
    run_in(&TestSurroundings::default(), line)
}

fn refusal(line: &str) -> (String, u8) {
    let refusal = parsed_in(&TestSurroundings::default(), line).expect_err(line);
    assert!(refusal.text.ends_with('\n') && refusal.text.lines().count() == 1, "{}", refusal.text);
    (refusal.text, refusal.exit.code())
}

#[test]
fn threads_become_connections_and_intervals_durations() {
    let args = run(
        "searchrate -h a -p 1389 -f (uid=user.[1-9]) -t 4 -i 2 -I 3 --warmUpIntervals 2 -r 50 -R -1",
    );
    let load = &args.load;
    assert_eq!((load.connections, load.concurrent, load.mode), (4, 1, ConnectionMode::Bound));
    assert_eq!(
        (load.options.duration, load.options.warm_up),
        (Some(Duration::from_secs(6)), Some(Duration::from_secs(4)))
    );
    assert_eq!(
        load.options.arrivals(),
        Rate::Constant { per_second: 50.0, arrival: Arrival::Uniform }
    );
    assert_eq!((args.rows, args.output.seed), (Some(3), Some(0xffff_ffff)));
    assert!(args.value_patterns && load.compat && args.table.codes);
    assert_eq!(args.dialect, Dialect::Unboundid);
    let endless =
        run("searchrate -f (a=b) --suppressErrorResultCodes -c --timestampFormat WITH-DATE");
    assert_eq!((endless.rows, endless.load.options.duration), (None, None));
    let table = &endless.table;
    assert!(!table.codes && table.script_friendly);
    assert_eq!(table.timestamps, Timestamps::WithDate);
    assert_eq!(table.interval, Duration::from_secs(5));
}

#[test]
fn search_is_given_by_options_or_url() {
    let line = "searchrate -b dc=x -s 1 -f (uid=[1:9]) -A cn --attribute mail -z 5 -l 6 --typesOnly \
                --dereferencePolicy always --simplePageSize 10 -Y dn:cn=a -J 1.2.3:true";
    let Operation::Search(search) = run(line).operation else { panic!("no search") };
    assert_eq!((search.base.as_str(), search.filter.as_str()), ("dc=x", "(uid=[1:9])"));
    assert_eq!((search.scope, search.attributes), (Scope::One, vec!["cn".into(), "mail".into()]));
    assert_eq!((search.size_limit, search.time_limit, search.page_size), (5, 6, Some(10)));
    assert_eq!(search.assertion.controls.len(), 1);
    let line = "searchrate --ldapURL ldap:///dc=x?cn?one?(uid=[1-9])";
    let Operation::Search(search) = run(line).operation else { panic!("no search") };
    assert_eq!((search.base.as_str(), search.filter.as_str()), ("dc=x", "(uid=[1-9])"));
    assert_eq!((search.scope, search.attributes), (Scope::One, vec!["cn".to_owned()]));
    let Operation::Search(search) = run("searchrate -f (a=b)").operation else { panic!() };
    assert_eq!((search.base.as_str(), search.scope), ("", Scope::Sub));
}

#[test]
fn authrate_measures_binds_separately() {
    let args =
        run("authrate -D cn=admin -w secret -b dc=x -f (uid=[1-9]) -C -pw- -a digest-md5 -t 2");
    let mechanism = Some("DIGEST-MD5");
    let password = Secret::from("-pw-");
    assert_eq!(args.identity, Identity::Measured(Measured { mechanism, dn: None, password }));
    let login = Identity::Simple { dn: "cn=admin".into(), password: Secret::from("secret") };
    assert_eq!((args.login, args.load.mode), (login, ConnectionMode::Rebind));
    assert!(matches!(args.operation, Operation::Bind { search: Some(_), .. }));
    let args = run("authrate -B -b uid=[1:9],dc=x -C pw");
    let (mechanism, dn) = (None, Some("uid=[1:9],dc=x".to_owned()));
    let password = Secret::from("pw");
    assert_eq!(args.identity, Identity::Measured(Measured { mechanism, dn, password }));
    assert_eq!(args.login, Identity::Anonymous);
    assert!(matches!(args.operation, Operation::Bind { search: None, .. }));
    let args = run("authrate -B -b uid=a -C pw -f (a=b)");
    assert!(args.notes.iter().any(|note| note.contains("no effect with --bindOnly")));
}

#[test]
fn modrate_replaces_attributes_with_equal_values() {
    let line =
        "modrate -b uid=[1-9],dc=x -A sn -A cn -l 12 -C abc --valueCount 2 --preReadAttribute sn";
    let Operation::Modify { target, modify, .. } = run(line).operation else { panic!() };
    assert_eq!((target.as_str(), modify.value_count), ("uid=[1-9],dc=x", 2));
    let names: Vec<&str> = modify.changes.iter().map(|it| it.attribute.as_str()).collect();
    assert_eq!(names, ["sn", "cn"]);
    let random = ValueText::Random { length: 12, characters: "abc".to_owned() };
    assert!(modify.changes.iter().all(|it| it.value == random));
    let line = "modrate --entry-dn uid=a --attribute n --increment --incrementAmount -3";
    let Operation::Modify { modify, .. } = run(line).operation else { panic!() };
    assert!(modify.increment && modify.changes[0].value == ValueText::Amount(-3));
    let line = "search-and-mod-rate -b dc=x -f (a=b) -A cn -m sn -m cn --modifyControl 1.2.3 \
                --iterationsBeforeReconnect 5";
    let args = run(line);
    let Operation::SearchAndModify { search, modify } = args.operation else { panic!() };
    assert_eq!((search.attributes, modify.changes.len()), (vec!["cn".to_owned()], 2));
    assert_eq!(args.load.reconnect_after, Some(5));
}

#[test]
fn asynchronous_requests_stay_within_the_limit() {
    for (line, expected) in [
        ("-a -O 8 -t 2", (2, 4)),
        ("-a -O 8 -t 3", (3, 2)),
        ("-a -O 2 -t 5", (2, 1)),
        ("-a -r 100 -t 2", (2, 100)),
    ] {
        let load = run(&format!("searchrate -f (a=b) {line}")).load;
        assert_eq!((load.connections, load.concurrent), expected, "{line}");
    }
}

#[test]
fn connections_are_secured_and_bound_as_given() {
    let args = run(
        "searchrate -f (a=b) -h a -p 636 -h ::1 -p 637 -Z -X -o mech=plain -o username=u:a -w pw",
    );
    let servers: Vec<(&str, u16)> =
        args.servers.iter().map(|it| (it.host.as_str(), it.port)).collect();
    assert_eq!(servers, [("a", 636), ("::1", 637)]);
    assert_eq!((args.security.transport, args.security.trust), (Transport::Ldaps, Trust::All));
    let properties = [("mech", "PLAIN"), ("authid", "u:a")];
    let properties = properties.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
    let password = Some(Secret::from("pw"));
    assert_eq!(args.identity, Identity::Sasl { properties, dn: None, password });
    assert_eq!(run("searchrate -f (a=b) -Z").servers[0].port, 389, "not 636, as in the original");
    let args = run("searchrate -f (a=b) -D cn=a -w -");
    let password = Secret::from("-");
    assert_eq!(args.identity, Identity::Simple { dn: "cn=a".into(), password });
    let surroundings = TestSurroundings { somebody: true, ..TestSurroundings::default() };
    let args = run_in(&surroundings, "searchrate -f (a=b) -D cn=a --promptForBindPassword");
    let password = Secret::from("typed");
    assert_eq!(args.identity, Identity::Simple { dn: "cn=a".into(), password });
    assert_eq!(args.output.typed.last().map(String::as_str), Some("--promptForBindPassword"));
}

#[test]
fn usage_errors_exit_89_in_one_line() {
    for (line, part) in [
        ("searchrate -b dc=x", "-f (--filter) or --ldapURL is required"),
        ("authrate -b dc=x -f (a=b)", "-C (--credentials) is required"),
        ("authrate -b dc=x -C pw", "-f (--filter) or -B (--bindOnly) is required"),
        ("modrate -b dc=x", "-A (--attribute) is required"),
        ("search-and-mod-rate -b dc=x -f (a=b)", "-m (--modifyAttribute) is required"),
        ("search-and-mod-rate -b dc=x -f (a=b) -m sn --valuePattern x", "no option --valuePattern"),
        ("searchrate -f (a=b) -X", "-X needs --useSSL or --useStartTLS"),
        ("searchrate -f (a=b) -Z -q", "-Z and -q cannot be used together"),
        ("searchrate -f (a=b) -O 5", "-O needs --asynchronous"),
        ("searchrate -f (a=b) -a", "-a needs --ratePerSecond or --maxOutstandingRequests"),
        ("searchrate -f (a=b) --ldapURL ldap:///", "--ldapURL and -f cannot be used together"),
        ("searchrate -f (a=b) -t 0", "-t '0' is not possible: the smallest value is 1"),
        ("searchrate -f (a=b) -R 4294967296", "the largest value is 2147483647"),
        ("searchrate -f (a=b) --interactive", "--interactive is not supported"),
        ("searchrate -f (a=b) -h a -h b", "-h and -p must be given the same number of times"),
        ("searchrate -f (a=b) --appendToOutputFile", "--appendToOutputFile needs --outputFile"),
        ("searchrate -f (a=b) --propertiesFilePath /no", "properties file /no cannot be read"),
        ("searchrate -f (a=b) -w pw", "-w needs --bindDN or --saslOption"),
        ("searchrate -f (a=b) -D admin -w pw", "-D 'admin' is not a distinguished name"),
        ("modrate -b a -A b --incrementAmount 5", "--incrementAmount needs --increment"),
    ] {
        let (text, code) = refusal(line);
        assert!(text.contains(part) && code == 89, "{line}: {code} {text}");
    }
    let (text, code) = refusal("searchrate -f (a=b) -D cn=a");
    assert!(text.contains("standard input is not a terminal") && code == 82, "{code} {text}");
}

#[test]
fn properties_file_supplies_missing_options() {
    let file = "# a comment\nsearchrate.filter = (uid=user.[1-9])\nfilter=(a=b)\nnumThreads=3\ncsv=yes\n\
                typesOnly=false\nBASE-DN=dc=x\nattribute=cn\nattribute=m\\u0061il\nbindDN=cn=a\nbindPassword=pw\n\
                hostname: h\nnosuch=1\nmodrate.valueLength=5\nnumIntervals=9\n";
    let surroundings = TestSurroundings::default()
        .file("/f", file)
        .variable("UNBOUNDID_TOOL_PROPERTIES_FILE_PATH", "/f");
    let args = run_in(&surroundings, "searchrate -I 2 --record r.json");
    let Operation::Search(search) = &args.operation else { panic!("no search") };
    assert_eq!((search.base.as_str(), search.filter.as_str()), ("dc=x", "(uid=user.[1-9])"));
    assert_eq!((search.attributes.join(","), search.types_only), ("cn,mail".to_owned(), false));
    assert_eq!((args.load.connections, args.rows), (3, Some(2)));
    let expected = "# Arguments obtained from properties file '/f':\n\
                    #      --bindDN cn=a\n#      --bindPassword '***REDACTED***'\n\
                    #      --baseDN dc=x\n#      --filter \"(uid=user.[1-9])\"\n#      --attribute cn\n\
                    #      --attribute mail\n#      --numThreads 3\n#      --csv\n\n";
    assert_eq!(args.preamble, expected);
    assert_eq!(
        args.notes.iter().filter(|note| note.starts_with("/f:")).count(),
        2,
        "{:?}",
        args.notes
    );
    let silent = run_in(&surroundings, "searchrate --suppressPropertiesFileComment");
    assert_eq!((silent.preamble.as_str(), silent.load.connections), ("", 3));
    let without = run_in(&surroundings, "searchrate --noPropertiesFile -f (a=b)");
    assert_eq!((without.preamble.as_str(), without.load.connections), ("", 1));
    let wrong = TestSurroundings::default().file("/f", "searchrate.filtre=x\n");
    let refused = parsed_in(&wrong, "searchrate --propertiesFilePath /f").unwrap_err();
    assert!(refused.text.contains("/f:1: searchrate has no option filtre"), "{}", refused.text);
}

#[test]
fn help_and_file_generation_need_no_run() {
    for (line, part) in [
        ("searchrate -H", "Usage:  searchrate {options}"),
        ("authrate -?", "-C, --credentials {password}"),
        ("modrate --helpSASL", "mech=PLAIN"),
    ] {
        let Ok(Parsed::Help(page)) = parsed_in(&TestSurroundings::default(), line) else {
            panic!("{line}")
        };
        assert!(page.contains(part), "{page}");
    }
    assert!(matches!(
        parsed_in(&TestSurroundings::default(), "searchrate -V"),
        Ok(Parsed::Version)
    ));
    let line = "searchrate --generatePropertiesFile /p";
    let Ok(Parsed::PropertiesFile { text, message, .. }) =
        parsed_in(&TestSurroundings::default(), line)
    else {
        panic!("no file")
    };
    assert!(
        text.contains("# searchrate.hostname={host}\n# ")
            || text.contains("# searchrate.hostname={host}\n")
    );
    assert!(text.contains("# searchrate.csv={true|false}\n") && !text.contains(".help="));
    assert_eq!(message, "Successfully wrote properties file /p.\n");
}

/// Lines that others have published, with their servers' names and passwords changed.
#[test]
fn published_command_lines_are_parsed() {
    for line in [
        // PingDirectory 10.3, command-line reference, searchrate.
        "searchrate --hostname server.example.com --port 389 --bindDN uid=admin,dc=example,dc=com --bindPassword \
         password --baseDN dc=example,dc=com --scope sub --filter '(uid=user.[1-1000000])' --attribute givenName \
         --attribute sn --attribute mail --numThreads 10",
        // PingDirectory 8.0, command-line reference, modrate.
        "modrate --hostname server.example.com --port 389 --bindDN uid=admin,dc=example,dc=com --bindPassword \
         password --entryDN 'uid=user.[1-1000000],ou=People,dc=example,dc=com' --attribute description \
         --valueLength 12 --numThreads 10",
        // PingDirectory, guide to tests of performance, authrate and modrate.
        "authrate --hostname ds1 --port 1389 --bindDN 'cn=directory manager' --bindPassword password --baseDN \
         dc=example,dc=com --scope sub --filter '(uid=user.[1-5000])' --credentials Password_123 --numThreads 10",
        "modrate --hostname ds1 --port 1389 --bindDN 'cn=directory manager' --bindPassword password --entryDN \
         'uid=user.[1-5000],ou=perftest,dc=example,dc=com' --attribute description --valueLength 12 --numThreads 10",
        // 389 Directory Server, design page on virtual attributes.
        "searchrate -h localhost -p 389 --bindDN 'cn=directory manager' --bindPassword password --baseDN \
         dc=example,dc=com --scope sub --filter '(&(uidNumber=*)(gidNumber=99998)(displayName=Demo User)\
         (legalName=Demo User Name)(cn=Demo User))' --numThreads 4",
        // Images of PingDirectory and its proxy: README, monitoring, a chart with Splunk, a start-up hook.
        "searchrate -b dc=example,dc=com --scope sub --filter '(uid=user.[1-9])' --attribute mail --numThreads 2 \
         --ratePerSecond 100",
        "modrate --hostname localhost --port 636 --bindDN cn=administrator --bindPassword password --entryDN \
         'uid=user.[0-4],ou=people,dc=example,dc=com' --useSSL --trustAll --attribute description --valueLength 12 \
         --numThreads 10 --ratePerSecond 20",
        "searchrate --hostname localhost --port 1636 --bindDN cn=administrator --bindPassword password --baseDN \
         dc=example,dc=com --scope sub --filter '(uid=user.[0-4])' --numThreads 2",
        "modrate --hostname pingdirectory --port 1389 --attribute description --ratePerSecond 1 --entryDN \
         'cn=user.[0-9],ou=People,dc=example,dc=com'",
        // The SDK's own tests of modrate and authrate.
        "modrate -h localhost -p 1389 -D cn=admin -w password -b 'uid=user.[2-5],dc=example,dc=com' -A description \
         -A displayName -t 10 -i 1 -I 2 --valueLength 100 --valueCount 2 --timestampFormat with-date \
         --warmUpIntervals 1 --assertionFilter '(objectClass=*)' --permissiveModify --preReadAttribute description \
         --postReadAttribute description --postReadAttribute displayName --control 1.3.6.1.4.1.4203.1.10.2",
        "authrate -h localhost -p 1389 -D cn=admin -w password -b 'uid=user.[1-11],dc=example,dc=com' -s base -A * \
         -A + -f '(objectClass=*)' -C password -t 10 -i 1 -I 2 --timestampFormat with-date --warmUpIntervals 1",
    ] {
        assert_eq!(run(line).dialect, Dialect::Unboundid, "{line}");
        let words = shell(line);
        let tool = Tool::named(&words[0]).unwrap();
        match decide::parse(tool, None, &words[1..], &TestSurroundings::default()) {
            Ok(Parsed::Run(args)) => assert_eq!(args.dialect, Dialect::Unboundid, "{line}"),
            other => panic!("{line}: {other:?}"),
        }
    }
}

/// A start-up hook of `PingDirectory`'s images has this spelling.
#[test]
fn misspelt_option_is_named() {
    let line = "modrate --hostname pingdirectory --port 1389 --entryDN 'cn=user.[0-9],ou=People,dc=example,dc=com' \
                --atttribute description --ratePerSecond 1";
    let words = shell(line);
    let tool = Tool::named(&words[0]).unwrap();
    match decide::parse(tool, None, &words[1..], &TestSurroundings::default()) {
        Err(refusal) => assert!(refusal.text.contains("--atttribute"), "{}", refusal.text),
        other => panic!("{other:?}"),
    }
}
