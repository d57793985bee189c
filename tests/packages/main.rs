//! Packages: `packaging/build` makes them from the binary under test, and their content is checked and used.
//!
//! A release build takes too long for a test: `packaging/twice` does it. Here the packages are made from the binary
//! that all tests use, without its debug information, as in a release.

mod administrator;
mod clean_root;
mod completed;
mod curl;
mod image;
mod installed;
mod made;
mod materials;
mod prepared;
mod same;
mod units;
mod workflows;
