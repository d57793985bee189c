//! [`Buckets`]: how many values fell into which bucket, in memory that grows with the number of different values.
//!
//! A plan may have thousands of operations, each with several distributions in several copies, and most of those
//! contain a few values of a second. An array of every bucket takes 188 KiB. So the first values are kept as a list of
//! the buckets they fell into. When the list is full, it is replaced by counts, in pages of neighbouring buckets. A
//! page is created with its first value, and its counts are narrow until one outgrows them. Where a thousand values are
//! recorded one by one, the array is used instead: few histograms can be this busy at once, and recording then costs no
//! more than in a plain histogram. Memory is kept once it is allocated: a histogram that is emptied and filled again
//! with similar values allocates nothing. The layout of the buckets is that of `HdrHistogram`, and must not differ from
//! it.

/// Three digits: no quantile is off by more than a thousandth.
pub(crate) const DIGITS: u8 = 3;
/// The width of the narrowest bucket.
pub(crate) const LOWEST: u64 = 1 << LOWEST_BITS;
/// The greatest value that is distinguished from greater ones.
pub(crate) const CEILING: u64 = 60_000_000_000;
/// How many times the range doubles.
pub(crate) const DOUBLINGS: usize = 22;

const LOWEST_BITS: u32 = 4;
/// The number of buckets in each doubling of the range, as a power of two; the first doubling has twice as many.
const HALF_BITS: u32 = 10;
const MASK: u64 = ((2 << HALF_BITS) - 1) << LOWEST_BITS;
/// How many values are listed before they are counted. In pages, this many values would take ten times as much memory.
const FEW: usize = 1_024;
/// How many values there is room for at first.
const FEW_AT_FIRST: usize = 64;
/// How many buckets a page counts.
const PAGE: usize = 256;
const BUCKETS: usize = (DOUBLINGS + 1) << HALF_BITS;
const PAGES: usize = BUCKETS / PAGE;
/// How many values are recorded one by one before all buckets are made.
const BUSY: u64 = FEW as u64 - 1;

/// Counts by bucket.
#[derive(Clone, Default)]
pub(crate) struct Buckets {
    count: u64,
    /// The buckets of the first values, in the order in which these were recorded.
    few: Vec<u16>,
    /// Whether there were more than can be listed: then all are in the pages.
    spilled: bool,
    pages: Option<Box<[Page; PAGES]>>,
    /// The counts of all buckets, which replace the list and the pages.
    dense: Option<Box<[u64]>>,
}

/// The counts of neighbouring buckets.
#[derive(Clone, Default)]
enum Page {
    #[default]
    Empty,
    Narrow(Box<[u16; PAGE]>),
    Wide(Box<[u64; PAGE]>),
}

/// The bucket of a value, which is no greater than [`CEILING`].
#[inline]
fn bucket_of(value: u64) -> usize {
    let doublings = u64::BITS - LOWEST_BITS - HALF_BITS - 1 - (value | MASK).leading_zeros();
    let within = value >> (doublings + LOWEST_BITS);
    ((doublings as usize) << HALF_BITS) + within as usize
}

/// The least value of a bucket, and how many there are.
fn range_of(bucket: usize) -> (u64, u64) {
    let doublings = (bucket >> HALF_BITS).saturating_sub(1);
    let within = (bucket - (doublings << HALF_BITS)) as u64;
    let bits = doublings as u32 + LOWEST_BITS;
    (within << bits, 1 << bits)
}

/// The greatest value of a bucket.
fn greatest_of(bucket: usize) -> u64 {
    let (least, width) = range_of(bucket);
    least + width - 1
}

impl Buckets {
    /// Records one value, which is no greater than [`CEILING`].
    #[inline]
    pub(crate) fn record(&mut self, value: u64) {
        let bucket = bucket_of(value);
        if let Some(dense) = &mut self.dense {
            dense[bucket] += 1;
            self.count += 1;
        } else {
            self.enter(bucket);
            if self.count >= BUSY {
                self.unfold();
            }
        }
    }

    /// Records one value without creating the array of all buckets.
    fn enter(&mut self, bucket: usize) {
        if self.spilled || self.dense.is_some() {
            self.add(bucket, 1);
        } else {
            self.list(bucket);
        }
        self.count += 1;
    }

    /// Creates the array of all buckets.
    #[cold]
    fn unfold(&mut self) {
        let mut dense = vec![0; BUCKETS].into_boxed_slice();
        self.counts().for_each(|(bucket, count)| dense[bucket] = count);
        (self.few, self.pages, self.spilled) = (Vec::new(), None, false);
        self.dense = Some(dense);
    }

