//! Imports recordings. Whatever comes out names no variable that is not there.

use brunt_flow_import::{
    Body, Filter, Imported, PartContent, Pauses, Secrets, har, har_beside, notation,
};

/// Panics if the decoder treats this input otherwise.
pub fn check(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let everything = Filter { all_hosts: true, statics: true, ..Filter::default() };
    for secrets in [Secrets::Named, Secrets::Kept] {
        for filter in [&Filter::default(), &everything] {
            if let Ok(imported) = har(text, filter, Pauses::Recorded, secrets) {
                is_whole(&imported);
            }
        }
        if let Ok(imported) = har_beside(text, Some(text), &everything, Pauses::None, secrets) {
            is_whole(&imported);
        }
    }
}

/// Every hole has a variable, a value of an answer or a column.
fn is_whole(imported: &Imported) {
    let mut known: Vec<String> = imported.variables.iter().map(|it| it.name.clone()).collect();
    let extracts = imported.steps.iter().flat_map(|step| &step.extracts);
    known.extend(extracts.map(|it| it.name.clone()));
    if let Some(feeder) = &imported.feeder {
        known.extend(feeder.columns.iter().map(|column| format!("{}.{column}", feeder.name)));
    }
    let value = |name: &str| known.iter().any(|known| known == name).then(String::new);
    let filled = |text: &str| {
        notation::filled(text, value).expect("every hole has a variable");
    };
    for step in &imported.steps {
        step.headers.iter().for_each(|(_, value)| filled(value));
        filled(&step.url);
        match &step.body {
            Body::Text(text) => filled(text),
            Body::Form(fields) => fields.iter().for_each(|(_, value)| filled(value)),
            Body::Multipart(parts) => {
                for part in parts {
                    if let PartContent::Text(text) = &part.content {
                        filled(text);
                    }
                    part.file.iter().chain(&part.kind).for_each(|text| filled(text));
                }
            }
            Body::None | Body::Bytes(_) | Body::File(_) => {}
        }
        assert!(!step.method.is_empty() && !step.name.is_empty());
    }
}
