//! [`LdapClient`]: the LDAP connection of a user.

use super::compiled_flow::CompiledFlow;
use super::ldap::LdapExchange;
use super::reply::Reply;
use super::variables::Variables;
use brunt_exchange::{Class, Clock, Outcome, Watch};
use brunt_ldap_driver::{Failed, LdapPool, UserConnection};

/// A user's own connection, and the last answer received over it.
pub(super) struct LdapClient {
    connection: UserConnection,
    /// Why the connection could not be opened, to be reported for the step that needed it.
    failed: Option<Failed>,
    /// The result code of the last answer.
    code: u32,
    /// The class of a refusal with that code.
    class: Class,
}

impl LdapClient {
    /// The client of user `number`.
    pub(super) fn new(ldap: &LdapPool, number: u32) -> Self {
        Self {
            connection: UserConnection::new(ldap, number),
            failed: None,
            code: 0,
            class: Class::Result,
        }
    }

    /// Connects and binds if necessary. A failure is kept for the step that needed it.
    pub(super) async fn open(&mut self, watch: &mut Watch<'_>) {
        if self.failed.is_none() {
            self.failed = self.connection.ready(watch).await.err();
        }
    }

    /// Performs an operation; returns its result code.
    pub(super) async fn exchange(
        &mut self,
        act: &LdapExchange,
        compiled: &CompiledFlow,
        variables: &Variables,
        watch: &mut Watch<'_>,
    ) -> Result<u32, Outcome> {
        watch.server(self.connection.server());
        if let Some(failed) = self.failed.take() {
            return Err(failed.outcome(watch));
        }
        if self.connection.withholds(&act.step) {
            return Err(Outcome::Skipped);
        }
        let trace = variables.trace_context(compiled.flow()).map(|trace| trace.to_string());
        let ran = self.connection.run(&act.step, variables.values(), trace.as_deref(), watch).await;
        match ran.map_err(|unset| compiled.bare(unset, watch))? {
            Err(failed) => Err(failed.outcome(watch)),
            Ok(result) => {
                (self.code, self.class) = (result.code, result.class);
                watch.items(result.entries);
                Ok(result.code)
            }
        }
    }

    /// The answer: for a search, the first entry.
    pub(super) fn reply(&self) -> Reply<'_> {
        Reply::Named { code: self.code, values: self.connection.found() }
    }

    /// The class of a refusal with the last answer's code: the account may be locked.
    pub(super) const fn class_of_refusal(&self) -> Class {
        self.class
    }

    /// Closes the connection.
    pub(super) async fn close(&mut self, clock: &dyn Clock) {
        self.connection.close(clock).await;
    }
}
