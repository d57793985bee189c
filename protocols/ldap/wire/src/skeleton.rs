//! A request compiled once and encoded any number of times, in one pass and without allocating.
//!
//! Lengths in BER precede the contents and must be minimal, so a request whose values vary in length cannot simply be
//! copied. It is therefore written from its end to its beginning: when the header of an element is written, its
//! contents are already in place and their length is known. Everything without a slot was turned into bytes when the
//! skeleton was compiled.
//!
//! [`Template`](super::Template) goes one step further and patches the previous request.

use crate::ber::{HEADER_MAX, Node, Values, header_backwards, minimal, tag};

/// A compiled request, or a compiled part of one.
#[derive(Clone, Debug)]
pub struct Skeleton {
    /// The steps, from the end of the request to its beginning.
    steps: Vec<Step>,
    /// All static bytes; the steps refer to ranges of it.
    bytes: Vec<u8>,
    /// The maximum nesting depth of elements with slots.
    depth: usize,
    /// How many values are needed.
    slots: usize,
    /// The maximum size of everything except the values.
    fixed_max: usize,
}

#[derive(Clone, Copy, Debug)]
enum Step {
    /// Static bytes.
    Bytes { start: usize, end: usize },
    /// The value of a slot.
    Slot(usize),
    /// The message id, as an INTEGER.
    MessageId,
    /// The end of an element, with the number of open elements around it.
    End(usize),
    /// The header of the element whose end has the same number.
    Header(usize, u8),
}

/// The position of a slot's value in an encoded request, counted back from the end of the request, because that
/// distance does not change while the request is being written.
#[derive(Clone, Copy, Debug)]
pub(super) struct SlotPosition {
    /// The number of the slot, or `None` for the contents of the message id.
    pub(super) slot: Option<usize>,
    pub(super) from_end: usize,
    pub(super) length: usize,
}

/// Nesting up to this depth needs no allocation; this is sufficient for filters of 32 levels inside a control.
const DEPTH_INLINE: usize = 48;

/// The maximum size of the INTEGER of a message id.
const MESSAGE_ID_MAX: usize = 6;

impl Skeleton {
    /// Compiles a request: a message around an operation and its controls (RFC 4511 section 4.1.1).
    pub(super) fn message(operation: &Node, controls: Option<&Node>) -> Self {
        let mut compiler = Compiler::default();
        compiler.open();
        if let Some(controls) = controls {
            compiler.node(controls);
        }
        compiler.node(operation);
        compiler.step(Step::MessageId);
        compiler.skeleton.fixed_max += MESSAGE_ID_MAX;
        compiler.close(tag::SEQUENCE);
        compiler.skeleton
    }

    /// Compiles a part of a request, such as the controls of an add whose entry is made at run time.
    pub fn fragment(node: &Node) -> Self {
        let mut compiler = Compiler::default();
        compiler.node(node);
        compiler.skeleton
    }

    /// How many values are needed: one more than the highest slot, 0 if there are no slots.
    pub const fn slots(&self) -> usize {
        self.slots
    }

    /// Appends one request with this message id and these values to `out`.
    #[inline]
    pub fn encode<V: Values + ?Sized>(&self, message_id: i32, values: &V, out: &mut Vec<u8>) {
        self.encode_noting(message_id, values, out, |_| {});
    }

    /// The same, and calls `note` with the position of each value.
    #[inline]
    pub(super) fn encode_noting<V: Values + ?Sized>(
        &self,
        message_id: i32,
        values: &V,
        out: &mut Vec<u8>,
        note: impl FnMut(SlotPosition),
    ) {
        let most = self.fixed_max + self.values_length(values);
        let start = out.len();
        out.resize(start + most, 0);
        let (_, room) = out.split_at_mut(start);
        let free = if self.depth <= DEPTH_INLINE {
            self.write(message_id, values, room, &mut [0; DEPTH_INLINE], note)
        } else {
            self.write(message_id, values, room, &mut vec![0; self.depth], note)
        };
        if free > 0 {
            out.copy_within(start + free.., start);
            out.truncate(start + most - free);
        }
    }

    fn values_length<V: Values + ?Sized>(&self, values: &V) -> usize {
        let lengths = self.steps.iter().map(|step| match step {
            Step::Slot(slot) => values.value(*slot).len(),
            _ => 0,
        });
        lengths.sum()
    }

    /// Fills `room` from its end and returns how many bytes at its beginning were not needed.
    #[inline]
    #[expect(
        clippy::indexing_slicing,
        reason = "the room was measured for what these very steps write"
    )]
    fn write<V: Values + ?Sized>(
        &self,
        message_id: i32,
        values: &V,
        room: &mut [u8],
        ends: &mut [usize],
        mut note: impl FnMut(SlotPosition),
    ) -> usize {
        let most = room.len();
        let mut at = most;
        for step in &self.steps {
            match *step {
                Step::Bytes { start, end } => {
                    let bytes = &self.bytes[start..end];
                    room[at - bytes.len()..at].copy_from_slice(bytes);
                    at -= bytes.len();
                }
                Step::Slot(slot) => {
                    let value = values.value(slot);
                    room[at - value.len()..at].copy_from_slice(value);
                    at -= value.len();
                    note(SlotPosition {
                        slot: Some(slot),
                        from_end: most - at,
                        length: value.len(),
                    });
                }
                Step::MessageId => {
                    let bytes = message_id.to_be_bytes();
                    let content = minimal(&bytes);
                    room[at - content.len()..at].copy_from_slice(content);
                    at -= content.len();
                    note(SlotPosition { slot: None, from_end: most - at, length: content.len() });
                    room[at - 2..at].copy_from_slice(&[tag::INTEGER, content.len() as u8]);
                    at -= 2;
                }
                Step::End(level) => ends[level] = at,
                Step::Header(level, tag) => {
                    let length = ends[level] - at;
                    if length < 0x80 {
                        room[at - 2..at].copy_from_slice(&[tag, length as u8]);
                        at -= 2;
                    } else {
                        let mut header = [0; HEADER_MAX];
                        let width = header_backwards(&mut header, tag, length);
                        room[at - width..at].copy_from_slice(&header[HEADER_MAX - width..]);
                        at -= width;
                    }
                }
            }
        }
        at
    }
}

