//! Tests of the rate tools' command lines.

use std::path::PathBuf;
use std::time::Duration;

use brunt_net::secret::Secret;
use brunt_run::options::arrivals::{Arrival, Rate};

use super::load::ConnectionMode;
use super::operation::{DeleteMode, Scope, Strategy, Threshold, ValueText};
use super::security::{ClientCertificate, StoreKind, Transport, Trust};
use super::*;
use crate::options::prose;
use crate::test_surroundings::{TestSurroundings, shell};

fn parse_in(surroundings: &TestSurroundings, line: &str) -> Result<Parsed, String> {
    let words = shell(line);
    let tool = Tool::named(&words[0]).unwrap();
    parse(tool, &words[1..], surroundings).map_err(|fault| fault.reason)
}

fn run_in(surroundings: &TestSurroundings, line: &str) -> RateArgs {
    match parse_in(surroundings, line) {
        Ok(Parsed::Run(args)) => *args,
        other => panic!("{line}: {other:?}"),
    }
}

fn run(line: &str) -> RateArgs {
    run_in(&TestSurroundings::default(), line)
}

fn fault_in(surroundings: &TestSurroundings, line: &str) -> String {
    parse_in(surroundings, line).expect_err(line)
}

#[test]
fn examples_of_the_original_manual_are_parsed() {
    let surroundings = TestSurroundings::default()
        .file("/path/to/opendj/config/keystore.pin", "pin\n")
        .variable("PW", "password");
    for tool in Tool::ALL {
        for (_, example) in prose::examples(tool) {
            assert_eq!(run_in(&surroundings, example).tool, tool);
        }
    }
    let args = run_in(
        &surroundings,
        "authrate --hostname localhost --port 1636 --useSsl --usePkcs12TrustStore /path/to/opendj/config/keystore \
         --trustStorePassword:file /path/to/opendj/config/keystore.pin --argument rand(0,2000) \
         --bindDn uid=user.{},ou=people,dc=example,dc=com --bindPassword password --numConnections 10 --maxDuration 30 \
         --keepConnectionsOpen",
    );
    assert_eq!(args.servers, [Server { host: "localhost".into(), port: 1636 }]);
    assert_eq!(args.security.transport, Transport::Ldaps);
    let password = Some(Secret::new(b"pin".to_vec()));
    let path = PathBuf::from("/path/to/opendj/config/keystore");
    assert_eq!(args.security.trust, Trust::Store { kind: StoreKind::Pkcs12, path, password });
    assert_eq!(args.arguments, ["rand(0,2000)"]);
    assert_eq!((args.load.connections, args.load.mode), (10, ConnectionMode::Rebind));
    assert_eq!(args.load.options.duration, Some(Duration::from_secs(30)));
    let args = run_in(
        &surroundings,
        "modrate --hostname localhost --port 1636 --useSsl --usePkcs12TrustStore /path/to/opendj/config/keystore \
         --trustStorePassword:file /path/to/opendj/config/keystore.pin --bindDn uid=admin --bindPassword password \
         --noRebind --numConnections 4 --numConcurrentRequests 4 --maxDuration 30 --argument rand(0,2000) --targetDn \
         uid=user.{1},ou=people,dc=example,dc=com --argument randstr(16) description:{2}",
    );
    assert_eq!(
        (args.load.connections, args.load.concurrent, args.load.mode),
        (4, 4, ConnectionMode::Bound)
    );
    assert_eq!(args.arguments, ["rand(0,2000)", "randstr(16)"]);
    let Operation::Modify { target, strategy: Strategy::Modify, modify } = args.operation else {
        panic!()
    };
    assert_eq!(target, "uid=user.{1},ou=people,dc=example,dc=com");
    assert_eq!(modify.changes[0].attribute, "description");
    assert_eq!(modify.changes[0].value, ValueText::Template("{2}".into()));
    assert_eq!(modify.value_count, 1);
}

