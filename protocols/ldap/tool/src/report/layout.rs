//! The layout of the tables of the LDAP rate tools, to the last space: scripts cut them into
//! columns.
//!
//! Cells are right-aligned and followed by a space, sections begin with `| ` and so does the end
//! of the line. A value too long for its column pushes the others aside; it is never cut.

use std::fmt::Write;

const WIDTH_MIN: usize = 8;
const SECTION: &str = "| ";

/// A column beside errors per second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extra {
    /// Entries per successful search, of `searchrate`.
    EntriesPerSearch,
    /// The share of adds among adds and deletes, of `addrate`.
    AddShare,
    /// The share of the time of a search and bind that the bind took, of `authrate`.
    BindTimeShare {
        /// The part that the search is measured as.
        search: u8,
    },
}

impl Extra {
    /// The title of the column.
    pub(crate) const fn title(self) -> &'static str {
        match self {
            Self::EntriesPerSearch => "Entries/Srch",
            Self::AddShare => "Add%",
            Self::BindTimeShare { .. } => "bind time %",
        }
    }

    const fn width(self) -> usize {
        match self {
            Self::EntriesPerSearch => 12,
            Self::AddShare => 6,
            Self::BindTimeShare { .. } => 11,
        }
    }

    const fn decimals(self) -> usize {
        match self {
            Self::AddShare => 2,
            Self::EntriesPerSearch | Self::BindTimeShare { .. } => 1,
        }
    }
}

/// The figures of one row. A figure without a value is shown as a dash.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Row {
    /// Seconds since the table began. Shown in CSV only.
    pub seconds: f64,
    /// Exchanges a second in this interval.
    pub recent_throughput: Option<f64>,
    /// Exchanges a second since the table began.
    pub average_throughput: Option<f64>,
    /// The mean of this interval, in milliseconds.
    pub recent_mean: Option<f64>,
    /// The mean since the table began, in milliseconds.
    pub average_mean: Option<f64>,
    /// Percentiles since the table began, in milliseconds.
    pub percentiles: Vec<Option<f64>>,
    /// Errors a second in this interval.
    pub errors: Option<f64>,
    /// The extra column.
    pub extra: Option<f64>,
}

/// The columns of a table.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Layout {
    percentiles: Vec<f64>,
    extra: Option<Extra>,
}

impl Layout {
    /// A table with these percentiles (0 to 100), in ascending order.
    pub(crate) fn new(percentiles: &[f64], extra: Option<Extra>) -> Self {
        let mut percentiles = percentiles.to_vec();
        percentiles.sort_by(f64::total_cmp);
        percentiles.dedup();
        Self { percentiles, extra }
    }

    /// The percentiles, ascending.
    pub(crate) fn percentiles(&self) -> &[f64] {
        &self.percentiles
    }

    /// The extra column.
    pub(crate) fn extra(&self) -> Option<Extra> {
        self.extra
    }

    /// The five lines above the first row.
    pub(crate) fn text_header(&self) -> String {
        let sections = self.sections();
        let widths =
            || sections.iter().map(|section| section.iter().map(|column| column.width + 1).sum());
        let last = if self.extra.is_some() { ["Additional", "Statistics"] } else { ["", ""] };
        let mut text = String::new();
        let rule = "-".repeat(widths().sum::<usize>() + SECTION.len() * (sections.len() + 1) - 1);
        text.push_str(&rule);
        text.push('\n');
        for titles in
            [["Throughput", "Response Time", last[0]], ["(ops/second)", "(milliseconds)", last[1]]]
        {
            for (title, width) in titles.iter().zip(widths()) {
                text.push_str(SECTION);
                centre(&mut text, title, width);
            }
            text.push_str(SECTION);
            text.push('\n');
        }
        let titles =
            sections.iter().map(|section| section.iter().map(|column| column.title.clone()));
        line(&mut text, &sections, titles);
        text.push_str(&rule);
        text.push('\n');
        text
    }

    /// One row, ending in a newline.
    pub(crate) fn text_row(&self, row: &Row) -> String {
        let mut text = String::new();
        let mut cells = self.cells(row).into_iter();
        let sections = self.sections();
        let values =
            sections.iter().map(|section| cells.by_ref().take(section.len()).collect::<Vec<_>>());
        let values: Vec<Vec<String>> = values.collect();
        line(&mut text, &sections, values);
        text
    }

