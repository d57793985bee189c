//! The command lines of `mysql_ubench`, `sqlite_ubench` and `memfile_ubench`, as `getopt` reads them.
//!
//! All three have the same switches, like the original programs: switches that do not apply to a store are accepted and
//! shown. Additions are long switches, which `getopt` refused, so that no existing command line changes its meaning.
//! Reading is a function of only the words; passwords are read later.

use std::path::PathBuf;

use brunt_net::dscp::{Dscp, DscpError};
use brunt_net::secret::Secret;
use brunt_run::options::page::Page;

/// One of the original programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ubench {
    /// MySQL or MariaDB.
    Mysql,
    /// SQLite.
    Sqlite,
    /// A file of leases and an index in memory.
    Memfile,
}

/// The result of reading a command line.
#[derive(Debug)]
pub enum Parsed {
    /// Print the help page, and exit successfully.
    Help(String),
    /// Print the version, and exit successfully.
    Version,
    /// Print the switches, after the error if there is one, and exit with 1 as the original programs do.
    Usage {
        /// The error.
        complaint: String,
        /// The switches.
        usage: String,
    },
    /// Run.
    Run(Box<UbenchArgs>),
}

/// The settings of a command line.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch that says yes or no")]
pub struct UbenchArgs {
    /// The program.
    pub program: Ubench,
    /// Its words, secrets replaced.
    pub words: Vec<String>,
    /// -f: a database or a file.
    pub name: String,
    /// -m: the server.
    pub host: String,
    /// -u: the user.
    pub user: String,
    /// -p: the password, if given.
    pub password: Option<Secret>,
    /// --password-file.
    pub password_file: Option<PathBuf>,
    /// -n: the number of operations.
    pub iterations: u32,
    /// -s: whether a change is on disk before it is answered.
    pub sync: bool,
    /// -v: whether progress is shown.
    pub verbose: bool,
    /// -c: whether statements are prepared.
    pub compiled: bool,
    /// --yes-destroy.
    pub yes_destroy: bool,
    /// --percentiles.
    pub percentiles: bool,
    /// --record.
    pub record: Option<PathBuf>,
    /// --seed.
    pub seed: Option<u64>,
    /// --dscp.
    pub dscp: Option<Dscp>,
    /// --quiet.
    pub quiet: bool,
}

impl Ubench {
    /// Every program.
    pub const ALL: [Self; 3] = [Self::Mysql, Self::Sqlite, Self::Memfile];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Mysql => "mysql_ubench",
            Self::Sqlite => "sqlite_ubench",
            Self::Memfile => "memfile_ubench",
        }
    }

    /// The program of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|program| program.name() == name)
    }

    /// Its purpose, in one line.
    pub const fn purpose(self) -> &'static str {
        match self {
            Self::Mysql => "measure how fast MySQL or MariaDB stores leases",
            Self::Sqlite => "measure how fast SQLite stores leases",
            Self::Memfile => "measure how fast a lease file with an index in memory stores leases",
        }
    }

    /// The default of -f.
    pub const fn default_name(self) -> &'static str {
        match self {
            Self::Mysql => "kea",
            Self::Sqlite => "sqlite.db",
            Self::Memfile => "dhcpd.leases",
        }
    }
}

/// The original switches: the letter, the value, and the description.
pub const SWITCHES: [(&str, &str, &str); 9] = [
    ("h", "", "show the switches, and exit with 1"),
    ("m", "hostname", "host name or socket of the server (MySQL)"),
    ("u", "username", "user name at the server (MySQL)"),
    ("p", "password", "password at the server (MySQL)"),
    ("f", "name", "database (MySQL) or file (SQLite, memfile)"),
    ("n", "integer", "number of repetitions of each operation"),
    ("s", "yes|no", "whether changes are durable before they are acknowledged"),
    ("v", "yes|no", "whether to print a character for each operation"),
    ("c", "yes|no", "whether to use prepared statements (MySQL, SQLite)"),
];

