//! [`LdapClient`]: the LDAP connection of a user.

use super::compiled_flow::CompiledFlow;
use super::ldap::LdapExchange;
use super::reply::Reply;
use crate::ldap::{Failed, LdapPool, UserConnection};
use brunt_exchange::{Class, Outcome, Watch};
use brunt_feed::Values;

/// A connection of the user's own, and what came back over it last.
pub(super) struct LdapClient {
    connection: UserConnection,
    /// Why the connection could not be opened, to be reported for the step that needed it.
    failed: Option<Failed>,
    /// The result code of the last answer.
    code: u32,
    /// What a refusal by that code is.
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

    /// Connects and binds if that is needed. A failure is kept for the step that needed it.
    pub(super) async fn open(&mut self, watch: &mut Watch<'_>) {
        if self.failed.is_none() {
            self.failed = self.connection.ready(watch).await.err();
        }
    }

    /// Carries out an operation.
    pub(super) async fn exchange(
        &mut self,
        act: &LdapExchange,
        compiled: &CompiledFlow,
        values: &Values,
        watch: &mut Watch<'_>,
    ) -> Result<(), Outcome> {
        if let Some(failed) = self.failed.take() {
            return Err(failed.outcome(watch));
        }
        if self.connection.withholds(&act.step) {
            return Err(Outcome::Skipped);
        }
        let ran = self.connection.run(&act.step, values, watch).await;
        match ran.map_err(|unset| compiled.bare(unset, watch))? {
            Err(failed) => Err(failed.outcome(watch)),
            Ok(result) => {
                (self.code, self.class) = (result.code, result.class);
                watch.items(result.entries);
                Ok(())
            }
        }
    }

    /// The answer: of a search, the first entry.
    pub(super) fn reply(&self) -> Reply<'_> {
        Reply::Named { code: self.code, values: self.connection.found() }
    }

    /// What a refusal by the last answer's code is: an account may be locked.
    pub(super) const fn class_of_refusal(&self) -> Class {
        self.class
    }

    /// Closes the connection.
    pub(super) async fn close(&mut self) {
        self.connection.close().await;
    }
}
