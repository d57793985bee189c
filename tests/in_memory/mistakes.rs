//! Wrong command lines, templates and files: each is refused before any connection is made, with the original tool's
//! exit code and a message that names what is wrong and says what would be right.

use std::fs;
use std::path::Path;

use brunt_testbed::{Pki, require};

use brunt_test_program::{Ended, scratch};

use crate::machine::run;

/// A mistake: the tool, its command line, the culprit as the message names it, and a word of the remedy. An `@` stands
/// for the directory of the files below; nothing holds a space that is not written `_`.
type Mistake = (&'static str, &'static str, &'static str, &'static str);

const OPTIONS: &[Mistake] = &[
    ("authrate", "", "Authentication information", "must be provided"),
    ("authrate", "-D cn=a -w b --nonsense", "--nonsense", "not allowed"),
    (
        "authrate",
        "-D cn=a -w b --numConnection 2",
        "--numConnection",
        "Did you mean --numConnections?",
    ),
    ("authrate", "-D cn=a -w b -c", "-c", "requires a value"),
    ("authrate", "-D cn=a -w b -c x", "-c", "integer"),
    ("authrate", "-D cn=a -w b -c 0", "numConnections", "lower bound of 1"),
    ("authrate", "-D cn=a -w b -c 1,00", "-c", "integer"),
    ("authrate", "-D cn=a -w b -c 2 -c 3", "-c", "multiple"),
    ("authrate", "-D cn=a -w b -p 70000", "port", "upper bound of 65535"),
    ("authrate", "-D cn=a -w b -i 0", "statInterval", "lower bound of 1"),
    ("authrate", "-D cn=a -w b -e 101", "percentile", "upper bound of 100"),
    ("authrate", "-D cn=a -w b -I 101", "invalidPassword", "upper bound of 100"),
    ("authrate", "-D cn=a -w b -M -5", "targetThroughput", "lower bound of 0"),
    ("authrate", "-D cn=a -w b -fc 2", "-fc", "'c' argument requires a value"),
    ("authrate", "-D cn=a -w b -", "dash character", "by itself"),
    ("authrate", "-D cn=a -w b -t 2", "-t", "not allowed"),
    ("authrate", "-D cn=a -w b -s deep", "searchScope", "base, one, sub, subordinates"),
    ("authrate", "-D cn=a -w b -a sometimes", "dereferencePolicy", "never, always, search, find"),
    ("authrate", "-D cn=a -w b (uid=a)", "(uid=a)", "--baseDn"),
    ("authrate", "-D cn=a -w b -q -Z", "--useSsl", "may not provide both"),
    ("authrate", "-D cn=a -w b -Z -X --ca @/some.pem", "--ca", "may not provide both"),
    ("authrate", "-D cn=a -w b --tls-min 1.3 --tls-max 1.2", "--tls-min", "--tls-max"),
    ("authrate", "-D cn=a -w b --appendToOutputFile", "--appendToOutputFile", "--outputFile"),
    ("authrate", "-D cn=a -w b --arrival poisson", "--arrival", "--targetThroughput"),
    ("authrate", "-D cn=a -w b --backlog 5", "--backlog", "--targetThroughput"),
    (
        "authrate",
        "-D cn=a -w b --iterationsBeforeReconnect 5",
        "--iterationsBeforeReconnect",
        "--keepConnectionsOpen",
    ),
    ("authrate", "-D cn=a -w b --think 1s -M 5", "--think", "--targetThroughput"),
    ("authrate", "-D cn=a -w b -h ldap://a", "ldap://a", "--useSsl"),
    ("authrate", "-D cn=a -w b -h a:0", "a:0", "1 to 65535"),
    ("authrate", "-D cn=a -w b --source-ip nowhere", "nowhere", "--source-ip"),
    ("authrate", "-D cn=a -w b --bindControl name", "name", "object identifier"),
    ("authrate", "-D cn=a -w b --bindControl 1.2.3:true::!", "1.2.3:true::!", "base64"),
    ("authrate", "-D cn=a -w:env NO_SUCH_VARIABLE", "NO_SUCH_VARIABLE", "environment variable"),
    ("authrate", "-D cn=a -w:file @/missing", "@/missing", "cannot be read"),
    ("authrate", "-D cn=a -w:file @/empty", "@/empty", "first line"),
    (
        "authrate",
        "-D cn=a --bindPassword:keyring x",
        "--bindPassword:keyring",
        "Did you mean --bindPassword?",
    ),
    ("authrate", "-D cn=a --bindPassword=", "--bindDn cn=a", "give a password"),
    ("searchrate", "-p 1 (cn=a)", "baseDn", "--baseDn"),
    ("searchrate", "-b dc=a", "trailing", "the filter template string, such as"),
    ("searchrate", "-b dc=a (cn=a) cn,mail", "'cn,mail'", "as in 'cn' 'mail'"),
    ("searchrate", "-b dc=a -w b (cn=a)", "--bindDn", "anonymous"),
    ("searchrate", "-b dc=a -t 2 (cn=a)", "--noRebind", "--numConcurrentRequests"),
    ("searchrate", "-b dc=a (cn=a) cn -S", "'-S'", "Options must come before"),
    ("authrate", "-D cn=a -w b -b dc=a (cn=a) -f", "'-f'", "Options must come before"),
    ("modrate", "-b cn=a", "trailing", "description:"),
    ("modrate", "description:x", "targetDn", "--targetDn"),
    ("modrate", "-b cn=a description", "description", "attribute, a colon and a value"),
    ("modrate", "-b cn=a :x", ":x", "attribute, a colon and a value"),
    ("modrate", "-b cn=a description:x -S", "-S", "Options must come before"),
    ("modrate", "-b cn=a --strategy guess description:x", "strategy", "modify, read_modify"),
    ("modrate", "-b cn=a --incrementAmount 3 a:1", "--incrementAmount", "--increment"),
    ("addrate", "", "trailing", "path of the template file is missing"),
    ("addrate", "@/good.template extra", "trailing", "maximum"),
    ("addrate", "-s 5 -a 5 @/good.template", "--deleteSizeThreshold", "leave out"),
    ("addrate", "-C off -s 5 @/good.template", "threshold", "--deleteMode"),
    ("addrate", "-C random -a 5 @/good.template", "age", "--deleteSizeThreshold"),
    ("addrate", "-m 5 -s 10 @/good.template", "--maxIterations", "10"),
    ("addrate", "-g novalue @/good.template", "novalue", "name=value"),
];

