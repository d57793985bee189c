//! The sessions of a run that never got an answer, and the counts of each of several servers.

use super::COLUMN;
use crate::figure::printable;
use crate::grid::Grid;
use crate::screen::Screen;
use crate::wrapped::wrapped;
use brunt_record::Record;

/// Names sessions that never got an answer, while others did.
pub(super) fn silent_sessions(text: &mut String, record: &Record, screen: Screen) {
    if let Some((silent, used)) = brunt_record::silent_sessions(&record.tallies) {
        let words = format!("{silent} of {used} sessions never got an answer");
        *text += &wrapped(&words, "", screen.columns());
    }
}

/// How the exchanges with each of several servers ended.
pub(super) fn servers(text: &mut String, record: &Record, screen: Screen) {
    let servers = brunt_record::servers(&record.tallies);
    if servers.is_empty() {
        return;
    }
    let mut grid = Grid::new("Servers", ["ok", "failed", "no answer"], COLUMN);
    for server in servers {
        let counts = [server.ok, server.failed, server.unanswered];
        grid.row(&printable(&server.server), "", counts.map(|count| count.to_string()));
    }
    *text += &(grid.text(screen) + "\n");
}
