//! What commands that use the loads of others cannot have the rate tools do.

use brunt_run::load::{NO_ADDRESS, ONE_RUN, SECRET, WRITES, never};
use brunt_run::options::pacing::Pacing;
use brunt_run::options::row::{Row, dashed};
use brunt_run::{Caller, Unsuitable};

use crate::options::dialect::Dialect;
use crate::options::rate::RateArgs;
use crate::options::rate::identity::Identity;
use crate::options::rate::security::ClientCertificate;
use crate::options::table::{self, OPERATIONS};
use crate::unboundid;

/// The options that set when operations begin, how many there are or how long they go on, by every name of the line's
/// dialect.
pub(crate) fn pacing(args: &RateArgs) -> Vec<Pacing> {
    let rows = match args.dialect {
        Dialect::Opendj => table::of(args.tool),
        Dialect::Unboundid => unboundid::rows(args.tool),
    };
    let mut pacing = args.load.options.pacing(&OPERATIONS);
    for option in &mut pacing {
        let own = option.spelled.first().map_or("", |name| name.trim_start_matches('-')).to_owned();
        option.spelled = spelled(&rows, |row| row.name == own || row.to == own);
        if args.dialect == Dialect::Unboundid
            && let Some(name) = option.spelled.first()
        {
            option.called.clone_from(name);
        }
        // The dialect gives it with an option of its own, below.
        option.given &= !option.spelled.is_empty();
    }
    for (name, given) in [
        ("numIntervals", args.rows.is_some()),
        ("warmUpIntervals", args.load.options.warm_up.is_some()),
    ] {
        let spelled = spelled(&rows, |row| row.name == name);
        let given = given && !spelled.is_empty();
        pacing.push(Pacing { spelled, ..Pacing::new(&[name], given) });
    }
    pacing
}

/// Every way to type these options.
fn spelled(rows: &[Row], is_one: impl Fn(&Row) -> bool) -> Vec<String> {
    let ways = |row: &Row| {
        let names: Vec<&str> = row.names().collect();
        let letter = row.short.map(|letter| format!("-{letter}"));
        let hidden = names.iter().map(|name| format!("--{}", unboundid::hyphenated(name)));
        names.iter().map(|name| dashed(name)).chain(hidden).chain(letter).collect::<Vec<_>>()
    };
    rows.iter().filter(|row| is_one(row)).flat_map(ways).collect()
}

/// Why a caller cannot have this carried out.
pub(crate) fn refuses(args: &RateArgs, caller: Caller, words: &[String]) -> Result<(), Unsuitable> {
    let writes = args.table.file.is_some();
    match caller {
        Caller::Search => {
            never("--outputFile", writes, ONE_RUN)?;
            never("--inc-scope worker", args.inc_per_worker, ONE_RUN)
        }
        Caller::OwnAgents => never("--outputFile", writes, WRITES),
        Caller::AgentsOfOthers => {
            never("--outputFile", writes, WRITES)?;
            leads_out(args)?;
            secret(args, words)
        }
    }
}

/// What leads out of the addresses and files that an agent's owner allows.
fn leads_out(args: &RateArgs) -> Result<(), Unsuitable> {
    never("--hostname ldapi", !args.sockets.is_empty(), NO_ADDRESS)?;
    let library = matches!(args.security.client, Some(ClientCertificate::Pkcs11 { .. }));
    never("--usePkcs11KeyStore", library, "loads a library into the agent")?;
    let kerberos = |identity: &Identity| match identity {
        Identity::Sasl { properties, .. } => {
            properties.iter().any(|(name, value)| name == "mech" && value == "GSSAPI")
        }
        _ => false,
    };
    let kerberos = kerberos(&args.identity) || kerberos(&args.login);
    let why = "loads the agent's Kerberos library and its tickets";
    never("--saslOption mech=GSSAPI", kerberos, why)
}

/// A secret in the command line itself.
fn secret(args: &RateArgs, words: &[String]) -> Result<(), Unsuitable> {
    let typed = &args.output.typed;
    // Its name, and perhaps its dialect, come first.
    let redacted = typed.get(typed.len().saturating_sub(words.len())..).unwrap_or_default();
    let starred = redacted.iter().zip(words).find(|(shown, word)| shown != word);
    let Some((shown, _)) = starred else { return Ok(()) };
    // The option is in the word itself, or in the one before.
    let at = redacted.iter().position(|word| word == shown).unwrap_or_default();
    let option =
        if shown.starts_with('-') { shown } else { words.get(at.wrapping_sub(1)).unwrap_or(shown) };
    let option = option.split('=').next().unwrap_or_default();
    let remedy = "write the option with :env and the name of a variable of the agents, or with :file and the name of \
                  a file, such as --bindPassword:env LDAP_PASSWORD";
    Err(Unsuitable::Option { option: option.to_owned(), why: format!("{SECRET}: {remedy}").into() })
}
