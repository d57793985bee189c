//! The evenness of a stream of packets, from their arrival times.

/// The evenness of one stream.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Gaps {
    /// Packets a second, from the first to the last.
    pub(crate) rate: f64,
    /// How far the gap between two packets was from what it should be, in microseconds: in the
    /// middle, at the 99th percentile, at worst.
    pub(crate) off_us: [f64; 3],
}

impl Gaps {
    /// The evenness of what arrived at these nanoseconds, ascending, at a rate that was asked for.
    /// Nothing can be said of fewer than three.
    pub(crate) fn new(stamps: &[u64], requested: f64) -> Option<Self> {
        let [first, .., last] = stamps else { return None };
        if stamps.len() < 3 || last <= first {
            return None;
        }
        let should = 1e9 / requested;
        let gaps = stamps.windows(2).map(|pair| (pair[1] - pair[0]) as f64);
        let mut off: Vec<f64> = gaps.map(|gap| (gap - should).abs() / 1e3).collect();
        off.sort_by(f64::total_cmp);
        let at = |share: f64| off[((share * off.len() as f64).ceil() as usize).max(1) - 1];
        let rate = (stamps.len() - 1) as f64 * 1e9 / (last - first) as f64;
        Some(Self { rate, off_us: [at(0.5), at(0.99), at(1.0)] })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn even_stream_has_even_gaps() {
        let stamps: Vec<u64> = (0..1_000).map(|n| 5_000 + n * 1_000_000).collect();
        let gaps = Gaps::new(&stamps, 1_000.0).unwrap();
        assert!((gaps.rate - 1_000.0).abs() < 1e-9);
        assert!(gaps.off_us.iter().all(|off| off.abs() < 1e-9));
    }

    #[test]
    fn late_packet_makes_two_wrong_gaps() {
        let mut stamps: Vec<u64> = (0..=300).map(|n| n * 1_000_000).collect();
        stamps[150] += 400_000;
        let gaps = Gaps::new(&stamps, 1_000.0).unwrap();
        assert!((gaps.rate - 1_000.0).abs() < 1e-9);
        // Two of three hundred are less than a hundredth.
        assert!(gaps.off_us[1].abs() < 1e-9);
        assert!((gaps.off_us[2] - 400.0).abs() < 1e-9);
        stamps[50] += 300_000;
        assert!((Gaps::new(&stamps, 1_000.0).unwrap().off_us[1] - 300.0).abs() < 1e-9);
    }

    #[test]
    fn slow_stream_shows_its_rate() {
        let stamps: Vec<u64> = (0..10).map(|n| n * 1_250_000).collect();
        assert!((Gaps::new(&stamps, 1_000.0).unwrap().rate - 800.0).abs() < 1e-9);
        assert_eq!(Gaps::new(&[1, 2], 1_000.0), None);
        assert_eq!(Gaps::new(&[5, 5, 5], 1_000.0), None);
    }
}
