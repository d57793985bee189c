//! Adding and removing users, each way a user's administrator might do it, and how long that took.
//!
//! A way is a function of one user, or of all of them at once. What is timed is what the administrator would wait for;
//! what it needs beforehand (a text, a connection, a log) is made before the clock runs where a script could have done
//! so as well.

mod batch;
mod each;
mod process;
mod sample;

pub(super) use batch::slapadd;
pub(super) use sample::sample;

use std::fs;

use brunt_exchange::{Clock as _, Monotonic};

use super::accounts;
use super::ask::{Provisioned, Spread, Way};
use super::connection::Login;
use super::fault::Fault;
use super::place::Place;
use super::spec::{Server, Users};
use super::vitals;

/// Where users are put.
#[derive(Clone, Debug)]
pub(super) enum Store {
    /// The files of accounts.
    Files,
    /// A directory.
    Directory {
        /// Whom to bind as.
        login: Login,
        /// Which server it is.
        server: Server,
    },
}

/// Whether users come or go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Act {
    /// They come.
    Insert,
    /// They go.
    Delete,
}

/// What the service does around an act that must not be done to a running directory.
pub(super) trait Halt {
    /// Does something while the directory is stopped. The directory is started again afterwards, which is not timed.
    fn while_stopped(
        &mut self,
        work: &mut dyn FnMut(&Place) -> Result<(), Fault>,
    ) -> Result<(), Fault>;
}

/// Adds or removes users.
pub(super) fn carry_out(
    act: Act,
    way: Way,
    users: &Users,
    store: &Store,
    place: &Place,
    halt: &mut dyn Halt,
) -> Result<Provisioned, Fault> {
    let before = vitals::own_cpu_s();
    let mut done = match (way, store) {
        (Way::Process { own_group }, Store::Files) => process::files(act, users, own_group, place),
        (Way::Process { .. }, Store::Directory { login, .. }) => {
            process::directory(act, users, login, place)
        }
        (Way::Connection, Store::Files) => each::rewritten(act, users, place),
        (Way::Connection, Store::Directory { login, .. }) => each::connected(act, users, login),
        (Way::Batch, Store::Files) if act == Act::Insert => batch::newusers(users, place),
        (Way::Batch, Store::Directory { login, .. }) => batch::ldif(act, users, login, place),
        (Way::Batch | Way::Bulk, Store::Files) => at_once(act, users, place),
        (Way::Bulk, Store::Directory { login, server }) => match (act, server) {
            (Act::Insert, Server::Slapd) => batch::behind(users, place, halt),
            _ => each::connected(act, users, login),
        },
    }?;
    done.users = users.end.saturating_sub(users.start);
    // What was timed apart from everything around it counted for itself.
    done.cpu_s = if done.cpu_s > 0.0 { done.cpu_s } else { vitals::own_cpu_s() - before };
    Ok(done)
}

/// Writes each file once.
fn at_once(act: Act, users: &Users, place: &Place) -> Result<Provisioned, Fault> {
    let clock = Monotonic::new();
    let done = match act {
        Act::Insert => accounts::add(&place.etc, users),
        Act::Delete => accounts::remove(&place.etc, users),
    };
    done.map_err(Fault::file("rewrite accounts in", &place.etc))?;
    let seconds = clock.now().since_origin().as_secs_f64();
    Ok(Provisioned { seconds, ..Provisioned::default() })
}

/// Does something for one user after the other, and times each.
fn one_by_one(users: &Users, mut one: impl FnMut(u32) -> Result<(), String>) -> Provisioned {
    let mut done = Provisioned::default();
    let mut each = Vec::with_capacity(users.len());
    let clock = Monotonic::new();
    let mut before = clock.now();
    for user in users.clone() {
        if let Err(why) = one(user) {
            done.failed += 1;
            done.first_failure.get_or_insert(why);
        }
        let after = clock.now();
        each.push((after - before).as_nanos() as f64 / 1000.0);
        before = after;
    }
    done.seconds = clock.now().since_origin().as_secs_f64();
    done.each = Some(spread(&mut each));
    done
}

/// How figures spread; they are sorted on the way.
pub(super) fn spread(figures: &mut [f64]) -> Spread {
    figures.sort_unstable_by(f64::total_cmp);
    let at = |share: f64| {
        let rank = (figures.len() as f64 * share).ceil() as usize;
        figures.get(rank.saturating_sub(1)).copied().unwrap_or_default()
    };
    Spread {
        mean_us: figures.iter().sum::<f64>() / figures.len().max(1) as f64,
        p50_us: at(0.5),
        p95_us: at(0.95),
        p99_us: at(0.99),
        max_us: at(1.0),
    }
}

/// The end of what tools complained of, which says why one of them failed.
fn complaint(log: &std::path::Path) -> String {
    super::tools::tail(&fs::read_to_string(log).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spread_is_read_by_rank() {
        let mut figures: Vec<f64> = (1..=100).rev().map(f64::from).collect();
        let spread = spread(&mut figures);
        assert_eq!(
            (spread.p50_us, spread.p95_us, spread.p99_us, spread.max_us),
            (50.0, 95.0, 99.0, 100.0)
        );
        assert!((spread.mean_us - 50.5).abs() < 1e-9);
        assert_eq!(super::spread(&mut [7.0]).p50_us, 7.0);
        assert_eq!(super::spread(&mut []), Spread::default());
    }

    #[test]
    fn failures_are_counted_and_the_first_is_kept() {
        let done =
            one_by_one(
                &(0..5),
                |user| if user % 2 == 1 { Err(format!("no {user}")) } else { Ok(()) },
            );
        assert_eq!((done.failed, done.first_failure.as_deref()), (2, Some("no 1")));
    }
}
