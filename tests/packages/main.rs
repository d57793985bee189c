//! Packages: `packaging/build` makes them of the binary under test, and what is in them is looked at and used.
//!
//! Building the program for a release takes too long for a test: `packaging/twice` does it. Here the packages are made
//! of the binary that all tests use, whose debug information is left out as a release has none.

mod clean_root;
mod completed;
mod image;
mod made;
mod materials;
mod prepared;
mod same;
mod units;
mod workflows;
