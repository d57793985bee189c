//! How brunt behaves as a program: what it prints, how it ends, and what it does when its server stalls, dies or
//! never answers. Every test drives the binary as a user does, and holds what it says against what the server saw.
//!
//! What each operation puts on the wire is not looked at here.

mod built_in;
mod cluster;
mod compared;
mod comparisons;
mod curves;
mod dead_targets;
mod events;
mod exported;
mod find_max;
mod find_max_sources;
mod hostile;
mod imports;
mod integrations;
mod lease_stores;
mod leases;
mod links;
mod live;
mod live_pages;
mod loadgen;
mod mistakes;
mod names_lookup;
mod nodes;
mod ordered;
mod pace;
mod pages;
mod perfdhcp;
mod plans;
mod program;
mod prompts;
mod protocols;
mod rails;
mod recomputed;
mod recorded_commands;
mod records;
mod resolver;
mod restart;
mod schedules;
mod signals;
mod sinks;
mod site;
mod sizing;
mod stall;
mod tables;
mod targets;
mod terminal;
mod told;
mod tutorials;
mod ubench;
mod values;
mod warm_up;
mod website;
mod website_plans;
