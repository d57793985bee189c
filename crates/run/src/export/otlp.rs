//! Writes a [`Snapshot`] as the message that OpenTelemetry collectors accept: OTLP metrics in protobuf.
//!
//! Sums are cumulative since the run began. So the next message contains everything that a lost one did, and nothing
//! needs to be kept for a collector that is unavailable. Six messages are written here; tests decode them with the
//! official crate `opentelemetry-proto`, which contains the SDK. The SDK counts one value at a time into registers of
//! its own and accepts no finished histogram.

use super::family::{Family, Kind, Unit};
use super::labels;
use super::protobuf::Message;
use super::snapshot::{Point, Snapshot, Value};
use super::times::{BOUNDS, Times};

/// Identifies the run in every message.
#[derive(Clone, Debug)]
pub(super) struct Origin {
    /// The id of the run.
    pub run: String,
    /// The version of brunt.
    pub version: String,
    /// When the run began, in nanoseconds since 1970.
    pub began: u64,
}

/// Sums since the run began (`AGGREGATION_TEMPORALITY_CUMULATIVE`).
const CUMULATIVE: u64 = 2;

/// The message with all figures, at this moment in nanoseconds since 1970.
pub(super) fn message(snapshot: &Snapshot, origin: &Origin, now: u64) -> Vec<u8> {
    let moments = Moments { began: origin.began, now };
    let metrics = snapshot.families.iter().map(|(family, points)| metric(family, points, moments));
    let scope = Message::default().text(1, "brunt").text(2, &origin.version);
    let attributes = [
        ("service.name", "brunt"),
        ("service.version", &origin.version),
        ("service.instance.id", &origin.run),
    ];
    let attributes = attributes.map(|(name, value)| attribute(name, value));
    let resource = Message::default().messages(1, attributes);
    let scope_metrics = Message::default().message(1, &scope).messages(2, metrics);
    let resource_metrics = Message::default().message(1, &resource).message(2, &scope_metrics);
    Message::default().message(1, &resource_metrics).into_bytes()
}

#[derive(Clone, Copy)]
struct Moments {
    began: u64,
    now: u64,
}

/// A `Metric` with its `Gauge`, `Sum`, `Histogram` or `ExponentialHistogram`.
fn metric(family: &Family, points: &[Point], moments: Moments) -> Message {
    let powers = |point: &Point| matches!(&point.value, Value::Times(it) if it.powers.is_some());
    let exponential = points.iter().any(powers);
    let points = points.iter().filter_map(|point| data_point(family, point, moments, exponential));
    let data = Message::default().messages(1, points);
    let (field, data) = match family.kind {
        Kind::Histogram if exponential => (10, data.number(2, CUMULATIVE)),
        Kind::Gauge | Kind::Info => (5, data),
        Kind::Counter => (7, data.number(2, CUMULATIVE).number(3, true.into())),
        Kind::Histogram => (9, data.number(2, CUMULATIVE)),
    };
    Message::default()
        .text(1, &family.opentelemetry())
        .text(2, family.help)
        .text(3, if family.unit == Unit::Seconds { "s" } else { "" })
        .message(field, &data)
}

/// A `NumberDataPoint`, or in a family of histograms a `HistogramDataPoint` or `ExponentialHistogramDataPoint`.
fn data_point(
    family: &Family,
    point: &Point,
    moments: Moments,
    exponential: bool,
) -> Option<Message> {
    let labels = family.labels.iter().zip(&point.labels);
    // By OpenTelemetry's conventions an attribute that does not apply is absent, and a port is a number.
    let labels = labels.filter(|(_, value)| family.is_ours() || !value.is_empty());
    let attributes = labels.map(|(name, value)| match (*name, value.parse()) {
        ("server.port", Ok(port)) => numeric_attribute(name, port),
        _ => attribute(name, value),
    });
    let head = Message::default().fixed(2, moments.began).fixed(3, moments.now);
    Some(match (&point.value, family.kind) {
        (Value::Times(times), Kind::Histogram) if exponential => {
            exponential_histogram(head, times).messages(1, attributes)
        }
        (Value::Times(times), Kind::Histogram) => histogram(head, times).messages(9, attributes),
        (Value::Times(_), _) | (_, Kind::Histogram) => return None,
        (Value::Count(count), _) => {
            let count = i64::try_from(*count).unwrap_or(i64::MAX);
            head.present(6, count.to_le_bytes()).messages(7, attributes)
        }
        (Value::Nanos(nanos), _) => {
            head.present(4, seconds(*nanos).to_le_bytes()).messages(7, attributes)
        }
        (Value::Number(number), _) => head.present(4, number.to_le_bytes()).messages(7, attributes),
    })
}

