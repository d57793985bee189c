//! The settings of an LDAP rate tool's command line, as types whose values are always legal.
//!
//! Other modules split the words, check them against the tables and fill in the properties file; here the values become
//! one [`RateArgs`], and contradictions are refused with the name of the option and a remedy. Templates, stages,
//! objectives, key stores and the like stay text and paths: the modules that use them parse them, before the run
//! starts.

mod attributes;
pub(crate) mod brackets;
pub mod control;
pub mod identity;
pub mod load;
pub mod operation;
mod output;
pub mod security;
pub mod table_options;
mod trust_provider;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use brunt_feed::file;
use brunt_net::resend::Resend;
use brunt_net::unix;
use brunt_run::options::output::OutputArgs;
use brunt_run::options::surroundings::Surroundings;
use brunt_run::options::syntax::Syntax as _;
use brunt_run::options::usage_error::UsageError;
use brunt_run::options::values::Values;

use super::dialect::Dialect;
use super::opendj::{Opendj, exclusive, refused};
use super::redact::redact;
use super::tool::Tool;
use super::{defaults, help};
use crate::options::table as options;

use control::Control;
use identity::{Identity, Measured};
use load::Load;
use operation::Operation;
use security::{Security, Transport};
use table_options::TableOptions;

/// The note on a base without a search.
const IDLE_BASE: &str = "--baseDn has no effect without a filter as the first trailing argument: there is no search \
                         before a bind";

/// The result of reading a command line.
#[derive(Debug)]
pub enum Parsed {
    /// Print this page and exit successfully.
    Help(String),
    /// Print the version and exit successfully.
    Version,
    /// Write a properties file and exit successfully.
    PropertiesFile {
        /// The path.
        path: PathBuf,
        /// The text.
        text: String,
        /// What to say on standard output when it is written.
        message: String,
    },
    /// Write an example of a `--variableRateData` file and exit successfully.
    SampleRateFile(PathBuf),
    /// Run.
    Run(Box<RateArgs>),
}

/// One server to connect to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Server {
    /// Its name or address, without brackets.
    pub host: String,
    /// Its port.
    pub port: u16,
}

/// Everything a run of one of the tools needs to know.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a switch of the command line, independent of the others"
)]
#[derive(Debug)]
pub struct RateArgs {
    /// The tool.
    pub tool: Tool,
    /// The grammar that the command line is in, and whose table is shown.
    pub dialect: Dialect,
    /// What each exchange does.
    pub operation: Operation,
    /// The generators of `--argument`, in order.
    pub arguments: Vec<String>,
    /// Whether the templates can contain value patterns.
    pub value_patterns: bool,
    /// Whether `inc` counts for each worker separately, as in the original tools.
    pub inc_per_worker: bool,
    /// Whether `rand` includes its maximum.
    pub rand_inclusive: bool,
    /// Whether generated values are inserted into DNs and filters unescaped.
    pub raw: bool,
    /// Whether requests carry an identity for the traces of the server.
    pub traceparent: bool,
    /// When operations begin, and how many there are.
    pub load: Load,
    /// The servers, which are used in turn. There is at least one, or one of `sockets`.
    pub servers: Vec<Server>,
    /// The Unix sockets of servers on this machine, which are used in turn instead.
    pub sockets: Vec<Arc<Path>>,
    /// How long connecting may take.
    pub connect_timeout: Option<Duration>,
    /// Addresses and networks to connect from.
    pub source_ips: Vec<String>,
    /// Whether connections are closed by a reset.
    pub close_by_reset: bool,
    /// Which requests are sent again if their connection was closed before any answer.
    pub resend: Resend,
    /// How connections are secured.
    pub security: Security,
    /// The identity of connections; in authrate, that of the binds that are measured.
    pub identity: Identity,
    /// In authrate, the identity of the connections.
    pub login: Identity,
    /// Request the authorization identity on binds.
    pub report_authzid: bool,
    /// Send the password policy request control on binds.
    pub password_policy: bool,
    /// Further controls of binds.
    pub bind_controls: Vec<Control>,
    /// What it has in common with all loads.
    pub output: OutputArgs,
    /// What the table shows, and where it is written.
    pub table: TableOptions,
    /// Notes to print on standard error before the run starts.
    pub notes: Vec<String>,
    /// What to print on standard output above the table.
    pub preamble: String,
    /// The number of rows after which the run ends.
    pub rows: Option<u64>,
}