const TEMPLATES: &[Mistake] = &[
    ("authrate", "-D uid={} -w b", "uid={}", "add a `-g`"),
    ("authrate", "-D uid={2} -w b -g 1", "uid={2}", "there is one"),
    ("authrate", "-D uid={0} -w b -g 1", "uid={0}", "counted from 1"),
    ("authrate", "-D uid=%d -w b -g text", "%d", "text"),
    ("authrate", "-D uid=%f -w b -g 1", "uid=%f", "there are %s, %d"),
    ("searchrate", "-b dc=a -g 1 (uid={})(", "the filter (uid=", "missing at character"),
    ("searchrate", "-b dc=a -g 1 uid={}=(", "the filter uid=", "write \\28"),
    ("searchrate", "-b dc={3} -g 1 (cn=a)", "dc={3}", "there is one"),
    ("modrate", "-b cn={} -g 1 description:{2}", "{2}", "there is one"),
    ("authrate", "-D uid=a -w b -g rnd(0,10)", "`rnd`", "use inc, rand"),
    ("authrate", "-D uid=a -w b -g rand(5,5)", "rand(5,5)", "smaller one first"),
    ("authrate", "-D uid=a -w b -g rand(9,5)", "rand(9,5)", "smaller one first"),
    ("authrate", "-D uid=a -w b -g inc(1,000,2)", "inc(1,000,2)", "inc"),
    ("authrate", "-D uid=a -w b -g inc(9,1)", "inc(9,1)", "9"),
    ("authrate", "-D uid=a -w b -g xrand(a,b)", "xrand(a,b)", "integer"),
    ("authrate", "-D uid=a -w b -g randstr(x)", "randstr(x)", "integer"),
    ("authrate", "-D uid=a -w b -g randstr(0)", "randstr(0)", "1"),
    ("authrate", "-D uid=a -w b -g randstr(5,[z-a])", "[z-a]", "backwards"),
    ("authrate", "-D uid=a -w b -g inc(@/missing)", "@/missing", "check"),
    ("authrate", "-D uid=a -w b -g rand(@/empty)", "@/empty", "line"),
    ("searchrate", "-b dc=a --value-patterns (uid=[9-])", "[9-]", "character"),
    ("searchrate", "-b dc=a --value-patterns (uid=[nosuch:1])", "nosuch", "character"),
    ("searchrate", "-b dc=a --value-patterns (uid=[1-5)", "[1-5", "write `[[`"),
    ("searchrate", "-b dc=a --value-patterns (uid=[file:@/missing])", "@/missing", "check"),
];