#[test]
fn defaults_equal_the_documentation() {
    let args = run("authrate -D cn=x -w y");
    assert_eq!(args.servers, [Server { host: "localhost".into(), port: 389 }]);
    assert_eq!(args.connect_timeout, Some(Duration::from_secs(30)));
    assert_eq!(args.table.interval, Duration::from_secs(5));
    assert_eq!(args.output.percentiles, [99.9, 99.99, 99.999]);
    assert_eq!(args.load.mode, ConnectionMode::PerOperation);
    assert_eq!(
        (args.load.options.count, args.load.options.duration, args.load.options.arrivals()),
        (None, None, Rate::Unlimited)
    );
    assert_eq!((args.security.transport, args.security.trust), (Transport::Plain, Trust::System));
    assert_eq!(args.operation, Operation::Bind { search: None, invalid_percent: 0.0 });
    let Operation::Search(search) = run("searchrate -b dc=x (cn=*) cn mail").operation else {
        panic!()
    };
    assert_eq!((search.scope, search.attributes.len(), search.size_limit), (Scope::Sub, 2, 0));
    let Operation::Add(mix) = run("addrate people.template").operation else { panic!() };
    assert_eq!((mix.delete, mix.purge), (DeleteMode::Fifo(Threshold::Size(10_000)), true));
}

#[test]
fn options_reach_their_settings() {
    let args = run(
        "authrate -D {2} -w y -f -b dc=x -s one -a find -g rand(0,9) -I 12.5 -e 99.5 (uid={1}) cn",
    );
    let Operation::Bind { search: Some(search), invalid_percent } = args.operation else {
        panic!()
    };
    assert_eq!((search.size_limit, search.scope, invalid_percent), (1, Scope::One, 12.5));
    assert_eq!(search.attributes, ["cn"]);
    let args = run(
        "searchrate -e 99.5 -e 50 -e 99.5 -M 1,000.5 --arrival poisson -d 0 -m 10,000 -b dc=x -e 100 (a=b)",
    );
    assert_eq!(args.output.percentiles, [50.0, 99.5, 100.0]);
    assert_eq!(
        args.load.options.arrivals(),
        Rate::Constant { per_second: 1000.5, arrival: Arrival::Poisson }
    );
    assert_eq!((args.load.options.count, args.load.options.duration), (Some(10_000), None));
    let args = run("searchrate -h a:1,[::1]:2 -h b -h fe80::1 -p 9 -Z -X -b dc=x (a=b)");
    let servers: Vec<(&str, u16)> =
        args.servers.iter().map(|server| (server.host.as_str(), server.port)).collect();
    assert_eq!(servers, [("a", 1), ("::1", 2), ("b", 9), ("fe80::1", 9)]);
    assert_eq!(args.notes, ["The server's certificate is not verified because of --trustAll"]);
    let local =
        run("searchrate -h ldapi://%2Frun%2Fldapi,unix:/b -p 9 -o mech=EXTERNAL -b dc=x (a=b)");
    let sockets: Vec<&str> = local.sockets.iter().filter_map(|path| path.to_str()).collect();
    assert_eq!((sockets, local.servers.len()), (vec!["/run/ldapi", "/b"], 0));
    assert_eq!(local.notes, ["--port has no effect on connections to a Unix socket"]);
    assert!(matches!(local.identity, Identity::Sasl { .. }));
    let bind_only = run("authrate -D a -w b -b dc=x");
    assert!(matches!(bind_only.operation, Operation::Bind { search: None, .. }));
    assert!(bind_only.notes[0].starts_with("--baseDn has no effect without a filter"));
    let plain = run("searchrate -b dc=x (uid=user.[1-1000])");
    let note =
        "[1-1000] is sent as it is; --value-patterns makes it a pattern of UnboundID's tools";
    assert_eq!(plain.notes, [note]);
    assert!(run("searchrate --value-patterns -b dc=x (uid=user.[1-1000])").notes.is_empty());
    let args =
        run("modrate -b dc=x --strategy READ_MODIFY --mvcc entryCSN --valueCount 3 a:b c:d:e");
    let Operation::Modify { strategy, modify, .. } = args.operation else { panic!() };
    assert_eq!(strategy, Strategy::ReadModify { mvcc: "entryCSN".into() });
    assert_eq!(modify.changes[1].value, ValueText::Template("d:e".into()));
    let args = run("modrate -b dc=x --attribute n --increment --incrementAmount -5");
    let Operation::Modify { modify, .. } = args.operation else { panic!() };
    assert_eq!((modify.increment, &modify.changes[0].value), (true, &ValueText::Amount(-5)));
    let Operation::Add(mix) = run("addrate -C random -s 500 -n -g a=b=c t").operation else {
        panic!()
    };
    assert_eq!((mix.delete, mix.purge), (DeleteMode::Random(500), false));
    assert_eq!(mix.constants, [("a".to_owned(), "b=c".to_owned())]);
    let args = run("searchrate -Z --usePkcs11KeyStore --providerArg m.so -W pin -b dc=x (a=b)");
    let pin = Some(Secret::new(b"pin".to_vec()));
    assert_eq!(
        args.security.client,
        Some(ClientCertificate::Pkcs11 { provider: "m.so".into(), name: None, pin })
    );
    assert_eq!(args.output.typed[6], "***");
}

