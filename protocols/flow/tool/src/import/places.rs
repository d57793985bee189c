//! The position of a value in an answer, as the keys of a plan.

use brunt_flow_import::Place;
use brunt_flow_plan::model::AnswerLocation;

/// The keys for a position.
pub(super) fn location(place: &Place) -> AnswerLocation {
    let none = AnswerLocation::default();
    let some = |text: &String| Some(text.clone());
    match place {
        Place::Json(pointer) => AnswerLocation { json: some(pointer), ..none },
        Place::Header(name) => AnswerLocation { header: some(name), ..none },
        Place::Pattern(pattern) => AnswerLocation { regex: some(pattern), ..none },
        Place::Cookie(name) => AnswerLocation { cookie: some(name), ..none },
        Place::Html(selector, attribute) => {
            AnswerLocation { html: some(selector), attribute: attribute.clone(), ..none }
        }
        Place::Url(parameter) => {
            AnswerLocation { url: Some(true), parameter: parameter.clone(), ..none }
        }
        Place::Parameter(inside, name) => {
            AnswerLocation { parameter: some(name), ..location(inside) }
        }
        Place::Within(inside, pattern) => {
            AnswerLocation { regex: some(pattern), ..location(inside) }
        }
    }
}