fn histogram(head: Message, times: &Times) -> Message {
    let bounds = BOUNDS.iter().map(|(nanos, _)| seconds((*nanos).into()).to_le_bytes());
    head.fixed(4, times.count())
        .present(5, seconds(times.sum_nanos).to_le_bytes())
        .packed(6, times.counts.iter().map(|count| count.to_le_bytes()))
        .packed(7, bounds)
}

/// The same in buckets that are powers of a base. One that nothing was counted in has none.
fn exponential_histogram(head: Message, times: &Times) -> Message {
    let powers = times.powers.clone().unwrap_or_default();
    let buckets = powers.buckets();
    let positive = Message::default()
        .number(1, zigzag(buckets.offset))
        .packed_numbers(2, buckets.counts.iter().copied());
    head.fixed(4, times.count())
        .present(5, seconds(times.sum_nanos).to_le_bytes())
        .number(6, zigzag(buckets.scale))
        .message(8, &positive)
}

/// A signed number as Protocol Buffers encode a `sint32`.
const fn zigzag(number: i32) -> u64 {
    ((number << 1) ^ (number >> 31)) as u32 as u64
}

/// A `KeyValue` with a whole number.
fn numeric_attribute(name: &str, number: u16) -> Message {
    let value = Message::default().number(3, number.into());
    Message::default().text(1, name).message(2, &value)
}

/// A `KeyValue` with a text.
fn attribute(name: &str, value: &str) -> Message {
    let value = Message::default().present_text(1, &labels::value(value));
    Message::default().text(1, name).message(2, &value)
}

