//! What was published in 2012: tables 3.1 to 3.6 of the "Kea/BIND 10 DHCP Performance Guide".
//!
//! Chapter 3, sections 3.5 and 3.6. The machine: Intel Core i7-2600K at 3.4 GHz, a Seagate
//! ST31500341AS disk at 7200 rpm with ext4, Ubuntu 12.04 (kernel 3.2), MySQL 5.5.24, SQLite 3.7.9,
//! g++ 4.6.3. Basic: compiled with -O0, statements not prepared, one run. Optimised: -Ofast,
//! statements prepared, the mean of three runs.

/// Where the figures are from.
pub(super) const SOURCE: &str = "Kea/BIND 10 DHCP Performance Guide (ISC, 2012), chapter 3";
/// The machine they were made on.
pub(super) const MACHINE: &str =
    "Core i7-2600K, 7200 rpm disk, ext4, Ubuntu 12.04, MySQL 5.5.24, SQLite 3.7.9";

/// The phases of the guide's benchmarks, in their order.
pub(super) const PHASES: [&str; 4] = ["create", "search", "update", "delete"];

/// One of the two ways in which everything was measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Series {
    /// Not compiled for speed, statements not prepared: tables 3.1 to 3.3.
    Basic,
    /// Both: tables 3.4 to 3.6.
    Optimised,
}

/// Figures of the four phases, and what the guide prints as their average.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct PhaseAverages {
    /// Create, search, update, delete.
    pub phases: [f64; 4],
    /// The average as printed.
    pub average: f64,
}

/// A row of a table: the store and whether it was synchronous.
type Line = (&'static str, &'static str, PhaseAverages);

impl Series {
    /// Both, in the guide's order.
    pub(super) const ALL: [Self; 2] = [Self::Basic, Self::Optimised];

    /// What the guide calls it.
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Basic => "basic",
            Self::Optimised => "optimised",
        }
    }

    /// The label value of our cells for statements of this kind.
    pub(super) const fn statements(self) -> &'static str {
        match self {
            Self::Basic => "basic",
            Self::Optimised => "prepared",
        }
    }

    /// The numbers of its tables: synchronous, asynchronous, rates.
    pub(super) const fn tables(self) -> [&'static str; 3] {
        match self {
            Self::Basic => ["3.1", "3.2", "3.3"],
            Self::Optimised => ["3.4", "3.5", "3.6"],
        }
    }

    /// Seconds, as published.
    pub(super) fn seconds(self, store: &str, durability: &str) -> Option<PhaseAverages> {
        find(
            if self == Self::Basic { &SECONDS_BASIC } else { &SECONDS_OPTIMISED },
            store,
            durability,
        )
    }

    /// Operations a second, as published.
    pub(super) fn rates(self, store: &str, durability: &str) -> Option<PhaseAverages> {
        find(if self == Self::Basic { &RATES_BASIC } else { &RATES_OPTIMISED }, store, durability)
    }

    /// Operations a second of all four phases together, which the guide does not print: those of all
    /// phases divided by their seconds.
    pub(super) fn whole(self, store: &str, durability: &str) -> Option<f64> {
        let seconds: f64 = self.seconds(store, durability)?.phases.iter().sum();
        Some(4.0 * operations(durability) / seconds)
    }
}

/// Where the guide contradicts itself: the table, the store, and what does not fit.
pub(super) const CONTRADICTIONS: [(&str, &str, &str); 3] = [
    (
        "3.3",
        "sqlite",
        "The guide prints 20045.37 searches a second for SQLite (sync). Its own average of that row and the 0.033 s of \
         table 3.1 both make 30045.37.",
    ),
    (
        "3.4",
        "sqlite",
        "The guide prints an average of 45.626 s for SQLite. Its four columns make 45.515.",
    ),
    (
        "3.6",
        "memfile",
        "The guide prints 3460207.61 searches a second for memfile (sync), 0.0003 s for a thousand. Table 3.4 has \
         0.001 s.",
    ),
];

/// How many operations a phase had.
pub(super) fn operations(durability: &str) -> f64 {
    if durability == "sync" { 1_000.0 } else { 100_000.0 }
}

fn find(lines: &[Line], store: &str, durability: &str) -> Option<PhaseAverages> {
    lines.iter().find(|line| line.0 == store && line.1 == durability).map(|line| line.2)
}

const fn row(
    store: &'static str,
    durability: &'static str,
    phases: [f64; 4],
    average: f64,
) -> Line {
    (store, durability, PhaseAverages { phases, average })
}

/// Tables 3.1 and 3.2.
const SECONDS_BASIC: [Line; 6] = [
    row("mysql", "sync", [31.604, 0.117, 27.964, 27.695], 21.845),
    row("sqlite", "sync", [61.421, 0.033, 59.477, 56.034], 44.241),
    row("memfile", "sync", [38.224, 0.001, 38.041, 38.017], 28.571),
    row("mysql", "async", [10.585, 10.386, 10.062, 8.890], 9.981),
    row("sqlite", "async", [3.710, 3.159, 2.865, 2.439], 3.044),
    row("memfile", "async", [1.300, 0.039, 1.307, 1.278], 0.981),
];

