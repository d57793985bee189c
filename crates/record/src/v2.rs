//! Packs a histogram as compressed V2, and unpacks and checks one.
//!
//! A file may come from any source, and the library of the public tools trusts the lengths and bounds that a histogram
//! states: a line of a hundred bytes could make it allocate gigabytes. Here the size is limited, bounds, lengths and
//! counts are checked, and only buckets that contain something are visited. Tests compare the results with the library.

use flate2::read::ZlibDecoder;
use flate2::{Compress, Compression, FlushCompress, Status};
use std::cell::RefCell;
use std::io::Read;

const COMPRESSED: u32 = 0x1c84_9314;
const PLAIN: u32 = 0x1c84_9313;
/// Cookie, length, offset, digits, lowest, highest and ratio.
const HEAD: usize = 40;
/// More than every bucket of a minute at three digits, a varint each.
const INFLATED_MAX: u64 = 1 << 20;
const DIGITS_MAX: u32 = 3;
/// The most that one histogram may count: enough for a year, and small enough that many can be added.
const COUNT_MAX: u64 = 1 << 48;

thread_local! {
    /// A compressor is larger than most of what it compresses.
    static COMPRESS: RefCell<Compress> = RefCell::new(Compress::new(Compression::default(), true));
}

/// The compressed V2 form of a histogram with these bounds and non-empty buckets, in ascending order by number. The
/// library would visit every possible bucket, and a record has thousands of histograms with a few non-empty buckets
/// each.
pub(crate) fn deflate(
    (lowest, highest, digits): (u64, u64, u8),
    buckets: impl Iterator<Item = (usize, u64)>,
) -> Vec<u8> {
    let mut plain = Vec::with_capacity(HEAD);
    let words = [PLAIN, 0, 0, digits.into()];
    plain.extend(words.into_iter().flat_map(u32::to_be_bytes));
    plain.extend([lowest, highest, 1.0_f64.to_bits()].into_iter().flat_map(u64::to_be_bytes));
    let mut next = 0;
    for (bucket, count) in buckets {
        match bucket - next {
            0 => {}
            1 => put(&mut plain, 0),
            // A negative number: this many empty buckets are skipped.
            gap => put(&mut plain, 2 * gap as u64 - 1),
        }
        put(&mut plain, count << 1);
        next = bucket + 1;
    }
    if next == 0 {
        put(&mut plain, 0);
    }
    let length = (plain.len() - HEAD) as u32;
    plain[4..8].copy_from_slice(&length.to_be_bytes());
    let mut packed = Vec::with_capacity(8 + plain.len());
    packed.extend([COMPRESSED, 0].into_iter().flat_map(u32::to_be_bytes));
    COMPRESS.with_borrow_mut(|compress| {
        compress.reset();
        loop {
            packed.reserve(64 + plain.len());
            let rest = &plain[compress.total_in() as usize..];
            match compress.compress_vec(rest, &mut packed, FlushCompress::Finish) {
                Ok(Status::StreamEnd) => break,
                Ok(Status::Ok | Status::BufError) => {}
                Err(_) => unreachable!("compressing into memory cannot fail"),
            }
        }
    });
    let length = (packed.len() - 8) as u32;
    packed[4..8].copy_from_slice(&length.to_be_bytes());
    packed
}

