//! Tables 3.1 to 3.6 in the layout of the guide, with its figures below the measured ones.
//!
//! The tables have the same contents as the guide's and compute them in the same way. That includes the mean of four
//! rates, which is dominated by the greatest of them. Beside it is the rate of the whole, which a server would see.
//! Only runs made as the guide made them appear: its table, one session, one operation a transaction, as fast as the
//! store works. Runs that did not complete have no figure.

use super::published::{CONTRADICTIONS, MACHINE, PHASES, SOURCE, Series, operations};
use super::runs::{Naming, Runs};
use brunt_report::chart::{Axis, Bar, Bars, Chart, Group};
use brunt_report::figure::{fixed, thousands, times};
use brunt_report::page::{Page, Table, Tone};

/// How the guide made its runs. A label that a cell does not have is assumed to match.
const AS_THE_GUIDE: [(&str, &str); 7] = [
    ("schema", "2012"),
    ("family", "4"),
    ("group", "1"),
    ("workers", "1"),
    ("rate", "max"),
    ("by", "address"),
    ("preload", "0"),
];
const THEIRS: &str = "  guide, 2012";
const RATIO: &str = "  ours/guide";

/// The four phases of one store in one setting.
struct Row<'a> {
    store: &'a str,
    name: &'a str,
    durability: &'a str,
    phases: [Option<&'a Runs<'a>>; 4],
}

impl Row<'_> {
    fn operations(&self) -> Option<f64> {
        self.phases.iter().flatten().find_map(|runs| runs.mean("operations"))
    }

    fn seconds(&self) -> [Option<f64>; 4] {
        self.phases.map(|runs| runs?.mean("seconds"))
    }

    /// Operations a second of each phase, from the mean seconds, as the guide converts its tables.
    fn rates(&self) -> [Option<f64>; 4] {
        self.phases.map(|runs| {
            let rate = runs?.mean("operations")? / runs?.mean("seconds")?;
            Some(rate).filter(|rate| rate.is_finite())
        })
    }

    /// Operations of all four phases divided by their seconds.
    fn whole(&self) -> Option<f64> {
        let sum = |name: &str| {
            let phases = self.phases.map(|runs| runs?.mean(name));
            phases.into_iter().try_fold(0.0, |sum, figure| Some(sum + figure?))
        };
        Some(sum("operations")? / sum("seconds")?).filter(|rate: &f64| rate.is_finite())
    }
}

/// Adds the tables and charts of both series, folded, where there is any data for them.
pub(super) fn add<'a>(page: &mut Page, runs: &'a [Runs<'a>], naming: &Naming<'a>) {
    let like = |runs: &&Runs<'_>| {
        AS_THE_GUIDE.iter().all(|(key, value)| ["", value].contains(&runs.label(key)))
            && PHASES.contains(&runs.label("phase"))
    };
    let completed: Vec<Runs<'a>> = runs.iter().filter(like).map(Runs::completed).collect();
    let runs: Vec<&Runs<'_>> = completed.iter().collect();
    let both = naming.both_statements;
    let series = Series::ALL.into_iter().filter(|series| {
        let word = series.statements();
        let named = runs.iter().any(|runs| runs.label("statements") == word);
        // Stores without statements are in both series, but do not justify a series by themselves.
        let bare = runs.iter().all(|runs| runs.label("statements") == "none");
        named || (bare && !both && *series == Series::Optimised && !runs.is_empty())
    });
    let mut of_2012 = Page::default();
    for series in series.collect::<Vec<_>>() {
        let rows = rows(&runs, series, naming);
        if rows.iter().all(|row| row.seconds().iter().all(Option::is_none)) {
            continue;
        }
        if of_2012.blocks.is_empty() {
            of_2012.paragraph(format!(
                "In the layout of the {SOURCE}, with its figures below ours. Its machine ({MACHINE}) is not this one: \
                 compare the shape. Ratios of seconds compare seconds per operation, so they are valid for any number \
                 of operations."
            ));
        }
        let [sync, asynchronous, rates] = series.tables();
        of_2012.table(seconds(&rows, series, "sync", sync));
        of_2012.table(seconds(&rows, series, "async", asynchronous));
        of_2012.table(self::rates(&rows, series, rates));
        of_2012.chart(chart(&rows, series, rates));
    }
    page.folded("The tables of 2012", of_2012.blocks);
}

