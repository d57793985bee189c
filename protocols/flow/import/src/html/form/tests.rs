//! Forms, and the fields that browsers send of them.

use super::*;
use crate::html::reading::read;

fn forms(page: &str) -> Vec<Form> {
    let mut forms = Forms::default();
    read(page, &mut forms);
    forms.finish()
}

/// The fields that are sent with the first button.
fn fields(page: &str) -> String {
    let form = &forms(page)[0];
    let fields = form.fields(form.buttons().next());
    fields.map(|it| format!("{}={}", it.name, it.value)).collect::<Vec<_>>().join("&")
}

#[test]
fn fields_are_those_that_a_browser_sends() {
    for (inside, expected) in [
        ("<input name=a value='1&amp;2'><input value=x><INPUT TYPE=Hidden name=b>", "a=1&2&b="),
        ("<input name=a disabled><input type=button name=b><input type=reset name=c>", ""),
        ("<input type=checkbox name=a><input type=checkbox name=b checked>", "b=on"),
        ("<input type=radio name=a value=1><input type=radio name=a value=2 checked>", "a=2"),
        ("<select name=a><option>one <option value=2>two</select>", "a=one"),
        ("<select name=a><option value=1>x<option value=2 selected>y</select>", "a=2"),
        ("<select name=a><option disabled>x<option> y  z</option></select>", "a=y z"),
        (
            "<select name=a multiple><option selected>x<option>y<option selected>z</select>",
            "a=x&a=z",
        ),
        ("<textarea name=a>\none\ntwo &amp;</textarea>", "a=one\r\ntwo &"),
        ("<fieldset disabled><fieldset></fieldset><input name=a></fieldset><input name=b>", "b="),
        ("<button name=a value=1>x</button><button name=b>y</button>", "a=1"),
        ("<input type=submit name=login><input type=submit name=other value=1>", "login="),
        ("<form><input name=a value=1></form><input name=b form=f value=2>", "a=1&b=2"),
    ] {
        assert_eq!(fields(&format!("<form id=f>{inside}")), expected, "{inside}");
    }
}

#[test]
fn forms_have_targets_methods_and_buttons() {
    let page = "<form action=' /x?a=1&amp;b=2 ' METHOD=POST class='big'><button>Log  in</button></form>\
                <form><button type=submit formaction=/y name=accept value=Yes>Yes</button></form>";
    let [first, second] = &forms(page)[..] else { panic!("two") };
    assert_eq!((first.action(), first.method()), ("/x?a=1&b=2", Method::Post));
    assert_eq!((second.action(), second.method()), ("", Method::Get));
    let label = |form: &Form| match &form.buttons().next().unwrap().kind {
        Kind::Button { label, action, .. } => (label.clone(), action.clone()),
        other => panic!("{other:?}"),
    };
    assert_eq!(label(first), ("Log in".to_owned(), None));
    assert_eq!(label(second), ("Yes".to_owned(), Some("/y".to_owned())));
}

#[test]
fn what_is_kept_of_a_page_is_bounded() {
    let many = "<form><input name=a>".repeat(10_000) + &"</form><form>".repeat(1_000);
    let forms = forms(&many);
    assert_eq!(forms.len(), FORMS_MAX);
    assert_eq!(forms.iter().map(|form| form.controls.len()).sum::<usize>(), CONTROLS_MAX);
    let deep =
        format!("<form>{}<select name=a><option>{}", "<div>".repeat(100_000), "x".repeat(1 << 20));
    assert!(fields(&deep).len() <= "a=".len() + TEXT_MAX);
}
