//! Decides on a thread of its own whether the owner of this agent permits an order: another process prepares the
//! command line, which may read large files, and the agent must keep reporting to the coordinator meanwhile.

use std::path::{Path, PathBuf};

use brunt_cluster::message::Order;
use brunt_cluster::policy::{Permit, Policy};
use brunt_run::console;
use brunt_run::environment::Environment;
use brunt_run::options::refusal::Refusal;
use tokio::sync::oneshot::{Receiver, channel};

use super::child::{ThreadError, spawn};
use crate::commands::cluster_check::{Needs, StandIns};

/// The permission, or why the order is refused.
pub(super) type Judged = Result<Permit, OrderRefusal>;

/// Why an order is refused, in the one sentence that is sent to the coordinator.
#[derive(Debug, thiserror::Error)]
pub(super) enum OrderRefusal {
    #[error("{}", sentence(.0))]
    Refused(#[from] Refusal),
    #[error("the order could not be judged")]
    NotJudged,
}

/// Begins to judge an order, whose files are in this directory.
pub(super) fn judge(
    order: Order,
    policy: Policy,
    directory: PathBuf,
    environment: Environment,
) -> Result<Receiver<Judged>, ThreadError> {
    let (sender, judged) = channel();
    // If the receiver is gone, the answer is not needed.
    spawn("judge", move || {
        drop(sender.send(permitted(&order, &policy, &directory, &environment)));
    })?;
    Ok(judged)
}

fn permitted(
    order: &Order,
    policy: &Policy,
    directory: &Path,
    environment: &Environment,
) -> Judged {
    let needs = Needs::new(&order.argv, directory, policy.variables(), StandIns::None, environment);
    let mut needs = needs?;
    if let Some(step) = &order.step {
        // Such a command names neither rate nor target, and a rate of iterations is not a rate of operations.
        needs.rate = step.rate.filter(|_| !needs.several);
        needs.allow.clone_from(&step.allow);
    }
    // The signature was checked when the order was read.
    let signer = policy.orders_from().and_then(|keys| keys.first()).map(String::as_str);
    Ok(needs.permitted(policy, share(order), signer, console::now())?)
}

/// Which part of the whole this share is.
fn share(order: &Order) -> f64 {
    let all: u64 = order.weights.iter().copied().map(u64::from).sum();
    match order.weights.get(order.rank as usize) {
        Some(weight) if all > 0 => f64::from(*weight) / all as f64,
        _ => 1.0 / f64::from(order.of.max(1)),
    }
}

/// The first sentence of a refusal, without the word that precedes it.
fn sentence(refusal: &Refusal) -> String {
    let line = refusal.text.lines().map(str::trim).find(|line| !line.is_empty());
    let line = line.unwrap_or("the command cannot be prepared");
    let bare = line.strip_prefix("refused: ").or_else(|| line.strip_prefix("error: "));
    bare.unwrap_or(line).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use brunt_cluster::bundle::Manifest;

    #[test]
    fn order_share_follows_its_weight() {
        let order = |rank, weights: &[u32]| Order {
            run: "ab".to_owned(),
            epoch: 0,
            nonce: String::new(),
            rank,
            of: 4,
            weights: weights.to_vec(),
            seed: 7,
            argv: Vec::new(),
            files: Manifest::default(),
            step: None,
        };
        assert_eq!(share(&order(1, &[])).to_bits(), 0.25_f64.to_bits());
        assert_eq!(share(&order(1, &[1, 5, 1, 1])).to_bits(), 0.625_f64.to_bits());
    }
}
