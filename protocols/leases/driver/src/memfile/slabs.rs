//! Octets of leases, kept without an allocation for each: [`Slabs`].
//!
//! The values of a lease that have a variable length (its identities, its name) are written once and never change. They
//! are stored in a slab of places of one size, a multiple of 16 octets, so that a released place fits the next value of
//! that size.

/// The sizes of places are multiples of this number of octets.
const GRAIN: usize = 16;

/// Octets by size and place.
#[derive(Debug, Default)]
pub(super) struct Slabs {
    /// Index n is the slab with places of n grains.
    slabs: Vec<Slab>,
}

#[derive(Debug, Default)]
struct Slab {
    octets: Vec<u8>,
    free: Vec<u32>,
}

impl Slabs {
    /// Stores the pieces end to end and returns their place. `None` if a slab has more places than can be numbered.
    pub(super) fn keep(&mut self, pieces: [&[u8]; 3]) -> Option<u32> {
        let length = pieces.iter().map(|piece| piece.len()).sum::<usize>();
        let grains = length.div_ceil(GRAIN);
        if self.slabs.len() <= grains {
            self.slabs.resize_with(grains + 1, Slab::default);
        }
        let slab = &mut self.slabs[grains];
        let size = grains * GRAIN;
        if let Some(place) = slab.free.pop() {
            let mut at = place as usize * size;
            for piece in pieces {
                slab.octets[at..at + piece.len()].copy_from_slice(piece);
                at += piece.len();
            }
            return Some(place);
        }
        let place = slab.octets.len().checked_div(size).unwrap_or(0);
        let place = u32::try_from(place).ok()?;
        for piece in pieces {
            slab.octets.extend_from_slice(piece);
        }
        slab.octets.resize(slab.octets.len() + size - length, 0);
        Some(place)
    }

    /// The octets stored at this place, with this length.
    pub(super) fn kept(&self, place: u32, length: usize) -> &[u8] {
        let grains = length.div_ceil(GRAIN);
        let at = place as usize * grains * GRAIN;
        &self.slabs[grains].octets[at..at + length]
    }

    /// Releases a place.
    pub(super) fn give_back(&mut self, place: u32, length: usize) {
        let grains = length.div_ceil(GRAIN);
        if grains > 0 {
            self.slabs[grains].free.push(place);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slabs_reuse_places_that_fit() {
        let mut slabs = Slabs::default();
        let words: Vec<Vec<u8>> = (0..70).map(|length| vec![length as u8; length]).collect();
        let places: Vec<u32> = words
            .iter()
            .map(|word| {
                slabs.keep([&word[..word.len() / 3], &word[word.len() / 3..], b""]).unwrap()
            })
            .collect();
        for (word, place) in words.iter().zip(&places) {
            assert_eq!(slabs.kept(*place, word.len()), word);
        }
        let size = |slabs: &Slabs| slabs.slabs.iter().map(|slab| slab.octets.len()).sum::<usize>();
        let before = size(&slabs);
        slabs.give_back(places[20], 20);
        let again = slabs.keep([b"another of the same", b" size", b""]).unwrap();
        assert_eq!((again, size(&slabs)), (places[20], before));
        assert_eq!(slabs.kept(again, 24), b"another of the same size");
        assert_eq!(slabs.kept(places[21], 21), words[21]);
    }
}
