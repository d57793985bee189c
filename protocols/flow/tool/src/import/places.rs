//! The position of a value in an answer, as the keys of a plan.

use brunt_flow_import::Location;
use brunt_flow_plan::model::AnswerLocation;

/// The keys for a position.
pub(super) fn location(place: &Location) -> AnswerLocation {
    let none = AnswerLocation::default();
    let some = |text: &String| Some(text.clone());
    match place {
        Location::Json(pointer) => AnswerLocation { json: some(pointer), ..none },
        Location::Header(name) => AnswerLocation { header: some(name), ..none },
        Location::Pattern(pattern) => AnswerLocation { regex: some(pattern), ..none },
        Location::Cookie(name) => AnswerLocation { cookie: some(name), ..none },
        Location::Html(selector, attribute) => {
            AnswerLocation { html: some(selector), attribute: attribute.clone(), ..none }
        }
        Location::Url(parameter) => {
            AnswerLocation { url: Some(true), parameter: parameter.clone(), ..none }
        }
        Location::Parameter(inside, name) => {
            AnswerLocation { parameter: some(name), ..location(inside) }
        }
        Location::Within(inside, pattern) => {
            AnswerLocation { regex: some(pattern), ..location(inside) }
        }
    }
}
