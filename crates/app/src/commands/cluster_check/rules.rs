//! What no order can do, regardless of what an agent's owner permits: run programs, load libraries, write files, open
//! ports, read the agent's machine, or carry secrets.
//!
//! The rules are applied to the parsed command line, so no spelling of an option can bypass them. An option that leads
//! out of the run's own directory, and has no address that the fence checks, is named here; file names themselves are
//! judged where the files are opened ([`brunt_feed::access`]).

use brunt_flow_tool::options::http::HttpArgs;
use brunt_flow_tool::options::run::RunArgs;
use brunt_flow_tool::options::trace::TraceArgs;
use brunt_ldap_tool::options::rate::RateArgs;
use brunt_ldap_tool::options::rate::identity::Identity;
use brunt_ldap_tool::options::rate::security::ClientCertificate;
use brunt_names_tool::options::lookup::LookupArgs;
use brunt_redact::{is_secret_header, is_secret_name, text, url};
use brunt_run::options::run_options::{self, RunOptions};

use crate::cli::Command;
use crate::cli::load_command::LoadCommand;

const WRITES: &str =
    "writes a file, and only the coordinator writes results: give it to brunt cluster run";
const SECRET: &str = "contains a secret, and orders may only refer to secrets";

/// What is wrong with a command line as an order, if anything is: an option, and why.
pub(crate) type Judged = Result<(), String>;

/// A command line of these words, if it may be sent as an order to agents of other users.
pub(crate) fn ordered(command: Command, line: &[String]) -> Result<LoadCommand, String> {
    let load = shared(command, line)?;
    match &load {
        LoadCommand::Rate(args) => rate(args, line.get(1..).unwrap_or_default())?,
        LoadCommand::Http(args) => http(args)?,
        LoadCommand::Run(args) => run(args)?,
        LoadCommand::Lookup(args) => lookup(args)?,
        LoadCommand::Perfdhcp(_) | LoadCommand::Leases(_) => {}
    }
    Ok(load)
}

/// The same, if several agents can share it at all, whichever user they belong to: it makes load, and leaves results to
/// the coordinator.
pub(crate) fn shared(command: Command, line: &[String]) -> Result<LoadCommand, String> {
    let mut load = LoadCommand::of(command).map_err(|_| unshared(line))?;
    let options = load.run_options().ok_or_else(|| unshared(line))?;
    results(options, line.get(1..).unwrap_or_default())?;
    match &load {
        LoadCommand::Rate(args) => never("--outputFile", args.output.file.is_some(), WRITES)?,
        LoadCommand::Perfdhcp(args) => {
            never("-w", args.output.wrapped.is_some(), "runs a program")?;
        }
        LoadCommand::Http(args) => {
            traces(&args.trace)?;
            never("--to-plan", args.to_plan, "makes no load")?;
        }
        LoadCommand::Run(args) => {
            traces(&args.trace)?;
            never("--check", args.check, "makes no load")?;
            never("--schema", args.schema, "makes no load")?;
            let standard = args.plan.as_ref().is_some_and(|path| path.as_os_str() == "-");
            never("-", standard, "is this machine's standard input: name the file of the plan")?;
        }
        LoadCommand::Lookup(_) | LoadCommand::Leases(_) => {}
    }
    Ok(load)
}

fn unshared(line: &[String]) -> String {
    let name = line.first().map_or("", String::as_str);
    format!(
        "'{name}' cannot be ordered: a cluster runs the LDAP rate tools, perfdhcp, http, run and names lookup"
    )
}

fn never(option: &str, given: bool, why: &str) -> Judged {
    if given { Err(format!("{option} {why}")) } else { Ok(()) }
}

