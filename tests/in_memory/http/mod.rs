//! Plans over HTTP: what a site or the identity API counts is what the plan says and what the record counts.

mod answers;
mod attempts;
mod command;
mod connections;
mod identity;
mod identity_faults;
mod journeys;
mod keys;
mod pages;
mod parallel;
mod shared;
mod site;
mod times;
mod uploads;