    /// The header of the CSV.
    pub(crate) fn csv_header(&self) -> String {
        let mut text = String::from(
            "Time (seconds),Recent throughput (ops/second),Average throughput (ops/second),\
             Recent response time (milliseconds),Average response time (milliseconds)",
        );
        for percentile in &self.percentiles {
            let _ = write!(text, ",{} response time (milliseconds)", percent(*percentile));
        }
        text.push_str(",Errors/second");
        if let Some(extra) = self.extra {
            text.push(',');
            text.push_str(extra.title());
        }
        text.push('\n');
        text
    }

    /// One row of CSV, ending in a newline.
    pub(crate) fn csv_row(&self, row: &Row) -> String {
        format!("{:.3},{}\n", row.seconds, self.cells(row).join(","))
    }

    fn cells(&self, row: &Row) -> Vec<String> {
        let throughput =
            [row.recent_throughput, row.average_throughput].map(|value| cell(value, 1));
        let means = [row.recent_mean, row.average_mean].map(|value| cell(value, 3));
        let percentiles = (0..self.percentiles.len())
            .map(|number| cell(row.percentiles.get(number).copied().flatten(), 2));
        let extra = self.extra.map(|extra| cell(row.extra, extra.decimals()));
        throughput
            .into_iter()
            .chain(means)
            .chain(percentiles)
            .chain([cell(row.errors, 1)])
            .chain(extra)
            .collect()
    }

    fn sections(&self) -> [Vec<Column>; 3] {
        let column =
            |title: &str| Column { title: title.to_owned(), width: title.len().max(WIDTH_MIN) };
        let pair = || vec![column("recent"), column("average")];
        let mut times = pair();
        times.extend(self.percentiles.iter().map(|percentile| column(&percent(*percentile))));
        let mut last = vec![column("err/sec")];
        last.extend(
            self.extra
                .map(|extra| Column { title: extra.title().to_owned(), width: extra.width() }),
        );
        [pair(), times, last]
    }
}

struct Column {
    title: String,
    width: usize,
}

fn line<S: IntoIterator<Item = String>>(
    text: &mut String,
    sections: &[Vec<Column>],
    values: impl IntoIterator<Item = S>,
) {
    for (section, values) in sections.iter().zip(values) {
        text.push_str(SECTION);
        for (column, value) in section.iter().zip(values) {
            let _ = write!(text, "{value:>width$} ", width = column.width);
        }
    }
    text.push_str(SECTION);
    text.push('\n');
}

/// Centres within `width`; an odd space goes to the right.
fn centre(text: &mut String, title: &str, width: usize) {
    let _ = write!(text, "{title:^width$}");
}

fn cell(value: Option<f64>, decimals: usize) -> String {
    value
        .filter(|value| value.is_finite())
        .map_or_else(|| "-".to_owned(), |value| format!("{value:.decimals$}"))
}

/// `99.9%`, and `99.0%` for a whole number: the original titles have this form.
fn percent(percentile: f64) -> String {
    format!("{percentile:?}%")
}

#[cfg(test)]
mod tests {
    use super::*;

    const DEFAULTS: [f64; 3] = [99.9, 99.99, 99.999];

    fn row(
        throughput: [f64; 2],
        means: [f64; 2],
        percentiles: [f64; 3],
        extra: Option<f64>,
    ) -> Row {
        Row {
            seconds: 5.0,
            recent_throughput: Some(throughput[0]),
            average_throughput: Some(throughput[1]),
            recent_mean: Some(means[0]),
            average_mean: Some(means[1]),
            percentiles: percentiles.map(Some).to_vec(),
            errors: Some(0.0),
            extra,
        }
    }

    #[test]
    fn authrate_table_equals_the_reference() {
        let layout = Layout::new(&DEFAULTS, None);
        let rows = [
            row([20306.0, 20306.0], [0.469, 0.469], [11.40, 38.01, 55.05], None),
            row([27672.6, 23989.3], [0.352, 0.401], [8.52, 24.12, 50.33], None),
            row([26805.7, 26217.2], [0.361, 0.370], [6.32, 16.65, 42.99], None),
        ];
        let text: String = std::iter::once(layout.text_header())
            .chain(rows.iter().map(|row| layout.text_row(row)))
            .collect();
        let expected = [
            "-------------------------------------------------------------------------------",
            "|     Throughput    |                 Response Time                |          | ",
            "|    (ops/second)   |                (milliseconds)                |          | ",
            "|   recent  average |   recent  average    99.9%   99.99%  99.999% |  err/sec | ",
            "-------------------------------------------------------------------------------",
            "|  20306.0  20306.0 |    0.469    0.469    11.40    38.01    55.05 |      0.0 | ",
            "|  27672.6  23989.3 |    0.352    0.401     8.52    24.12    50.33 |      0.0 | ",
            "|  26805.7  26217.2 |    0.361    0.370     6.32    16.65    42.99 |      0.0 | ",
            "",
        ];
        assert_eq!(text, expected.join("\n"));
    }

