//! Flows over real sockets, against servers that are threads of the test and say what they are told to.

#![expect(clippy::unwrap_used, reason = "a test stops where its premises fail")]

mod leases;
