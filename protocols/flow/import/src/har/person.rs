//! [`Person`]: what the person of the recording typed, which becomes a file with a row for each user.

use crate::imported::Feeder;
use crate::notation::hole;
use crate::secrets::identifier;

/// The name of the feeder.
pub(crate) const FEEDER: &str = "people";
/// Names of fields that name a person at a sign-in.
const NAMES: [&str; 12] = [
    "username",
    "user",
    "login",
    "email",
    "uid",
    "userid",
    "user_id",
    "user_name",
    "j_username",
    "identifier",
    "loginfmt",
    "account",
];

/// The values that were typed, by column.
#[derive(Debug, Default)]
pub(super) struct Person {
    columns: Vec<Column>,
}

#[derive(Debug)]
struct Column {
    name: String,
    value: String,
    /// The value in a second recording.
    other: Option<String>,
}

/// Whether a field of that name names a person.
pub(super) fn names_person(field: &str) -> bool {
    NAMES.contains(&field.to_ascii_lowercase().as_str())
}

/// Whether a field of that name is a password.
pub(super) fn is_password(field: &str) -> bool {
    let lower = field.to_ascii_lowercase();
    ["password", "passwd", "passphrase", "pass", "pwd", "pin"]
        .iter()
        .any(|end| lower.ends_with(end))
}

impl Person {
    /// What stands for a value that the person typed into a field. `other` is what another person typed there.
    pub(super) fn types(&mut self, field: &str, value: &str, other: Option<&str>) -> String {
        let known = self.columns.iter().position(|column| column.value == value);
        let at = known.unwrap_or_else(|| {
            let name = self.free(&identifier(field));
            self.columns.push(Column { name, value: value.to_owned(), other: None });
            self.columns.len() - 1
        });
        let column = &mut self.columns[at];
        column.other = column.other.take().or_else(|| other.map(str::to_owned));
        stands(&column.name)
    }

    /// What stands for a value that was typed before.
    pub(super) fn typed(&self, value: &str) -> Option<String> {
        let column = self.columns.iter().find(|column| column.value == value)?;
        Some(stands(&column.name))
    }

    fn free(&self, base: &str) -> String {
        let known = |name: &str| self.columns.iter().any(|column| column.name == name);
        let mut names = (2..).map(|number| format!("{base}_{number}"));
        if known(base) {
            names.find(|name| !known(name)).unwrap_or_default()
        } else {
            base.to_owned()
        }
    }

    /// The file; none if nothing was typed.
    pub(super) fn feeder(self) -> Option<Feeder> {
        if self.columns.is_empty() {
            return None;
        }
        let names = self.columns.iter().map(|column| column.name.clone()).collect();
        let first = self.columns.iter().map(|column| column.value.clone()).collect();
        let second = self.columns.iter().any(|column| column.other.is_some()).then(|| {
            let values = self.columns.iter();
            values.map(|it| it.other.clone().unwrap_or_else(|| it.value.clone())).collect()
        });
        let rows = std::iter::once(first).chain(second).collect();
        Some(Feeder { name: FEEDER.to_owned(), columns: names, rows })
    }
}

fn stands(column: &str) -> String {
    hole(&format!("{FEEDER}.{column}"))
}