    #[test]
    fn searchrate_table_has_an_extra_section() {
        let layout = Layout::new(&DEFAULTS, Some(Extra::EntriesPerSearch));
        let row = row([1390.6, 1390.6], [2.683, 2.620], [101.19, 103.81, 103.81], Some(1.0));
        let text = layout.text_header() + &layout.text_row(&row);
        let expected = [
            "--------------------------------------------------------------------------------------------",
            "|     Throughput    |                 Response Time                |       Additional      | ",
            "|    (ops/second)   |                (milliseconds)                |       Statistics      | ",
            "|   recent  average |   recent  average    99.9%   99.99%  99.999% |  err/sec Entries/Srch | ",
            "--------------------------------------------------------------------------------------------",
            "|   1390.6   1390.6 |    2.683    2.620   101.19   103.81   103.81 |      0.0          1.0 | ",
            "",
        ];
        assert_eq!(text, expected.join("\n"));
    }

    #[test]
    fn table_rule_is_a_column_shorter_than_the_rows() {
        for (extra, dashes) in
            [(None, 79), (Some(Extra::EntriesPerSearch), 92), (Some(Extra::AddShare), 86)]
        {
            let header = Layout::new(&DEFAULTS, extra).text_header();
            let lines: Vec<&str> = header.lines().collect();
            assert_eq!(lines[0].len(), dashes);
            assert!(lines[1..4].iter().all(|line| line.len() == dashes + 1), "{header}");
        }
        let layout = Layout::new(&DEFAULTS, Some(Extra::AddShare));
        let row = row([1.0, 1.0], [1.0, 1.0], [1.0, 1.0, 1.0], Some(33.333));
        assert!(layout.text_row(&row).ends_with("|      0.0  33.33 | \n"));
        let layout = Layout::new(&DEFAULTS, Some(Extra::BindTimeShare { search: 0 }));
        assert!(layout.text_row(&row).ends_with("|      0.0        33.3 | \n"));
    }

    #[test]
    fn percentile_titles_are_sorted_decimals() {
        let header = Layout::new(&[99.0, 50.0, 99.999_999_9], None).text_header();
        assert!(
            header.contains("|   recent  average    50.0%    99.0% 99.9999999% | "),
            "{header}"
        );
    }

    #[test]
    fn missing_figure_is_a_dash() {
        let layout = Layout::new(&DEFAULTS, Some(Extra::EntriesPerSearch));
        let empty = Row { recent_mean: Some(f64::NAN), seconds: 1.0, ..Row::default() };
        let text = layout.text_row(&empty);
        assert_eq!(
            text,
            "|        -        - |        -        -        -        -        - |        -            - | \n"
        );
        assert_eq!(layout.csv_row(&empty), "1.000,-,-,-,-,-,-,-,-,-\n");
    }

    #[test]
    fn long_values_widen_the_row() {
        let layout = Layout::new(&DEFAULTS, None);
        let text = layout.text_row(&row([123_456_789.0, 1.0], [1.0, 1.0], [1.0, 1.0, 1.0], None));
        assert!(text.starts_with("| 123456789.0      1.0 | "), "{text}");
    }

    #[test]
    fn csv_equals_the_original() {
        let layout = Layout::new(&DEFAULTS, None);
        assert_eq!(
            layout.csv_header(),
            "Time (seconds),Recent throughput (ops/second),Average throughput (ops/second),\
             Recent response time (milliseconds),Average response time (milliseconds),\
             99.9% response time (milliseconds),99.99% response time (milliseconds),\
             99.999% response time (milliseconds),Errors/second\n"
        );
        let mut row = row([1390.6, 1390.6], [2.683, 2.620], [101.19, 103.81, 103.81], Some(1.0));
        row.seconds = 1.003;
        assert_eq!(
            layout.csv_row(&row),
            "1.003,1390.6,1390.6,2.683,2.620,101.19,103.81,103.81,0.0\n"
        );
        let add = Layout::new(&DEFAULTS, Some(Extra::AddShare));
        assert!(add.csv_header().ends_with(",Errors/second,Add%\n"));
        assert!(add.csv_row(&row).ends_with(",0.0,1.00\n"));
    }
}