/// Our own switches.
pub const OURS: [(&str, &str, &str); 9] = [
    ("yes-destroy", "", "delete existing leases; without it the program refuses to"),
    ("password-file", "FILE", "file whose first line is the password"),
    ("percentiles", "", "print percentiles of the response times below the four lines"),
    ("record", "FILE", "write all results to this JSON file"),
    ("seed", "NUMBER", "seed for all random values"),
    (
        "dscp",
        "CLASS",
        "class of all packets that are sent: ef, af21 or a number from 0 to 63 (MySQL)",
    ),
    ("quiet", "", "write nothing to standard error, or one line if something needs attention"),
    ("help", "", "show this page"),
    ("version", "", "show the version"),
];

/// Reads the words after the name of the program.
pub fn parse(program: Ubench, words: &[String]) -> Parsed {
    let mut args = UbenchArgs {
        program,
        words: Vec::new(),
        name: program.default_name().to_owned(),
        host: "localhost".to_owned(),
        user: "root".to_owned(),
        password: None,
        password_file: None,
        iterations: 100,
        sync: true,
        verbose: true,
        compiled: true,
        yes_destroy: false,
        percentiles: false,
        record: None,
        seed: None,
        dscp: None,
        quiet: false,
    };
    let mut rest = words.iter().map(String::as_str);
    while let Some(word) = rest.next() {
        let read = match word.strip_prefix('-') {
            Some("-") => break,
            Some(letters) if letters.starts_with('-') => long(&letters[1..], &mut rest, &mut args),
            Some(letters) if !letters.is_empty() => short(letters, &mut rest, &mut args),
            _ => Err(Other::Complaint(format!(
                "'{word}' is not a switch: put each value directly after its switch"
            ))),
        };
        match read {
            Ok(()) => {}
            Err(Other::Help) => return Parsed::Help(page(program)),
            Err(Other::Version) => return Parsed::Version,
            Err(Other::Usage) => {
                return Parsed::Usage { complaint: String::new(), usage: usage(program) };
            }
            Err(Other::Complaint(complaint)) => {
                return Parsed::Usage {
                    complaint: format!("{}: {complaint}\n", program.name()),
                    usage: usage(program),
                };
            }
        }
    }
    Parsed::Run(Box::new(args))
}

/// Why there is nothing to run.
enum Other {
    Help,
    Version,
    Usage,
    Complaint(String),
}

/// A word of letters: it can contain several flags, and a value can be attached to the last.
fn short<'a>(
    letters: &'a str,
    rest: &mut impl Iterator<Item = &'a str>,
    args: &mut UbenchArgs,
) -> Result<(), Other> {
    let Some(letter) = letters.chars().next() else { return Ok(()) };
    if letter == 'h' {
        return Err(Other::Usage);
    }
    if !SWITCHES.iter().any(|(known, ..)| known.starts_with(letter)) {
        return Err(Other::Complaint(format!("there is no switch -{letter}")));
    }
    let attached = &letters[letter.len_utf8()..];
    let value = if attached.is_empty() { rest.next() } else { Some(attached) };
    let value = value.ok_or_else(|| Other::Complaint(format!("-{letter} needs a value")))?;
    let shown = if letter == 'p' { "***" } else { value };
    args.words.extend([format!("-{letter}"), shown.to_owned()]);
    match letter {
        'm' => value.clone_into(&mut args.host),
        'u' => value.clone_into(&mut args.user),
        'p' => args.password = Some(Secret::from(value)),
        'f' => value.clone_into(&mut args.name),
        'n' => args.iterations = iterations(value)?,
        's' => args.sync = yes(value),
        'v' => args.verbose = yes(value),
        _ => args.compiled = yes(value),
    }
    Ok(())
}