/// Each line and a part of the message it must be refused with.
const REFUSED: &[(&str, &str)] = &[
    ("authrate", "Authentication information must be provided to use this tool"),
    (
        "authrate -c 0",
        "value \"0\" for argument -c is not acceptable:  The provided numConnections value 0 is \
      unacceptable because it is below the lower bound of 1",
    ),
    (
        "authrate --numconnections=x",
        "The provided value \"x\" for argument --numconnections is not acceptable:  The \
      provided value \"x\" for the numConnections argument cannot be decoded as an integer",
    ),
    ("authrate -e 100.1", "above the upper bound of 100"),
    ("authrate -a bogus", "it is not one of never, always, search, find"),
    ("authrate -c 1 -c 2", "The argument -c was included multiple times"),
    ("authrate -t 2 -D a -w b", "Argument -t is not allowed"),
    ("authrate -D a -w b -Z -q", "both the --useStartTls and the --useSsl"),
    ("authrate -D a -w b -X -P s", "both the --trustAll and the --trustStorePath"),
    ("authrate -D a -w b -j f", "both the --bindPassword and the --bindPasswordFile"),
    ("authrate -D a -j f", "The file cannot be read"),
    ("authrate -D a -w:env NOPE", "No environment variable"),
    ("authrate -D a -w ''", "servers treat as an anonymous bind"),
    ("authrate -D a", "standard input is not a terminal"),
    ("authrate -D a -n", "--no-prompt is given"),
    ("authrate -D a -w b (uid=x)", "needs --baseDn"),
    ("authrate -D a -w b -b dc=x --manageDsaIt", "--manageDsaIt needs a search"),
    ("authrate -o mech", "could not be parsed in the form \"name=value\""),
    (
        "authrate -o mech=FOO",
        "The requested SASL mechanism \"FOO\" is not supported by this client",
    ),
    ("authrate -o foo=1", "mech, authid, authzid"),
    ("authrate -o authid=a", "mech=NAME"),
    ("authrate -o mech=PLAIN -w x", "authid"),
    ("authrate -o mech=EXTERNAL -Z", "client certificate"),
    ("authrate -w x -D a --propertiesFilePath /none", "/none"),
    ("authrate -D a -w b -M 5 --think 1ms", "--think cannot be used"),
    ("authrate -D a -w b --arrival poisson", "--arrival needs --targetThroughput"),
    ("authrate -D a -w b --iterationsBeforeReconnect 5", "--keepConnectionsOpen"),
    ("authrate -D a -w b --teeOutput", "--outputFile"),
    ("authrate -D a -w b -h http://x", "not another URL"),
    ("authrate -D a -w b -h ldapi://host", "Failed to name a Unix socket: write ldapi://%2FPATH"),
    ("authrate -D a -w b -h unix:/a,ldap1", "cannot be used in one run"),
    ("authrate -D a -w b -h ldapi://%2Fa -Z", "speak no LDAPS"),
    ("authrate -D a -w b -h x:0", "1 to 65535"),
    ("authrate -D a -w b --key-pem k", "--cert-pem"),
    ("authrate -D a -w b -N n", "key store"),
    ("authrate -D a -w b --usePkcs11KeyStore", "--providerArg"),
    ("authrate -D a -w b --tls-min 1.3 --tls-max 1.2", "--tls-max"),
    ("authrate -D a -w b --bindControl x", "object identifier"),
    ("modrate -t 2 -b dc=x a:b", "--noRebind must be used if --numConcurrentRequests is > 1"),
    ("modrate -b dc=x", "At least 1 unnamed trailing arguments are required"),
    ("modrate -b dc=x nocolon", "a colon and a value template"),
    ("modrate -b dc=x :x", "a colon and a value template"),
    ("modrate -b dc=x a:b -S", "Options must come before"),
    ("modrate a:b", "targetDn"),
    ("modrate -b dc=x --valuePattern p a:b", "--valuePattern needs --attribute"),
    ("modrate -b dc=x --strategy read_modify --assertionFilter (a=b) a:b", "--assertionFilter"),
    ("modrate -w x -b dc=x a:b", "without --bindDn"),
    (
        "searchrate -b dc=x",
        "At least 1 unnamed trailing arguments are required in the argument list, but too few were provided: the \
         filter template string, such as '(uid=user.{})', is missing",
    ),
    ("searchrate -b dc=x (a=b) '* modifyTimestamp'", "of its own, as in '*' 'modifyTimestamp'"),
    ("search-and-mod-rate -b dc=x", "the filter template string, such as '(uid=user.{})', is"),
    ("comparerate -b dc=x", "the attribute:value template string is missing"),
    ("moddnrate -b dc=x", "the new RDN template string, such as 'uid=renamed.{}', is missing"),
    ("addrate", "the path of the template file is missing"),
    ("addrate x y", "The maximum number of allowed trailing arguments is 1"),
    ("addrate -s 5 -a 5 x", "only one at a time"),
    ("addrate -C off -s 5 x", "when deletion is disabled"),
    ("addrate -C random -a 5 x", "random deletion mode"),
    ("addrate -s 500 -m 100 x", "must be lower than the maximum number of add operations"),
    ("addrate -g novalue x", "name=value"),
];

