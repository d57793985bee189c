//! A request that stores its last encoding, and changes only what differs.
//!
//! Generated values mostly have the same length as the previous ones, and the encoded message id becomes longer only
//! three times in two thousand million requests. As long as every length is unchanged, only the values themselves
//! change, and they are copied over the old ones. A worker keeps one template for each operation, not for each session:
//! ten thousand idle connections must not each store a request.

use super::skeleton::{Skeleton, SlotPosition};
use crate::ber::{Values, minimal};

/// A skeleton and the last request made from it.
#[derive(Clone, Debug)]
pub struct Template {
    skeleton: Skeleton,
    last: Vec<u8>,
    places: Vec<SlotPosition>,
}

impl Template {
    /// A template that has not made a request yet.
    pub const fn new(skeleton: Skeleton) -> Self {
        Self { skeleton, last: Vec::new(), places: Vec::new() }
    }

    /// The skeleton that is filled in.
    pub const fn skeleton(&self) -> &Skeleton {
        &self.skeleton
    }

    /// A request with this message id and these values. The bytes are always identical to those of
    /// [`Skeleton::encode`].
    #[inline]
    pub fn encode<V: Values + ?Sized>(&mut self, message_id: i32, values: &V) -> &[u8] {
        if !self.patch(message_id, values) {
            self.rewrite(message_id, values);
        }
        &self.last
    }

    /// Copies the values over the old ones; false if a length has changed, in which case the values copied so far do
    /// not matter.
    #[inline]
    fn patch<V: Values + ?Sized>(&mut self, message_id: i32, values: &V) -> bool {
        let id = message_id.to_be_bytes();
        if self.last.is_empty() {
            return false;
        }
        let total = self.last.len();
        for place in &self.places {
            let value = place.slot.map_or_else(|| minimal(&id), |slot| values.value(slot));
            let begin = total - place.from_end;
            match self.last.get_mut(begin..begin + place.length) {
                Some(old) if value.len() == place.length => old.copy_from_slice(value),
                _ => return false,
            }
        }
        true
    }

    #[cold]
    fn rewrite<V: Values + ?Sized>(&mut self, message_id: i32, values: &V) {
        self.last.clear();
        self.places.clear();
        let places = &mut self.places;
        self.skeleton.encode_noting(message_id, values, &mut self.last, |place| places.push(place));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ber::{Node, Text};

    #[test]
    fn patched_request_equals_a_fresh_encoding() {
        let skeleton = Skeleton::message(
            &Node::Element(0x63, vec![Node::octets(&Text::slot(0)), Node::octets(&Text::slot(1))]),
            None,
        );
        let mut template = Template::new(skeleton.clone());
        let long = "z".repeat(200);
        let values = ["a", "b", "cc", "", "dd", &long, &long.replace('z', "y"), "e"];
        for (n, value) in (0..).zip(values.into_iter().chain(values)) {
            let id = n * 40 + 1;
            let mut fresh = Vec::new();
            skeleton.encode(id, &[value, "same"], &mut fresh);
            assert_eq!(template.encode(id, &[value, "same"]), fresh, "request {n}");
        }
    }
}