fn long<'a>(
    word: &'a str,
    rest: &mut impl Iterator<Item = &'a str>,
    args: &mut UbenchArgs,
) -> Result<(), Other> {
    let (name, attached) =
        word.split_once('=').map_or((word, None), |(name, value)| (name, Some(value)));
    let Some((name, takes, _)) = OURS.into_iter().find(|(known, ..)| *known == name) else {
        return Err(Other::Complaint(format!("there is no switch --{name}")));
    };
    let value = match (takes, attached) {
        ("", None) => "",
        ("", Some(_)) => {
            return Err(Other::Complaint(format!(
                "--{name} takes no value: remove the = and what follows it"
            )));
        }
        (_, Some(value)) => value,
        (takes, None) => rest
            .next()
            .ok_or_else(|| Other::Complaint(format!("--{name} needs a value: {takes}")))?,
    };
    args.words.push(format!("--{name}"));
    args.words.extend((!takes.is_empty()).then(|| value.to_owned()));
    match name {
        "help" => return Err(Other::Help),
        "version" => return Err(Other::Version),
        "yes-destroy" => args.yes_destroy = true,
        "percentiles" => args.percentiles = true,
        "quiet" => args.quiet = true,
        "password-file" => args.password_file = Some(value.into()),
        "record" => args.record = Some(value.into()),
        "dscp" => {
            let class = value.parse().map_err(|error: DscpError| {
                Other::Complaint(format!("--dscp: failed to {error}"))
            })?;
            args.dscp = Some(class);
        }
        _ => {
            let seed = value
                .parse()
                .map_err(|_| Other::Complaint(format!("--seed {value} is not a 64-bit number")))?;
            args.seed = Some(seed);
        }
    }
    Ok(())
}

/// `yes` in any case and `1` mean yes, and everything else means no, as in the original programs.
fn yes(value: &str) -> bool {
    value.eq_ignore_ascii_case("yes") || value == "1"
}

fn iterations(value: &str) -> Result<u32, Other> {
    let read = value.parse::<u32>().ok().filter(|count| (1..=1 << 31).contains(count));
    read.ok_or_else(|| {
        Other::Complaint(format!("-n {value} is not a number of iterations: use 1 or more"))
    })
}

/// The switches, as -h shows them.
fn usage(program: Ubench) -> String {
    let mut page = Page::default();
    page.text(&format!("Usage:  {} [switches]", program.name()), 0, 8);
    page.blank();
    for (letter, value, meaning) in SWITCHES {
        let gap = if value.is_empty() { "" } else { " " };
        page.text(&format!(" -{letter}{gap}{value} - {meaning}"), 0, 6);
    }
    page.blank();
    page.text(&format!("See \"{} --help\" for all switches.", program.name()), 0, 0);
    page.0
}

/// The default of -f and the others.
pub fn default_of(program: Ubench, letter: &str) -> Option<&'static str> {
    match letter {
        "m" => Some("localhost"),
        "u" => Some("root"),
        "p" => Some("secret"),
        "f" => Some(program.default_name()),
        "n" => Some("100"),
        "s" | "v" | "c" => Some("yes"),
        _ => None,
    }
}

/// The description of the programs, in the help.
const DESCRIPTION: &str = "Creates leases, searches for them, updates them and deletes them, -n of each, one after \
    the other over one connection, and prints how long each phase took. It replaces the program of that name from the \
    DHCP Performance Guide of 2012, with the same switches and output. brunt leases measures more, for every store.";

/// Differences between the guide, its programs and this one, and the behaviour here.
pub const DIFFERENCES: [&str; 13] = [
    "The guide says that MySQL is synchronous with MyISAM and asynchronous with InnoDB. Its program did the opposite, \
     and only that agrees with what the guide calls synchronous: on the disk before it is acknowledged. Here -s yes is \
     InnoDB and -s no is MyISAM. The table is created with that engine.",
    "The original program set SQLite to synchronous = ON, which is the level NORMAL, without a journal. Here -s yes is \
     synchronous = FULL, which writes each commit to the disk, and -s no is synchronous = OFF. The journal is off in \
     both, as it was, so a program that is killed may leave an unreadable file.",
    "The original program created leases base + 1 to base + n and deleted base to base + n - 1, so its first delete \
     found nothing and its last lease stayed (MySQL, SQLite). Here the same leases are created and deleted.",
    "With prepared statements the original program for MySQL sent the text \"now()\" as a time. Here it is the time.",
    "The time of one operation is a whole number of microseconds, rounded down, as it was. The rate is computed from \
     it, as it was. If it is 0 the rate is the number of operations divided by their seconds; originally it was \
     infinite.",
    "The password is printed as ********, whatever its length.",
    "Progress is collected and printed ten times per second, so that a slow terminal does not slow the run.",
    "The guide shows progress of memfile_ubench without -v, but the original program printed none. Here it is printed.",
    "A search that finds nothing is shown as X everywhere; the original program for MySQL showed x without prepared \
     statements.",
    "Existing leases are not deleted: the program fails instead, unless --yes-destroy is given. An empty table is \
     created again, and so is a file whose leases were all deleted, as memfile_ubench leaves it. A missing table, \
     database or file is created. Leases that are not deleted at the end stay, as they did.",
    "The asynchronous memfile_ubench writes its buffer at the end of each phase, outside of the measured time, as it \
     did. With -s yes each change is written with fdatasync; originally it was fsync.",
    "-m localhost is the socket of the server, as in MySQL's own library, if there is one in a usual place or in \
     MYSQL_UNIX_PORT. A path is that socket. Anything else is a host, at port MYSQL_TCP_PORT or 3306.",
    "A failure is printed as 'Failed:' and its reason, and the exit code is 255, as it was.",
];

