//! The line that `-t` requests: counts since the beginning of the run, one for each stage.

use super::{Exchanges, StageFigures};

/// The form of the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LineForm<'a> {
    /// The form of Kea's perfdhcp.
    Kea,
    /// The form of the guide of 2012, which counts no rejected leases.
    Guide,
    /// Kea's figures with only this text between them (`-C`).
    Bare(&'a str),
}

type Column = (&'static str, fn(&StageFigures) -> u64);

const COLUMNS: [Column; 4] = [
    ("sent", |stage| stage.sent),
    ("received", |stage| stage.received),
    ("drops", |stage| stage.drops),
    ("rejected", |stage| stage.rejected),
];

/// The line, with its end.
pub(crate) fn interim(figures: &Exchanges, dress: LineForm<'_>) -> String {
    let of_each = |pick: fn(&StageFigures) -> u64, between: &str| {
        let counts: Vec<String> =
            figures.stages.iter().map(|stage| pick(stage).to_string()).collect();
        counts.join(between)
    };
    let named = |columns: &[Column]| {
        let columns: Vec<String> =
            columns.iter().map(|(name, pick)| format!("{name}: {}", of_each(*pick, "/"))).collect();
        columns.join("; ")
    };
    let mut line = match dress {
        LineForm::Kea => named(&COLUMNS),
        LineForm::Guide => named(&COLUMNS[..3]),
        LineForm::Bare(between) => {
            let columns: Vec<String> =
                COLUMNS.iter().map(|(_, pick)| of_each(*pick, between)).collect();
            columns.join(between)
        }
    };
    line.push('\n');
    line
}

#[cfg(test)]
mod tests {
    use super::super::tests::nothing;
    use super::*;

    fn stages(counts: &[[u64; 4]]) -> Exchanges {
        let stages = counts.iter().map(|&[sent, received, drops, rejected]| StageFigures {
            sent,
            received,
            drops,
            rejected,
            ..StageFigures::default()
        });
        Exchanges { stages: stages.collect(), ..nothing() }
    }

    /// As printed by `perfdhcp -4 -r 10 -R 10 -p 3 -t 1 10.77.0.1` and, with a separator of a
    /// comma, by `perfdhcp -4 -r 20 -R 10 -p 3 -t 1 -C , 10.77.0.1`.
    #[test]
    fn interim_line_of_two_stages_equals_the_original() {
        let both = stages(&[[19, 19, 0, 0], [19, 19, 0, 0]]);
        assert_eq!(
            interim(&both, LineForm::Kea),
            "sent: 19/19; received: 19/19; drops: 0/0; rejected: 0/0\n"
        );
        assert_eq!(interim(&both, LineForm::Bare(",")), "19,19,19,19,0,0,0,0\n");
        assert_eq!(interim(&both, LineForm::Guide), "sent: 19/19; received: 19/19; drops: 0/0\n");
    }

    /// As printed by `perfdhcp -4 -r 30 -f 5 -F 5 -p 3 -t 1 10.77.0.1` in its second second and,
    /// with `-C ';'`, in its first.
    #[test]
    fn interim_line_of_four_stages_equals_the_original() {
        let four = stages(&[[59, 59, 0, 0], [59, 59, 0, 0], [8, 8, 0, 0], [8, 0, 8, 0]]);
        assert_eq!(
            interim(&four, LineForm::Kea),
            "sent: 59/59/8/8; received: 59/59/8/0; drops: 0/0/0/8; rejected: 0/0/0/0\n"
        );
        let four = stages(&[[29, 29, 0, 0], [29, 29, 0, 0], [3, 3, 0, 0], [3, 0, 3, 0]]);
        assert_eq!(interim(&four, LineForm::Bare(";")), "29;29;3;3;29;29;3;0;0;0;0;3;0;0;0;0\n");
    }
}