/// Table 3.3.
const RATES_BASIC: [Line; 6] = [
    row("mysql", "async", [9447.47, 9627.97, 9938.00, 11248.34], 10065.45),
    row("sqlite", "async", [26951.59, 31654.29, 34899.70, 40993.59], 33624.79),
    row("memfile", "async", [76944.27, 2_542_588.35, 76504.54, 78269.25], 693_576.60),
    row("mysql", "sync", [31.64, 8575.45, 35.76, 36.11], 2169.74),
    row("sqlite", "sync", [16.28, 20045.37, 16.81, 17.85], 7524.08),
    row("memfile", "sync", [26.16, 1_223_990.21, 26.29, 26.30], 306_017.24),
];

/// Tables 3.4 and 3.5.
const SECONDS_OPTIMISED: [Line; 6] = [
    row("mysql", "sync", [27.887, 0.106, 28.223, 27.696], 20.978),
    row("sqlite", "sync", [61.299, 0.015, 59.648, 61.098], 45.626),
    row("memfile", "sync", [39.564, 0.001, 39.543, 39.326], 29.608),
    row("mysql", "async", [8.507, 9.698, 7.785, 8.326], 8.579),
    row("sqlite", "async", [1.562, 0.949, 1.513, 1.502], 1.382),
    row("memfile", "async", [1.302, 0.038, 1.306, 1.263], 0.977),
];

/// Table 3.6.
const RATES_OPTIMISED: [Line; 6] = [
    row("mysql", "async", [11754.84, 10311.34, 12845.35, 12010.24], 11730.44),
    row("sqlite", "async", [64005.90, 105_391.29, 66075.51, 66566.43], 75509.78),
    row("memfile", "async", [76832.16, 2_636_018.56, 76542.50, 79188.81], 717_145.51),
    row("mysql", "sync", [35.86, 9461.10, 35.43, 36.11], 2392.12),
    row("sqlite", "sync", [16.31, 67036.11, 16.76, 16.37], 16771.39),
    row("memfile", "sync", [25.28, 3_460_207.61, 25.29, 25.43], 865_070.90),
];

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines whose printed average is not the mean of their four columns, within what the
    /// rounding of those columns explains.
    fn odd(lines: &[Line], unit: f64) -> Vec<(&'static str, &'static str, f64)> {
        let off = |(store, durability, four): &Line| {
            let mean = four.phases.iter().sum::<f64>() / 4.0;
            let gap = four.average - mean;
            (gap.abs() > unit * 1.001).then_some((*store, *durability, gap))
        };
        lines.iter().filter_map(off).collect()
    }

    #[test]
    fn published_averages_are_means_of_their_columns() {
        let tables = [
            (SECONDS_BASIC, 0.001),
            (SECONDS_OPTIMISED, 0.001),
            (RATES_BASIC, 0.01),
            (RATES_OPTIMISED, 0.01),
        ];
        let odd: Vec<_> = tables.iter().flat_map(|(lines, unit)| odd(lines, *unit)).collect();
        // The first is off in table 3.4, the second because of the misprinted search of table 3.3.
        let found = odd.iter().map(|(store, durability, gap)| (*store, *durability, gap.round()));
        let expected = [("sqlite", "sync", 0.0), ("sqlite", "sync", 2_500.0)];
        assert_eq!(found.collect::<Vec<_>>(), expected, "{odd:?}");
        let mean = SECONDS_OPTIMISED[1].2.phases.iter().sum::<f64>() / 4.0;
        assert!((mean - 45.515).abs() < 1e-9, "{mean}");
        let implied = 4.0 * 7524.08 - (16.28 + 16.81 + 17.85);
        assert!((implied - 30_045.37_f64).abs() < 0.03, "{implied}");
    }

    #[test]
    fn published_rates_follow_from_the_seconds() {
        let mut odd = Vec::new();
        for series in Series::ALL {
            for (store, durability) in ["mysql", "sqlite", "memfile"]
                .into_iter()
                .flat_map(|store| ["sync", "async"].map(|durability| (store, durability)))
            {
                let seconds = series.seconds(store, durability).unwrap();
                let rates = series.rates(store, durability).unwrap();
                for (phase, (seconds, rate)) in
                    PHASES.iter().zip(seconds.phases.into_iter().zip(rates.phases))
                {
                    // Half a millisecond either way is the rounding of the tables of seconds.
                    let [most, least] =
                        [-0.0006, 0.0006].map(|off| operations(durability) / (seconds + off));
                    // The rates are rounded as well.
                    if !(least - 0.005..=most + 0.005).contains(&rate) {
                        odd.push((series.word(), store, durability, *phase));
                    }
                }
            }
        }
        let expected =
            [("basic", "sqlite", "sync", "search"), ("optimised", "memfile", "sync", "search")];
        assert_eq!(odd, expected);
    }
}
