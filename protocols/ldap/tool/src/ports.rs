//! The port budget of a run that opens and closes connections, checked before the first connection.

use brunt_ldap_driver::Plan;
use brunt_net::ports::{Budget, Demand};
use brunt_net::tcp::{Close, Server};
use brunt_record::PortBudget;
use brunt_run::Console;
use brunt_run::options::arrivals::Rate;
use brunt_run::share;

use crate::options::rate::RateArgs;
use crate::options::rate::load::ConnectionMode;

/// Warns, with the calculation and the remedy, if the run will need more ports than are available.
pub(crate) fn check(args: &RateArgs, plan: &Plan, console: &Console) {
    let (Ok(budget), Some(demand)) = (Budget::read(), demand(args, plan)) else { return };
    if let Err(shortage) = budget.check(&demand) {
        console.note(&format!("this run may fail to {shortage}"));
    } else if demand.churn_per_second == 0.0 && churns(args) && demand.close == Close::Fin {
        console.note(&format!(
            "every operation opens a connection and closes it with FIN: above {:.0} connections/s local ports run \
             out; keep connections open (-f or -F), use several addresses (--source-ip), or close with --close rst",
            budget.churn_max(&demand)
        ));
    }
}

/// The port budget for the record.
pub(crate) fn budget(args: &RateArgs, plan: &Plan) -> Option<PortBudget> {
    let demand = demand(args, plan)?;
    let budget = Budget::read().ok()?;
    Some(PortBudget { available: budget.available(&demand), needed: budget.needed(&demand) })
}

/// Connections to Unix sockets need no ports.
fn demand(args: &RateArgs, plan: &Plan) -> Option<Demand> {
    let dialer = plan.dialer()?;
    let sources = &dialer.options().sources;
    let addresses = || dialer.servers().iter().flat_map(Server::addresses);
    let loopback = addresses().all(|address| address.ip().is_loopback());
    let slots = share::requested(&args.output.run, args.output.seed)
        .map(|node| node.slots)
        .unwrap_or_default();
    let churn_per_second = match (args.load.options.arrivals(), churns(args)) {
        (Rate::Constant { per_second, .. }, true) => per_second * slots.share(),
        _ => 0.0,
    };
    let starting = addresses().next().map_or(0, |address| sources.count(address.ip()));
    Some(Demand {
        churn_per_second,
        open: slots.of(plan.connections().into()),
        sources: starting.max(1),
        targets: dialer.servers().len().max(1),
        close: dialer.options().close,
        loopback,
    })
}

fn churns(args: &RateArgs) -> bool {
    args.load.mode == ConnectionMode::PerOperation
}
