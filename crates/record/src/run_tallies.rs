//! What is counted beside exchanges for every run with connections: how exchanges ended at each of several servers, and
//! the sessions that never got an answer.
//!
//! These counts are tallies, found by their names, so they are in intervals, events, merged records and series without
//! more. The engine counts them if the catalogue names them; drivers only name the server that an exchange went to.

use crate::TallyRecord;
use brunt_exchange::Outcome;

/// The tally of sessions that carried out at least one exchange.
pub const SESSIONS_USED: &str = "sessions used";
/// The tally of those of them that never got an answer.
pub const SESSIONS_UNANSWERED: &str = "sessions never answered";

const PREFIX: &str = "server ";

/// How an exchange with a server ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServerEnd {
    /// It succeeded.
    Ok,
    /// It was answered and did not succeed.
    Failed,
    /// It was not answered: it timed out, or its connection was lost or could not be opened.
    Unanswered,
}

/// How the exchanges with one server ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServerCounts {
    /// The server, as the command names it.
    pub server: String,
    /// How many succeeded.
    pub ok: u64,
    /// How many were answered and did not succeed.
    pub failed: u64,
    /// How many were not answered.
    pub unanswered: u64,
}

impl ServerEnd {
    /// Every end, in the order of its tallies.
    pub const ALL: [Self; 3] = [Self::Ok, Self::Failed, Self::Unanswered];

    /// How an exchange with this outcome ended for its server; `None` if the server had no part in it.
    pub const fn new(outcome: Outcome) -> Option<Self> {
        match outcome {
            Outcome::Ok(_) => Some(Self::Ok),
            Outcome::Skipped => None,
            Outcome::Failed(class, _) if class.ours() => None,
            Outcome::Failed(class, _) if class.answered() => Some(Self::Failed),
            Outcome::Failed(..) | Outcome::TimedOut | Outcome::CutOff => Some(Self::Unanswered),
        }
    }

    const fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Failed => "failed",
            Self::Unanswered => "unanswered",
        }
    }
}

/// The names of these tallies for a run with these servers, in the order of the numbers that drivers use. One server
/// needs none.
pub fn run_tallies(servers: &[String]) -> Vec<String> {
    let of =
        |server: &String| ServerEnd::ALL.map(|end| format!("{PREFIX}{server}: {}", end.word()));
    let servers = if servers.len() < 2 { &[] } else { servers };
    let sessions = [SESSIONS_USED, SESSIONS_UNANSWERED].map(str::to_owned);
    sessions.into_iter().chain(servers.iter().flat_map(of)).collect()
}

/// Reads the name of such a tally.
pub fn server_tally(name: &str) -> Option<(&str, ServerEnd)> {
    let (server, word) = name.strip_prefix(PREFIX)?.rsplit_once(": ")?;
    let end = ServerEnd::ALL.into_iter().find(|end| end.word() == word)?;
    Some((server, end))
}

/// The counts of each server in these tallies, in their order.
pub fn servers(tallies: &[TallyRecord]) -> Vec<ServerCounts> {
    let mut servers: Vec<ServerCounts> = Vec::new();
    for tally in tallies {
        let Some((name, end)) = server_tally(&tally.name) else { continue };
        let at = servers.iter().position(|known| known.server == name).unwrap_or_else(|| {
            servers.push(ServerCounts { server: name.to_owned(), ..ServerCounts::default() });
            servers.len() - 1
        });
        let counts = &mut servers[at];
        *match end {
            ServerEnd::Ok => &mut counts.ok,
            ServerEnd::Failed => &mut counts.failed,
            ServerEnd::Unanswered => &mut counts.unanswered,
        } += tally.count;
    }
    servers
}

/// How many sessions never got an answer, and how many were used; `None` if all were answered, or none was.
pub fn silent_sessions(tallies: &[TallyRecord]) -> Option<(u64, u64)> {
    let of = |name| tallies.iter().find(|tally| tally.name == name).map(|tally| tally.count);
    let (silent, used) = (of(SESSIONS_UNANSWERED)?, of(SESSIONS_USED)?);
    (silent > 0 && silent < used).then_some((silent, used))
}

#[cfg(test)]
mod tests {
    use super::*;
    use brunt_exchange::Class;

    #[test]
    fn server_end_excludes_failures_without_the_server() {
        use ServerEnd::{Failed, Ok, Unanswered};
        for (outcome, end) in [
            (Outcome::Ok(200), Some(Ok)),
            (Outcome::Failed(Class::Result, 503), Some(Failed)),
            (Outcome::Failed(Class::Locked, 49), Some(Failed)),
            (Outcome::Failed(Class::Connect, 111), Some(Unanswered)),
            (Outcome::Failed(Class::Closed, 0), Some(Unanswered)),
            (Outcome::TimedOut, Some(Unanswered)),
            (Outcome::CutOff, Some(Unanswered)),
            (Outcome::Failed(Class::Ports, 0), None),
            (Outcome::Failed(Class::Fenced, 0), None),
            (Outcome::Skipped, None),
        ] {
            assert_eq!(ServerEnd::new(outcome), end, "{outcome:?}");
        }
    }

    #[test]
    fn tallies_are_found_by_name() {
        let names = ["[::1]:389", "ldap2: 1:389"].map(str::to_owned);
        let tallies: Vec<TallyRecord> = std::iter::once("binds".to_owned())
            .chain(run_tallies(&names))
            .zip([90, 8, 7, 1, 2, 3, 4, 5, 6])
            .map(|(name, count)| TallyRecord { name, count })
            .collect();
        let of = |server: &str, ok, failed, unanswered| ServerCounts {
            server: server.to_owned(),
            ok,
            failed,
            unanswered,
        };
        assert_eq!(servers(&tallies), [of("[::1]:389", 1, 2, 3), of("ldap2: 1:389", 4, 5, 6)]);
        let one = run_tallies(&names[..1]);
        assert_eq!(one, [SESSIONS_USED, SESSIONS_UNANSWERED], "one server has all exchanges");
    }

    #[test]
    fn silent_sessions_are_named_only_if_others_were_answered() {
        let of = |silent, used| {
            let tallies = [(SESSIONS_USED, used), (SESSIONS_UNANSWERED, silent)];
            let tallies = tallies.map(|(name, count)| TallyRecord { name: name.to_owned(), count });
            silent_sessions(&tallies)
        };
        assert_eq!(of(30, 50), Some((30, 50)));
        assert_eq!((of(0, 50), of(50, 50), silent_sessions(&[])), (None, None, None));
    }
}
