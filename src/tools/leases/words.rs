//! What things are called in the labels of cells, which are the words of the command line.

use brunt_drivers::lease::{By, Durability, Family, Schema};

use crate::cli::leases::PhaseChoice;

/// What a phase is called.
pub(super) fn name_of(phase: PhaseChoice) -> &'static str {
    match phase {
        PhaseChoice::Create => "create",
        PhaseChoice::Search => "search",
        PhaseChoice::Update => "update",
        PhaseChoice::Delete => "delete",
    }
}

/// Which tables.
pub(super) fn schema_word(schema: Schema) -> &'static str {
    match schema {
        Schema::Guide => "2012",
        Schema::Kea => "kea",
    }
}

/// Which leases.
pub(super) fn family_word(family: Family) -> &'static str {
    match family {
        Family::V4 => "4",
        Family::V6 => "6",
        Family::Prefix => "pd",
    }
}

/// What leases are looked for by.
pub(super) fn by_word(by: By) -> &'static str {
    match by {
        By::Address => "address",
        By::ClientId => "client-id",
        By::Hardware => "hardware",
    }
}

/// Whether changes are safe when they are answered.
pub(super) fn durability_word(durability: Durability) -> &'static str {
    match durability {
        Durability::Sync => "sync",
        Durability::Async => "async",
    }
}
