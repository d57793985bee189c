//! The program as a library, in virtual time: commands are carried out in this process, against servers in memory, so
//! that a minute of load takes as long as its work and every figure is exact. A call that blocks a thread takes as long
//! as the test says. Tests of name services and of daemons have the clock of the machine.
//!
//! Each file has one test beside it, in `tests/behaviour`, `tests/http` or `tests/measured`, of the program as a
//! process.

mod callbacks;
mod compared;
mod comparisons;
mod curves;
mod dhcp;
mod directory;
mod events;
mod examples;
mod find_max;
mod find_max_leases;
mod http;
mod imports;
mod integrations;
mod ldap_tools;
mod lease_mistakes;
mod lease_stores;
mod links;
mod load_options;
mod loadgen;
mod machine;
mod mistakes;
mod names_lookup;
mod nodes;
mod ordered;
mod pages;
mod perfdhcp;
mod planned;
mod plans;
mod properties;
mod protocols;
mod purges;
mod quiet;
mod rails;
mod recomputed;
mod recorded_commands;
mod records;
mod rest_target;
mod run_pages;
mod schedules;
mod scripted;
mod secured;
mod shares;
mod sinks;
mod sizing;
mod stalls;
mod tables;
mod targets;
mod ubench;
mod values;
mod waits;
mod warm_up;
mod wire;
