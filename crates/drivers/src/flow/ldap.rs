//! [`LdapExchange`]: a step that is an LDAP operation.

use crate::ldap::{LdapOperation, LdapStep};
use brunt_wire::ldap::{code, filter::FilterError};

/// An LDAP operation with holes.
#[derive(Clone, Debug)]
pub struct LdapExchange {
    pub(super) step: LdapStep,
    /// As it was written, for a trace.
    operation: LdapOperation,
}

impl LdapExchange {
    /// Compiles an operation; fails where a filter is none.
    pub fn new(step: &LdapOperation) -> Result<Self, FilterError> {
        Ok(Self { step: LdapStep::new(step)?, operation: step.clone() })
    }

    /// The operation as it was written.
    pub(super) fn operation(&self) -> &LdapOperation {
        &self.operation
    }

    /// Whether it changes entries.
    pub fn changes(&self) -> bool {
        self.operation.changes()
    }

    /// Whether a result code is what is expected where a plan does not say: success, and of a comparison that it was
    /// made.
    pub(super) fn succeeded(&self, result: u32) -> bool {
        let asks = matches!(self.operation, LdapOperation::Compare { .. });
        let compared = matches!(result, code::COMPARE_TRUE | code::COMPARE_FALSE);
        result == code::SUCCESS || asks && compared
    }
}