const FILES: &[Mistake] = &[
    ("authrate", "-D cn=a -w b --stages gibberish", "gibberish", "--stages"),
    ("authrate", "-D cn=a -w b --stages 100/s_for_ever", "'ever'", "a time such as"),
    (
        "authrate",
        "-D cn=a -w b --stages 100/s,5/s_for_1s",
        "stage 1 has no end",
        "add its duration",
    ),
    ("authrate", "-D cn=a -w b --stages trace_@/missing", "@/missing", "--stages"),
    ("authrate", "-D cn=a -w b --stages trace_@/descending", "@/descending: line 2", "sort"),
    ("authrate", "-D cn=a -w b --stages 5/s -M 5", "--stages", "may not provide both"),
    ("authrate", "-D cn=a -w b --think soon", "soon", "--think"),
    ("authrate", "-D cn=a -w b --variableRateData @/missing", "@/missing", "--variableRateData"),
    ("authrate", "-D cn=a -w b --variableRateData @/no.header", "@/no.header", "END HEADER"),
    ("authrate", "-D cn=a -w b --variableRateData @/bad.rates", "@/bad.rates:3: `fast`", "1000"),
    (
        "authrate",
        "-D cn=a -w b --variableRateData @/multiple.rates",
        "@/multiple.rates:3: `2x`",
        "give it",
    ),
    ("authrate", "-D cn=a -w b --slo quick", "quick", "bind.p99<20ms"),
    ("authrate", "-D cn=a -w b --slo speed<5", "speed", "p99.9"),
    ("authrate", "-D cn=a -w b --slo p99<fast", "fast", "ms"),
    ("authrate", "-D cn=a -w b --slo search.p99<5ms", "search", "bind"),
    ("authrate", "--propertiesFilePath @/missing", "@/missing", "properties"),
    ("authrate", "--propertiesFilePath @/bad.properties", "@/bad.properties:2", "integer"),
    ("authrate", "--propertiesFilePath @/typo.properties", "@/typo.properties:1", "Did you mean"),
    ("authrate", "--propertiesFilePath @/escape.properties", "@/escape.properties", "\\u"),
    ("authrate", "--noPropertiesFile --propertiesFilePath @/empty", "--propertiesFilePath", "both"),
    ("authrate", "-D cn=a -w b -o novalue", "novalue", "name=value"),
    ("authrate", "-D cn=a -w b -o colour=red", "colour=red", "authid"),
    ("authrate", "-D cn=a -w b -o authid=a", "SASL mechanism", "mech=NAME"),
    ("authrate", "-D cn=a -w b -o mech=plain", "plain", "PLAIN"),
    ("authrate", "-w b -o mech=PLAIN", "PLAIN", "authid"),
    ("authrate", "-D cn=a -w b -o mech=PLAIN -o mech=PLAIN", "mech", "more than once"),
    ("authrate", "-o mech=EXTERNAL", "EXTERNAL", "--useSsl"),
    ("authrate", "-w b -o mech=PLAIN -o authid=u:{2} -g 1", "u:{2}", "`-g`"),
    ("addrate", "@/empty", "@/empty:1", "branch: dc=example,dc=com"),
    ("addrate", "@/bad.template", "@/bad.template:7: there is no tag <nosuchtag>", "write"),
    ("addrate", "@/nowhere.template", "nosuch", "template"),
    ("addrate", "@/list.template", "@/missing", "line"),
];

