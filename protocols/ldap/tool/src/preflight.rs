//! Tests the parameters before the run, over one connection that is not measured.

use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use brunt_engine::timer::Time as _;
use brunt_engine::{Stop, Urgency};
use brunt_exchange::Clock;
use brunt_ldap_driver::{Plan, probe};
use brunt_net::within;
use brunt_run::options::exit::Exit;
use brunt_run::options::refusal::Refusal;
use brunt_run::signals::Signal;
use brunt_run::{World, beside};
use tokio::runtime::{Builder, Runtime};

/// How often a signal is checked for while a server is waited for.
const GLANCE: Duration = Duration::from_millis(50);

/// Opens one connection, binds as the run will, and closes it. The exit code is LDAP's. A signal ends the wait for a
/// server that does not answer.
pub(crate) fn connect(plan: &Arc<Plan>, world: &World) -> Result<(), Refusal> {
    let time = world.run_time();
    let runtime = beside::runtime(&time)
        .map_err(|error| Refusal::failed(format!("failed to start: {error}")))?;
    let (clock, stop) = (time.clock(), world.signals.stop());
    let work = probe(plan, &clock);
    let tried = runtime.block_on(unless(&stop, Urgency::Finish, &clock, work));
    let Some(tried) = tried else {
        let exit = world.signals.received().map_or(Exit::Interrupted, Signal::exit);
        return Err(Refusal {
            text: "stopped before the first connection was made\n".to_owned(),
            exit,
        });
    };
    tried.map_err(|error| Refusal {
        text: format!("failed to {error}\n"),
        exit: Exit::Ldap(error.code),
    })
}

/// Carries work out, unless an end of that urgency is requested before it is done.
pub(crate) async fn unless<T>(
    stop: &Stop,
    urgency: Urgency,
    clock: &dyn Clock,
    work: impl Future<Output = T>,
) -> Option<T> {
    let mut work = pin!(work);
    while stop.urgency() < urgency {
        if let Some(done) = within(GLANCE, clock, &mut work).await {
            return Some(done);
        }
    }
    None
}

/// A runtime for what takes no part in the time of a run.
pub(crate) fn runtime() -> io::Result<Runtime> {
    Builder::new_current_thread().enable_all().build()
}

#[cfg(test)]
mod tests {
    use super::*;
    use brunt_exchange::Monotonic;

    #[test]
    fn preflight_ends_by_itself_or_on_a_stop() {
        let (runtime, stop) = (runtime().unwrap(), Stop::new());
        let clock = Monotonic::new();
        let wait = |urgency| unless(&stop, urgency, &clock, std::future::pending::<()>());
        let work = |urgency| unless(&stop, urgency, &clock, async { 7 });
        assert_eq!(runtime.block_on(work(Urgency::Finish)), Some(7));
        stop.request();
        assert_eq!(runtime.block_on(wait(Urgency::Finish)), None);
        assert_eq!(runtime.block_on(work(Urgency::Abort)), Some(7));
        stop.request();
        assert_eq!(runtime.block_on(wait(Urgency::Abort)), None);
    }
}
