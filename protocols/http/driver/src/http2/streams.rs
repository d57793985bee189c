//! [`Streams`]: the requests of one connection that are not finished yet.
//!
//! A stream is removed by the exchange that began it, so each has one owner. Answers mostly arrive in the order of
//! their requests, so a stream is looked for behind the one that was found last.

use crate::failure::Failure;
use crate::response::{Response, Wanted};
use std::task::Waker;

/// A request and its answer, as far as it has arrived.
#[derive(Debug)]
pub(super) struct Stream {
    pub(super) phase: Phase,
    /// The answer, with the buffers of the exchange.
    pub(super) answer: Response,
    pub(super) wanted: Wanted,
    /// The method is HEAD, so that the length of the body is not that of what follows.
    pub(super) headless: bool,
    /// The length that the answer announced.
    pub(super) length: Option<u64>,
    /// How many interim answers have arrived.
    pub(super) interims: u8,
    /// How many bytes the server may still receive.
    pub(super) window: i64,
    /// How many bytes have arrived since the server was given more room.
    pub(super) received: u32,
    /// The exchange waits until more of the body of its request can be sent.
    pub(super) blocked: bool,
    /// The exchange that waits for the answer.
    waker: Option<Waker>,
}

/// How much of an answer has arrived.
#[derive(Debug)]
pub(super) enum Phase {
    /// Nothing.
    Waiting,
    /// The head.
    Body,
    /// All of it.
    Ended,
    /// There is no answer.
    Failed(Failure),
}

impl Stream {
    /// A stream on which a request is about to be sent.
    pub(super) fn new(answer: Response, wanted: Wanted, headless: bool, window: i64) -> Self {
        Self {
            phase: Phase::Waiting,
            answer,
            wanted,
            headless,
            length: None,
            interims: 0,
            window,
            received: 0,
            blocked: false,
            waker: None,
        }
    }

    /// Whether more may arrive.
    pub(super) fn is_pending(&self) -> bool {
        matches!(self.phase, Phase::Waiting | Phase::Body)
    }

    /// Wakes the exchange.
    pub(super) fn wake(&self) {
        if let Some(waker) = &self.waker {
            waker.wake_by_ref();
        }
    }

    /// Sets who is woken.
    pub(super) fn wakes(&mut self, waker: &Waker) {
        match &mut self.waker {
            Some(known) => known.clone_from(waker),
            none => *none = Some(waker.clone()),
        }
    }
}

/// The streams of a connection.
#[derive(Debug, Default)]
pub(super) struct Streams {
    /// The number of the stream in each slot, or 0.
    numbers: Vec<u32>,
    slots: Vec<Option<Stream>>,
    free: Vec<usize>,
    /// Where the next stream is looked for first.
    next: usize,
}

impl Streams {
    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.slots.len() - self.free.len()
    }

    /// Adds the stream with this number, and returns its slot.
    pub(super) fn insert(&mut self, number: u32, stream: Stream) -> usize {
        let slot = self.free.pop().unwrap_or_else(|| {
            self.numbers.push(0);
            self.slots.push(None);
            self.slots.len() - 1
        });
        self.numbers[slot] = number;
        self.slots[slot] = Some(stream);
        slot
    }

    /// The stream with this number.
    pub(super) fn find(&mut self, number: u32) -> Option<&mut Stream> {
        let (before, after) = self.numbers.split_at(self.next.min(self.numbers.len()));
        let slot = match after.iter().position(|known| *known == number) {
            Some(at) => before.len() + at,
            None => before.iter().position(|known| *known == number)?,
        };
        self.next = slot + 1;
        self.slots[slot].as_mut()
    }

    /// The stream in a slot, with its number.
    pub(super) fn in_slot(&mut self, slot: usize) -> Option<(u32, &mut Stream)> {
        let number = *self.numbers.get(slot)?;
        Some((number, self.slots.get_mut(slot)?.as_mut()?))
    }

    /// Removes the stream in a slot, and returns it with its number.
    pub(super) fn remove(&mut self, slot: usize) -> Option<(u32, Stream)> {
        let stream = self.slots.get_mut(slot)?.take()?;
        self.free.push(slot);
        Some((std::mem::take(&mut self.numbers[slot]), stream))
    }

    /// All streams, with their numbers.
    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = (u32, &mut Stream)> {
        let streams = self.numbers.iter().zip(&mut self.slots);
        streams.filter_map(|(number, stream)| Some((*number, stream.as_mut()?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_are_found_in_any_order() {
        let mut streams = Streams::default();
        let stream = |length| Stream {
            length: Some(length),
            ..Stream::new(Response::default(), Wanted::default(), false, 0)
        };
        let slots: Vec<usize> =
            (0..5_u32).map(|at| streams.insert(2 * at + 1, stream(u64::from(at)))).collect();
        for number in [1, 3, 9, 5, 7, 1, 9, 1] {
            let length = streams.find(number).unwrap().length;
            assert_eq!(length, Some(u64::from(number / 2)), "{number}");
        }
        assert!(streams.find(11).is_none());
        assert_eq!(streams.remove(slots[2]).unwrap().0, 5);
        assert!(streams.remove(slots[2]).is_none() && streams.find(5).is_none());
        assert_eq!(streams.len(), 4);
        assert_eq!(streams.insert(11, stream(11)), slots[2]);
        assert_eq!(streams.find(11).unwrap().length, Some(11));
        assert_eq!(streams.iter_mut().map(|(number, _)| number).sum::<u32>(), 1 + 3 + 7 + 9 + 11);
    }
}
