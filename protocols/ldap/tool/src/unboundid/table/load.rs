//! The options of all of UnboundID's tools for how they run, and where the table goes.

use brunt_run::options::row::{Kind, Row};

use super::{COUNT, MOST, row, switch};

/// How a tool runs.
pub(super) const ROWS: &[Row] = &[
    row("numThreads", "number", COUNT, "Threads: each has a connection of its own and one operation at a time.")
        .short('t')
        .default("1"),
    row("intervalDuration", "seconds", COUNT, "Time between rows.").short('i').default("5").to("statInterval"),
    row("numIntervals", "number", COUNT, "Rows after the warm-up, after which the run ends.")
        .short('I')
        .default("2147483647"),
    row(
        "ratePerSecond",
        "number",
        COUNT,
        "Operations per second of all threads together. Operations become due at this rate whether or not earlier \
         ones were answered. search-and-mod-rate counts each search and each modification.",
    )
    .short('r')
    .to("targetThroughput"),
    row("variableRateData", "path", Kind::Path, "File with a rate that changes.").to("variableRateData"),
    row("generateSampleRateFile", "path", Kind::Path, "Write an example of such a file and exit."),
    row("warmUpIntervals", "number", Kind::Integer(0, MOST), "Rows before the overall columns begin.")
        .default("0"),
    row(
        "timestampFormat",
        "format",
        Kind::Choice(&["none", "with-date", "without-date"]),
        "Put the local time at the start of each row.",
    )
    .default("none")
    .to("timestampFormat"),
    switch("suppressErrorResultCodes", "Do not print the number of failures by result code after each row."),
    switch("csv", "Print comma-separated values.").short('c').to("scriptFriendly"),
    row("randomSeed", "number", Kind::Integer(-MOST - 1, MOST), "Seed of all random values.").short('R'),
    row("outputFile", "path", Kind::Path, "Write the table to this file.").to("outputFile"),
    switch("teeOutput", "Write it to standard output as well.").to("teeOutput"),
    switch("appendToOutputFile", "Append to --outputFile instead of replacing it.").to("appendToOutputFile"),
];
