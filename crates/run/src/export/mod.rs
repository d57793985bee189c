//! [`Exports`]: the figures of a run for other tools, while it is in progress: `--prometheus` and `--otlp`.
//!
//! An observer of the one stream adds each interval to its own sums, makes one snapshot of them, and passes a pointer
//! to it to the threads that serve and deliver. Neither thread can delay or end the run.

mod collector;
mod delivery;
mod exposition;
mod family;
mod labels;
mod otlp;
mod powers;
mod protobuf;
mod scrape;
mod semantic;
mod snapshot;
mod sums;
mod times;

use std::io;
use std::sync::Arc;

use brunt_engine::Stop;
use brunt_record::{Head, Interval, Measured, Names};

use super::observer::{Observer, ObserverFailure};
use super::write_failures::WriteFailures;
use crate::console::Console;
use crate::environment::Environment;
use crate::options::base_url::BaseUrl;
use crate::options::output::Output;
use crate::world::World;

pub use collector::CollectorError;
use delivery::Delivery;
use otlp::Origin;
use scrape::Endpoint;
pub use semantic::Semantic;
use sums::Sums;

/// The variable in which OpenTelemetry programs look for the kind of histogram to send, and its values.
const VARIABLE: &str = "OTEL_EXPORTER_OTLP_METRICS_DEFAULT_HISTOGRAM_AGGREGATION";
const EXPLICIT: &str = "explicit_bucket_histogram";
const EXPONENTIAL: &str = "base2_exponential_bucket_histogram";

/// Why the figures of a run cannot be passed on.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// They cannot be served.
    #[error("failed to serve --prometheus {address}: {source}; give another address or port")]
    Serve {
        /// Where.
        address: std::net::SocketAddr,
        /// The error of the operating system.
        source: io::Error,
    },
    /// They cannot be sent.
    #[error("failed to deliver to --otlp {to}: {cause}")]
    Deliver {
        /// The collector.
        to: Box<BaseUrl>,
        /// What is wrong.
        #[source]
        cause: Box<DeliverCause>,
    },
}

impl ExportError {
    fn deliver(to: &BaseUrl, cause: impl Into<DeliverCause>) -> Self {
        Self::Deliver { to: Box::new(to.clone()), cause: Box::new(cause.into()) }
    }
}

/// Why figures can never be sent to a collector.
#[derive(Debug, thiserror::Error)]
pub enum DeliverCause {
    /// A variable has a wrong value.
    #[error(transparent)]
    Aggregation(#[from] AggregationError),
    /// The collector cannot be used with these settings.
    #[error(transparent)]
    Collector(#[from] CollectorError),
    /// No thread can be started.
    #[error(transparent)]
    Thread(#[from] io::Error),
}

/// The figures of a run for other tools.
pub(crate) struct Exports<'a> {
    console: Console,
    sums: Sums<'a>,
    endpoint: Option<Endpoint>,
    delivery: Option<Delivery>,
}

/// Figures that can still be scraped when the run is over, until this is dropped.
#[derive(Default)]
pub struct LastScrape(Option<(Endpoint, Stop, Console)>);

impl<'a> Exports<'a> {
    /// Opens the requested exports, if any; prints their addresses unless the run is quiet.
    pub(crate) fn open(
        output: &Output,
        (head, names): (&Head, Names<'a>),
        (workers, semantics): (usize, &[Option<Semantic>]),
        quiet: bool,
        world: &World,
    ) -> Result<Option<Self>, ExportError> {
        let (prometheus, otlp) = (output.run.prometheus.as_ref(), output.run.otlp.as_ref());
        if prometheus.is_none() && otlp.is_none() {
            return Ok(None);
        }
        let open = |address: &std::net::SocketAddr| Endpoint::open(*address, workers);
        let endpoint = prometheus.map(open).transpose()?;
        let origin = || Origin {
            run: head.run.clone(),
            version: head.tool.version.clone(),
            began: u64::try_from(world.now().as_nanosecond()).unwrap_or_default(),
        };
        let sums = Sums::new(head, names);
        let sums = match otlp {
            Some(url) => {
                let powers = is_exponential(&world.environment)
                    .map_err(|error| ExportError::deliver(url, error))?;
                sums.for_opentelemetry(powers, semantics)
            }
            None => sums,
        };
        let delivery = otlp.map(|url| Delivery::open(url, origin(), workers, world)).transpose()?;
        if let (Some(endpoint), Some(requested)) = (&endpoint, prometheus) {
            let text = format!("metrics: http://{}/metrics", endpoint.address());
            match requested.port() {
                0 => world.console.announce(&text),
                _ if quiet => {}
                _ => world.console.message(&text),
            }
        }
        let exports = Self { console: world.console.clone(), sums, endpoint, delivery };
        exports.show(false);
        Ok(Some(exports))
    }

    fn show(&self, finished: bool) {
        let snapshot = Arc::new(self.sums.snapshot(finished));
        if let Some(endpoint) = &self.endpoint {
            endpoint.show(Arc::clone(&snapshot));
        }
        if let Some(delivery) = &self.delivery {
            delivery.send(snapshot);
        }
    }

    /// Delivers the rest, and keeps the endpoint open for a last scrape.
    pub(crate) fn close(self, stop: &Stop, losses: &mut WriteFailures) -> LastScrape {
        if let Some(delivery) = self.delivery {
            losses.keep(delivery.finish());
        }
        LastScrape(self.endpoint.map(|endpoint| (endpoint, stop.clone(), self.console)))
    }
}

impl Observer for Exports<'_> {
    fn interval(&mut self, interval: &Interval, _: &Measured) -> Result<(), ObserverFailure> {
        self.sums.absorb(interval);
        self.show(false);
        Ok(())
    }

    fn finish(&mut self, _: &Measured) -> Result<(), ObserverFailure> {
        self.show(true);
        Ok(())
    }
}

impl Drop for LastScrape {
    fn drop(&mut self) {
        if let Some((endpoint, stop, console)) = &self.0 {
            endpoint.linger(stop, console);
        }
    }
}

/// A value of the variable that is none of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{VARIABLE} must be {EXPLICIT} or {EXPONENTIAL}")]
pub struct AggregationError;

/// Whether exponential histograms are wanted.
fn is_exponential(environment: &Environment) -> Result<bool, AggregationError> {
    match environment.text(VARIABLE).as_deref() {
        None | Some("" | EXPLICIT) => Ok(false),
        Some(EXPONENTIAL) => Ok(true),
        Some(_) => Err(AggregationError),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aggregation_variable_accepts_both_values() {
        let of =
            |value: &str| is_exponential(&[(VARIABLE, value)].into_iter().collect::<Environment>());
        assert_eq!((of(""), of(EXPLICIT), of(EXPONENTIAL)), (Ok(false), Ok(false), Ok(true)));
        let why = of("other").unwrap_err().to_string();
        assert!(why.contains("must be explicit_bucket_histogram or"), "{why}");
        assert_eq!(is_exponential(&Environment::default()), Ok(false));
    }
}
