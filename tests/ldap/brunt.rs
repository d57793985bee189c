//! Command lines of the LDAP tools, and what is read from their records and tables.

use brunt_test_program::brunt;
pub(crate) use brunt_test_program::{Ended as Run, Trial as Brunt};

use crate::directory::{Directory, Transport};

/// A run of the tool of this name, with the seed given so that a failure can be reproduced. Options first, trailing
/// arguments last: the tools stop reading options at the first trailing argument.
pub(crate) fn command(tool: &str) -> Brunt {
    brunt(tool).typed("--no-prompt --seed 7").recorded()
}

/// Where a run is directed to.
pub(crate) trait To {
    /// The same run against a server.
    fn to(self, server: &dyn Directory, transport: Transport) -> Self;
}

impl To for Brunt {
    fn to(self, server: &dyn Directory, transport: Transport) -> Self {
        let port = if transport == Transport::Ldaps { server.tls_port() } else { server.port() };
        let run = self.args(["-h", "127.0.0.1", "-p", &port.to_string()]);
        match transport {
            Transport::Plain => run,
            Transport::Ldaps => run.arg("-Z").arg("--ca").arg(server.pki().ca()),
            Transport::StartTls => run.arg("-q").arg("--ca").arg(server.pki().ca()),
        }
    }
}

/// Whether a connection, even the one before the run, could not be opened or was lost.
pub(crate) fn lost_a_connection(run: &Run) -> bool {
    let lost = || ["connect", "closed", "tls"].iter().any(|class| run.of_class(class) > 0);
    [81, 91].contains(&run.code()) || run.any_json().is_some() && lost()
}

/// The connections that it opened, the one before the run included.
pub(crate) fn opened(run: &Run) -> u64 {
    run.tally("connections opened")
}

/// The rows of a table in CSV without its header, cell by cell.
pub(crate) fn rows(run: &Run) -> Vec<Vec<f64>> {
    let cell = |cell: &str| cell.parse().unwrap_or(f64::NAN);
    run.stdout.lines().skip(1).map(|line| line.split(',').map(cell).collect()).collect()
}