/// Writes a number in the form that [`varint`] reads.
fn put(bytes: &mut Vec<u8>, mut number: u64) {
    for _ in 0..8 {
        if number < 0x80 {
            break;
        }
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// The uncompressed form of a compressed V2 histogram, or what is wrong with it.
pub(crate) fn inflate(bytes: &[u8]) -> Result<Vec<u8>, String> {
    let wrong = |what: &str| Err(what.to_owned());
    if word(bytes, 0) != Some(COMPRESSED) {
        return wrong("it does not begin as one");
    }
    let stated = word(bytes, 4).unwrap_or_default() as usize;
    let Some(deflated) = bytes.get(8..).filter(|rest| rest.len() == stated) else {
        return wrong("it is not as long as it says");
    };
    let mut plain = Vec::new();
    let read = ZlibDecoder::new(deflated).take(INFLATED_MAX + 1).read_to_end(&mut plain);
    if let Err(error) = read {
        return Err(error.to_string());
    }
    if plain.len() as u64 > INFLATED_MAX {
        return wrong("it unpacks to more than any histogram has");
    }
    if plain.len() < HEAD || word(&plain, 0) != Some(PLAIN) {
        return wrong("what it unpacks to does not begin as one");
    }
    if word(&plain, 4) != u32::try_from(plain.len() - HEAD).ok() {
        return wrong("it does not unpack to as much as it says");
    }
    if word(&plain, 12).is_none_or(|digits| digits > DIGITS_MAX) {
        return wrong("it has more digits than brunt writes");
    }
    if !counts_fit(&plain[HEAD..]) {
        return wrong("its counts are cut short or too large");
    }
    Ok(plain)
}

/// How the range of a histogram is divided into buckets.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout {
    /// The width of the narrowest bucket, as a power of two.
    lowest_bits: u32,
    /// The number of buckets in each doubling of the range, as a power of two; the first doubling has twice as many.
    half_bits: u32,
    /// How many buckets there are.
    buckets: usize,
}

impl Layout {
    /// The layout of an uncompressed histogram that passed [`inflate`], or what is wrong with it.
    pub(crate) fn read(plain: &[u8]) -> Result<Self, &'static str> {
        let long = |at: usize| plain.get(at..at + 8)?.try_into().ok().map(u64::from_be_bytes);
        let (Some(lowest), Some(highest)) = (long(16), long(24)) else {
            return Err("its bounds are cut short");
        };
        if word(plain, 8) != Some(0) {
            return Err("its buckets are shifted, which brunt does not read");
        }
        if lowest == 0 || highest / 2 < lowest {
            return Err("its bounds do not fit each other");
        }
        let digits = word(plain, 12).unwrap_or_default().min(DIGITS_MAX);
        let lowest_bits = lowest.ilog2();
        let half_bits = (2 * 10_u32.pow(digits)).next_power_of_two().ilog2() - 1;
        let first = 1_u128 << (half_bits + 1 + lowest_bits);
        let doublings = (0..u64::BITS).find(|doublings| first << doublings > u128::from(highest));
        let buckets = (doublings.unwrap_or(u64::BITS) as usize + 2) << half_bits;
        Ok(Self { lowest_bits, half_bits, buckets })
    }

    /// The least value of a bucket and how many there are; none beyond the last bucket.
    pub(crate) fn range(self, bucket: usize) -> Option<(u64, u64)> {
        let doublings = (bucket >> self.half_bits).saturating_sub(1);
        let within = (bucket - (doublings << self.half_bits)) as u64;
        let bits = doublings as u32 + self.lowest_bits;
        (bucket < self.buckets)
            .then(|| Some((within.checked_shl(bits)?, 1_u64.checked_shl(bits)?)))?
    }
}

/// The buckets of an uncompressed histogram that passed [`inflate`], by number, and the count of each.
pub(crate) fn counts(plain: &[u8]) -> impl Iterator<Item = (usize, u64)> + '_ {
    let (mut rest, mut next) = (plain.get(HEAD..).unwrap_or_default(), 0);
    std::iter::from_fn(move || {
        loop {
            let number = varint(&mut rest)?;
            let magnitude = number >> 1;
            // The checks ensure that neither the skips nor the counts overflow.
            let (bucket, skipped) =
                (next, if number & 1 == 1 { magnitude as usize + 1 } else { 1 });
            next += skipped;
            if number & 1 == 0 && magnitude > 0 {
                return Some((bucket, magnitude));
            }
        }
    })
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    let four = bytes.get(at..at + 4)?;
    four.try_into().ok().map(u32::from_be_bytes)
}