/// What the grammar of a line adds to the values of its options.
#[derive(Debug)]
pub(crate) struct LineContext<'a> {
    /// The grammar.
    pub dialect: Dialect,
    /// The words, without secrets.
    pub redacted: Vec<String>,
    /// Notes so far.
    pub notes: Vec<String>,
    /// The values of the identity of the connections, where the operation has another.
    pub login: Option<&'a Values>,
    /// The binds that are measured, where they have no option of the table.
    pub measured: Option<Measured>,
    /// What to print above the table.
    pub preamble: String,
    /// The number of rows after which the run ends.
    pub rows: Option<u64>,
}

impl LineContext<'_> {
    /// Nothing yet.
    pub(crate) const fn new(dialect: Dialect) -> Self {
        Self {
            dialect,
            redacted: Vec::new(),
            notes: Vec::new(),
            login: None,
            measured: None,
            preamble: String::new(),
            rows: None,
        }
    }
}

/// Reads the words after the name of a tool.
pub fn parse(
    tool: Tool,
    line: &[String],
    surroundings: &dyn Surroundings,
) -> Result<Parsed, UsageError> {
    read(tool, line, surroundings).map_err(|fault| explained(fault, line, tool))
}

fn read(
    tool: Tool,
    line: &[String],
    surroundings: &dyn Surroundings,
) -> Result<Parsed, UsageError> {
    let table = options::of(tool);
    // The original tools refuse this for the missing host name, so no script depends on it.
    if let [word] = line
        && word == "-h"
    {
        return Ok(Parsed::Help(help::page(tool)));
    }
    let words = Opendj.split(line, &table)?;
    let mut values = Values::new(&Opendj, table, words.given)?;
    if values.has("help") {
        return Ok(Parsed::Help(help::page(tool)));
    }
    if values.has("version") {
        return Ok(Parsed::Version);
    }
    if let Some(path) = values.path("generatePropertiesFile") {
        let text = help::properties_file(tool);
        return Ok(Parsed::PropertiesFile { path, text, message: String::new() });
    }
    if let Some(path) = values.path("generateSampleRateFile") {
        return Ok(Parsed::SampleRateFile(path));
    }
    let mut notes = Vec::new();
    fill(&mut values, tool, surroundings, &mut notes)?;
    if let Some(pattern) = brackets::pattern(line).filter(|_| !values.has("value-patterns")) {
        notes.push(format!(
            "{pattern} is sent as it is; --value-patterns makes it a pattern of UnboundID's tools"
        ));
    }
    check_trailing(tool, words.trailing.len())?;
    if tool == Tool::Authrate && values.has("baseDn") && words.trailing.is_empty() {
        notes.push(IDLE_BASE.to_owned());
    }
    let context =
        LineContext { redacted: redact(line, tool), notes, ..LineContext::new(Dialect::Opendj) };
    let args = settings(tool, &values, &words.trailing, context, surroundings)?;
    Ok(Parsed::Run(Box::new(args)))
}

