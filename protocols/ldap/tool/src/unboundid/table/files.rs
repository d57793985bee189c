//! The options of all of UnboundID's tools about properties files, help and version.

use crate::options::table::Kind;
use crate::unboundid::row::Row;

/// What is about the command line itself.
pub(super) const ROWS: &[Row] = &[
    Row::new(
        "propertiesFilePath",
        "path",
        Kind::Path,
        "Properties file with options that the command line does not set.",
    ),
    Row::switch(
        "noPropertiesFile",
        "Do not read a properties file, also if UNBOUNDID_TOOL_PROPERTIES_FILE_PATH names one.",
    ),
    Row::switch(
        "suppressPropertiesFileComment",
        "Do not print what came from the properties file.",
    ),
    Row::new(
        "generatePropertiesFile",
        "path",
        Kind::Path,
        "Write a commented properties file and exit.",
    ),
    Row::switch("interactive", "Not supported: give the options on the command line."),
    Row::switch("version", "Show the version and exit.").short('V'),
    Row::switch("help", "Show this page and exit.").short('H'),
];