const STORES: &[Mistake] = &[
    ("authrate", "-D cn=a -w b -Z --ca @/missing", "@/missing", "read"),
    ("authrate", "-D cn=a -w b -Z --ca @/empty", "@/empty", "PEM"),
    ("authrate", "-D cn=a -w b -Z --useJavaTrustStore @/garbage", "@/garbage", "no JKS"),
    ("authrate", "-D cn=a -w b -Z -P @/garbage --trustStoreType jks", "@/garbage", "another file"),
    ("authrate", "-D cn=a -w b -Z --trustStoreType jks", "--trustStoreType", "--trustStorePath"),
    ("authrate", "-D cn=a -w b -Z -X -K @/server.p12 -W wrong", "@/server.p12", "password"),
    ("authrate", "-D cn=a -w b -Z -X -N nobody -K @/server.p12 -W password", "nobody", "server"),
    ("authrate", "-D cn=a -w b -Z -X -N a", "--certNickname", "--keyStorePath"),
    ("authrate", "-D cn=a -w b -Z -X --key-pem @/empty", "--key-pem", "--cert-pem"),
    ("authrate", "-D cn=a -w b -Z -X --usePkcs11KeyStore", "PKCS#11", "--providerArg"),
    (
        "authrate",
        "-D cn=a -w b -Z -X --usePkcs11KeyStore --providerArg @/missing.so",
        "@/missing.so",
        "No such file",
    ),
    ("authrate", "-D cn=a -w b -Z -X --providerArg @/x.so", "--providerArg", "--usePkcs11KeyStore"),
    ("authrate", "-D cn=a -w b -Z -X --tls-ciphers NO_SUCH", "NO_SUCH", "TLS13_AES_128_GCM_SHA256"),
];

/// The files that the mistakes name.
fn prepare(directory: &Path) {
    let entry =
        "subordinateTemplate: person:5\n\ntemplate: person\nrdnAttr: uid\nobjectClass: person\n";
    for (name, text) in [
        ("empty", String::new()),
        ("garbage", "neither a store nor a certificate".to_owned()),
        ("descending", "1.5\n0.5\n".to_owned()),
        ("no.header", "format=rate-and-duration\n100,1s\n".to_owned()),
        ("bad.rates", "format=rate-and-duration\nEND HEADER\nfast,1s\n".to_owned()),
        ("multiple.rates", "format=rate-and-duration\nEND HEADER\n2x,1s\n".to_owned()),
        ("bad.properties", "hostname=a\nnumConnections=many\n".to_owned()),
        ("typo.properties", "authrate.numConnection=1\n".to_owned()),
        ("escape.properties", "bindDN=\\u12\n".to_owned()),
        ("good.template", format!("branch: dc=a\n{entry}uid: <sequential:0>\n")),
        ("bad.template", format!("branch: dc=a\n{entry}uid: <nosuchtag>\n")),
        ("nowhere.template", "branch: dc=a\nsubordinateTemplate: nosuch:5\n".to_owned()),
        (
            "list.template",
            format!("branch: dc=a\n{entry}uid: <file:{}/missing>\n", directory.display()),
        ),
    ] {
        fs::write(directory.join(name), text).expect("a directory to write to");
    }
}

/// The words of a command line.
fn words(line: &str, directory: &Path) -> Vec<String> {
    let word = |word: &str| {
        let path = format!("{}/", directory.display());
        word.replace("@/", &path)
            .replace("100/s_for_", "100/s for ")
            .replace("trace_", "trace ")
            .replace("5/s_for_1s", "5/s for 1s")
    };
    line.split_whitespace().map(word).collect()
}

