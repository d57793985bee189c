//! `--traceparent`: whether exchanges carry an identity for the traces of the target.

use clap::Args;

/// Whether each exchange carries an identity for the traces of the target (W3C Trace Context).
#[derive(Args, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traceparent {
    /// Send a header traceparent with each request, a new trace of the target for each
    ///
    /// LDAP operations carry it as a control, which a directory that does not know it ignores. Trace ids (W3C Trace
    /// Context) depend on --seed, and the target is asked to record the trace. --trace, --once and the samples of
    /// failures show them.
    #[arg(long)]
    pub traceparent: bool,
}
