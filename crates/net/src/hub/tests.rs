//! The hub with a protocol that is not DHCP: a question consists of a number and a letter, and has an answer.

use super::*;
use crate::carrier::OutgoingDatagram;
use crate::wire::{Log, Wire, nowhere};
use brunt_exchange::{Monotonic, Outcome};
use std::collections::VecDeque;
use tokio::runtime::{Builder, LocalOptions};

/// How long the hub waits for an answer.
const WAIT: Duration = Duration::from_millis(20);

/// Questions in flight.
struct Questions {
    slots: Vec<Question>,
    queue: VecDeque<u32>,
    transactions: Transactions<u8>,
    wheel: Wheel,
    requested: u32,
    /// The letters of questions whose answers arrived too late.
    late: Rc<RefCell<Vec<u8>>>,
    closed: Rc<Cell<bool>>,
}

#[derive(Default)]
struct Question {
    id: u32,
    bytes: Vec<u8>,
    ended: Option<(Outcome, Vec<u8>)>,
    waker: Option<Waker>,
}

impl Questions {
    fn new(slots: u32) -> Self {
        Self {
            slots: (0..slots).map(|_| Question::default()).collect(),
            queue: VecDeque::new(),
            transactions: Transactions::new(slots as usize, 0),
            wheel: Wheel::new(slots as usize),
            requested: 0,
            late: Rc::default(),
            closed: Rc::default(),
        }
    }

    fn ask(&mut self, slot: u32, letter: u8) {
        self.requested += 1;
        let bytes = [&self.requested.to_be_bytes()[..], &[letter]].concat();
        self.transactions.begin(self.requested, slot);
        self.slots[slot as usize] = Question { id: self.requested, bytes, ..Question::default() };
        self.queue.push_back(slot);
    }

    fn end(&mut self, slot: u32, outcome: Outcome, answer: &[u8]) {
        let question = &mut self.slots[slot as usize];
        question.ended = Some((outcome, answer.to_vec()));
        self.transactions.end(question.id, slot, question.bytes[4]);
        question.waker.take().into_iter().for_each(Waker::wake);
    }
}

impl Table for Questions {
    type Ended = (Outcome, Vec<u8>);

    fn poll_end(&mut self, slot: u32, cx: &Context<'_>) -> Option<Self::Ended> {
        let question = &mut self.slots[slot as usize];
        question.waker = Some(cx.waker().clone());
        question.ended.take()
    }

    fn call_off(&mut self, slot: u32) {
        self.queue.retain(|queued| *queued != slot);
        let question = &self.slots[slot as usize];
        self.transactions.end(question.id, slot, question.bytes[4]);
    }

    fn has_outgoing(&self) -> bool {
        !self.queue.is_empty()
    }

    fn datagrams(&mut self, max: usize) -> impl Iterator<Item = OutgoingDatagram<'_>> {
        let datagram = |slot: &u32| OutgoingDatagram {
            bytes: &self.slots[*slot as usize].bytes,
            to: nowhere(),
        };
        self.queue.iter().take(max).map(datagram)
    }

    fn sent(&mut self, count: usize, now: Moment) {
        for slot in self.queue.drain(..count) {
            self.wheel.arm(slot, now + WAIT);
        }
    }

    fn refused(&mut self, _: &std::io::Error, _: Moment) {
        let slot = self.queue.pop_front().unwrap();
        self.end(slot, Outcome::Skipped, b"");
    }

    fn receive(&mut self, inbox: &Inbox, _: Moment) {
        for datagram in inbox.iter() {
            let (id, answer) = datagram.bytes.split_first_chunk().unwrap();
            let id = u32::from_be_bytes(*id);
            match (self.transactions.slot(id), self.transactions.past(id)) {
                (Some(slot), _) => self.end(slot, Outcome::Ok(0), answer),
                (None, Some(letter)) => self.late.borrow_mut().push(letter),
                (None, None) => panic!("nobody asked {id}"),
            }
        }
    }

    fn next(&self) -> Option<Moment> {
        self.wheel.next()
    }

    fn tick(&mut self, now: Moment) {
        while let Some(slot) = self.wheel.due(now) {
            if self.transactions.slot(self.slots[slot as usize].id) == Some(slot) {
                self.end(slot, Outcome::TimedOut, b"");
            }
        }
    }

    fn stood_still(&mut self, _: Option<Gap>) {}

    fn lost(&mut self, overflowed: u64, unreachable: u64) {
        assert_eq!((overflowed, unreachable), (3, 0), "what the wire says");
    }

    fn close(&mut self, _: Moment) {
        self.closed.set(true);
    }
}

/// Answers in capitals; answers `?` one question late, and `!` never.
fn server() -> impl Fn(&[u8]) -> Vec<Vec<u8>> {
    let kept = RefCell::new(Vec::new());
    move |question| {
        let answer = vec![question.to_ascii_uppercase()];
        match question[4] {
            b'!' => Vec::new(),
            b'?' => {
                kept.replace(answer);
                Vec::new()
            }
            _ => kept.take().into_iter().chain(answer).collect(),
        }
    }
}

#[test]
fn hub_serves_another_protocol_with_timeouts() {
    let runtime =
        Builder::new_current_thread().enable_all().build_local(LocalOptions::default()).unwrap();
    let table = Questions::new(3);
    let (late, closed) = (Rc::clone(&table.late), Rc::clone(&table.closed));
    let ended = runtime.block_on(async {
        let log = Rc::new(Log::default());
        let wire = Wire::new(Box::new(server()), Rc::clone(&log));
        let hub = Hub::start(table, Ok(wire), Arc::new(Monotonic::new()), 1);
        let ask = |slot, letter| hub.carry_out(slot, move |table, _| table.ask(slot, letter));
        let first = tokio::join!(ask(0, b'a'), ask(1, b'!'), ask(2, b'?'));
        assert_eq!(log.batches.take(), [3], "what is asked at once leaves at once");
        let again = ask(2, b'b').await;
        hub.leave();
        [first.0, first.1, first.2, again]
    });
    drop(runtime);
    let timed_out = (Outcome::TimedOut, Vec::new());
    let answered = |letter| (Outcome::Ok(0), vec![letter]);
    assert_eq!(ended, [answered(b'A'), timed_out.clone(), timed_out, answered(b'B')]);
    assert_eq!((late.take(), closed.get()), (vec![b'?'], true));
}
