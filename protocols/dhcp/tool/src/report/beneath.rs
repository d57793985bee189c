//! What the original texts have no line for: the outcome of every unusual reply and of every drop.
//!
//! Percentiles are not printed here: the summary of every run has them, and says which phase they are of.

use super::{Attribution, Exchanges, StageFigures};
use brunt_report::Screen;
use brunt_report::grid::Grid;
use std::fmt::Write;

type Column = (&'static str, fn(&StageFigures) -> u64);

/// The possible outcomes of a message other than an answer or a drop, and of an answer other than the expected one.
const ODDITIES: [Column; 6] = [
    ("resent", |stage| stage.resent),
    ("NAKs", |stage| stage.naks),
    ("rejected", |stage| stage.unusable),
    ("pending", |stage| stage.cut_off),
    ("late", |stage| stage.late),
    ("duplicates", |stage| stage.duplicates),
];
/// How wide columns are where there is room.
const ROOMY: usize = 9;

/// Adds all of it, under a heading that the original texts do not have.
pub(super) fn beneath(text: &mut String, figures: &Exchanges) {
    text.push_str("***Additional statistics***\n");
    replies(text, figures);
    let Exchanges { tooshort, locallimit, malformed, unexpected, foreign, .. } = figures;
    let _ = writeln!(text, "tooshort: {tooshort}\nlocallimit: {locallimit}");
    let _ = writeln!(text, "malformed: {malformed}\nunexpected: {unexpected}\nforeign: {foreign}");
    if figures.unreachable > 0 {
        let _ = writeln!(text, "refused (ICMP port unreachable): {}", figures.unreachable);
    }
    let Exchanges { leases_forgotten, preload_sent, preload_received, .. } = figures;
    if *leases_forgotten > 0 {
        let _ = writeln!(text, "leases forgotten: {leases_forgotten}");
    }
    if *preload_sent > 0 {
        let _ = writeln!(text, "preload: {preload_sent} sent, {preload_received} answered");
    }
    drops(text, figures);
}

fn replies(text: &mut String, figures: &Exchanges) {
    let mut grid = Grid::new("Packets", ODDITIES.map(|(name, _)| name), ROOMY);
    for stage in &figures.stages {
        grid.row(&stage.title, "", ODDITIES.map(|(_, pick)| pick(stage).to_string()));
    }
    // A report for scripts does not depend on the terminal.
    *text += &(grid.text(Screen::default()) + "\n");
}

fn drops(text: &mut String, figures: &Exchanges) {
    let drops = figures.drops();
    if drops == 0 {
        return;
    }
    let found = Attribution::new(figures);
    let Attribution { late, bad_checksum, own_socket, own_stall, server_queue, elsewhere } = found;
    let _ = writeln!(text, "\nOf {drops} drops");
    let _ = writeln!(text, "  answered too late: {late}");
    if bad_checksum > 0 {
        let _ = writeln!(text, "  answered with a bad UDP checksum: {bad_checksum}");
    }
    let _ = writeln!(text, "  lost in our own socket: {own_socket}");
    if own_stall > 0 {
        let _ = writeln!(
            text,
            "  because brunt itself was paused, not counted against the server: {own_stall}"
        );
    }
    let _ = match server_queue {
        Some(lost) => writeln!(
            text,
            "  lost in the server's receive queue: {lost}\n  lost by the server or on the wire: {elsewhere}"
        ),
        None => {
            writeln!(
                text,
                "  lost in the server's receive queue, by it or on the wire: {elsewhere}"
            )
        }
    };
}

#[cfg(test)]
mod tests {
    use super::super::tests::nothing;
    use super::*;

    fn measured() -> Exchanges {
        let first = StageFigures {
            title: "REQUEST-ACK (INIT-REBOOT)".to_owned(),
            sent: 110,
            received: 100,
            drops: 10,
            resent: 1,
            naks: 2,
            late: 3,
            duplicates: 4,
            unusable: 5,
            cut_off: 6,
            ..StageFigures::default()
        };
        let second = StageFigures { title: "REQUEST-ACK".to_owned(), ..StageFigures::default() };
        Exchanges {
            stages: vec![first, second],
            socket_drops: 3,
            foreign: 5,
            malformed: 6,
            tooshort: 7,
            unexpected: 8,
            locallimit: 9,
            preload_sent: 20,
            preload_received: 19,
            ..nothing()
        }
    }

    #[test]
    fn additional_statistics_list_every_figure_once() {
        let mut text = String::new();
        beneath(&mut text, &measured());
        assert_eq!(
            text,
            "\
***Additional statistics***
Packets                   resent NAKs rejected pending late duplicates
REQUEST-ACK (INIT-REBOOT)      1    2        5       6    3          4
REQUEST-ACK                    0    0        0       0    0          0

tooshort: 7
locallimit: 9
malformed: 6
unexpected: 8
foreign: 5
preload: 20 sent, 19 answered

Of 10 drops
  answered too late: 3
  lost in our own socket: 3
  lost in the server's receive queue, by it or on the wire: 4
"
        );
    }

    #[test]
    fn additional_statistics_name_losses_in_the_server_queue() {
        let mut text = String::new();
        beneath(&mut text, &Exchanges { server_drops: Some(3), ..measured() });
        assert!(
            text.ends_with(
                "Of 10 drops\n  answered too late: 3\n  lost in our own socket: 3\n  \
                 lost in the server's receive queue: 3\n  lost by the server or on the wire: 1\n"
            ),
            "{text}"
        );
    }

    #[test]
    fn additional_statistics_show_faults_of_this_machine() {
        let mut figures = Exchanges { unreachable: 12, ..measured() };
        figures.stages[0].drops_stalled = 3;
        let mut text = String::new();
        beneath(&mut text, &figures);
        assert!(text.contains("foreign: 5\nrefused (ICMP port unreachable): 12\n"), "{text}");
        let end = "Of 10 drops\n  answered too late: 3\n  lost in our own socket: 3\n  \
                   because brunt itself was paused, not counted against the server: 3\n  \
                   lost in the server's receive queue, by it or on the wire: 1\n";
        assert!(text.ends_with(end), "{text}");
    }

    #[test]
    fn additional_statistics_omit_drops_if_none() {
        let mut text = String::new();
        let mut figures = measured();
        figures.stages[0].drops = 0;
        beneath(&mut text, &figures);
        assert!(!text.contains("lost"), "{text}");
    }
}