#[test]
fn conflicts_name_the_option() {
    for (line, part) in REFUSED {
        let reason = fault_in(&TestSurroundings::default(), line);
        assert!(reason.contains(part), "{line}: {reason}");
    }
}

#[test]
fn password_is_prompted_for_only_at_a_terminal() {
    let surroundings = TestSurroundings { somebody: true, ..TestSurroundings::default() };
    for line in
        ["authrate -D cn=x", "authrate -D cn=x -w -", "authrate -o mech=PLAIN -o authid=u:x"]
    {
        assert!(matches!(
            run_in(&surroundings, line).identity,
            Identity::Simple { .. } | Identity::Sasl { .. }
        ));
    }
    assert_eq!(surroundings.requested.borrow().len(), 3);
    assert_eq!(surroundings.requested.borrow()[0], "Password for user 'cn=x': ");
    assert!(fault_in(&surroundings, "authrate -D cn=x --no-prompt").contains("--no-prompt"));
}

#[test]
fn password_is_read_from_files_and_variables() {
    let surroundings = TestSurroundings::default()
        .file("/pw", "from file\r\nsecond\n")
        .variable("PW", "from variable");
    for (line, expected) in [
        ("authrate -D a -w:file /pw", "from file"),
        ("authrate -D a -j /pw", "from file"),
        ("authrate -D a --bindPassword:env=PW", "from variable"),
    ] {
        let Identity::Simple { password, .. } = run_in(&surroundings, line).identity else {
            panic!("{line}")
        };
        assert_eq!(password.expose(), expected.as_bytes());
    }
}