fn seconds(nanos: u128) -> f64 {
    nanos as f64 / 1e9
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::family;
    use brunt_record::Histogram;
    use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceRequest;
    use opentelemetry_proto::tonic::common::v1::any_value::Value as Any;
    use opentelemetry_proto::tonic::common::v1::{AnyValue, InstrumentationScope, KeyValue};
    use opentelemetry_proto::tonic::metrics::v1 as official;
    use opentelemetry_proto::tonic::metrics::v1::metric::Data;
    use opentelemetry_proto::tonic::metrics::v1::number_data_point::Value as Figure;
    use opentelemetry_proto::tonic::resource::v1::Resource;
    use prost::Message as _;
    use std::time::Duration;

    fn key_value(key: &str, value: &str) -> KeyValue {
        let value = Some(AnyValue { value: Some(Any::StringValue(value.to_owned())) });
        KeyValue { key: key.to_owned(), value, ..KeyValue::default() }
    }

    fn number_point(attributes: Vec<KeyValue>, value: Figure) -> official::NumberDataPoint {
        official::NumberDataPoint {
            attributes,
            start_time_unix_nano: 5,
            time_unix_nano: u64::MAX,
            value: Some(value),
            ..official::NumberDataPoint::default()
        }
    }

    fn metric(family: &Family, unit: &str, data: Data) -> official::Metric {
        official::Metric {
            name: family.opentelemetry(),
            description: family.help.to_owned(),
            unit: unit.to_owned(),
            data: Some(data),
            ..official::Metric::default()
        }
    }

    fn expected(metrics: Vec<official::Metric>) -> ExportMetricsServiceRequest {
        let scope = InstrumentationScope {
            name: "brunt".to_owned(),
            version: "1.2.3".to_owned(),
            ..InstrumentationScope::default()
        };
        let attributes = vec![
            key_value("service.name", "brunt"),
            key_value("service.version", "1.2.3"),
            key_value("service.instance.id", "r"),
        ];
        let of_run = official::ResourceMetrics {
            resource: Some(Resource { attributes, ..Resource::default() }),
            scope_metrics: vec![official::ScopeMetrics {
                scope: Some(scope),
                metrics,
                schema_url: String::new(),
            }],
            schema_url: String::new(),
        };
        ExportMetricsServiceRequest { resource_metrics: vec![of_run] }
    }

    /// The official messages of what [`snapshot`] contains.
    fn official_metrics(times: &Times) -> Vec<official::Metric> {
        let labels = vec![key_value("operation", "bind"), key_value("phase", "")];
        let histogram = official::HistogramDataPoint {
            attributes: labels.clone(),
            start_time_unix_nano: 5,
            time_unix_nano: u64::MAX,
            count: 3,
            sum: Some(90.031),
            bucket_counts: times.counts.to_vec(),
            explicit_bounds: BOUNDS.iter().map(|(nanos, _)| *nanos as f64 / 1e9).collect(),
            ..official::HistogramDataPoint::default()
        };
        let elapsed = number_point(Vec::new(), Figure::AsDouble(1.5));
        let backlog = number_point(Vec::new(), Figure::AsDouble(0.0));
        let items = [(7, labels.clone()), (0, labels)];
        let items = items.map(|(count, labels)| number_point(labels, Figure::AsInt(count)));
        let gauge = |point| Data::Gauge(official::Gauge { data_points: vec![point] });
        let sum = Data::Sum(official::Sum {
            data_points: items.to_vec(),
            aggregation_temporality: official::AggregationTemporality::Cumulative.into(),
            is_monotonic: true,
        });
        let response = Data::Histogram(official::Histogram {
            data_points: vec![histogram],
            aggregation_temporality: official::AggregationTemporality::Cumulative.into(),
        });
        vec![
            metric(family::ELAPSED, "s", gauge(elapsed)),
            metric(family::BACKLOG, "", gauge(backlog)),
            metric(family::ITEMS, "", sum),
            metric(family::RESPONSE, "s", response),
        ]
    }

    #[test]
    fn otlp_bytes_equal_the_official_encoder() {
        let mut histogram = Histogram::new();
        for millis in [1, 30, 90_000] {
            histogram.record(Duration::from_millis(millis));
        }
        let mut times = Times::default();
        times.add(&histogram);
        let labels = vec!["bind".to_owned(), String::new()];
        let mut snapshot = Snapshot::default();
        snapshot.one(family::ELAPSED, Value::Nanos(1_500_000_000));
        snapshot.one(family::BACKLOG, Value::Number(0.0));
        let items = [(labels.clone(), Value::Count(7)), (labels.clone(), Value::Count(0))];
        snapshot.add(family::ITEMS, items);
        snapshot.add(family::RESPONSE, [(labels, Value::Times(Box::new(times.clone())))]);
        let origin = Origin { run: "r".to_owned(), version: "1.2.3".to_owned(), began: 5 };
        let written = message(&snapshot, &origin, u64::MAX);
        let read = ExportMetricsServiceRequest::decode(&*written).unwrap();
        let expected = expected(official_metrics(&times));
        assert_eq!(read, expected);
        // The order of fields may differ, and nothing else.
        assert_eq!(written.len(), expected.encoded_len());
    }
    #[test]
    fn exponential_histogram_is_read_by_the_official_decoder() {
        let nanos = [1_000_u64, 999_000, 5_000_000, 5_100_000, 250_000_000, 1_000_000_000];
        let mut histogram = Histogram::new();
        for nanos in nanos {
            histogram.record(Duration::from_nanos(nanos));
        }
        let mut times = Times::default();
        times.add_to(&histogram, true);
        let labels = vec!["bind".to_owned(), "steady".to_owned()];
        let mut snapshot = Snapshot::default();
        snapshot.add(family::RESPONSE, [(labels, Value::Times(Box::new(times)))]);
        let semantic = ["GET", "http", "::1", "80", "", "page", "steady"].map(str::to_owned);
        let mut plain = Times::default();
        plain.add(&histogram);
        let point = (semantic.to_vec(), Value::Times(Box::new(plain)));
        snapshot.add(family::HTTP_CLIENT, [point]);
        let origin = Origin { run: "r".to_owned(), version: "1.2.3".to_owned(), began: 5 };
        let written = message(&snapshot, &origin, 9);
        let read = ExportMetricsServiceRequest::decode(&*written).unwrap();
        // Nothing was written that the decoder does not know.
        assert_eq!(read.encoded_len(), written.len());
        let metrics = &read.resource_metrics[0].scope_metrics[0].metrics;
        let Some(Data::ExponentialHistogram(whole)) = &metrics[0].data else {
            panic!("{metrics:?}")
        };
        assert_eq!(whole.aggregation_temporality(), official::AggregationTemporality::Cumulative);
        let point = &whole.data_points[0];
        let positive = point.positive.as_ref().unwrap();
        let sum = nanos.iter().sum::<u64>() as f64 / 1e9;
        assert_eq!((point.count, point.zero_count, point.sum), (6, 0, Some(sum)));
        assert_eq!(positive.bucket_counts.iter().sum::<u64>(), 6);
        // Each bucket has as many as are between its bounds, as the protocol defines these. A duration may be a
        // thousandth longer in the record.
        let base = 2_f64.powf(2_f64.powi(-point.scale));
        for (number, count) in (positive.offset + 1..).zip(&positive.bucket_counts) {
            let upper = base.powi(number);
            let held = |nanos: &&u64| {
                let seconds = **nanos as f64 / 1e9;
                seconds > upper / base * 1.000_001 && seconds * 1.000_001 <= upper
            };
            let sure = nanos.iter().filter(held).count() as u64;
            assert!(*count >= sure, "bucket {number}: {count} of {sure}");
        }
        let Some(Data::Histogram(requests)) = &metrics[1].data else { panic!("{metrics:?}") };
        assert_eq!((&*metrics[1].name, &*metrics[1].unit), ("http.client.request.duration", "s"));
        let port = requests.data_points[0].attributes.iter().find(|it| it.key == "server.port");
        let port = port.and_then(|port| port.value.clone()?.value);
        assert_eq!(port, Some(Any::IntValue(80)));
        assert!(requests.data_points[0].attributes.iter().all(|it| it.key != "error.type"));
    }
}