/// The settings of a run, from the values of a line in any grammar.
pub(crate) fn settings(
    tool: Tool,
    values: &Values,
    trailing: &[String],
    context: LineContext<'_>,
    surroundings: &dyn Surroundings,
) -> Result<RateArgs, UsageError> {
    let LineContext { dialect, redacted, mut notes, login, measured, preamble, rows } = context;
    let security = security::read(values, surroundings, &mut notes)?;
    let load = load::read(values, tool)?;
    let operation = operation::read(values, tool, trailing, &load)?;
    let (servers, sockets) = servers(values, &security, &mut notes)?;
    let local = !sockets.is_empty();
    let identity = match measured {
        Some(measured) => Identity::Measured(measured),
        None => identity::read(values, tool, &security, local, surroundings)?,
    };
    let login = match login {
        // What opens a connection is as in a tool that measures something else.
        Some(login) => identity::read(login, Tool::Searchrate, &security, local, surroundings)?,
        None => Identity::Anonymous,
    };
    Ok(RateArgs {
        tool,
        dialect,
        operation,
        arguments: if tool == Tool::Addrate { Vec::new() } else { values.texts("argument") },
        value_patterns: values.has("value-patterns"),
        inc_per_worker: values.choice("inc-scope") == Some("worker"),
        rand_inclusive: values.has("rand-inclusive"),
        raw: values.has("raw"),
        traceparent: values.has("traceparent"),
        load,
        servers,
        sockets,
        connect_timeout: duration(values.count("connectTimeout").unwrap_or(30_000)),
        source_ips: listed(&values.texts("source-ip")),
        close_by_reset: values.choice("close") != Some("fin"),
        resend: match values.choice("resend") {
            Some("never") => Resend::Never,
            Some("always") => Resend::Always,
            _ => Resend::Safe,
        },
        security,
        identity,
        report_authzid: values.has("reportAuthzId"),
        password_policy: values.has("usePasswordPolicyControl"),
        bind_controls: control::read(values, "bindControl")?,
        output: output::read(values, tool, &redacted)?,
        table: table_options::read(values)?,
        login,
        notes,
        preamble,
        rows,
    })
}

/// Fills in values from the properties file that the command line does not set.
fn fill(
    values: &mut Values,
    tool: Tool,
    surroundings: &dyn Surroundings,
    notes: &mut Vec<String>,
) -> Result<(), UsageError> {
    if values.has("noPropertiesFile") {
        return exclusive(values, &["noPropertiesFile", "propertiesFilePath"]);
    }
    let found = match values.path("propertiesFilePath") {
        Some(path) => match surroundings.read(&path) {
            Ok(bytes) => Some((path, bytes)),
            Err(error) => {
                return Err(UsageError::new(format!(
                    "An error occurred while attempting to read the contents of the argument properties file {}:  \
                     {error}",
                    path.display()
                )));
            }
        },
        None => surroundings
            .properties_files()
            .into_iter()
            .find_map(|path| surroundings.read(&path).ok().map(|bytes| (path, bytes))),
    };
    let Some((path, bytes)) = found else {
        return Ok(());
    };
    let filled = defaults::fill(values, &path, &file::unmarked(bytes), tool, notes)?;
    if !filled.is_empty() && !values.has("suppressPropertiesFileComment") {
        notes.push(format!("Taken from {}: --{}", path.display(), filled.join(", --")));
    }
    Ok(())
}

/// The texts are those of the original tools.
fn check_trailing(tool: Tool, given: usize) -> Result<(), UsageError> {
    let (least, most) = tool.trailing_range();
    if given < least {
        return Err(UsageError::new(format!(
            "At least {least} unnamed trailing arguments are required in the argument list, but too few were \
             provided: the {} is missing",
            tool.first_trailing()
        )));
    }
    if given > most {
        return Err(UsageError::new(format!(
            "The provided set of command-line arguments contained too many unnamed trailing arguments.  The maximum \
             number of allowed trailing arguments is {most}"
        )));
    }
    Ok(())
}

/// Milliseconds; 0 means no limit.
fn duration(millis: u64) -> Option<Duration> {
    (millis > 0).then(|| Duration::from_millis(millis))
}

/// The items of comma-separated lists.
fn listed(texts: &[String]) -> Vec<String> {
    let items = texts.iter().flat_map(|text| text.split(','));
    items.map(str::trim).filter(|item| !item.is_empty()).map(str::to_owned).collect()
}