/// Whether the counts are whole and add up to no more than is plausible.
fn counts_fit(mut payload: &[u8]) -> bool {
    let mut total = 0_u64;
    while !payload.is_empty() {
        let Some(number) = varint(&mut payload) else { return false };
        let (magnitude, is_gap) = (number >> 1, number & 1 == 1);
        // Odd numbers are negative: this many empty buckets are skipped.
        let most = if is_gap { INFLATED_MAX } else { COUNT_MAX };
        if magnitude > most {
            return false;
        }
        total += if is_gap { 0 } else { magnitude };
        if total > COUNT_MAX {
            return false;
        }
    }
    true
}

/// The next number: seven bits of each byte, the lowest first, and all eight bits of the ninth byte.
fn varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for place in 0..9 {
        let (first, rest) = bytes.split_first()?;
        *bytes = rest;
        if place == 8 {
            return Some(number | u64::from(*first) << 56);
        }
        number |= u64::from(first & 0x7f) << (7 * place);
        if first & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Histogram;
    use flate2::Compression;
    use flate2::write::ZlibEncoder;
    use std::io::Write as _;
    use std::time::Duration;

    fn deflated(plain: &[u8]) -> Vec<u8> {
        let mut packer = ZlibEncoder::new(Vec::new(), Compression::default());
        packer.write_all(plain).unwrap();
        let body = packer.finish().unwrap();
        let length = (body.len() as u32).to_be_bytes();
        [&COMPRESSED.to_be_bytes()[..], &length, &body].concat()
    }

    fn plain(digits: u32, stated: u32, payload: &[u8]) -> Vec<u8> {
        let words = [PLAIN, stated, 0, digits].map(u32::to_be_bytes).concat();
        let bounds = [16_u64, 60_000_000_000].map(u64::to_be_bytes).concat();
        [&words[..], &bounds, &1.0_f64.to_be_bytes(), payload].concat()
    }

    fn refused(bytes: &[u8]) -> String {
        Histogram::from_v2(bytes).unwrap_err().to_string()
    }

    #[test]
    fn v2_of_the_library_is_accepted() {
        let mut histogram = Histogram::new();
        (0..5_000).for_each(|n| histogram.record(Duration::from_micros(n * n)));
        assert!(Histogram::from_v2(&histogram.to_v2()).unwrap().buckets().eq(histogram.buckets()));
        assert!(Histogram::from_v2(&Histogram::new().to_v2()).unwrap().is_empty());
        assert_eq!(inflate(&deflated(&plain(3, 2, &[3, 8]))).unwrap().len(), HEAD + 2);
    }

    #[test]
    fn v2_small_input_cannot_allocate_much() {
        assert!(refused(&deflated(&plain(3, u32::MAX, &[2]))).contains("as much as it says"));
        assert!(refused(&deflated(&plain(5, 1, &[2]))).contains("digits"));
        let bomb = deflated(&vec![0; 64 << 20]);
        assert!(bomb.len() < 100_000);
        assert!(refused(&bomb).contains("unpacks to more"));
    }

    #[test]
    fn v2_overflowing_counts_are_refused() {
        let lowest = [0xff; 9];
        assert!(refused(&deflated(&plain(3, 9, &lowest))).contains("too large"));
        let gap = [0xff, 0xff, 0xff, 0xff, 0x7f];
        assert!(refused(&deflated(&plain(3, 5, &gap))).contains("too large"));
        assert!(refused(&deflated(&plain(3, 1, &[0x80]))).contains("cut short"));
    }

    #[test]
    fn v2_invalid_bytes_are_refused() {
        let whole = Histogram::new().to_v2();
        for length in 0..whole.len() {
            assert!(Histogram::from_v2(&whole[..length]).is_err(), "{length}");
        }
        assert!(refused(&deflated(b"short")).contains("does not begin as one"));
    }
}
