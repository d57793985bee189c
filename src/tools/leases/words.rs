//! The names in the labels of cells, which are the words of the command line.

use brunt_leases_driver::{By, Durability, Family, Schema};

use crate::cli::leases::PhaseChoice;

/// The name of a phase.
pub(super) fn name_of(phase: PhaseChoice) -> &'static str {
    match phase {
        PhaseChoice::Create => "create",
        PhaseChoice::Search => "search",
        PhaseChoice::Update => "update",
        PhaseChoice::Delete => "delete",
    }
}

/// The name of a schema.
pub(super) fn schema_word(schema: Schema) -> &'static str {
    match schema {
        Schema::Guide => "2012",
        Schema::Kea => "kea",
    }
}

/// The name of a family of leases.
pub(super) fn family_word(family: Family) -> &'static str {
    match family {
        Family::V4 => "4",
        Family::V6 => "6",
        Family::Prefix => "pd",
    }
}

/// The name of the key that searches use.
pub(super) fn by_word(by: By) -> &'static str {
    match by {
        By::Address => "address",
        By::ClientId => "client-id",
        By::Hardware => "hardware",
    }
}

/// The name of a durability: whether changes are durable when they are answered.
pub(super) fn durability_word(durability: Durability) -> &'static str {
    match durability {
        Durability::Sync => "sync",
        Durability::Async => "async",
    }
}