/// The servers, or the Unix sockets of servers.
fn servers(
    values: &Values,
    security: &Security,
    notes: &mut Vec<String>,
) -> Result<(Vec<Server>, Vec<Arc<Path>>), UsageError> {
    let default = if values.has("useSsl") { 636 } else { 389 };
    let port = values.count("port").and_then(|port| u16::try_from(port).ok()).unwrap_or(default);
    let spelled = values.spelled("hostname").unwrap_or("--hostname");
    let hosts = listed(&values.texts("hostname"));
    if hosts.is_empty() {
        if values.has("hostname") {
            return Err(refused("", spelled, "A host name cannot be empty"));
        }
        return Ok((vec![Server { host: "localhost".to_owned(), port }], Vec::new()));
    }
    let (mut servers, mut sockets) = (Vec::new(), Vec::new());
    for text in &hosts {
        match unix::named(text) {
            None => servers.push(server(text, port, spelled)?),
            Some(Ok(socket)) => sockets.push(socket),
            Some(Err(error)) => {
                return Err(refused(text, spelled, &format!("Failed to {error}")));
            }
        }
    }
    if !servers.is_empty() && !sockets.is_empty() {
        let why = "Unix sockets and servers of the network cannot be used in one run";
        return Err(refused(&hosts.join(","), spelled, why));
    }
    if !sockets.is_empty() {
        check_local(values, security, notes)?;
    }
    Ok((servers, sockets))
}

/// What a Unix socket has no use for.
fn check_local(
    values: &Values,
    security: &Security,
    notes: &mut Vec<String>,
) -> Result<(), UsageError> {
    if security.transport == Transport::Ldaps {
        return Err(UsageError::new(
            "--useSsl cannot be used on a Unix socket, where servers speak no LDAPS: leave it out, or use \
             --useStartTls",
        ));
    }
    for long in ["port", "source-ip"] {
        if values.has(long) {
            notes.push(format!("--{long} has no effect on connections to a Unix socket"));
        }
    }
    Ok(())
}

/// A name or address with or without a port. An IPv6 address needs brackets only if a port follows.
fn server(text: &str, port: u16, spelled: &str) -> Result<Server, UsageError> {
    let refused = |why: &str| refused(text, spelled, why);
    if text.contains("://") {
        return Err(refused(
            "It must be a host name or ldapi://%2FPATH, not another URL: use --useSsl for ldaps",
        ));
    }
    let (host, own) = match text.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((host, "")) => (host, None),
        Some((host, rest)) => (
            host,
            Some(
                rest.strip_prefix(':')
                    .ok_or_else(|| refused("Only a colon and a port may follow the bracket"))?,
            ),
        ),
        None if text.matches(':').count() == 1 => {
            text.split_once(':').map_or((text, None), |(host, own)| (host, Some(own)))
        }
        None => (text, None),
    };
    if host.is_empty() || host.starts_with('[') {
        return Err(refused("It must be HOST, HOST:PORT or [IPV6]:PORT"));
    }
    let port = match own {
        None => port,
        Some(own) => match own.parse() {
            Ok(number) if number > 0 => number,
            _ => return Err(refused("The port must be a number from 1 to 65535")),
        },
    };
    Ok(Server { host: host.to_owned(), port })
}

/// The fault; for an option of OpenDJ 2 or 3 it names the option that took its place.
fn explained(fault: UsageError, words: &[String], tool: Tool) -> UsageError {
    let now = words.iter().find_map(|word| present_name(word, tool));
    match now.filter(|_| fault.reason.contains("is not allowed for use with this program")) {
        Some(now) => {
            let reason = fault.reason.split(".  Did you mean").next().unwrap_or_default();
            UsageError::new(format!("{reason}.  {now}"))
        }
        None => fault,
    }
}

/// What an option of OpenDJ 2 or 3 is now.
fn present_name(word: &str, tool: Tool) -> Option<&'static str> {
    let name = word.split('=').next().unwrap_or_default().to_ascii_lowercase();
    match (word, name.as_str()) {
        ("-A", _) | (_, "--asynchronous") => Some(
            "In OpenDJ 2 and 3 it sent requests without waiting for answers: use -F and --numConcurrentRequests (-t)",
        ),
        (_, "--numconcurrenttasks") => {
            Some("OpenDJ 2 and 3 had this option: it is now --numConcurrentRequests (-t), with -F")
        }
        (_, "--basedn") if tool == Tool::Modrate => {
            Some("OpenDJ 2 and 3 had this option: it is now --targetDn (-b)")
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests;