/// The page that --help shows.
pub fn page(program: Ubench) -> String {
    let mut page = Page::default();
    page.text(&format!("Usage:  {} [switches]", program.name()), 0, 8);
    page.blank();
    page.text(DESCRIPTION, 0, 0);
    page.heading("Example");
    page.text(&example(program), 2, 2);
    page.heading("Original switches");
    for (letter, value, meaning) in SWITCHES {
        page.text(format!("-{letter} {value}").trim_end(), 0, 4);
        page.text(&sentence(meaning), 4, 4);
        if let Some(default) = default_of(program, letter) {
            page.text(&format!("Default: {default}"), 4, 4);
        }
    }
    page.heading("Additional switches");
    for (name, value, meaning) in OURS {
        page.text(format!("--{name} {value}").trim_end(), 0, 4);
        page.text(&sentence(meaning), 4, 4);
    }
    page.heading("Intentional differences from the original program and the guide");
    for difference in DIFFERENCES {
        page.text(&format!("- {difference}"), 0, 2);
    }
    page.heading("Exit codes");
    for (code, meaning) in EXITS {
        page.text(&format!("{code:<6}{meaning}"), 0, 6);
    }
    page.0
}

/// The exit codes, and their meaning here.
pub const EXITS: [(u8, &str); 5] = [
    (0, "All four phases completed."),
    (1, "The switches were shown, because of -h or because the command line is wrong."),
    (130, "Interrupted (SIGINT), after the results so far were printed."),
    (143, "Terminated (SIGTERM or SIGHUP), after the results so far were printed."),
    (255, "A phase failed, or leases exist already and --yes-destroy was not given."),
];

/// An example command line.
pub fn example(program: Ubench) -> String {
    match program {
        Ubench::Mysql => {
            "mysql_ubench -m localhost -u kea -f kea -n 1000 -s yes --password-file pw".to_owned()
        }
        Ubench::Sqlite => "sqlite_ubench -f sqlite.db -n 1000 -s yes -c yes".to_owned(),
        Ubench::Memfile => "memfile_ubench -f dhcpd.leases -n 100000 -s no -v no".to_owned(),
    }
}

/// The description, for the manual page.
pub fn description() -> String {
    let mut text = DESCRIPTION.to_owned();
    for difference in DIFFERENCES {
        text.push_str("\n\n");
        text.push_str(difference);
    }
    text
}

/// Text with a capital at its beginning and a full stop at its end.
fn sentence(text: &str) -> String {
    format!("{}{}.", text[..1].to_uppercase(), &text[1..])
}

