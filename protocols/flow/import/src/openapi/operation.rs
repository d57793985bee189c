//! One operation: its name, its URL, its body, and the description of its answers.

use super::{Api, OpenApiError};
use crate::form;
use crate::imported::{Body, FormPart, PartContent, Step};
use crate::node::Node;
use crate::notation::{literal, without_holes};

impl<'a> Api<'a> {
    /// Makes a step from an operation.
    pub(super) fn operation(
        &mut self,
        method: &str,
        path: &str,
        item: &'a Node,
        operation: &'a Node,
    ) -> Result<(), OpenApiError> {
        let servers = [operation.at("servers"), item.at("servers"), self.document.at("servers")];
        let base = self.base(servers)?;
        let method = method.to_ascii_uppercase();
        let name = match operation.at("operationId").text() {
            Some(name) => name.to_owned(),
            None => format!("{method} {path}"),
        };
        let mut step = Step {
            name: self.unique(&name),
            comment: summary(operation),
            url: format!("{base}{}", literal(path)),
            method,
            statuses: statuses(operation.at("responses")),
            ..Step::default()
        };
        if let Some(accept) = self.accepted(operation.at("responses")) {
            step.headers.push(("Accept".to_owned(), accept));
        }
        self.parameters(item, operation, &mut step);
        let unfilled = without_holes(&step.url);
        if unfilled.contains('{') {
            self.note(format!(
                "the path {path} has a parameter that the document does not describe"
            ));
        }
        self.secure(operation, &mut step);
        let request = self.resolved(operation.at("requestBody"));
        self.content(request.at("content"), &mut step);
        self.imported.steps.push(step);
        Ok(())
    }

    /// Fills the body with the kind of content that can be filled best.
    fn content(&mut self, content: &'a Node, step: &mut Step) {
        let rank = |kind: &str| match kind.split(';').next().unwrap_or(kind).trim() {
            "application/json" => 0,
            kind if kind.ends_with("+json") => 1,
            form::TYPE => 2,
            "multipart/form-data" => 3,
            kind if kind.starts_with("text/") => 4,
            _ => 5,
        };
        let Some((kind, media)) = content.members().iter().min_by_key(|(kind, _)| rank(kind))
        else {
            return;
        };
        let value = match self.example(media) {
            Some(example) => example,
            None => self.sample(media.at("schema")),
        };
        let mut header =
            |kind: &str| step.headers.push(("Content-Type".to_owned(), kind.to_owned()));
        match rank(kind) {
            0 | 1 => {
                header(kind);
                // An example may be JSON in a string.
                let text = match &value {
                    Node::Text(text) if Node::json(text).is_ok() => text.clone(),
                    value => value.to_json(),
                };
                step.body = Body::Text(literal(&text));
            }
            2 if !value.members().is_empty() => {
                let fields = value
                    .members()
                    .iter()
                    .map(|(name, value)| (name.clone(), literal(&value.plain())));
                step.body = Body::Form(fields.collect());
            }
            3 => {
                step.body = Body::Multipart(multipart(&value));
            }
            _ => {
                header(if kind.contains('*') { "application/octet-stream" } else { kind });
                if rank(kind) == 5 {
                    self.note(format!(
                        "the body of '{}' is {kind}: put in one that fits",
                        step.name
                    ));
                }
                step.body = Body::Text(literal(&value.plain()));
            }
        }
    }

    /// The content types of the answers that the operation describes.
    fn accepted(&mut self, responses: &'a Node) -> Option<String> {
        let good = responses.members().iter().find(|(code, _)| code.starts_with('2'));
        let (_, response) = good.or_else(|| responses.members().first())?;
        let response = self.resolved(response);
        let kinds: Vec<&str> =
            response.at("content").members().iter().map(|(kind, _)| kind.as_str()).collect();
        (!kinds.is_empty()).then(|| literal(&kinds.join(", ")))
    }
}

fn summary(operation: &Node) -> String {
    let message = ["summary", "description"].iter().find_map(|name| operation.at(name).text());
    let mut line =
        message.and_then(|text| text.lines().next()).unwrap_or_default().trim().to_owned();
    if operation.at("deprecated").is_true() {
        line.insert_str(0, if line.is_empty() { "Deprecated." } else { "Deprecated. " });
    }
    line
}

/// The statuses of successful answers, if each is listed.
fn statuses(responses: &Node) -> Vec<u16> {
    let good =
        responses.members().iter().map(|(code, _)| code).filter(|code| code.starts_with('2'));
    let codes: Option<Vec<u16>> = good.map(|code| code.parse().ok()).collect();
    codes.unwrap_or_default()
}

/// The parts of a form.
fn multipart(value: &Node) -> Vec<FormPart> {
    let part = |(name, value): &(String, Node)| {
        let json = matches!(value, Node::List(_) | Node::Map(_));
        FormPart {
            name: name.clone(),
            file: None,
            kind: json.then(|| "application/json".to_owned()),
            content: PartContent::Text(literal(&value.plain())),
        }
    };
    value.members().iter().map(part).collect()
}
