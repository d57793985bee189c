//! [`PageParts`]: what the page of a run is made of.

use serde::{Deserialize, Serialize};

/// Text and tables of a run's page: `page.json.gz`. Its charts are drawn from its view.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PageParts {
    /// The title.
    pub title: String,
    /// When the record was made, and by which program.
    pub about: String,
    /// The inner HTML of each section, by its id; the part above the first heading has the id `top`.
    pub sections: Vec<(String, String)>,
}
