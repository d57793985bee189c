//! Complete exchanges of a flow: printed by `--once`, written to a file by `--trace`.
//!
//! A [`Tracer`] keeps the first failures of a run in memory, up to the requested number, and writes them when the run
//! is over. The file's name decides its format: `.har` is HAR 1.2, which browsers and proxies read and which contains
//! only HTTP; with any other name, JSON lines are written.

mod curl;
mod har;
mod lines;
pub(crate) mod text;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use brunt_exchange::Outcome;
use brunt_flow_driver::{Flow, Payload, Step, Trace, TracedExchange};
use brunt_http_driver::{Settings, Version};
use brunt_record::replace;
use brunt_run::Console;
use brunt_run::{ResultError, RunClock, clock};

use super::naming::Naming;
use crate::options::trace::TraceArgs;
use curl::{CurlLine, CurlOptions};

/// The function that receives every exchange.
pub(crate) type ShowEvery = Box<dyn Fn(TracedExchange) + Send + Sync>;

/// A requested file of failed exchanges.
#[derive(Clone, Debug, Default)]
pub(crate) struct TraceFile {
    path: PathBuf,
    most: usize,
}

impl TraceFile {
    /// The requested file, if there is one.
    pub(crate) fn new(args: &TraceArgs) -> Option<Self> {
        let path = args.trace.clone()?;
        Some(Self { path, most: args.trace_max })
    }

    fn is_har(&self) -> bool {
        self.path.extension().is_some_and(|end| end.eq_ignore_ascii_case("har"))
    }
}

/// An exchange, its beginning by the wall clock, and its protocol's name of the outcome.
pub(crate) struct ExchangeReport {
    pub exchange: TracedExchange,
    began: jiff::Timestamp,
    /// The name of its outcome.
    outcome: String,
    /// The name of its answer's code.
    code: String,
    /// A line of curl that sends the request again, if the exchange failed.
    curl: Option<CurlLine>,
}

/// What a report of an exchange has beside the exchange.
pub(crate) struct Reporting {
    naming: Naming,
    curl: CurlOptions,
    clock: RunClock,
}

impl Reporting {
    /// The reports of a flow's exchanges, with these settings.
    pub(crate) fn new(flow: &Flow, settings: &Settings, clock: RunClock) -> Self {
        Self { naming: Naming::new(flow), curl: CurlOptions::new(settings), clock }
    }

    /// The report of an exchange that has just ended.
    pub(crate) fn report(&self, exchange: TracedExchange) -> ExchangeReport {
        let operation = usize::from(exchange.operation);
        let code = exchange.answer.as_ref().map(|answer| answer.code);
        let name = |outcome| self.naming.named(operation, outcome).name;
        ExchangeReport {
            began: clock::now(self.clock).checked_sub(exchange.took).unwrap_or_default(),
            outcome: name(exchange.outcome),
            code: code.map(|code| name(Outcome::Ok(code))).unwrap_or_default(),
            curl: has_failed(&exchange).then(|| self.curl.line(&exchange)).flatten(),
            exchange,
        }
    }
}

fn has_failed(exchange: &TracedExchange) -> bool {
    !matches!(exchange.outcome, Outcome::Ok(_) | Outcome::Skipped)
}

/// The failed exchanges of a run, until they are written.
pub(crate) struct Tracer {
    file: TraceFile,
    version: Version,
    failures: Arc<Mutex<Vec<ExchangeReport>>>,
}

/// A flow of which HAR can contain nothing.
#[derive(Debug, thiserror::Error)]
#[error(
    "failed to trace the run as HAR: no step is a request over HTTP; name a file that does not end in .har to have \
     lines of JSON"
)]
pub(crate) struct NoHar;

impl Tracer {
    /// Makes a flow report its exchanges: each to `every`, and the first failed ones for the file.
    pub(crate) fn attach(
        file: Option<TraceFile>,
        every: Option<ShowEvery>,
        (settings, clock): (&Settings, RunClock),
        flow: &mut Flow,
    ) -> Result<Option<Self>, NoHar> {
        if file.as_ref().is_some_and(TraceFile::is_har) && !speaks_http(flow) {
            return Err(NoHar);
        }
        let failures: Arc<Mutex<Vec<ExchangeReport>>> = Arc::default();
        let (kept, reporting) = (Arc::clone(&failures), Reporting::new(flow, settings, clock));
        let keep = move |exchange: TracedExchange, most: usize| {
            let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
            if has_failed(&exchange) && kept.len() < most {
                kept.push(reporting.report(exchange));
            }
        };
        let most = file.as_ref().map_or(0, |file| file.most);
        flow.trace = match (every, &file) {
            (None, None) => None,
            (None, Some(_)) => Some(Trace::failed(most, move |exchange| keep(exchange, most))),
            (Some(show), _) => Some(Trace::every(move |exchange| {
                keep(exchange.clone(), most);
                show(exchange);
            })),
        };
        let version = settings.version;
        Ok(file.map(|file| Self { file, version, failures }))
    }

    /// Writes the exchanges that were kept.
    pub(crate) fn write(&self, console: &Console) -> Result<(), ResultError> {
        let failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        let text = if self.file.is_har() {
            let (text, others) = har::text(&failures, self.version);
            if others > 0 {
                console.note(&format!(
                    "{others} failed operations of other protocols than HTTP are not in {}, which is HAR",
                    self.file.path.display()
                ));
            }
            text
        } else {
            lines::text(&failures)
        };
        let written = replace(&self.file.path, |out| out.write_all(text.as_bytes()));
        let path = || self.file.path.clone();
        written.map_err(|source| ResultError::File { option: "--trace", path: path(), source })
    }
}

fn speaks_http(flow: &Flow) -> bool {
    let http = |step: &Step| match step {
        Step::Exchange(act) => matches!(act.payload, Payload::Http(_)),
        Step::Pause(_) | Step::Control(_) => false,
    };
    flow.scenarios.iter().any(|scenario| scenario.steps.iter().any(http))
}

/// The path of a trace, for the check of files before a run.
impl AsRef<Path> for TraceFile {
    fn as_ref(&self) -> &Path {
        &self.path
    }
}