/// Turns nodes into steps, last node first.
#[derive(Default)]
struct Compiler {
    skeleton: Skeleton,
    level: usize,
}

impl Default for Skeleton {
    /// The empty request.
    fn default() -> Self {
        Self { steps: Vec::new(), bytes: Vec::new(), depth: 0, slots: 0, fixed_max: 0 }
    }
}

impl Compiler {
    fn node(&mut self, node: &Node) {
        if let Some(bytes) = node.to_bytes() {
            return self.bytes(&bytes);
        }
        match node {
            Node::Bytes(bytes) => self.bytes(bytes),
            Node::Slot(slot) => {
                self.skeleton.slots = self.skeleton.slots.max(slot + 1);
                self.step(Step::Slot(*slot));
            }
            Node::Element(tag, parts) => {
                self.open();
                for part in parts.iter().rev() {
                    self.node(part);
                }
                self.close(*tag);
            }
        }
    }

    /// Adds static bytes. They are joined with the static bytes that follow them, if nothing is in between.
    fn bytes(&mut self, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        self.skeleton.fixed_max += bytes.len();
        if let Some(Step::Bytes { start, end }) = self.skeleton.steps.last_mut() {
            // The last run of static bytes is also the last in the buffer.
            self.skeleton.bytes.splice(*start..*start, bytes.iter().copied());
            *end += bytes.len();
            return;
        }
        let start = self.skeleton.bytes.len();
        self.skeleton.bytes.extend_from_slice(bytes);
        self.step(Step::Bytes { start, end: start + bytes.len() });
    }

    fn open(&mut self) {
        self.step(Step::End(self.level));
        self.level += 1;
        self.skeleton.depth = self.skeleton.depth.max(self.level);
    }

    fn close(&mut self, tag: u8) {
        self.level -= 1;
        self.step(Step::Header(self.level, tag));
        self.skeleton.fixed_max += HEADER_MAX;
    }

    fn step(&mut self, step: Step) {
        self.skeleton.steps.push(step);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ber::Text;

    fn encoded(skeleton: &Skeleton, id: i32, values: &[&str]) -> Vec<u8> {
        let mut out = Vec::from(&b"kept"[..]);
        skeleton.encode(id, values, &mut out);
        assert_eq!(&out[..4], b"kept");
        out.split_off(4)
    }

    /// The same tree, with the slots replaced by the values, written forwards.
    fn expected(node: &Node, values: &[&str]) -> Node {
        match node {
            Node::Bytes(bytes) => Node::Bytes(bytes.clone()),
            Node::Slot(slot) => Node::Bytes(values[*slot].as_bytes().to_vec()),
            Node::Element(tag, parts) => {
                Node::Element(*tag, parts.iter().map(|part| expected(part, values)).collect())
            }
        }
    }

    #[test]
    fn backward_encoding_equals_forward_encoding() {
        let tree = Node::Element(
            0x63,
            vec![
                Node::octets(&Text::from("dc=example")),
                Node::Element(
                    0xa0,
                    vec![Node::octets(&Text::slot(1)), Node::octets(&Text::slot(0))],
                ),
                Node::integer(300),
                Node::Element(
                    0x04,
                    vec![Node::Slot(1), Node::Bytes(b",ou=people".to_vec()), Node::Slot(2)],
                ),
            ],
        );
        let skeleton = Skeleton::message(&tree, None);
        assert_eq!(skeleton.slots(), 3);
        let long = "x".repeat(70_000);
        let middling = "y".repeat(128);
        for values in
            [["", "", ""], ["a", "bc", "def"], [&long, "b", &middling], ["", &middling, &long]]
        {
            for id in [0, 1, 127, 128, 65_536, i32::MAX] {
                let whole = Node::sequence(vec![Node::integer(id), expected(&tree, &values)]);
                assert_eq!(encoded(&skeleton, id, &values), whole.to_bytes().unwrap());
            }
        }
    }

    #[test]
    fn skeleton_without_slots_is_one_run_of_bytes() {
        let tree = Node::sequence(vec![Node::octets(&Text::from("a")), Node::integer(1)]);
        let skeleton = Skeleton::fragment(&tree);
        assert_eq!(skeleton.steps.len(), 1);
        assert_eq!(encoded(&skeleton, 0, &[]), [0x30, 0x06, 0x04, 0x01, b'a', 0x02, 0x01, 0x01]);
        assert!(encoded(&Skeleton::default(), 1, &[]).is_empty());
    }

    #[test]
    fn skeleton_nesting_beyond_the_inline_stack_is_written() {
        let mut tree = Node::Slot(0);
        for _ in 0..3 * DEPTH_INLINE {
            tree = Node::sequence(vec![tree]);
        }
        let bytes = encoded(&Skeleton::fragment(&tree), 1, &["deep"]);
        assert_eq!(Some(bytes), expected(&tree, &["deep"]).to_bytes());
    }
}
