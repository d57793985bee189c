//! The options of all of UnboundID's tools about properties files, help and version.

use brunt_run::options::row::{Kind, Row};

use super::{row, switch};

/// What is about the command line itself.
pub(super) const ROWS: &[Row] = &[
    row(
        "propertiesFilePath",
        "path",
        Kind::Path,
        "Properties file with options that the command line does not set.",
    ),
    switch(
        "noPropertiesFile",
        "Do not read a properties file, also if UNBOUNDID_TOOL_PROPERTIES_FILE_PATH names one.",
    ),
    switch("suppressPropertiesFileComment", "Do not print what came from the properties file."),
    row(
        "generatePropertiesFile",
        "path",
        Kind::Path,
        "Write a commented properties file and exit.",
    ),
    switch("interactive", "Not supported: give the options on the command line."),
    switch("version", "Show the version and exit.").short('V'),
    switch("help", "Show this page and exit.").short('H'),
];