fn rate(args: &RateArgs, words: &[String]) -> Judged {
    let local = !args.sockets.is_empty();
    never("--hostname ldapi", local, "leads past the addresses that an agent's owner allows")?;
    let library = matches!(args.security.client, Some(ClientCertificate::Pkcs11 { .. }));
    never("--usePkcs11KeyStore", library, "loads a library into the agent")?;
    let kerberos = match &args.identity {
        Identity::Sasl { properties, .. } => {
            properties.iter().any(|(name, value)| name == "mech" && value == "GSSAPI")
        }
        _ => false,
    };
    never(
        "--saslOption mech=GSSAPI",
        kerberos,
        "loads the agent's Kerberos library and its tickets",
    )?;
    let starred = args.redacted.iter().zip(words).find(|(shown, word)| shown != word);
    let Some((shown, _)) = starred else { return Ok(()) };
    // The option is in the word itself, or in the one before.
    let at = args.redacted.iter().position(|word| word == shown).unwrap_or_default();
    let option =
        if shown.starts_with('-') { shown } else { words.get(at.wrapping_sub(1)).unwrap_or(shown) };
    let option = option.split('=').next().unwrap_or_default();
    Err(format!(
        "{option} {SECRET}: write the option with :env and the name of a variable of the agents, or with :file and \
         the name of a file, such as --bindPassword:env LDAP_PASSWORD"
    ))
}

fn http(args: &HttpArgs) -> Judged {
    let socket = args.connection.unix_socket.is_some();
    never("--unix-socket", socket, "leads past the addresses that an agent's owner allows")?;
    let literal = |text: &String| text.split(':').nth(1) != Some("env");
    let basic = args.request.basic_auth.as_ref().is_some_and(literal);
    never("--basic-auth", basic, &format!("{SECRET}: write USER:env:NAME"))?;
    let header = args.request.headers.iter().any(|header| {
        header
            .split_once(':')
            .is_some_and(|(name, _)| is_secret_header(&name.trim().to_ascii_lowercase()))
    });
    let plan =
        format!("{SECRET}: write a plan whose variable has env or file, and order brunt run");
    never("--header", header, &plan)?;
    never(
        "--curl",
        args.curl.is_some(),
        "may hold secrets: convert it with brunt import curl, and order brunt run",
    )?;
    let with_password =
        |given: &Option<String>| given.as_ref().is_some_and(|given| url(given) != *given);
    never("the URL", with_password(&args.url), &plan)?;
    never("--proxy", with_password(&args.connection.proxy), &plan)?;
    let bodies = [&args.request.body, &args.request.duration_or_body];
    let body = bodies.into_iter().flatten().any(|body| text(body) != *body);
    never("--body", body, &plan)
}

fn run(args: &RunArgs) -> Judged {
    let secret = args.set.iter().find(|set| {
        let (key, value) = set.split_once('=').unwrap_or((set, ""));
        let name = key.rsplit('.').next().unwrap_or_default();
        is_secret_name(name) || url(value) != value
    });
    let Some(set) = secret else { return Ok(()) };
    let key = set.split('=').next().unwrap_or_default();
    Err(format!(
        "--set {key} {SECRET}: let the plan take it from a variable of the agents, {{ env = \"NAME\" }}"
    ))
}

fn lookup(args: &LookupArgs) -> Judged {
    never(
        "--socket",
        args.socket.is_some(),
        "leads past the addresses that an agent's owner allows",
    )?;
    let local = args
        .directory
        .url
        .as_ref()
        .is_some_and(|url| url.to_ascii_lowercase().starts_with("ldapi"));
    never("--url ldapi", local, "leads past the addresses that an agent's owner allows")
}

fn traces(trace: &TraceArgs) -> Judged {
    never("--once", trace.once, "makes no load")?;
    never("--trace", trace.trace.is_some(), WRITES)
}

/// Of the options that every run takes, an order may have objectives and a narrower fence. Options that are added later
/// are refused until they are allowed here.
fn results(given: &RunOptions, words: &[String]) -> Judged {
    let plain = RunOptions {
        objectives: given.objectives.clone(),
        allow: given.allow.clone(),
        addresses: given.addresses,
        ..RunOptions::default()
    };
    if *given == plain {
        return Ok(());
    }
    let longs = words.iter().filter_map(|word| word.strip_prefix("--")?.split('=').next());
    let named = |long: &&str| {
        !matches!(*long, "slo" | "allow" | "addresses")
            && run_options::rows().iter().any(|row| row.long == *long)
    };
    let option =
        longs.into_iter().find(named).map_or("an option".to_owned(), |long| format!("--{long}"));
    Err(format!(
        "{option} is an option of the coordinator: give it to brunt cluster run, before --, or leave it out"
    ))
}
