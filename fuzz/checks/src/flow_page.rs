//! Keeps what a selector finds in a page, and sends its forms: the first line is the selector, the rest the page.

use brunt_flow_page::{Document, Meter, Page, PageQuery, Referrer, Selector, Spent, Submission};
use std::cell::Cell;
use url::Url;

/// The units that an answer is given.
struct Units(Cell<u64>);

impl Meter for Units {
    fn spend(&self, units: u64) -> Result<(), Spent> {
        self.0.set(self.0.get().checked_sub(units).ok_or(Spent)?);
        Ok(())
    }
}

/// Panics if the decoder treats this input otherwise.
pub fn check(input: &[u8]) {
    let at = input.iter().position(|byte| *byte == b'\n').unwrap_or(input.len());
    let (text, page) = (String::from_utf8_lossy(&input[..at]), &input[at..]);
    let units = || Units(Cell::new(5_000_000));
    let selector = Selector::parse(&text);
    let Ok(document) = Document::read(page, &units()) else { return };
    if let Ok(selector) = &selector {
        let values = selector.values(&document, None, usize::MAX, &units());
        let count = selector.count(&document, None, &units());
        if let (Ok(values), Ok(count)) = (values, count) {
            assert_eq!(values.len(), count);
            let first = selector.values(&document, None, 1, &units());
            assert_eq!(first.as_deref().ok(), Some(&values[..count.min(1)]));
        }
    }
    let selectors: Vec<Selector> = selector.into_iter().collect();
    let query = PageQuery { forms: selectors.clone(), any_form: true, links: selectors };
    let url = Url::parse("http://localhost:8080/a/b?c").expect("a URL");
    let read = Page::read(&document, &query, (url, 200, Referrer::default()), &units());
    let Ok(page) = read else { return };
    assert!(!page.words().is_empty());
    for number in [None, Some(0)] {
        let Ok(form) = page.form(number, &[]) else { continue };
        assert!(form.fields.len() <= 256);
        if let Ok(sent) = Submission::new(&page, form, &[], None) {
            assert!(sent.post || sent.body.is_empty());
            assert!(sent.url.fragment().is_none());
        }
    }
    let _ = page.link(0);
}
