//! The driver's plan of a command line: who binds, over which connections, and which operations are made.

use brunt_feed::{Arguments, Scope, Settings};
use brunt_ldap_driver::sasl::{SaslOptions, gssapi};
use brunt_ldap_driver::{self as ldap, BindControls, Identity, Mode, Setup};
use brunt_net::Network;
use brunt_net::secret::Secret;
use brunt_net::unix;
use brunt_record::AbortRule;
use brunt_run::World;

use super::problem::Problem;
use super::task::controls;
use super::{task, transport};
use crate::options::dialect::Dialect;
use crate::options::rate::load::ConnectionMode;
use crate::options::rate::operation::Operation;
use crate::options::rate::{RateArgs, identity};
use crate::options::tool::Tool;

/// A few users who do not exist, among many who do, must not end a run.
const TRIES_MIN: u64 = 10;

/// The settings of the driver, and the numbers of the arguments that no template uses.
pub(crate) fn build(
    args: &RateArgs,
    network: &Network,
    (seed, world): (u64, &World),
) -> Result<(Setup, Vec<usize>), Problem> {
    let settings = Settings {
        seed,
        inc_scope: if args.inc_per_worker { Scope::Worker } else { Scope::Process },
        rand_inclusive: args.rand_inclusive,
    };
    let arguments =
        Arguments::parse(&args.arguments, &settings, &world.files).map_err(Problem::failed)?;
    let mut texts = task::Texts::new(arguments, args.value_patterns);
    let identity = identity(&args.identity, &mut texts)?;
    let task = task::build(args, &identity, &mut texts, (seed, world))?;
    // authrate measures its own binds; the other tools bind to open a connection.
    let login = match args.tool {
        Tool::Authrate => self::identity(&args.login, &mut texts)?,
        _ => identity,
    };
    let load = &args.load;
    let unused = texts.unused(args.arguments.len());
    let setup = Setup {
        route: transport::route(args, network)?,
        mode: match load.mode {
            ConnectionMode::PerOperation => Mode::PerOperation,
            ConnectionMode::Rebind if args.tool == Tool::Authrate => Mode::Bound,
            ConnectionMode::Rebind => Mode::Rebind,
            ConnectionMode::Bound => Mode::Bound,
        },
        requests_per_connection: load.concurrent,
        reconnect_every: load.reconnect_after.unwrap_or(0),
        resend: args.resend,
        login,
        bind_controls: BindControls {
            authorization_identity: args.report_authzid,
            // Some servers report a locked account only to clients that request it.
            password_policy: args.password_policy || locked_tolerated(args).is_some(),
            other: controls(&args.bind_controls),
        },
        task,
        arguments: texts.arguments,
        sessions: load.connections.saturating_mul(load.concurrent),
        seed,
        traceparent: args.traceparent,
        raw: args.raw,
    };
    Ok((setup, unused))
}

/// How many accounts may be found locked, if a condition of the run sets that.
pub(crate) fn locked_tolerated(args: &RateArgs) -> Option<u64> {
    args.output.run.abort_on.iter().filter_map(AbortRule::locked_tolerated).min()
}

/// How many binds at the beginning of authrate are a trial, one for each connection: if all are refused for their
/// passwords, so is the rest. None if wrong passwords are asked for, or a condition of the run is about them.
pub(crate) fn tried_binds(args: &RateArgs) -> Option<u64> {
    let Operation::Bind { invalid_percent, .. } = args.operation else { return None };
    // UnboundID's authrate has no option for wrong passwords, and measures whatever binds there are.
    let requested = invalid_percent > 0.0
        || locked_tolerated(args).is_some()
        || args.dialect == Dialect::Unboundid;
    (!requested).then(|| u64::from(args.load.connections).max(TRIES_MIN))
}

fn identity(given: &identity::Identity, texts: &mut task::Texts) -> Result<Identity, Problem> {
    Ok(match given {
        // That of an entry that a search finds is known after the search.
        identity::Identity::Measured(measured) if measured.dn.is_none() => Identity::Anonymous,
        identity::Identity::Measured(measured) => task::measured(measured, texts)?,
        identity::Identity::Anonymous => Identity::Anonymous,
        identity::Identity::Simple { dn, password } => {
            Identity::Simple { dn: texts.template(dn)?, password: password.clone() }
        }
        identity::Identity::Sasl { properties, dn, password } => {
            let pairs: Vec<(&str, &str)> =
                properties.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
            let options = SaslOptions::parse(&pairs, dn.as_deref())
                .map_err(|error| Problem::usage(error.to_string()))?;
            for template in [&options.authid, &options.authzid].into_iter().flatten() {
                texts.note(template);
            }
            kerberos(&options)?;
            let password = password.clone().unwrap_or_else(|| Secret::new(Vec::new()));
            Identity::Sasl { options, password }
        }
    })
}

/// Configures the requested KDC in the Kerberos library, while this process has one thread.
fn kerberos(options: &SaslOptions) -> Result<(), Problem> {
    let (Some(realm), Some(kdc)) = (&options.realm, &options.kdc) else {
        return Ok(());
    };
    let directory = std::env::temp_dir().join(format!("brunt-krb5-{}", std::process::id()));
    std::fs::create_dir_all(&directory)
        .and_then(|()| gssapi::use_kdc(realm, kdc, &directory))
        .map_err(|error| {
            Problem::usage(format!("--saslOption kdc={kdc}: failed to use it: {error}"))
        })
}

/// The name of the target, for the record.
pub(crate) fn target(args: &RateArgs, plan: &ldap::Plan) -> String {
    use crate::options::rate::security::Transport;
    let scheme = if args.security.transport == Transport::Ldaps { "ldaps" } else { "ldap" };
    let servers = args.servers.iter().map(|s| format!("{scheme}://{}:{}", s.host, s.port));
    let sockets = args.sockets.iter().map(|path| unix::ldapi(path));
    let servers: Vec<String> = servers.chain(sockets).collect();
    let how = if args.security.transport == Transport::StartTls { " (StartTLS)" } else { "" };
    let connections = plan.connections();
    let plural = if connections == 1 { "" } else { "s" };
    format!("{}{how} over {connections} connection{plural}", servers.join(" "))
}
