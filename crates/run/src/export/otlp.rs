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

/// A `Metric` with its `Gauge`, `Sum` or `Histogram`.
fn metric(family: &Family, points: &[Point], moments: Moments) -> Message {
    let points = points.iter().filter_map(|point| data_point(family, point, moments));
    let data = Message::default().messages(1, points);
    let (field, data) = match family.kind {
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

/// A `NumberDataPoint`, or a `HistogramDataPoint` in a family of histograms.
fn data_point(family: &Family, point: &Point, moments: Moments) -> Option<Message> {
    let labels = family.labels.iter().zip(&point.labels);
    let attributes = labels.map(|(name, value)| attribute(name, value));
    let head = Message::default().fixed(2, moments.began).fixed(3, moments.now);
    Some(match (&point.value, family.kind) {
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
    fn official_messages_are_what_is_written() {
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
        snapshot.add(family::RESPONSE, [(labels, Value::Times(Box::new(times)))]);
        let origin = Origin { run: "r".to_owned(), version: "1.2.3".to_owned(), began: 5 };
        let written = message(&snapshot, &origin, u64::MAX);
        let read = ExportMetricsServiceRequest::decode(&*written).unwrap();
        let expected = expected(official_metrics(&times));
        assert_eq!(read, expected);
        // The order of fields may differ, and nothing else.
        assert_eq!(written.len(), expected.encoded_len());
    }
}
