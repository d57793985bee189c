//! The columns of UnboundID's tables, to the last space: scripts cut them into columns.

use crate::options::rate::table_options::Timestamps;

/// The width of a column of figures.
const WIDTH: usize = 12;

/// What the overall columns show before the warm-up is over.
pub(super) const WARMING_UP: &str = "warming up";

/// The line after the warm-up.
pub(super) const WARMED_UP: &str = "Warm-up completed.  Beginning overall statistics collection.\n";

/// The columns of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Layout {
    /// The second title of each column of an interval.
    pub recent: &'static [&'static str],
    /// The second title of each column of the whole run.
    pub overall: &'static [&'static str],
    /// The column before them.
    pub timestamps: Timestamps,
    /// Comma-separated values.
    pub csv: bool,
}

/// The titles of a tool: those of an interval, and those of the whole run.
pub(super) type Titles = (&'static [&'static str], &'static [&'static str]);

pub(super) const SEARCHES: Titles = (
    &["Searches/Sec", "Avg Dur ms", "Entries/Srch", "Errors/Sec"],
    &["Searches/Sec", "Avg Dur ms"],
);
pub(super) const BINDS: Titles =
    (&["Auths/Sec", "Avg Dur ms", "Errors/Sec"], &["Auths/Sec", "Avg Dur ms"]);
pub(super) const MODIFICATIONS: Titles =
    (&["Mods/Sec", "Avg Dur ms", "Errors/Sec"], &["Mods/Sec", "Avg Dur ms"]);
pub(super) const SEARCHES_AND_MODIFICATIONS: Titles = (
    &["Searches/Sec", "Srch Dur ms", "Mods/Sec", "Mod Dur ms", "Errors/Sec"],
    &["Searches/Sec", "Srch Dur ms", "Mods/Sec", "Mod Dur ms"],
);

impl Layout {
    /// The lines above the first row.
    pub(super) fn header(&self) -> String {
        let titles = || {
            let recent = self.recent.iter().map(|title| ("Recent", *title));
            recent.chain(self.overall.iter().map(|title| ("Overall", *title)))
        };
        if self.csv {
            let stamp = self.stamp_width().map(|_| "Timestamp".to_owned());
            let titles = titles().map(|(first, second)| format!("{first} {second}"));
            return joined(stamp.into_iter().chain(titles), ",");
        }
        let line = |stamp: &str, cells: Vec<&str>| {
            let stamp = self.stamp_width().map(|width| format!("{stamp:<width$}"));
            let cells = cells.iter().map(|cell| format!("{cell:>WIDTH$}"));
            joined(stamp.into_iter().chain(cells), " ")
        };
        let rule = "-".repeat(WIDTH);
        let stamp_rule = "-".repeat(self.stamp_width().unwrap_or_default());
        line("", titles().map(|(first, _)| first).collect())
            + &line("Timestamp", titles().map(|(_, second)| second).collect())
            + &line(&stamp_rule, titles().map(|_| rule.as_str()).collect())
    }

    /// A row; without figures of the whole run, it is warming up.
    pub(super) fn row(&self, stamp: &str, recent: &[f64], overall: Option<&[f64]>) -> String {
        let warming = vec![WARMING_UP.to_owned(); self.overall.len()];
        let figures = |figures: &[f64]| figures.iter().map(|it| self.figure(*it)).collect();
        let cells: Vec<String> = [figures(recent), overall.map_or(warming, figures)].concat();
        let stamp = self
            .stamp_width()
            .map(|width| if self.csv { stamp.to_owned() } else { format!("{stamp:<width$}") });
        let cells =
            cells.into_iter().map(|cell| if self.csv { cell } else { format!("{cell:>WIDTH$}") });
        joined(stamp.into_iter().chain(cells), if self.csv { "," } else { " " })
    }

    /// A figure with three decimals, of which a column shows those that it has room for.
    fn figure(&self, figure: f64) -> String {
        let text = format!("{figure:.3}");
        let decimals = text.find('.').unwrap_or(text.len());
        if self.csv || text.len() <= WIDTH {
            return text;
        }
        text[..WIDTH.max(decimals)].to_owned()
    }

    /// The width of the first column, if there is one.
    fn stamp_width(&self) -> Option<usize> {
        match self.timestamps {
            Timestamps::None => None,
            Timestamps::WithDate => Some(19),
            Timestamps::WithoutDate => Some(9),
        }
    }