/// The rows of a series, stores in their order, asynchronous ones first as in tables 3.3 and 3.6.
fn rows<'a>(runs: &[&'a Runs<'a>], series: Series, naming: &Naming<'a>) -> Vec<Row<'a>> {
    let mut rows: Vec<Row<'_>> = Vec::new();
    for durability in ["async", "sync"] {
        let of_series = runs.iter().filter(|runs| {
            [series.statements(), "none", ""].contains(&runs.label("statements"))
                && runs.label("durability") == durability
        });
        for runs in of_series {
            let store = runs.label("store");
            let known =
                rows.iter().position(|row| row.store == store && row.durability == durability);
            let number = known.unwrap_or_else(|| {
                rows.push(Row { store, name: naming.store(store), durability, phases: [None; 4] });
                rows.len() - 1
            });
            if let Some(phase) = PHASES.iter().position(|phase| *phase == runs.label("phase")) {
                rows[number].phases[phase] = Some(runs);
            }
        }
    }
    rows
}

/// Table 3.1, 3.2, 3.4 or 3.5.
fn seconds(rows: &[Row<'_>], series: Series, durability: &str, number: &str) -> Table {
    let kind = if durability == "sync" { "Synchronous" } else { "Asynchronous" };
    let mut table = Table::new(format!("Table {number}. {kind} results ({})", series.word()))
        .names(["Backend"])
        .figures([
            "Operations",
            "Create [s]",
            "Search [s]",
            "Update [s]",
            "Delete [s]",
            "Average [s]",
        ]);
    let count = |count: Option<f64>| count.map_or_else(|| "-".to_owned(), |n| thousands(n as u64));
    for row in rows.iter().filter(|row| row.durability == durability) {
        let ours = row.seconds();
        let average = mean(ours);
        let cells = ours.into_iter().chain([average]).map(|figure| fixed(figure, 3));
        let cells = [row.name.to_owned(), count(row.operations())].into_iter().chain(cells);
        table.row(Tone::Plain, cells.collect::<Vec<_>>());
        let theirs = series.seconds(row.store, durability);
        let published = theirs.map(|four| with(four.phases, four.average));
        let many = published.map(|_| operations(durability));
        beside(&mut table, [Some(THEIRS.to_owned()), Some(count(many))], published, |figure| {
            fixed(figure, 3)
        });
        // The seconds scaled to the number of operations that they made.
        let scale = many.zip(row.operations()).map_or(f64::NAN, |(theirs, ours)| theirs / ours);
        let ratios = published.map(|theirs| {
            let ours = ours.into_iter().chain([average]);
            ratios(ours.map(|ours| ours.map(|ours| ours * scale)), theirs)
        });
        beside(&mut table, [Some(RATIO.to_owned()), Some(String::new())], ratios, times);
    }
    for note in runs_noted(rows.iter().filter(|row| row.durability == durability)) {
        table.note(note);
    }
    contradictions(&mut table, rows, number);
    table
}

/// Adds where the guide's own figures contradict each other, for the stores that are in the table.
fn contradictions(table: &mut Table, rows: &[Row<'_>], number: &str) {
    let matching = CONTRADICTIONS.iter().filter(|(of, store, _)| {
        let shown = |row: &Row<'_>| row.store == *store && row.durability == "sync";
        *of == number && rows.iter().any(shown)
    });
    matching.for_each(|(_, _, text)| table.note(*text));
}

/// Table 3.3 or 3.6.
fn rates(rows: &[Row<'_>], series: Series, number: &str) -> Table {
    let mut table = Table::new(format!("Table {number}. Estimated {} performance", series.word()))
        .names(["Backend"])
        .figures([
            "Create [oper/s]",
            "Search [oper/s]",
            "Update [oper/s]",
            "Delete [oper/s]",
            "Average [oper/s]",
            "Whole [oper/s]",
        ]);
    for row in rows {
        let ours = row.rates();
        let (average, whole) = (mean(ours), row.whole());
        let cells = ours.into_iter().chain([average, whole]).map(|figure| fixed(figure, 2));
        let name = format!("{} ({})", row.name, row.durability);
        table.row(Tone::Plain, std::iter::once(name).chain(cells).collect::<Vec<_>>());
        let theirs = published_rates(series, row);
        beside(&mut table, [Some(THEIRS.to_owned()), None], theirs, |figure| fixed(figure, 2));
        let ours = ours.into_iter().chain([average, whole]);
        let ratios = theirs.map(|theirs| ratios(ours, theirs));
        beside(&mut table, [Some(RATIO.to_owned()), None], ratios, times);
    }
    table.note(
        "Average: mean of the four rates (as the guide prints it), which the fastest phase dominates. Whole: \
         the rate of the whole, all operations of the four phases divided by all their seconds; of 2012, computed from \
         the tables of seconds.",
    );
    contradictions(&mut table, rows, number);
    table
}

fn published_rates(series: Series, row: &Row<'_>) -> Option<[Option<f64>; 6]> {
    let four = series.rates(row.store, row.durability)?;
    let [create, search, update, delete] = four.phases.map(Some);
    let whole = series.whole(row.store, row.durability);
    Some([create, search, update, delete, Some(four.average), whole])
}

/// Figures 3.3 and 3.6: the rates of all rows, on a logarithmic scale.
fn chart(rows: &[Row<'_>], series: Series, number: &str) -> Chart {
    let groups = rows.iter().map(|row| {
        let theirs = published_rates(series, row).unwrap_or_default();
        let theirs = [theirs[0], theirs[1], theirs[2], theirs[3], theirs[5]];
        let ours = row.rates().into_iter().chain([row.whole()]);
        let bars = ours.zip(theirs).map(|(value, published)| Bar { value, published });
        Group { name: format!("{} ({})", row.name, row.durability), bars: bars.collect() }
    });
    let groups: Vec<Group> = groups.collect();
    let compared = groups.iter().flat_map(|group| &group.bars).any(|bar| bar.published.is_some());
    Chart::Bars(Bars {
        title: format!("Table {number} as bars"),
        value: Axis::logarithmic("operations a second"),
        series: PHASES.iter().copied().chain(["whole"]).map(str::to_owned).collect(),
        groups,
        published: compared.then(|| "the guide, 2012".to_owned()),
    })
}

/// Adds a row beside another. Where nothing was published, it is one row of dashes.
fn beside<const N: usize>(
    table: &mut Table,
    names: [Option<String>; 2],
    figures: Option<[Option<f64>; N]>,
    written: impl Fn(Option<f64>) -> String,
) {
    let ratio = names.iter().flatten().any(|name| name == RATIO);
    if ratio && figures.is_none() {
        return;
    }
    let figures = figures.unwrap_or([None; N]);
    let cells = names.into_iter().flatten().chain(figures.map(written));
    table.row(Tone::Beside, cells.collect::<Vec<_>>());
}

fn with(phases: [f64; 4], average: f64) -> [Option<f64>; 5] {
    let [create, search, update, delete] = phases.map(Some);
    [create, search, update, delete, Some(average)]
}

fn ratios<const N: usize>(
    mut ours: impl Iterator<Item = Option<f64>>,
    theirs: [Option<f64>; N],
) -> [Option<f64>; N] {
    theirs.map(|theirs| Some(ours.next()?? / theirs?))
}

/// The mean, where all four are known.
fn mean(figures: [Option<f64>; 4]) -> Option<f64> {
    figures.into_iter().try_fold(0.0, |sum, figure| Some(sum + figure?)).map(|sum| sum / 4.0)
}

/// How many runs the figures are the mean of, and which phases have none.
fn runs_noted<'a>(rows: impl Iterator<Item = &'a Row<'a>>) -> Vec<String> {
    let (mut least, mut most, mut missing) = (usize::MAX, 0, Vec::new());
    for (row, (runs, phase)) in
        rows.flat_map(|row| row.phases.into_iter().zip(PHASES).map(move |phase| (row, phase)))
    {
        match runs.map(|runs| runs.cells.len()) {
            Some(0) => missing.push(format!("{} {phase}", row.name)),
            Some(count) => (least, most) = (least.min(count), most.max(count)),
            None => {}
        }
    }
    let counted = match (least, most) {
        (_, 0) => None,
        (1, 1) => Some("One run.".to_owned()),
        (least, most) if least == most => {
            Some(format!("The mean of {most} runs, as the guide took it."))
        }
        _ => Some(format!("The mean of {least} to {most} runs, as the guide took it.")),
    };
    let missing = (!missing.is_empty())
        .then(|| format!("No figure, because no run completed: {}.", missing.join(", ")));
    counted.into_iter().chain(missing).collect()
}
