//! What must be true of every run, whatever is drawn. Each part computes its figures again from the log.

mod blame;
mod codes;
mod counts;
mod judged;
mod merged;
mod rates;
mod times;

use crate::run::{Outcome, Share};
use crate::script::Script;
use crate::session::{Entry, Log};

/// What is wrong.
#[derive(Default)]
pub(crate) struct Findings(Vec<String>);

impl Findings {
    /// Notes that something does not hold.
    pub(crate) fn unless(&mut self, holds: bool, why: impl FnOnce() -> String) {
        if !holds {
            self.0.push(why());
        }
    }

    #[expect(clippy::needless_pass_by_value, reason = "callers have just computed them")]
    pub(crate) fn equal<T>(&mut self, what: &str, is: T, must: T)
    where
        T: PartialEq + std::fmt::Debug,
    {
        self.unless(is == must, || format!("{what}: {is:?}, by the log {must:?}"));
    }
}

/// A share with what its sessions know of the run of which its record is.
pub(crate) struct Seen<'a> {
    pub(crate) script: &'a Script,
    pub(crate) share: &'a Share,
    pub(crate) log: &'a Log,
}

impl<'a> Seen<'a> {
    /// The exchanges of the phase that is measured.
    pub(crate) fn steady(&self) -> impl Iterator<Item = &'a Entry> {
        self.log.entries.iter().filter(|entry| entry.phase == brunt_record::Phase::Steady as u8)
    }
}

/// Checks what came of a script.
pub(crate) fn check(script: &Script, outcome: &Outcome) -> Result<(), String> {
    let mut findings = Findings::default();
    for share in &outcome.shares {
        let log = share.logs.last().ok_or("nothing was carried out")?;
        let seen = Seen { script, share, log };
        counts::check(&seen, &mut findings);
        times::check(&seen, &mut findings);
        rates::check(&seen, &mut findings);
        judged::check(&seen, &mut findings);
        blame::check(&seen, &mut findings);
        codes::check(&seen, &mut findings);
    }
    if let Some(whole) = &outcome.merged {
        merged::check(script, &outcome.shares, whole, &mut findings);
    }
    if findings.0.is_empty() { Ok(()) } else { Err(findings.0.join("\n  ")) }
}

/// Checks why a script was refused.
pub(crate) fn check_refusal(script: &Script, why: &str) -> Result<(), String> {
    let canary = script.load.canary.is_some() && script.load.count.is_some();
    if canary && why.starts_with("--canary: the canary would send the whole run") {
        return Ok(());
    }
    let few = script.weights.len() > 1 && script.load.sessions < 8;
    if few && why.starts_with("plan the run: node ") && why.contains("would have no connection") {
        return Ok(());
    }
    Err(format!("it was refused: {why}"))
}
