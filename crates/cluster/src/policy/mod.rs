//! The policy of an agent's owner: whose orders the agent obeys, and what they may request (`agent.toml`).
//!
//! An order is received over a network from a machine that the owner may not know, so the owner's file is decisive on
//! the agent's own machine. The targets that orders may reach are passed to the run as its address policy (`--allow`),
//! which checks each address after it was resolved. Without a file an agent reaches only its own machine. This crate
//! does not interpret a command line: the program reads it and passes in what the policy needs.

mod target;

use std::fmt;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde::Deserialize;

use crate::message::{Permits, printable};
use crate::signature;

pub use target::Target;

/// More than the size of any `agent.toml`.
const FILE_MAX: u64 = 256 * 1024;

/// How many targets and commands the brief form lists, and how many characters of a name.
const BRIEF_MAX: usize = 12;
const BRIEF_LENGTH: usize = 40;

const UNSIGNED: &str = "none of the coordinators it names has signed the order";

/// What an agent's owner permits.
#[derive(Clone, Debug, PartialEq)]
pub struct Policy {
    targets: Vec<Target>,
    rate_max: Option<f64>,
    commands: Option<Vec<String>>,
    /// The keys whose signatures are accepted. Without a file no signature is required.
    orders_from: Option<Vec<String>>,
    expires: Option<Timestamp>,
    variables: Vec<String>,
    data: Option<PathBuf>,
}

/// The file as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    targets: Vec<String>,
    orders_from: Vec<String>,
    rate_max: Option<f64>,
    commands: Option<Vec<String>>,
    expires: Option<toml::value::Datetime>,
    #[serde(default)]
    variables: Vec<String>,
    data: Option<PathBuf>,
}

/// What an order requests from this agent.
#[derive(Clone, Copy, Debug)]
pub struct JobRequest<'a> {
    /// The command, such as `authrate` or `names lookup`.
    pub command: &'a str,
    /// The most operations a second of this agent's share; none if the load is not limited to a rate.
    pub rate: Option<f64>,
    /// The values of the order's own `--allow`.
    pub allow: &'a [String],
    /// The environment variables that the order refers to.
    pub variables: &'a [String],
    /// The key whose signature of the order was verified, if it was signed.
    pub signer: Option<&'a str>,
    /// The current time.
    pub now: Timestamp,
}

/// How an accepted order must be carried out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Permit {
    /// What to add to its command line: `--allow` and the targets. Empty if the order's own targets are already
    /// narrower.
    pub allow: Vec<String>,
    /// The only variables of the agent's environment that it receives.
    pub variables: Vec<String>,
}

/// A rule of the owner's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// Addresses that may be reached.
    Targets,
    /// The most operations a second.
    RateMax,
    /// The commands that may be ordered.
    Commands,
    /// Whose orders are obeyed.
    OrdersFrom,
    /// Until when orders are accepted.
    Expires,
    /// The environment variables that an order may refer to.
    Variables,
}

impl Rule {
    /// Its name in `agent.toml`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Targets => "targets",
            Self::RateMax => "rate_max",
            Self::Commands => "commands",
            Self::OrdersFrom => "orders_from",
            Self::Expires => "expires",
            Self::Variables => "variables",
        }
    }

    /// What the person who gives the order can do.
    const fn remedy(self) -> &'static str {
        match self {
            Self::Targets => "narrow the order with --allow, or ask the owner to add the addresses",
            Self::RateMax => {
                "ask for less, share it among more agents, or ask the owner for a higher one"
            }
            Self::Commands => "order another, or ask the owner to add it",
            Self::OrdersFrom => {
                "sign with a key that it names (--sign), or give the owner yours (coordinator/order.pub)"
            }
            Self::Expires => "ask the owner for a later day",
            Self::Variables => "ask the owner to add it, or leave the agent out",
        }
    }
}

/// Why an order is not carried out. The agent and its coordinator end with exit code 8.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The rule that forbids it.
    pub rule: Rule,
    /// What it forbids, in one sentence, without control characters.
    pub why: String,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the agent's owner does not allow this order ({} in agent.toml): {}; {}",
            self.rule.name(),
            self.why,
            self.rule.remedy()
        )
    }
}

