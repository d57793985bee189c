//! The names in the labels of cells, which are the words of the command line.

use brunt_leases_driver::{By, Durability, Family, Schema};

use crate::options::leases::PhaseChoice;

/// The name of a phase.
pub(crate) fn name_of(phase: PhaseChoice) -> &'static str {
    match phase {
        PhaseChoice::Create => "create",
        PhaseChoice::Search => "search",
        PhaseChoice::Update => "update",
        PhaseChoice::Delete => "delete",
    }
}

/// The name of a schema.
pub(crate) fn schema_word(schema: Schema) -> &'static str {
    match schema {
        Schema::Guide => "2012",
        Schema::Kea => "kea",
    }
}

/// The name of a family of leases.
pub(crate) fn family_word(family: Family) -> &'static str {
    match family {
        Family::V4 => "4",
        Family::V6 => "6",
        Family::Prefix => "pd",
    }
}

/// The name of the key that searches use.
pub(crate) fn by_word(by: By) -> &'static str {
    match by {
        By::Address => "address",
        By::ClientId => "client-id",
        By::Hardware => "hardware",
    }
}

/// The name of a durability: whether changes are durable when they are answered.
pub(crate) fn durability_word(durability: Durability) -> &'static str {
    match durability {
        Durability::Sync => "sync",
        Durability::Async => "async",
    }
}
