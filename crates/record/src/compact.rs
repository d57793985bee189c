//! A [`Histogram`] in a document that only programs of this workspace read: `#[serde(with = "brunt_record::compact")]`.
//!
//! A record has its histograms in the form that public tools read, and reading each needs an array of all buckets. A
//! program that reads thousands of histograms repeatedly keeps them in this form: the non-empty buckets, packed, in
//! base64, and the exact integers beside them. An empty one is null.

use crate::Histogram;
use crate::packed::Packed;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::time::Duration;

#[derive(Serialize, Deserialize)]
struct Compact {
    buckets: String,
    sum: u128,
    #[serde(with = "crate::nanos")]
    min: Duration,
    #[serde(with = "crate::nanos")]
    max: Duration,
    saturated: u64,
}

/// Writes a histogram.
pub fn serialize<S: Serializer>(histogram: &Histogram, to: S) -> Result<S::Ok, S::Error> {
    let packed = Packed::new(histogram);
    let compact = packed.parts().map(|(bytes, (sum, [min, max], saturated))| Compact {
        buckets: BASE64.encode(bytes),
        sum,
        min,
        max,
        saturated,
    });
    compact.serialize(to)
}

/// Reads a histogram, from any writer.
pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Histogram, D::Error> {
    let Some(read) = Option::<Compact>::deserialize(from)? else { return Ok(Histogram::new()) };
    let Compact { buckets, sum, min, max, saturated } = read;
    let bytes = BASE64.decode(buckets).map_err(D::Error::custom)?;
    let packed = Packed::of_parts(bytes, (sum, [min, max], saturated));
    packed.map(|packed| packed.histogram()).ok_or_else(|| D::Error::custom("no histogram"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Holder(#[serde(with = "super")] Histogram);

    #[test]
    fn histogram_round_trips_to_the_bucket() {
        let mut histogram = Histogram::new();
        (0..5_000_u64).for_each(|n| histogram.record(Duration::from_nanos(n * n * 7_919 + 3)));
        // Beyond the range of the buckets.
        histogram.record(Duration::from_secs(90));
        for holder in [histogram, Histogram::new()].map(Holder) {
            let text = serde_json::to_string(&holder).unwrap();
            assert_eq!(serde_json::from_str::<Holder>(&text).unwrap(), holder);
        }
    }

    #[test]
    fn invalid_histogram_is_refused() {
        let of = |buckets: &[u8], min: u64| {
            let buckets = BASE64.encode(buckets);
            let text =
                format!(r#"{{"buckets":"{buckets}","sum":1,"min":{min},"max":9,"saturated":0}}"#);
            serde_json::from_str::<Holder>(&text).map(|holder| holder.0.count())
        };
        assert_eq!(of(&[1, 2], 0).unwrap(), 2);
        assert_eq!(of(&[], 0).unwrap(), 0);
        let most = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1];
        let (beyond, full) = ([&most[..], &[1]].concat(), [&[1], &most[..]].concat());
        // Ends within a bucket, lies beyond all buckets, has more than can be counted.
        for wrong in [vec![1], beyond, [&full[..], &full].concat()] {
            assert!(of(&wrong, 0).is_err(), "{wrong:?}");
        }
        // Its least is more than its greatest.
        assert!(of(&[1, 2], 10).is_err());
        assert!(serde_json::from_str::<Holder>(r#"{"buckets":"?"}"#).is_err());
    }
}