    /// Records a value `count` times.
    pub(crate) fn record_n(&mut self, value: u64, count: u64) {
        let bucket = bucket_of(value);
        let listed = !self.spilled && self.dense.is_none();
        if listed && count <= (FEW - self.few.len()) as u64 {
            (0..count).for_each(|_| self.enter(bucket));
            return;
        }
        self.spill();
        self.add(bucket, count);
        self.count = self.count.saturating_add(count);
    }

    fn list(&mut self, bucket: usize) {
        if self.few.capacity() == 0 {
            self.few.reserve_exact(FEW_AT_FIRST);
        }
        self.few.push(bucket as u16);
        if self.few.len() == FEW {
            self.spill();
        }
    }

    /// Moves the listed values into counts, so that the following values are counted too.
    #[cold]
    fn spill(&mut self) {
        if self.spilled || self.dense.is_some() {
            return;
        }
        self.spilled = true;
        let mut few = std::mem::take(&mut self.few);
        few.drain(..).for_each(|bucket| self.add(bucket.into(), 1));
        self.few = few;
    }

    /// Adds to a count.
    fn add(&mut self, bucket: usize, count: u64) {
        if let Some(dense) = &mut self.dense {
            dense[bucket] = dense[bucket].saturating_add(count);
            return;
        }
        let pages = self.pages.get_or_insert_with(no_pages);
        pages[bucket / PAGE].add(bucket % PAGE, count);
    }

    /// Adds the counts of another.
    pub(crate) fn merge(&mut self, other: &Self) {
        if !other.spilled && other.dense.is_none() {
            other.few.iter().for_each(|bucket| self.enter((*bucket).into()));
            return;
        }
        self.spill();
        for (bucket, count) in other.counts() {
            self.add(bucket, count);
        }
        self.count = self.count.saturating_add(other.count);
    }

    /// Subtracts the counts of another; `None` if any of its counts is greater.
    pub(crate) fn without(&self, other: &Self) -> Option<Self> {
        let mut rest = Self::default();
        let mut taken = other.iter().peekable();
        for (value, count) in self.iter() {
            let less = taken.next_if(|(other, _)| *other == value).map_or(0, |(_, count)| count);
            match count.checked_sub(less)? {
                0 => {}
                left => rest.record_n(value.min(CEILING), left),
            }
        }
        taken.next().is_none().then_some(rest)
    }

    /// Clears everything and keeps its memory.
    pub(crate) fn reset(&mut self) {
        self.count = 0;
        if let Some(dense) = &mut self.dense {
            dense.fill(0);
            return;
        }
        if self.spilled {
            self.pages.iter_mut().flat_map(|pages| pages.iter_mut()).for_each(Page::reset);
        }
        self.few.clear();
        self.spilled = false;
    }

    /// How many values were recorded.
    pub(crate) fn count(&self) -> u64 {
        self.count
    }

    /// The least value that the least one recorded can have been.
    pub(crate) fn min(&self) -> Option<u64> {
        self.iter().next().map(|(greatest, _)| range_of(bucket_of(greatest.min(CEILING))).0)
    }

    /// The greatest value that the greatest one recorded can have been.
    pub(crate) fn max(&self) -> Option<u64> {
        self.iter().last().map(|(greatest, _)| greatest)
    }

    /// The standard deviation, with each value taken as the middle of its bucket.
    pub(crate) fn deviation(&self) -> f64 {
        let count = self.count as f64;
        let middle = |greatest: u64| {
            let (least, width) = range_of(bucket_of(greatest.min(CEILING)));
            (least + width / 2) as f64
        };
        let mean: f64 = self.iter().map(|(value, n)| middle(value) * n as f64 / count).sum();
        let squares = self.iter().map(|(value, n)| (middle(value) - mean).powi(2) * n as f64);
        (squares.sum::<f64>() / count).sqrt()
    }

    /// The greatest value of the bucket which the share `quantile` (0 to 1) of all values did not exceed; for the share
    /// 0, the least value.
    pub(crate) fn quantile(&self, quantile: f64) -> Option<u64> {
        if quantile <= 0.0 {
            return self.min();
        }
        let rank = ((quantile * self.count as f64).ceil() as u64).max(1);
        let mut passed = 0;
        let reached = |(_, count): &(u64, u64)| {
            passed += count;
            passed >= rank
        };
        self.iter().find(reached).map(|(value, _)| value)
    }