#[test]
fn properties_file_supplies_missing_options() {
    let text = "PORT=1\nauthrate.port=2\nhostname=h\nuseSSL=true\ntrustAll=false\nnumConnections=7\n\
                percentile=50\npercentile=60\nbindPassword\\:env=PW\nldapsearch.nosuch=1\nmodrate.nosuch=1\n";
    let surroundings = TestSurroundings::default().file("/p", text).variable("PW", "secret");
    let args = run_in(&surroundings, "authrate --propertiesFilePath /p -D a -c 3");
    assert_eq!(args.servers, [Server { host: "h".into(), port: 2 }]);
    assert_eq!((args.load.connections, args.security.transport), (3, Transport::Ldaps));
    assert_eq!(args.output.percentiles, [50.0, 60.0]);
    assert!(args.notes[0].starts_with("Taken from /p: --"), "{:?}", args.notes);
    let marked = TestSurroundings::default().file("/p", "\u{feff}port=7\nhostname=h\n");
    let args = run_in(&marked, "authrate --propertiesFilePath /p -D a -w b");
    assert_eq!(args.servers, [Server { host: "h".into(), port: 7 }], "a byte order mark is no key");
    let surroundings = TestSurroundings::default()
        .variable("HOME", "/home/u")
        .file("/home/u/.opendj/tools.properties", "port=5");
    assert_eq!(run_in(&surroundings, "authrate -D a -w b").servers[0].port, 5);
    assert_eq!(run_in(&surroundings, "authrate -D a -w b --noPropertiesFile").servers[0].port, 389);
    let surroundings = surroundings.file("/home/u/.config/brunt/tools.properties", "port=6");
    assert_eq!(run_in(&surroundings, "authrate -D a -w b").servers[0].port, 6);
}

#[test]
fn properties_file_misspelt_key_is_noted() {
    let notes = |text: &str| {
        let surroundings = TestSurroundings::default().file("/p", text);
        run_in(&surroundings, "authrate --propertiesFilePath /p -D a -w b").notes
    };
    assert_eq!(
        notes("\n# prot\nhostnmae=h\nprot=1\nbindPasswrod=PW\n"),
        [
            "/p:3: hostnmae is not an option, and is ignored.  Did you mean hostname?",
            "/p:4: prot is not an option, and is ignored.  Did you mean port?",
            "/p:5: bindPasswrod is not an option, and is ignored.  Did you mean bindPassword?",
        ]
    );
    // Keys of other tools, options of other tools, and words unlike any option.
    let others = "ldapsearch.prot=1\ntargetDn=dc=x\nsizeLimit=5\nadminUID=admin\n";
    assert_eq!(notes(others), [""; 0]);
}

#[test]
fn properties_file_error_names_file_and_line() {
    for (text, part) in [
        ("\nport=abc", "argument port (/p:2) is not acceptable"),
        ("useSsl=maybe", "argument useSsl (/p:1) is not acceptable:  It must be true or false"),
        ("authrate.prot=1", "/p:1: authrate has no option prot.  Did you mean authrate.port?"),
        ("a=\\u12", "The properties file /p cannot be read: line 1"),
        ("port=1\nport=2", "The argument port (/p:2) was included multiple times"),
    ] {
        let surroundings = TestSurroundings::default().file("/p", text);
        let reason = fault_in(&surroundings, "authrate -D a -w b --propertiesFilePath /p");
        assert!(reason.contains(part), "{text}: {reason}");
    }
}

#[test]
fn help_and_version_precede_validation() {
    assert!(matches!(
        parse_in(&TestSurroundings::default(), "authrate -c 5 --help"),
        Ok(Parsed::Help(_))
    ));
    assert!(matches!(parse_in(&TestSurroundings::default(), "authrate -V"), Ok(Parsed::Version)));
    let made = parse_in(&TestSurroundings::default(), "modrate --generatePropertiesFile x");
    assert!(
        matches!(made, Ok(Parsed::PropertiesFile { text, .. }) if text.contains("#modrate.targetDn="))
    );
    assert!(matches!(
        parse_in(&TestSurroundings::default(), "authrate --generateSampleRateFile x"),
        Ok(Parsed::SampleRateFile(_))
    ));
}

#[test]
fn debug_output_hides_secrets() {
    let args = run("searchrate -D cn=x -w hunter2 -Z -P s -T hunter2 -b dc=x (a=b)");
    assert!(!format!("{args:?}").contains("hunter2"));
}

#[test]
fn single_h_without_a_host_prints_help() {
    for tool in Tool::ALL {
        let words = ["-h".to_owned()];
        let Ok(Parsed::Help(page)) = parse(tool, &words, &TestSurroundings::default()) else {
            panic!("{tool:?}")
        };
        assert_eq!(page, help::page(tool));
    }
    let words = ["-D", "a", "-h"].map(str::to_owned);
    let refused = parse(Tool::Authrate, &words, &TestSurroundings::default()).unwrap_err();
    assert_eq!(refused.reason, "Argument -h requires a value but none was provided");
}

