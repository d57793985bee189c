//! The file with what differs from user to user, beside the plan.

use std::path::{Path, PathBuf};

use brunt_flow_import::{Feeder, Imported};
use brunt_flow_plan::model;

/// A file of rows that a plan names.
#[derive(Debug)]
pub struct People {
    /// Where it is written.
    pub path: PathBuf,
    /// Its text.
    pub text: String,
    /// Its name in the plan, and how the plan finds it.
    pub named: (String, model::Feeder),
    /// What it is, for a comment.
    pub comment: String,
}

impl People {
    /// The file of an import. `output` is the path of the plan; `wanted` is that of the file, if it was given.
    pub(super) fn new(
        feeder: &Feeder,
        output: Option<&Path>,
        wanted: Option<&Path>,
    ) -> Option<Self> {
        let beside = || Some(output?.with_file_name(format!("{}.csv", feeder.name)));
        let path = wanted.map(Path::to_owned).or_else(beside)?;
        // A plan finds its files beside itself.
        let directory = output.and_then(Path::parent).unwrap_or(Path::new(""));
        let csv = path.strip_prefix(directory).unwrap_or(&path).to_owned();
        let columns = feeder.columns.join(", ");
        let first = feeder.rows.first().map(|row| row.join(", ")).unwrap_or_default();
        let comment = format!("a row for each user: {columns}. Recorded: {first}");
        let rows = std::iter::once(&feeder.columns).chain(&feeder.rows);
        let text = rows.map(|row| line(row)).collect();
        let feeder =
            (feeder.name.clone(), model::Feeder { csv: Some(csv), ..model::Feeder::default() });
        Some(Self { path, text, named: feeder, comment })
    }
}

/// A row of CSV (RFC 4180).
fn line(values: &[String]) -> String {
    let value = |value: &String| {
        if value.contains([',', '"', '\n', '\r']) || value.trim() != value || value.is_empty() {
            format!("\"{}\"", value.replace('"', "\"\""))
        } else {
            value.clone()
        }
    };
    values.iter().map(value).collect::<Vec<_>>().join(",") + "\n"
}

/// An import whose columns are variables, for a plan without a file beside it.
pub(super) fn without_file(imported: &Imported) -> Imported {
    let Some(feeder) = &imported.feeder else { return imported.clone() };
    let mut made = Imported { feeder: None, ..imported.clone() };
    for (at, column) in feeder.columns.iter().enumerate() {
        let taken = |name: &str| {
            let extracts = imported.steps.iter().flat_map(|step| &step.extracts);
            imported.variables.iter().any(|known| known.name == name)
                || extracts.into_iter().any(|known| known.name == name)
        };
        let name = if taken(column) { format!("{}_{column}", feeder.name) } else { column.clone() };
        let (old, new) = (format!("${{{}.{column}}}", feeder.name), format!("${{{name}}}"));
        for step in &mut made.steps {
            step.replace(&old, &new);
        }
        let value = feeder.rows.first().and_then(|row| row.get(at)).cloned().unwrap_or_default();
        made.variables.push(brunt_flow_import::Variable {
            name,
            value: brunt_flow_import::Value::Constant(brunt_flow_import::notation::literal(&value)),
            comment: "another for each user: put it into a feeder".to_owned(),
        });
    }
    made
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn csv_rows_are_quoted_where_needed() {
        let row =
            |values: &[&str]| line(&values.iter().map(ToString::to_string).collect::<Vec<_>>());
        assert_eq!(
            row(&["user.1", "a,b", "say \"x\"", ""]),
            "user.1,\"a,b\",\"say \"\"x\"\"\",\"\"\n"
        );
    }
}
