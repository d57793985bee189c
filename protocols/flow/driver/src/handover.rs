//! [`Handover`]: the values that users of one flow hand over to those of another.
//!
//! What is done before a load and after it is a flow of its own with the same variables. A value of all users is stored
//! once, whatever their number; those of each user are kept by its number.

use super::compiled_flow::CompiledFlow;
use super::variables::{Own, Variables};
use brunt_feed::Values;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// The values that are handed over.
#[derive(Debug, Default)]
pub struct Handover(Mutex<Kept>);

#[derive(Debug, Default)]
struct Kept {
    all: Option<Arc<Values>>,
    users: HashMap<u32, Own>,
}

impl Handover {
    /// Keeps the values of a user, and those of all users if it has any.
    pub(super) fn keep(&self, compiled: &CompiledFlow, number: u32, variables: &Variables) {
        let (all, own) = variables.handed_over(compiled);
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(all) = all {
            kept.all = Some(Arc::new(all));
        }
        if !own.is_empty() {
            kept.users.insert(number, own);
        }
    }

    /// Gives a user the values that were kept.
    pub(super) fn give(&self, number: u32, variables: &mut Variables) {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(all) = &kept.all {
            variables.share(all);
        }
        if let Some(own) = kept.users.get(&number) {
            variables.take_over(own);
        }
    }
}
