//! A field of CSV that stays text: [`csv_field`].

/// What makes a spreadsheet take a text for a formula, as its first character.
const FORMULA: [char; 6] = ['=', '+', '-', '@', '\t', '\r'];

/// A text as a field, quoted as RFC 4180 requires. If a spreadsheet would evaluate the text, an apostrophe is put
/// before it: names come from plans, and codes from targets.
pub(crate) fn csv_field(text: &str) -> String {
    let guard = if text.starts_with(FORMULA) && text.parse::<f64>().is_err() { "'" } else { "" };
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{guard}{}\"", text.replace('"', "\"\""))
    } else {
        format!("{guard}{text}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn csv_field_with_a_comma_is_quoted() {
        assert_eq!(csv_field("a,\"b\""), "\"a,\"\"b\"\"\"");
        assert_eq!(csv_field("plain"), "plain");
    }

    #[test]
    fn csv_field_is_never_a_formula() {
        assert_eq!(csv_field("=HYPERLINK(\"http://x\")"), "\"'=HYPERLINK(\"\"http://x\"\")\"");
        for formula in ["=1+1", "+A1", "-A1", "@SUM(A1)", "\t=1"] {
            assert_eq!(csv_field(formula), format!("'{formula}"));
        }
        assert_eq!(csv_field("-1.5"), "-1.5");
    }
}
