//! Flows over real sockets, against servers that are threads of the test and give scripted answers.

#![expect(clippy::unwrap_used, reason = "a test stops where its premises fail")]

mod leases;