    /// The non-empty buckets in ascending order: the greatest value of each, and its count.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.counts().map(|(bucket, count)| (greatest_of(bucket), count))
    }

    /// The non-empty buckets by number.
    pub(crate) fn counts(&self) -> impl Iterator<Item = (usize, u64)> + '_ {
        let dense = self.dense.iter().flat_map(|dense| dense.iter().copied().enumerate());
        let dense = dense.filter(|(_, count)| *count > 0);
        Few::new(&self.few).chain(self.paged()).chain(dense)
    }

    /// The buckets that are counted, and their counts.
    fn paged(&self) -> impl Iterator<Item = (usize, u64)> + '_ {
        let pages = self.pages.iter().filter(|_| self.spilled);
        let pages = pages.flat_map(|pages| pages.iter().enumerate());
        pages.flat_map(|(number, page)| page.iter(number * PAGE))
    }
}

#[cold]
fn no_pages() -> Box<[Page; PAGES]> {
    Box::new([const { Page::Empty }; PAGES])
}

impl Page {
    #[inline]
    fn add(&mut self, at: usize, count: u64) {
        match self {
            Self::Narrow(counts) => {
                let sum = u64::from(counts[at]) + count;
                match u16::try_from(sum) {
                    Ok(sum) => counts[at] = sum,
                    Err(_) => self.widened()[at] = sum,
                }
            }
            Self::Wide(counts) => counts[at] = counts[at].saturating_add(count),
            Self::Empty => self.begin(at, count),
        }
    }

    #[cold]
    fn begin(&mut self, at: usize, count: u64) {
        *self = Self::Narrow(Box::new([0; PAGE]));
        self.add(at, count);
    }

    #[cold]
    fn widened(&mut self) -> &mut [u64; PAGE] {
        let mut wide = Box::new([0; PAGE]);
        for (bucket, count) in self.iter(0) {
            wide[bucket] = count;
        }
        *self = Self::Wide(wide);
        let Self::Wide(wide) = self else { unreachable!("it was widened just now") };
        wide
    }

    fn reset(&mut self) {
        match self {
            Self::Empty => {}
            Self::Narrow(counts) => counts.fill(0),
            Self::Wide(counts) => counts.fill(0),
        }
    }

    /// The non-empty buckets, which are numbered from `first`.
    fn iter(&self, first: usize) -> impl Iterator<Item = (usize, u64)> + '_ {
        let (narrow, wide): (&[u16], &[u64]) = match self {
            Self::Empty => (&[], &[]),
            Self::Narrow(counts) => (&counts[..], &[]),
            Self::Wide(counts) => (&[], &counts[..]),
        };
        let counts = narrow.iter().map(|count| (*count).into()).chain(wide.iter().copied());
        (first..).zip(counts).filter(|(_, count)| *count > 0)
    }
}

/// The listed buckets of several histograms in ascending order.
struct Few {
    sorted: Vec<u16>,
    at: usize,
}

impl Few {
    fn new(listed: &[u16]) -> Self {
        let mut sorted = listed.to_vec();
        sorted.sort_unstable();
        Self { sorted, at: 0 }
    }
}

impl Iterator for Few {
    type Item = (usize, u64);

