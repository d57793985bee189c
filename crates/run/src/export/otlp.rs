//! Writes a [`Snapshot`] as the message that OpenTelemetry collectors accept: OTLP metrics in protobuf.
//!
//! Sums are cumulative since the run began. So the next message contains everything that a lost one did, and nothing
//! needs to be kept for a collector that is unavailable. The messages are those of the official crate
//! `opentelemetry-proto`; its SDK counts one value at a time into registers of its own and accepts no finished
//! histogram.

use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value as Any;
use opentelemetry_proto::tonic::common::v1::{AnyValue, InstrumentationScope, KeyValue};
use opentelemetry_proto::tonic::metrics::v1::metric::Data;
use opentelemetry_proto::tonic::metrics::v1::number_data_point::Value as Figure;
use opentelemetry_proto::tonic::metrics::v1::{
    AggregationTemporality, Gauge, Histogram, HistogramDataPoint, Metric, NumberDataPoint,
    ResourceMetrics, ScopeMetrics, Sum,
};
use opentelemetry_proto::tonic::resource::v1::Resource;

use super::family::{Family, Kind, Unit};
use super::labels;
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

/// The message with all figures, at this moment in nanoseconds since 1970.
pub(super) fn message(
    snapshot: &Snapshot,
    origin: &Origin,
    now: u64,
) -> ExportMetricsServiceRequest {
    let moments = Moments { began: origin.began, now };
    let metrics = snapshot.families.iter().map(|(family, points)| metric(family, points, moments));
    let scope = InstrumentationScope {
        name: "brunt".to_owned(),
        version: origin.version.clone(),
        ..InstrumentationScope::default()
    };
    let attributes = [
        ("service.name", "brunt"),
        ("service.version", &origin.version),
        ("service.instance.id", &origin.run),
    ];
    let resource = Resource {
        attributes: attributes.map(|(name, value)| attribute(name, value)).to_vec(),
        ..Resource::default()
    };
    let scope =
        ScopeMetrics { scope: Some(scope), metrics: metrics.collect(), schema_url: String::new() };
    let of_run = ResourceMetrics {
        resource: Some(resource),
        scope_metrics: vec![scope],
        schema_url: String::new(),
    };
    ExportMetricsServiceRequest { resource_metrics: vec![of_run] }
}

#[derive(Clone, Copy)]
struct Moments {
    began: u64,
    now: u64,
}

fn metric(family: &Family, points: &[Point], moments: Moments) -> Metric {
    let cumulative = AggregationTemporality::Cumulative.into();
    let numbers = || points.iter().filter_map(|point| number(family, point, moments)).collect();
    let data = match family.kind {
        Kind::Counter => Data::Sum(Sum {
            data_points: numbers(),
            aggregation_temporality: cumulative,
            is_monotonic: true,
        }),
        Kind::Gauge | Kind::Info => Data::Gauge(Gauge { data_points: numbers() }),
        Kind::Histogram => Data::Histogram(Histogram {
            data_points: points.iter().filter_map(|point| times(family, point, moments)).collect(),
            aggregation_temporality: cumulative,
        }),
    };
    Metric {
        name: family.opentelemetry(),
        description: family.help.to_owned(),
        unit: if family.unit == Unit::Seconds { "s" } else { "" }.to_owned(),
        data: Some(data),
        ..Metric::default()
    }
}

fn number(family: &Family, point: &Point, moments: Moments) -> Option<NumberDataPoint> {
    let value = match &point.value {
        Value::Count(count) => Figure::AsInt(i64::try_from(*count).unwrap_or(i64::MAX)),
        Value::Nanos(nanos) => Figure::AsDouble(seconds(*nanos)),
        Value::Number(number) => Figure::AsDouble(*number),
        Value::Times(_) => return None,
    };
    Some(NumberDataPoint {
        attributes: attributes(family, point),
        start_time_unix_nano: moments.began,
        time_unix_nano: moments.now,
        value: Some(value),
        ..NumberDataPoint::default()
    })
}

fn times(family: &Family, point: &Point, moments: Moments) -> Option<HistogramDataPoint> {
    let Value::Times(times) = &point.value else { return None };
    let Times { counts, sum_nanos } = **times;
    Some(HistogramDataPoint {
        attributes: attributes(family, point),
        start_time_unix_nano: moments.began,
        time_unix_nano: moments.now,
        count: times.count(),
        sum: Some(seconds(sum_nanos)),
        bucket_counts: counts.to_vec(),
        explicit_bounds: BOUNDS.iter().map(|(nanos, _)| seconds((*nanos).into())).collect(),
        ..HistogramDataPoint::default()
    })
}

fn attributes(family: &Family, point: &Point) -> Vec<KeyValue> {
    let labels = family.labels.iter().zip(&point.labels);
    labels.map(|(name, value)| attribute(name, value)).collect()
}

fn attribute(name: &str, value: &str) -> KeyValue {
    let value = AnyValue { value: Some(Any::StringValue(labels::value(value))) };
    KeyValue { key: name.to_owned(), value: Some(value), ..KeyValue::default() }
}

fn seconds(nanos: u128) -> f64 {
    nanos as f64 / 1e9
}
