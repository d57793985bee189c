//! Imports OpenAPI documents. Whatever comes out names no variable that is not there.

use brunt_flow_import::{Secrets, notation};

/// Panics if the decoder treats this input otherwise.
pub fn check(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    for secrets in [Secrets::Named, Secrets::Kept] {
        let Ok(imported) = brunt_flow_import::openapi(text, Some("http://h"), secrets) else {
            continue;
        };
        let known = |name: &str| {
            let named = imported.variables.iter().any(|variable| variable.name == name);
            named.then(String::new)
        };
        for step in &imported.steps {
            let headers = step.headers.iter().map(|(_, value)| value);
            for text in headers.chain([&step.url]) {
                notation::filled(text, known).expect("every hole has a variable");
            }
            match &step.body {
                brunt_flow_import::Body::Text(text) => {
                    notation::filled(text, known).expect("every hole has a variable");
                }
                brunt_flow_import::Body::Form(fields) => fields.iter().for_each(|(_, value)| {
                    notation::filled(value, known).expect("every hole has a variable");
                }),
                _ => {}
            }
            assert!(!step.method.is_empty() && !step.name.is_empty());
        }
    }
}