fn check(mistakes: &[Mistake], directory: &Path) {
    let mut wrong = Vec::new();
    for (tool, line, culprit, remedy) in mistakes {
        let mut command = vec![(*tool).to_owned()];
        command.extend(words(line, directory));
        let ended = run(&command.iter().map(String::as_str).collect::<Vec<_>>());
        if let Some(why) = complaint(&ended, tool, &words(culprit, directory).join(" "), remedy) {
            wrong.push(format!("{tool} {line}\n  {why}: {}", ended.output()));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), mistakes.len(), wrong.join("\n"));
}

/// What is amiss with how a mistake was refused.
fn complaint(ended: &Ended, tool: &str, culprit: &str, remedy: &str) -> Option<String> {
    let output = ended.output();
    // A note may come first: that nothing is verified with --trustAll.
    let page = ended.stderr.lines().find(|line| !line.starts_with("note: "));
    let first = "An error occurred while parsing the command-line arguments:  ";
    let frame = page.is_some_and(|line| line.starts_with(first) || line == first.trim_end())
        && output.ends_with(&format!("See \"{tool} --help\" to get more usage help"));
    if ended.code() != 89 {
        Some(format!("exit {}", ended.code()))
    } else if !ended.stdout.is_empty() {
        Some("something on standard output".to_owned())
    } else if !frame {
        Some("not in the frame".to_owned())
    } else if !output.contains(culprit) {
        Some(format!("does not name {culprit}"))
    } else if !output.contains(remedy) {
        Some(format!("does not say {remedy}"))
    } else {
        None
    }
}

#[test]
fn options_errors_are_named() {
    let directory = scratch();
    prepare(directory.path());
    check(OPTIONS, directory.path());
}

#[test]
fn template_and_generator_errors_are_named() {
    let directory = scratch();
    prepare(directory.path());
    check(TEMPLATES, directory.path());
}

#[test]
fn file_errors_are_named() {
    let directory = scratch();
    prepare(directory.path());
    check(FILES, directory.path());
}

#[test]
fn key_store_errors_are_named() {
    if !require(&["openssl"]) {
        return;
    }
    let directory = scratch();
    prepare(directory.path());
    let pki = Pki::make(&directory.path().join("pki"));
    fs::copy(pki.pkcs12("server"), directory.path().join("server.p12")).unwrap();
    check(STORES, directory.path());
}

/// The one file whose absence has an exit code of its own.
#[test]
fn template_file_that_cannot_be_read_exits_80() {
    let directory = scratch();
    let missing = directory.path().join("missing.template");
    let ended = run(&["addrate", missing.to_str().unwrap()]).expect(80);
    assert!(ended.stdout.is_empty() && ended.stderr.contains(missing.to_str().unwrap()), "{ended}");
    let ended = run(&["addrate", directory.path().to_str().unwrap()]).expect(80);
    assert!(ended.stderr.contains(directory.path().to_str().unwrap()), "{ended}");
}

#[test]
fn command_errors_are_named() {
    for (line, culprit) in [
        (&["frobnicate"][..], "frobnicate"),
        (&["report"], "<FILE|DIR>"),
        (&["report", "x", "--format", "xml"], "xml"),
        (&["man", "nothing"], "nothing"),
        (&["completions", "cobol"], "cobol"),
    ] {
        let ended = run(line).expect(2);
        assert!(ended.stdout.is_empty() && ended.stderr.contains(culprit), "{ended}");
    }
}

/// A mistake is found before the terminal is asked for a password or a server for anything.
#[test]
fn help_is_printed_despite_other_mistakes() {
    for tool in ["authrate", "modrate", "searchrate", "addrate", "search-and-mod-rate"] {
        let ended = run(&[tool, "-H"]).expect(0);
        assert!(ended.stderr.is_empty() && ended.stdout.contains("--numConnections"), "{ended}");
        let ended = run(&[tool, "-c", "5", "-H"]).expect(0);
        assert!(ended.stdout.starts_with("Usage:  "), "{ended}");
    }
}
