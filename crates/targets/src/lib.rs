//! Embedded servers for a first run, for calibration and for tests.