#[test]
fn sasl_mechanisms_with_a_password_are_all_accepted() {
    let properties = |args: RateArgs| match args.identity {
        Identity::Sasl { properties, password, .. } => {
            (properties[0].1.clone(), password.is_some())
        }
        other => panic!("{other:?}"),
    };
    for mechanism in ["SCRAM-SHA-512", "SCRAM-SHA-256"] {
        let args = run(&format!("authrate -w x -o mech={mechanism} -o authid=user.1"));
        assert_eq!(properties(args), (mechanism.to_owned(), true));
    }
    // The token says who binds.
    let args = run("authrate -w token -o mech=OAUTHBEARER");
    assert_eq!(properties(args), ("OAUTHBEARER".to_owned(), true));
}

#[test]
fn trust_store_provider_must_read_files() {
    let trust = |line: &str| run(&format!("searchrate -Z {line} -b dc=x (a=b)")).security.trust;
    let store = |kind| Trust::Store { kind, path: "s".into(), password: None };
    for (line, kind) in [
        ("-P s --trustStoreProviderName SunJCE", StoreKind::Jceks),
        ("-P s --trustStoreProviderName sunjsse", StoreKind::Pkcs12),
        ("-P s --trustStoreProviderName SUN", StoreKind::Unknown),
        ("-P s --trustStoreProviderName SUN --trustStoreType jks", StoreKind::Jks),
        ("-P s --trustStoreProviderClass com.sun.crypto.provider.SunJCE", StoreKind::Jceks),
        (
            "--usePkcs12TrustStore s --trustStoreProviderName BC --trustStoreProviderClass \
             org.bouncycastle.jce.provider.BouncyCastleProvider",
            StoreKind::Pkcs12,
        ),
    ] {
        assert_eq!(trust(line), store(kind), "{line}");
    }
    for (line, part) in [
        ("-P s --trustStoreProviderName SunPKCS11-token", "name that with --trustStorePath"),
        ("-P s --trustStoreProviderClass a.B", "--trustStoreProviderClass a.B loads a provider"),
        ("-P s --trustStoreProviderArg x", "--trustStoreProviderArg configures a provider"),
        ("-P s --trustStoreProviderName SUN --trustStoreProviderArg x", "SUN, which takes no"),
        ("--trustStoreProviderName SUN", "needs a trust store: add --trustStorePath"),
        ("--trustAll --trustStoreProviderName SUN", "needs a trust store"),
        ("--trustStoreType jvm --trustStoreProviderName SUN", "cannot be used together"),
        (
            "-P s --trustStoreProviderName SunJCE --trustStoreType jks",
            "SunJCE, which reads jceks, and the trust store is jks",
        ),
        (
            "-P s --trustStoreProviderName SUN --trustStoreProviderClass \
             com.sun.crypto.provider.SunJCE",
            "name two providers",
        ),
    ] {
        let line = format!("searchrate -Z {line} -b dc=x (a=b)");
        let fault = fault_in(&TestSurroundings::default(), &line);
        assert!(fault.contains(part), "{line}: {fault}");
    }
}

#[test]
fn former_option_name_suggests_the_present_one() {
    let of = |line: &str, tool| {
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        let reason = "Argument X is not allowed for use with this program.  Did you mean --y?";
        explained(UsageError::new(reason), &words, tool).reason
    };
    for (line, tool, now) in [
        ("-h a -A -c 5", Tool::Modrate, "use -F and --numConcurrentRequests"),
        ("--asynchronous", Tool::Modrate, "use -F and --numConcurrentRequests"),
        ("--numConcurrentTasks 5", Tool::Searchrate, "it is now --numConcurrentRequests"),
        ("--baseDN=dc=x", Tool::Modrate, "it is now --targetDn"),
    ] {
        let reason = of(line, tool);
        assert!(reason.contains(now) && !reason.contains("Did you mean"), "{line}: {reason}");
    }
    assert!(of("--baseDN dc=x", Tool::Searchrate).ends_with("Did you mean --y?"));
}