    /// The time of a row, as `strftime` writes it.
    pub(super) fn time_format(&self) -> &'static str {
        match self.timestamps {
            Timestamps::None => "",
            Timestamps::WithDate => "%d/%m/%Y %H:%M:%S",
            Timestamps::WithoutDate => "%H:%M:%S",
        }
    }
}

fn joined(cells: impl Iterator<Item = String>, between: &str) -> String {
    let line = cells.collect::<Vec<_>>().join(between);
    format!("{}\n", line.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(titles: Titles, timestamps: Timestamps, csv: bool) -> Layout {
        Layout { recent: titles.0, overall: titles.1, timestamps, csv }
    }

    #[test]
    fn searchrate_table_equals_the_original() {
        let table = layout(SEARCHES, Timestamps::None, false);
        let text = table.header()
            + &table.row("", &[49.975, 1.112, 1.0, 0.0], None)
            + WARMED_UP
            + &table.row("", &[49.98, 0.562, 1.0, 0.0], Some(&[49.98, 0.562]));
        let expected = [
            "      Recent       Recent       Recent       Recent      Overall      Overall",
            "Searches/Sec   Avg Dur ms Entries/Srch   Errors/Sec Searches/Sec   Avg Dur ms",
            "------------ ------------ ------------ ------------ ------------ ------------",
            "      49.975        1.112        1.000        0.000   warming up   warming up",
            "Warm-up completed.  Beginning overall statistics collection.",
            "      49.980        0.562        1.000        0.000       49.980        0.562",
            "",
        ];
        assert_eq!(text, expected.join("\n"));
    }

    #[test]
    fn timestamps_are_a_separate_column() {
        let table = layout(SEARCHES, Timestamps::WithDate, false);
        let row =
            table.row("28/11/2026 04:15:26", &[50.066, 0.703, 1.0, 0.0], Some(&[50.066, 0.703]));
        let expected = [
            "                          Recent       Recent       Recent       Recent      Overall      Overall",
            "Timestamp           Searches/Sec   Avg Dur ms Entries/Srch   Errors/Sec Searches/Sec   Avg Dur ms",
            "------------------- ------------ ------------ ------------ ------------ ------------ ------------",
            "28/11/2026 04:15:26       50.066        0.703        1.000        0.000       50.066        0.703",
            "",
        ];
        assert_eq!(table.header() + &row, expected.join("\n"));
        let short = layout(BINDS, Timestamps::WithoutDate, false);
        assert!(short.row("04:15:27", &[1.0; 3], None).starts_with("04:15:27         1.000 "));
    }

    #[test]
    fn csv_has_one_header_and_no_padding() {
        let table = layout(SEARCHES_AND_MODIFICATIONS, Timestamps::None, true);
        assert_eq!(
            table.header(),
            "Recent Searches/Sec,Recent Srch Dur ms,Recent Mods/Sec,Recent Mod Dur ms,Recent Errors/Sec,\
             Overall Searches/Sec,Overall Srch Dur ms,Overall Mods/Sec,Overall Mod Dur ms\n"
        );
        assert_eq!(
            table.row("", &[24.997, 1.087, 24.997, 0.626, 0.0], None),
            "24.997,1.087,24.997,0.626,0.000,warming up,warming up,warming up,warming up\n"
        );
        let stamped = layout(MODIFICATIONS, Timestamps::WithoutDate, true);
        assert!(stamped.header().starts_with("Timestamp,Recent Mods/Sec,"));
        assert!(stamped.row("04:15:27", &[1.0; 3], None).starts_with("04:15:27,1.000,"));
    }

    /// The cells are those of the SDK's formatter for the same numbers.
    #[test]
    fn figures_are_rounded_like_the_sdk() {
        let table = layout(BINDS, Timestamps::None, false);
        for (figure, cell) in [
            (0.0625, "0.062"),
            (0.1875, "0.188"),
            (123_456_789.5, "123456789.50"),
            (123_456_789.567, "123456789.56"),
            (1_234_567_890.567, "1234567890.5"),
            (12_345_678_901.567, "12345678901."),
            (123_456_789_012.567, "123456789012"),
            (99_999_999.999_6, "100000000.00"),
        ] {
            assert_eq!(table.figure(figure), cell);
        }
        assert_eq!(
            layout(BINDS, Timestamps::None, true).figure(1_234_567_890.567),
            "1234567890.567"
        );
    }
}
