//! The driver's plan of a command line: who binds, over which connections, doing what.

use std::fmt::Display;

use brunt_drivers::ldap::sasl::SaslOptions;
use brunt_drivers::ldap::sasl::gssapi;
use brunt_drivers::ldap::{self, BindControls, Identity, Mode, Plan, PlanError, Setup};
use brunt_drivers::secret::Secret;
use brunt_feed::{Arguments, Scope, Settings};
use brunt_wire::ldap::control::Control;

use super::{refusal, task, transport};
use crate::cli::Refusal;
use crate::cli::exit::Exit;
use crate::cli::rate::load::ConnectionMode;
use crate::cli::rate::{RateArgs, control, identity};
use crate::cli::tool::Tool;

/// Why there is no plan, and how the program ends for it.
#[derive(Debug)]
pub(super) struct Problem {
    reason: String,
    exit: Exit,
}

impl Problem {
    /// The command line is wrong.
    pub(super) fn usage(reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), exit: Exit::LdapUsage }
    }

    /// What the command line refers to is wrong: a key store, a template.
    pub(super) fn failed(error: impl Display) -> Self {
        Self::usage(format!("failed to {error}"))
    }

    /// There is no such server: the code of a connection that could not be made.
    pub(super) fn unreachable(error: impl Display) -> Self {
        Self {
            reason: format!("failed to {error}\n"),
            exit: Exit::Ldap(brunt_wire::ldap::code::CONNECT_ERROR),
        }
    }

    /// An input file of addrate that cannot be read.
    pub(super) fn input(error: impl Display) -> Self {
        Self { reason: format!("failed to {error}\n"), exit: Exit::Input }
    }

    pub(super) fn refusal(self, args: &RateArgs) -> Refusal {
        match self.exit {
            Exit::LdapUsage => refusal(args, &self.reason),
            exit => Refusal { text: self.reason, exit },
        }
    }
}

impl From<PlanError> for Problem {
    fn from(error: PlanError) -> Self {
        Self::failed(error)
    }
}

/// Compiles the plan.
pub(super) fn compile(args: &RateArgs, seed: u64) -> Result<Plan, Problem> {
    let settings = Settings {
        seed,
        inc_scope: if args.inc_per_worker { Scope::Worker } else { Scope::Process },
        rand_inclusive: args.rand_inclusive,
    };
    let arguments = Arguments::parse(&args.arguments, &settings).map_err(Problem::failed)?;
    let mut texts = task::Texts { arguments, patterns: args.value_patterns };
    let identity = identity(args, &mut texts)?;
    let task = task::of(args, &identity, &mut texts, seed)?;
    // What authrate binds is what it measures; the other tools bind to open a connection.
    let login = if args.tool == Tool::Authrate { Identity::Anonymous } else { identity };
    let load = &args.load;
    Ok(Plan::compile(Setup {
        route: transport::route(args)?,
        mode: match load.mode {
            ConnectionMode::PerOperation => Mode::PerOperation,
            ConnectionMode::Rebind if args.tool == Tool::Authrate => Mode::Bound,
            ConnectionMode::Rebind => Mode::Rebind,
            ConnectionMode::Bound => Mode::Bound,
        },
        requests_per_connection: load.concurrent,
        reconnect_every: load.reconnect_after.unwrap_or(0),
        login,
        bind_controls: BindControls {
            authorization_identity: args.report_authzid,
            password_policy: args.password_policy,
            other: controls(&args.bind_controls),
        },
        task,
        arguments: texts.arguments,
        sessions: load.connections.saturating_mul(load.concurrent),
        seed,
        raw: args.raw,
    })?)
}

fn identity(args: &RateArgs, texts: &mut task::Texts) -> Result<Identity, Problem> {
    Ok(match &args.identity {
        identity::Identity::Anonymous => Identity::Anonymous,
        identity::Identity::Simple { dn, password } => {
            Identity::Simple { dn: texts.template(dn)?, password: password.clone() }
        }
        identity::Identity::Sasl { properties, dn, password } => {
            let pairs: Vec<(&str, &str)> =
                properties.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
            let options = SaslOptions::parse(&pairs, dn.as_deref())
                .map_err(|error| Problem::usage(error.to_string()))?;
            kerberos(&options)?;
            let password = password.clone().unwrap_or_else(|| Secret::new(Vec::new()));
            Identity::Sasl { options, password }
        }
    })
}

/// Points the Kerberos library at the KDC that was asked for, while this process has one thread.
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

/// Controls as the driver takes them.
pub(super) fn controls(given: &[control::Control]) -> Vec<Control> {
    let one = |given: &control::Control| {
        let control = Control::new(given.oid.clone(), given.critical);
        match &given.value {
            None => control,
            Some(value) => control.with_value(&value.as_slice().into()),
        }
    };
    given.iter().map(one).collect()
}

/// The name of what was loaded, for the record.
pub(super) fn target(args: &RateArgs, plan: &ldap::Plan) -> String {
    use crate::cli::rate::security::Transport;
    let scheme = if args.security.transport == Transport::Ldaps { "ldaps" } else { "ldap" };
    let servers: Vec<String> =
        args.servers.iter().map(|s| format!("{scheme}://{}:{}", s.host, s.port)).collect();
    let how = if args.security.transport == Transport::StartTls { " (StartTLS)" } else { "" };
    let connections = plan.connections();
    let plural = if connections == 1 { "" } else { "s" };
    format!("{}{how} over {connections} connection{plural}", servers.join(" "))
}
