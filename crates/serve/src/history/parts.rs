//! [`PageParts`]: what the page of a run is made of.

use serde::{Deserialize, Serialize};

/// Words and tables of a run's page: `page.json.gz`. Its charts are drawn from its view.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PageParts {
    /// What it is about.
    pub title: String,
    /// When and by what it was made.
    pub about: String,
    /// The inner HTML of each section, by its id; what stands above the first heading has the id `top`.
    pub sections: Vec<(String, String)>,
}
