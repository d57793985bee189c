//! [`Report`]: the table and the figures of a report, read back from its text, and the formulas they must obey.

/// Names of the columns behind the first, and how wide they are.
const COLUMNS: [(&str, usize); 15] = [
    ("TxTotal", 10),
    ("AccmTime", 10),
    ("Thrshold", 10),
    ("TxPass", 10),
    ("PassTime", 10),
    ("TxExced", 10),
    ("ExcdTime", 10),
    ("TxFail", 10),
    ("Failtime", 10),
    ("CbdPsOps", 12),
    ("ThrdOps", 12),
    ("Avrms/op", 14),
    ("Success", 10),
    ("Exceed", 10),
    ("Fail", 10),
];

/// A report, read back.
#[derive(Debug)]
pub struct Report {
    text: String,
    /// The rows of the table.
    pub rows: Vec<Row>,
}

/// A row of the table: its name and its columns, with the unit taken off.
#[derive(Clone, Debug)]
pub struct Row {
    /// What the row is about.
    pub name: String,
    columns: Vec<String>,
}

impl Row {
    /// The text of a column, without its unit.
    pub fn text(&self, name: &str) -> &str {
        let at = COLUMNS.iter().position(|(known, _)| *known == name);
        let at = at.unwrap_or_else(|| panic!("there is no column {name}"));
        &self.columns[at]
    }

    /// The number in a column.
    pub fn number(&self, name: &str) -> f64 {
        self.text(name).parse().unwrap_or_else(|_| panic!("{name} of {self:?}"))
    }

    /// How many passed, exceeded and failed.
    pub fn counts(&self) -> [u64; 3] {
        ["TxPass", "TxExced", "TxFail"].map(|name| self.number(name) as u64)
    }
}

impl Report {
    /// Reads the text of a report; a panic if it is none.
    pub fn read(text: &str) -> Self {
        let mut lines = text.lines().skip_while(|line| !line.starts_with("Operation  "));
        let head = lines.next().unwrap_or_else(|| panic!("there is no table in\n{text}"));
        let heads = COLUMNS.iter().fold(format!("{:<32}", "Operation"), |line, (name, width)| {
            format!("{line}{name:>width$}")
        });
        assert_eq!(head, heads);
        let rows = lines.take_while(|line| !line.starts_with("Job lapsed time")).map(row).collect();
        Self { text: text.to_owned(), rows }
    }

    /// The rows of a task.
    pub fn rows_of(&self, name: &str) -> Vec<&Row> {
        self.rows.iter().filter(|row| row.name == name).collect()
    }

    /// The only row of a task.
    pub fn row(&self, name: &str) -> &Row {
        let rows = self.rows_of(name);
        assert_eq!(rows.len(), 1, "{name} in\n{}", self.text);
        rows[0]
    }

    /// What stands behind a label.
    pub fn figure(&self, label: &str) -> &str {
        let label = format!("{label} =\t");
        let line = self.text.lines().find_map(|line| line.strip_prefix(&label));
        line.unwrap_or_else(|| panic!("there is no {label} in\n{}", self.text)).trim()
    }

    /// The number behind a label.
    pub fn number(&self, label: &str) -> f64 {
        let digits = |c: char| c.is_ascii_digit() || c == '.';
        let figure = self.figure(label);
        let end = figure.find(|c| !digits(c)).unwrap_or(figure.len());
        figure[..end].parse().unwrap_or_else(|_| panic!("{label}: {figure}"))
    }

    /// Recomputes every quotient from counts and times. What times were rounded to bounds how far off they may be.
    pub fn obeys(&self, threads: f64) {
        for row in &self.rows {
            let of = |name| row.number(name);
            let [passed, exceeded, failed] = row.counts().map(|count| count as f64);
            let total = passed + exceeded + failed;
            near(of("TxTotal"), total, 0.0, row);
            let times = of("PassTime") + of("ExcdTime") + of("Failtime");
            near(of("AccmTime"), times, 0.0021, row);
            for (name, part) in [("Success", passed), ("Exceed", exceeded), ("Fail", failed)] {
                near(of(name), 100.0 * part / total, 0.0101, row);
            }
            let time = of("PassTime");
            if passed == 0.0 || time < 0.01 {
                continue;
            }
            // Half a millisecond of a time that is a few of them is a large part of it.
            let off = 1.0 + 0.000_6 / time;
            let rates = [("CbdPsOps", threads * passed / time), ("ThrdOps", passed / time)];
            for (name, value) in rates.into_iter().chain([("Avrms/op", 1000.0 * time / passed)]) {
                near(of(name), value, value * (off - 1.0) + 0.001, row);
            }
        }
        let sum = |name: &str| self.rows.iter().map(|row| row.number(name)).sum::<f64>();
        let actual = self.number("Transaction actual");
        assert!((actual - sum("TxPass")).abs() < 0.5, "{}", self.text);
        let accumulated = self.number("Passed Accum time");
        assert!(
            (accumulated - 1000.0 * sum("PassTime")).abs() <= 0.6 * self.rows.len() as f64 + 1.0
        );
        let lapsed = self.number("Job lapsed time");
        let during = self.number("Ops/s during job");
        assert!(
            (during - 1000.0 * actual / lapsed).abs() <= during / lapsed + 0.001,
            "{}",
            self.text
        );
        let rate = 100.0 * actual / self.number("Transaction goal");
        assert!((self.number("Success rate") - rate).abs() < 0.0101, "{}", self.text);
        assert!((self.number("Total Threads") - threads).abs() < 0.1);
    }
}

fn near(shown: f64, value: f64, off: f64, row: &Row) {
    assert!((shown - value).abs() <= off, "{shown} instead of {value}: {row:?}");
}

fn row(line: &str) -> Row {
    let (mut from, end) = (32, line.len());
    let columns = COLUMNS.iter().map(|(_, width)| {
        let column = &line[from.min(end)..(from + width).min(end)];
        from += width;
        column
            .trim()
            .trim_end_matches(|c: char| c.is_ascii_alphabetic() || "/%".contains(c))
            .to_owned()
    });
    let columns = columns.collect();
    Row { name: line[..32].trim_end().to_owned(), columns }
}