    fn next(&mut self) -> Option<Self::Item> {
        let rest = &self.sorted[self.at..];
        let first = *rest.first()?;
        let alike = rest.iter().take_while(|bucket| **bucket == first).count();
        self.at += alike;
        Some((first.into(), alike as u64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    type Reference = hdrhistogram::Histogram<u64>;

    fn reference() -> Reference {
        Reference::new_with_bounds(LOWEST, CEILING, DIGITS).unwrap()
    }

    fn both(values: &[(u64, u64)]) -> (Buckets, Reference) {
        let (mut ours, mut theirs) = (Buckets::default(), reference());
        for (value, count) in values {
            ours.record_n(*value, *count);
            theirs.record_n(*value, *count).unwrap();
        }
        (ours, theirs)
    }

    fn pairs_of(reference: &Reference) -> Vec<(u64, u64)> {
        let recorded = reference.iter_recorded();
        recorded.map(|step| (step.value_iterated_to(), step.count_at_value())).collect()
    }

    #[test]
    fn layout_equals_the_hdrhistogram_library() {
        assert_eq!((usize::from(reference().buckets()), PAGES * PAGE), (DOUBLINGS, 23_552));
        assert_eq!(reference().distinct_values(), PAGES * PAGE);
        let edges = (0..36).flat_map(|bits| [(1_u64 << bits) - 1, 1 << bits, (1 << bits) + 1]);
        for value in edges.chain([CEILING - 1, CEILING]).filter(|value| *value <= CEILING) {
            let (ours, theirs) = both(&[(value, 1)]);
            assert!(ours.iter().eq(pairs_of(&theirs)), "{value}");
        }
    }

    #[test]
    fn few_values_use_a_list_and_many_use_pages() {
        let mut few = Buckets::default();
        (0..1_023).for_each(|n| few.record_n(n * 50_000_000, 1));
        assert!(few.pages.is_none());
        few.record_n(5, 1);
        assert!(few.pages.is_some());
        let touched = |buckets: &Buckets| {
            let pages = buckets.pages.iter().flat_map(|pages| pages.iter());
            pages.filter(|page| !matches!(page, Page::Empty)).count()
        };
        let mut near = Buckets::default();
        (0..4_000).for_each(|n| near.record_n(1_000_000 + n * 25, 1));
        assert_eq!((touched(&near), near.count()), (2, 4_000));
        near.reset();
        assert_eq!((touched(&near), near.count(), near.iter().count()), (2, 0, 0));
        near.record(7);
        assert_eq!(near.iter().collect::<Vec<_>>(), [(15, 1)]);
    }

    #[test]
    fn pages_are_all_allocated_for_busy_recorders_but_never_for_sums() {
        let (mut busy, mut sum, mut theirs) = (Buckets::default(), Buckets::default(), reference());
        for _ in 0..3 {
            busy.reset();
            for n in 0..10_000 {
                busy.record(n * 1_234);
                theirs.record(n * 1_234).unwrap();
            }
            sum.merge(&busy);
        }
        assert!(busy.dense.is_some() && busy.pages.is_none());
        assert!(sum.dense.is_none() && sum.iter().eq(pairs_of(&theirs)));
        busy.reset();
        busy.merge(&sum);
        assert!(busy.iter().eq(sum.iter()));
        assert_eq!((busy.count(), sum.count()), (30_000, 30_000));
        busy.reset();
        busy.record_n(40, 3);
        assert_eq!(busy.iter().collect::<Vec<_>>(), [(47, 3)]);
    }

    #[test]
    fn counts_may_be_of_any_size() {
        let mut one = Buckets::default();
        (0..70_000).for_each(|_| one.record(100));
        one.record_n(100, 1 << 40);
        let mut two = one.clone();
        two.merge(&one);
        assert_eq!(two.iter().collect::<Vec<_>>(), [(111, 2 * (70_000 + (1 << 40)))]);
        assert_eq!(two.without(&one).unwrap().count(), one.count());
        assert!(one.without(&two).is_none());
    }

    fn values() -> impl Strategy<Value = Vec<(u64, u64)>> {
        let value = prop_oneof![0..CEILING, 0..100_000_u64, Just(CEILING)];
        let count = prop_oneof![4 => Just(1_u64), 1 => 1..5_u64, 1 => 60_000..70_000_u64];
        prop_oneof![
            prop::collection::vec((value.clone(), count.clone()), 0..120),
            prop::collection::vec((value, count), 900..1_200),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(128))]
        #[test]
        fn recording_and_merging_equal_the_library(one in values(), two in values(), quantile in 0.0f64..=1.0) {
            let ((mut ours, mut theirs), (other, others)) = (both(&one), both(&two));
            ours.merge(&other);
            theirs.add(&others).unwrap();
            prop_assert_eq!(ours.iter().collect::<Vec<_>>(), pairs_of(&theirs));
            prop_assert_eq!(ours.count(), theirs.len());
            if !theirs.is_empty() {
                prop_assert_eq!(ours.quantile(quantile), Some(theirs.value_at_quantile(quantile)));
                prop_assert_eq!((ours.min(), ours.max()), (Some(theirs.min()), Some(theirs.max())));
                let (ours, theirs) = (ours.deviation(), theirs.stdev());
                prop_assert!((ours - theirs).abs() <= theirs * 1e-9 + 1e-6, "{} {}", ours, theirs);
            }
            let rest = ours.without(&other).unwrap();
            theirs.subtract(&others).unwrap();
            prop_assert_eq!(rest.iter().collect::<Vec<_>>(), pairs_of(&theirs));
            ours.reset();
            ours.merge(&other);
            prop_assert_eq!(ours.iter().collect::<Vec<_>>(), pairs_of(&others));
        }
    }
}