impl std::error::Error for Refusal {}

/// Why an `agent.toml` cannot be used. It reads after "failed to".
#[derive(Debug, thiserror::Error)]
#[error("read {path}: {why}")]
pub struct PolicyError {
    path: String,
    #[source]
    why: PolicyProblem,
}

/// What is wrong with an `agent.toml`.
#[derive(Debug, thiserror::Error)]
enum PolicyProblem {
    #[error(transparent)]
    File(#[from] std::io::Error),
    #[error(transparent)]
    Toml(#[from] toml::de::Error),
    #[error("'{0}' in targets is no address: write 10.1.0.0/16:389 or [2001:db8::1]:389,636")]
    Target(String),
    #[error(
        "'{0}' in orders_from is no key of a coordinator: it begins with A and has 56 letters, and brunt cluster keys \
         writes it into coordinator/order.pub"
    )]
    Key(String),
    #[error("rate_max is not above 0: write operations per second, such as 5000")]
    Rate,
    #[error("data is no absolute path: write where the directory is, from /")]
    Data,
    #[error(
        "expires is '{0}': write a day, 2026-12-31, or a moment, 2026-12-31T18:00:00Z, without quotes"
    )]
    Expires(String),
}

impl Policy {
    /// The policy without a file: any order, to this machine only.
    pub fn of_loopback() -> Self {
        Self {
            targets: Target::loopback().to_vec(),
            rate_max: None,
            commands: None,
            orders_from: None,
            expires: None,
            variables: Vec::new(),
            data: None,
        }
    }

    /// Reads a file.
    pub fn read(path: &Path) -> Result<Self, PolicyError> {
        let error = |why: PolicyProblem| PolicyError { path: path.display().to_string(), why };
        let mut text = String::new();
        std::fs::File::open(path)
            .and_then(|file| file.take(FILE_MAX).read_to_string(&mut text))
            .map_err(|source| error(source.into()))?;
        Self::parse(&text).map_err(error)
    }

    fn parse(text: &str) -> Result<Self, PolicyProblem> {
        let written: Written = toml::from_str(text)?;
        let targets = written
            .targets
            .iter()
            .map(|text| Target::several(text).ok_or_else(|| PolicyProblem::Target(text.clone())));
        let targets = targets.collect::<Result<Vec<_>, _>>()?.concat();
        if let Some(key) = written.orders_from.iter().find(|key| !signature::is_public(key)) {
            return Err(PolicyProblem::Key(key.clone()));
        }
        if written.rate_max.is_some_and(|rate| !(rate.is_finite() && rate > 0.0)) {
            return Err(PolicyProblem::Rate);
        }
        if written.data.as_ref().is_some_and(|path| !path.is_absolute()) {
            return Err(PolicyProblem::Data);
        }
        Ok(Self {
            targets,
            rate_max: written.rate_max,
            commands: written.commands,
            orders_from: Some(written.orders_from),
            expires: written.expires.map(|it| expiry(&it.to_string())).transpose()?,
            variables: written.variables,
            data: written.data,
        })
    }

    /// The keys that must have signed an order; none if an order need not be signed.
    pub fn orders_from(&self) -> Option<&[String]> {
        self.orders_from.as_deref()
    }

    /// The variables of the agent's environment that an order may refer to.
    pub fn variables(&self) -> &[String] {
        &self.variables
    }

    /// The directory of files that are on this machine already: those too large for a bundle, and secrets.
    pub fn data(&self) -> Option<&Path> {
        self.data.as_deref()
    }

    /// The brief form, for people who list the agents: no more than fits into a message.
    pub fn brief(&self) -> Permits {
        let short = |text: &String| printable(text).chars().take(BRIEF_LENGTH).collect();
        let commands = self.commands.as_ref();
        Permits {
            targets: self.targets.iter().take(BRIEF_MAX).map(ToString::to_string).collect(),
            more: u32::try_from(self.targets.len().saturating_sub(BRIEF_MAX)).unwrap_or(u32::MAX),
            rate_max: self.rate_max,
            commands: commands.map(|all| all.iter().take(BRIEF_MAX).map(short).collect()),
            expires: self.expires.map(|moment| moment.to_string()),
        }
    }

