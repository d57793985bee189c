//! Real servers for tests, each on a private directory and free loopback ports: [`Slapd`], [`OpenDj`],
//! [`Nginx`], [`Keycloak`], [`Kdc`], [`SoftHsm`], [`MariaDb`], [`Postgres`], and the certificates of a
//! [`Pki`]. [`Kea`] is on a network of its own, a [`Lan`].
//!
//! A server ends when its value is dropped, and also when the test process dies without dropping anything (see
//! [`Daemon`]). Only OpenDJ and Keycloak, which take long to start, serve all tests of a run ([`Shared`]). A test must
//! never compare a tool's count with the tool's own data: [`Operations`], [`Served`] and [`Seen`] are what servers
//! report. This is a crate and not a module of the tests, so that it is compiled once and the tests of every crate may
//! use it. It does not depend on brunt.
//!
//! Every failure here panics with the command that was run and its output: a test that cannot have its server has
//! failed, not passed. Only a program that is not installed may skip a test, visibly, and not in CI: see [`require()`]
//! and [`skip()`].

#![expect(
    clippy::missing_panics_doc,
    reason = "support for tests: every failure is a panic, as said above"
)]

pub mod allocations;
mod ask;
mod capture;
mod daemon;
mod evidence;
mod hostile;
mod kdc;
mod kea;
mod keycloak;
mod lan;
mod leases;
mod loadgen;
mod mariadb;
mod measured;
mod nginx;
mod noise;
mod opendj;
mod people;
mod perfdhcp;
mod permits;
mod pki;
mod ports;
mod postgres;
mod prepared;
mod privileges;
mod process;
mod require;
mod runtime;
mod scripted;
mod served;
mod shared;
mod skip;
mod slapd;
mod softhsm;
mod sql;
mod tool;
mod wait;

pub use allocations::CountingAllocator;
pub use capture::{Capture, Message};
pub use daemon::Daemon;
pub use evidence::Operations;
pub use hostile::Hostile;
pub use kdc::Kdc;
pub use kea::{Kea, KeaOptions};
pub use keycloak::{Keycloak, Seen};
pub use lan::{Beyond, Lan};
pub use leases::{Lease, LeaseState};
pub use loadgen::{loadgen_counts, loadgen_tree};
pub use mariadb::MariaDb;
pub use measured::measured;
pub use nginx::{Listener, Nginx};
pub use opendj::OpenDj;
pub use people::{ADMIN_DN, BASE_DN, PASSWORD, PEOPLE_DN, PROXY_DN, USERS, user_dn};
pub use perfdhcp::{Perfdhcp, printed};
pub use permits::{Alone, Core, alone, among_others, core};
pub use pki::Pki;
pub use ports::free_port;
pub use postgres::Postgres;
pub use privileges::renounce;
pub use require::{axe_core, peers, require};
pub use runtime::runtime_directory;
pub use scripted::{Answer, Scripted};
pub use served::Served;
pub use shared::Shared;
pub use skip::{inconclusive, skip, skip_anywhere};
pub use slapd::{Options, Slapd};
pub use softhsm::SoftHsm;
pub use tool::{found, run};
pub use wait::{ends_within, until};
