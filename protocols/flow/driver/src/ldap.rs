//! [`LdapExchange`]: a step that is an LDAP operation.

use brunt_ldap_driver::{LdapOperation, LdapStep};
use brunt_ldap_wire::code;
use brunt_ldap_wire::filter::FilterError;

/// An LDAP operation that may contain variables.
#[derive(Clone, Debug)]
pub struct LdapExchange {
    pub(super) step: LdapStep,
    /// The operation as written in the plan, for a trace.
    operation: LdapOperation,
}

impl LdapExchange {
    /// Compiles an operation; fails if its filter is invalid.
    pub fn new(step: &LdapOperation) -> Result<Self, FilterError> {
        Ok(Self { step: LdapStep::new(step)?, operation: step.clone() })
    }

    /// The operation as written in the plan.
    pub(super) fn operation(&self) -> &LdapOperation {
        &self.operation
    }

    /// Whether it is a bind.
    pub fn is_bind(&self) -> bool {
        self.operation.is_bind()
    }

    /// Whether it changes entries.
    pub fn changes(&self) -> bool {
        self.operation.changes()
    }

    /// Whether a result code is a success if the plan does not say so: success itself, and for a comparison, either of
    /// its results.
    pub(super) fn succeeded(&self, result: u32) -> bool {
        let is_comparison = matches!(self.operation, LdapOperation::Compare { .. });
        let compared = matches!(result, code::COMPARE_TRUE | code::COMPARE_FALSE);
        result == code::SUCCESS || is_comparison && compared
    }
}
