//! Releases at the end what the run took (`--release-on-exit`).

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use brunt_dhcp_driver::captures::CaptureOptions;
use brunt_dhcp_driver::family::Family;
use brunt_dhcp_driver::limits::Limits;
use brunt_dhcp_driver::{Dhcp, Setup, Stage, Task};
use brunt_dhcp_load::{DhcpSessions, Over};
use brunt_engine::schedule::Schedule;
use brunt_engine::timer::Time as _;
use brunt_engine::{EngineRun, Plan, Settings, Stop, Urgency};
use brunt_exchange::Slots;
use brunt_net::carrier::Carrier;
use brunt_record::{Catalogue, Interval};
use brunt_run::Console;
use brunt_run::options::arrivals::Rate;
use brunt_run::schedules::per_second_of;

use super::diagnostics::Diagnostics;
use super::error::PerfdhcpError;
use super::resolved::Resolved;
use super::route::Open;
use super::{attendance, load};

/// Releases a second if the run had no rate: a rate that any server can handle. DHCPv4 answers no release, so no answer
/// would slow this down.
const RATE: f64 = 1_000.0;
/// Time between two lines of progress.
const EVERY: Duration = Duration::from_secs(2);

/// Releases every lease that the clients have, at the rate of the run, and prints how many.
pub(crate) fn all<D: Diagnostics + Over<C>, C: Carrier + 'static>(
    job: &Resolved<'_>,
    dhcp: &Dhcp<D, C>,
    (plan, open): (&impl Fn(IpAddr) -> Result<D::Plan, PerfdhcpError>, Open<C>),
    (shows, console): (bool, &Console),
    stop: &Stop,
) -> Result<(), PerfdhcpError> {
    let leases = dhcp.take_leases();
    let total = leases.len() as u64;
    if total == 0 || stop.urgency() == Urgency::Abort {
        if total > 0 {
            console.note(&format!(
                "{total} leases were not released, because the run was stopped by a second signal"
            ));
        }
        return Ok(());
    }
    let address = job.route.locals[0].ip();
    let time = job.world.run_time();
    let setup = Setup::<D, C> {
        plans: vec![Arc::new(plan(address)?)],
        population: job.population.clone(),
        clock: Arc::new(time.clock()),
        sockets: open(&job.route, job.args, 1)?,
        destination: job.route.server,
        task: Task::Release(leases),
        seed: job.seed,
        slots: Slots::default(),
        preload: 0,
        leases_max: 0,
        limits: Arc::new(Limits::none()),
        unique: false,
        expectations: Vec::new(),
        capture: CaptureOptions::default(),
    };
    let v6 = job.args.family == Family::V6;
    let titles = Stage::ALL.map(|stage| stage.title(v6));
    let catalogue = Catalogue::new(["acquire", "renew", "release"], titles)
        .with_tallies(attendance::tallies(v6, false, false));
    let releasing = Dhcp::new(setup, 1);
    let sessions = DhcpSessions::new(&releasing, time.clock(), false, None);
    let mut reported = Duration::ZERO;
    let mut done = 0;
    // The signal that ended the run does not stop the release of its leases; another one does.
    let ours = Stop::new();
    let mut progress = |interval: &Interval| {
        if stop.urgency() == Urgency::Abort {
            ours.abort();
        }
        done += interval.counts().ok;
        if interval.to >= reported + EVERY && shows {
            reported = interval.to;
            console.message(&format!("Releasing leases: {done} of {total}"));
        }
    };
    let plan = schedule(job, total)?;
    let (stop, sink, time) = (&ours, &mut progress, time);
    let run = EngineRun { plan: &plan, catalogue: &catalogue, stop, sink, time };
    let finished = D::run(&sessions, run)?;
    let left = total - finished.counts.ok;
    if left > 0 {
        console.note(&format!("{left} of {total} leases were not released"));
    } else if shows {
        console.message(&format!("Released {total} leases."));
    }
    Ok(())
}

/// Releases all of them in turn, no faster than the leases were requested.
fn schedule(job: &Resolved<'_>, total: u64) -> Result<Plan, PerfdhcpError> {
    let rate = match job.args.load.options.arrivals() {
        Rate::Constant { per_second, .. } => per_second,
        _ => RATE,
    };
    let schedule = Schedule::constant(per_second_of(rate, "-r")?, None)?;
    let [first, second] = job.args.limits.drop_time;
    let mut settings = Settings::open(schedule, load::WINDOW);
    settings.stop.count = Some(total);
    settings.drain = Some(first + second);
    settings.seed = job.seed;
    settings.workers = Some(1);
    Ok(Plan::new(settings, 1)?)
}
