//! [`LdapAct`]: a step that is an LDAP operation.

use super::Reply;
use super::course::Course;
use crate::ldap::{Conversation, Errand, Failed, Hall, Step};
use brunt_exchange::{Outcome, Watch};
use brunt_feed::Values;
use brunt_wire::ldap::{code, filter::FilterError};

/// An LDAP operation with holes.
#[derive(Clone, Debug)]
pub struct LdapAct {
    pub(super) errand: Errand,
    compares: bool,
}

impl LdapAct {
    /// Compiles an operation; fails where a filter is none.
    pub fn new(step: &Step) -> Result<Self, FilterError> {
        Ok(Self { errand: Errand::new(step)?, compares: matches!(step, Step::Compare { .. }) })
    }

    /// Whether a result code is what is expected where a plan does not say: success, and of a comparison that it was
    /// made.
    pub(super) fn succeeded(&self, result: u32) -> bool {
        let compared = matches!(result, code::COMPARE_TRUE | code::COMPARE_FALSE);
        result == code::SUCCESS || self.compares && compared
    }
}

/// The side of a user that speaks LDAP: a connection of its own.
pub(super) struct Directory {
    conversation: Conversation,
    /// Why the connection could not be opened, to be told of the step that needed it.
    failed: Option<Failed>,
    /// The result code of the last answer.
    code: u32,
}

impl Directory {
    /// The side of user `number`.
    pub(super) fn new(hall: &Hall, number: u32) -> Self {
        Self { conversation: Conversation::new(hall, number), failed: None, code: 0 }
    }

    /// Connects and binds if that is needed. A failure is kept for the step that needed it.
    pub(super) async fn open(&mut self, watch: &mut Watch<'_>) {
        if self.failed.is_none() {
            self.failed = self.conversation.ready(watch).await.err();
        }
    }

    /// Carries out an operation.
    pub(super) async fn exchange(
        &mut self,
        act: &LdapAct,
        course: &Course,
        values: &Values,
        watch: &mut Watch<'_>,
    ) -> Result<(), Outcome> {
        if let Some(failed) = self.failed.take() {
            return Err(failed.outcome(watch));
        }
        let ran = self.conversation.run(&act.errand, values, watch).await;
        match ran.map_err(|unset| course.bare(unset, watch))? {
            Err(failed) => Err(failed.outcome(watch)),
            Ok(told) => {
                self.code = told.code;
                watch.items(told.entries);
                Ok(())
            }
        }
    }

    /// The answer: of a search, the first entry.
    pub(super) fn reply(&self) -> Reply<'_> {
        Reply::Named { code: self.code, values: self.conversation.found() }
    }

    /// Takes leave of the server.
    pub(super) async fn close(&mut self) {
        self.conversation.close().await;
    }
}