/// The page of the documentation, which the tests write and compare.
#[cfg(test)]
pub fn markdown() -> String {
    use std::fmt::Write as _;

    let mut out = String::from("# mysql_ubench, sqlite_ubench, memfile_ubench\n\n");
    out.push_str(
        "<!-- Written from the table of switches by the tests: BRUNT_BLESS=1 cargo test -->\n\n",
    );
    let _ = writeln!(
        out,
        "{DESCRIPTION}\n\nCall each by its name after `brunt`, or by a link to the program with its name. \
         [brunt leases](leases.md) is the general command.\n\n## Original switches\n"
    );
    for (letter, value, meaning) in SWITCHES {
        let _ = writeln!(
            out,
            "`{}`\n\n> {}",
            format!("-{letter} {value}").trim_end(),
            sentence(meaning)
        );
        let defaults = Ubench::ALL.map(|program| default_of(program, letter));
        if let [Some(mysql), Some(sqlite), Some(memfile)] = defaults {
            let all = if mysql == sqlite {
                format!("`{mysql}`")
            } else {
                format!("`{mysql}` (MySQL), `{sqlite}` (SQLite), `{memfile}` (memfile)")
            };
            let _ = writeln!(out, ">\n> Default: {all}");
        }
        out.push('\n');
    }
    out.push_str("## Additional switches\n\n");
    for (name, value, meaning) in OURS {
        let _ = writeln!(
            out,
            "`{}`\n\n> {}\n",
            format!("--{name} {value}").trim_end(),
            sentence(meaning)
        );
    }
    out.push_str("## Intentional differences from the original program and the guide\n\n");
    for difference in DIFFERENCES {
        let _ = writeln!(out, "- {}", difference.replace('*', "\\*"));
    }
    out.push_str("\n## Exit codes\n\n| code | meaning |\n|---|---|\n");
    for (code, meaning) in EXITS {
        let _ = writeln!(out, "| {code} | {meaning} |");
    }
    out.push_str("\n## Examples\n\n```sh\n");
    for program in Ubench::ALL {
        let _ = writeln!(out, "{}", example(program));
    }
    out.push_str("```\n");
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Parsed {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        parse(Ubench::Sqlite, &words)
    }

    fn run(line: &str) -> UbenchArgs {
        match parsed(line) {
            Parsed::Run(args) => *args,
            other => panic!("{line}: {other:?}"),
        }
    }

    fn complaint(line: &str) -> String {
        match parsed(line) {
            Parsed::Usage { complaint, usage } => {
                assert!(usage.contains("-n integer"), "{usage}");
                complaint
            }
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn ubench_values_are_attached_or_separate() {
        for line in ["-n100 -sno -vNO -cYES -f x.db", "-n 100 -s no -v 0 -c 1 -fx.db"] {
            let args = run(line);
            assert_eq!(
                (args.iterations, args.sync, args.verbose, args.compiled),
                (100, false, false, true)
            );
            assert_eq!(args.name, "x.db");
        }
        // Everything except yes and 1 means no.
        assert!(!run("-s true").sync && run("-s YeS").sync);
    }

    #[test]
    fn ubench_defaults_equal_the_original() {
        let args = run("");
        assert_eq!(
            (args.iterations, args.sync, args.verbose, args.compiled),
            (100, true, true, true)
        );
        assert_eq!((&*args.name, &*args.host, &*args.user), ("sqlite.db", "localhost", "root"));
    }

    #[test]
    fn ubench_password_is_not_among_the_words() {
        let args = run("-phunter2 -u kea --record x.json");
        assert_eq!(args.words, ["-p", "***", "-u", "kea", "--record", "x.json"]);
        assert_eq!(args.password.unwrap().expose(), b"hunter2");
    }

    #[test]
    fn ubench_errors_are_named() {
        for (line, what) in [
            ("-h", ""),
            ("-x", "-x"),
            ("-n", "-n needs a value"),
            ("-n0", "-n 0"),
            ("-n -5", "-n -5"),
            ("-n ten", "-n ten"),
            ("5", "'5' is not a switch"),
            ("-", "'-'"),
            ("--nosuch", "--nosuch"),
            ("--record", "--record needs a value"),
            ("--yes-destroy=1", "takes no value"),
            ("--seed x", "--seed x"),
        ] {
            let reported = complaint(line);
            assert!(
                reported.contains(what) && reported.is_empty() == what.is_empty(),
                "{line}: {reported}"
            );
        }
    }

    #[test]
    fn ubench_help_lists_deviations_from_the_guide() {
        let Parsed::Help(page) = parsed("--help") else { panic!("no help") };
        for word in
            ["MyISAM", "base + 1", "NORMAL", "now()", "********", "--yes-destroy", "Exit codes"]
        {
            assert!(page.contains(word), "{word}");
        }
        assert!(page.lines().all(|line| line.len() <= 79), "{page}");
    }

    #[test]
    fn ubench_docs_equal_the_table() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../docs/ubench.md");
        if std::env::var_os("BRUNT_BLESS").is_some() {
            std::fs::write(path, markdown()).unwrap();
        }
        let kept = std::fs::read_to_string(path).unwrap_or_default();
        assert!(
            kept == markdown(),
            "docs/ubench.md is not what the table says: run with BRUNT_BLESS=1"
        );
    }
}