    /// The key of `orders_from` that signed these bytes. Without a file no signature is required.
    pub fn signer(&self, bytes: &[u8], signature: &[u8]) -> Result<Option<&str>, Refusal> {
        let Some(keys) = &self.orders_from else { return Ok(None) };
        let signed = keys.iter().find(|key| signature::verify(key, bytes, signature).is_ok());
        signed.map(|key| Some(key.as_str())).ok_or_else(|| refusal(Rule::OrdersFrom, UNSIGNED))
    }

    /// Whether an order may be carried out, and within which bounds.
    pub fn judge(&self, requested: &JobRequest<'_>) -> Result<Permit, Refusal> {
        if self.expires.is_some_and(|expires| requested.now >= expires) {
            return Err(refusal(Rule::Expires, "the time until which it permits orders is over"));
        }
        if let Some(keys) = &self.orders_from
            && !requested.signer.is_some_and(|signer| keys.iter().any(|key| key == signer))
        {
            return Err(refusal(Rule::OrdersFrom, UNSIGNED));
        }
        if let Some(commands) = &self.commands
            && !commands.iter().any(|command| command == requested.command)
        {
            let why = format!("it names {}, not {}", commands.join(", "), requested.command);
            return Err(refusal(Rule::Commands, &why));
        }
        self.judge_rate(requested.rate)?;
        if let Some(name) = requested.variables.iter().find(|name| !self.variables.contains(name)) {
            let why = format!(
                "the order refers to the environment variable {name}, which it does not name"
            );
            return Err(refusal(Rule::Variables, &why));
        }
        let allow = self.judge_targets(requested.allow)?;
        Ok(Permit { allow, variables: requested.variables.to_vec() })
    }

    fn judge_rate(&self, rate: Option<f64>) -> Result<(), Refusal> {
        let Some(most) = self.rate_max else { return Ok(()) };
        match rate {
            Some(rate) if rate <= most => Ok(()),
            Some(rate) => {
                let why =
                    format!("at most {most} operations a second, and this agent's share is {rate}");
                Err(refusal(Rule::RateMax, &why))
            }
            None => {
                let why = format!(
                    "at most {most} operations a second, and the order has no rate: give it one (closed loops have \
                     none)"
                );
                Err(refusal(Rule::RateMax, &why))
            }
        }
    }

    /// The order's own `--allow` may only narrow what the owner permits.
    fn judge_targets(&self, requested: &[String]) -> Result<Vec<String>, Refusal> {
        for text in requested {
            let inside = text
                .parse::<Target>()
                .is_ok_and(|it| self.targets.iter().any(|ours| ours.holds(&it)));
            if !inside {
                let ours: Vec<String> = self.targets.iter().map(Target::to_string).collect();
                let why = format!("--allow {text} is not within {}", ours.join(", "));
                return Err(refusal(Rule::Targets, &why));
            }
        }
        if !requested.is_empty() {
            return Ok(Vec::new());
        }
        if self.targets.is_empty() {
            return Err(refusal(Rule::Targets, "it names none"));
        }
        Ok(self.targets.iter().map(|target| format!("--allow={target}")).collect())
    }
}

/// Why an order is refused that was signed by none of the coordinators that the owner names.
pub fn unsigned() -> Refusal {
    refusal(Rule::OrdersFrom, UNSIGNED)
}

/// The text of a refusal is shown on another machine's screen, and parts of it were received from the network.
fn refusal(rule: Rule, why: &str) -> Refusal {
    let why = why.chars().map(|it| if it.is_control() { '?' } else { it }).take(500).collect();
    Refusal { rule, why }
}

/// A moment, or the end of a day in UTC.
fn expiry(text: &str) -> Result<Timestamp, PolicyProblem> {
    let of_day = || {
        let next = text.parse::<Date>().ok()?.tomorrow().ok()?;
        Some(next.to_zoned(TimeZone::UTC).ok()?.timestamp())
    };
    text.parse().ok().or_else(of_day).ok_or_else(|| PolicyProblem::Expires(text.to_owned()))
}

#[cfg(test)]
mod tests;
