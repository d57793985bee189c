//! The collection of a comparison at its start: it contains only what is known of the machine.

use std::collections::BTreeMap;

use brunt_record::{COLLECTION_SCHEMA, Collection, Environment};
use brunt_run::{World, tool};

/// An empty collection.
pub(crate) fn collection(command: Vec<String>, world: &World) -> Collection {
    Collection {
        schema: COLLECTION_SCHEMA.to_owned(),
        subject: "leases".to_owned(),
        tool: tool(),
        started: world.now().to_string(),
        command,
        environment: Environment::read(),
        facts: BTreeMap::new(),
        figures: BTreeMap::new(),
        cells: Vec::new(),
    }
}
