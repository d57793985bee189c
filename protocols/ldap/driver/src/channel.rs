//! The channel through which one session sends requests over a connection and waits for the answers.

use super::buffers::Buffers;
use super::link::Link;
use super::slot::{Keep, Reply};
use brunt_exchange::{Class, Watch};
use brunt_feed::starred;
use brunt_ldap_wire::code;
use std::future::poll_fn;

/// A slot on a link, with the buffers to use it.
#[derive(Clone, Copy)]
pub(super) struct Channel<'a> {
    pub(super) link: &'a Link,
    pub(super) buffers: &'a Buffers,
    pub(super) slot: usize,
}

impl Channel<'_> {
    /// Sends the request that `encode` writes, as the measured one, and waits for the response whose tag
    /// is `expected`.
    pub(super) async fn exchange(
        &self,
        expected: u8,
        keep: Keep,
        watch: &mut Watch<'_>,
        encode: impl FnOnce(i32, &mut Vec<u8>),
    ) -> Reply {
        let mut flight = self.link.start(self.slot, expected, keep, watch.wants_text(), encode);
        watch.sent();
        let polled = poll_fn(|cx| flight.poll_reply(cx, &mut self.buffers.input.borrow_mut()));
        let reply = polled.await;
        if matches!(reply, Reply::Result(_)) {
            self.link.used.set(true);
        }
        reply
    }

    /// Sends a request outside the measured exchange, to open a connection or to clean up, and waits for the response.
    pub(super) async fn request(
        &self,
        expected: u8,
        keep: Keep,
        encode: impl FnOnce(i32, &mut Vec<u8>),
    ) -> Reply {
        let mut flight = self.link.start(self.slot, expected, keep, true, encode);
        poll_fn(|cx| flight.poll_reply(cx, &mut self.buffers.input.borrow_mut())).await
    }

    /// How many entries the last answer had.
    pub(super) fn entries(&self) -> u64 {
        self.link.with_slot(self.slot, |slot| slot.entries).unwrap_or(0)
    }

    /// Passes the bytes kept of the last answer to `look`.
    pub(super) fn kept<T>(&self, look: impl FnOnce(&[u8]) -> T) -> T {
        let kept = self.take_kept();
        let seen = look(&kept);
        self.give_back(kept);
        seen
    }

    /// Takes the bytes kept of the last answer, to be used in the next request.
    pub(super) fn take_kept(&self) -> Vec<u8> {
        self.link.with_slot(self.slot, |slot| std::mem::take(&mut slot.kept)).unwrap_or_default()
    }

    /// Returns the buffer, so that the next answer needs no new one.
    pub(super) fn give_back(&self, kept: Vec<u8>) {
        self.link.with_slot(self.slot, |slot| slot.kept = kept);
    }

    /// The diagnostic message of the last answer.
    pub(super) fn diagnostic(&self) -> Box<str> {
        self.link.with_slot(self.slot, |slot| slot.text.take()).flatten().unwrap_or_default()
    }

    /// The class of a refusal: a refused request, or a locked account.
    pub(super) fn class_of_refusal(&self) -> Class {
        let locked = self.link.with_slot(self.slot, |slot| slot.locked).unwrap_or(false);
        if locked { Class::Locked } else { Class::Result }
    }

    /// Makes the last answer count as a refusal of an account that is locked, or about to be.
    pub(super) fn mark_locked(&self) {
        self.link.with_slot(self.slot, |slot| slot.locked = true);
    }

    /// Replaces a secret with asterisks in the diagnostic message of the last answer, as servers may quote what they
    /// were sent.
    pub(super) fn star(&self, secret: &[u8]) {
        self.link.with_slot(self.slot, |slot| {
            if let Some(text) = &mut slot.text {
                *text = starred(text, std::iter::once(secret)).into();
            }
        });
    }

    /// Describes a refusal: the code, its name, and the server's diagnostic message, if any.
    pub(super) fn refusal(&self, refused: u32) -> String {
        let (name, text) = (code::name(refused), self.diagnostic());
        let separator = if text.is_empty() { "" } else { ": " };
        format!("result {refused} ({name}){separator}{text}")
    }
}
