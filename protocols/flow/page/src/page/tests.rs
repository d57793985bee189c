//! Pages, and the requests that their forms make.

use super::*;
use crate::meter::Unlimited;
use crate::submission::{Given, Submission};

/// The beginning of a login page as Keycloak writes it.
const LOGIN: &str = r#"<!DOCTYPE html><html class="login"><head><base href="/realms/"></head><body>
<form id="kc-form-login" onsubmit="login.disabled = true; return true;"
 action="http://h:8080/realms/load/login-actions/authenticate?session_code=a&amp;execution=b" method="post">
<input tabindex="2" id="username" class="x" name="username" value="" type="text" autofocus
 autocomplete="username" aria-invalid=""/>
<input id="password" name="password" type="password"/>
<input type="checkbox" name="rememberMe"> <input type="checkbox" name="other" checked disabled>
<input type="hidden" id="id-hidden-input" name="credentialId" value="a&quot;b"/>
<button name="login" id="kc-login" type="submit">Sign In</button>
</form><span id="input-error" class="e" aria-live="polite">
 Invalid username or password.
</span><div><a href="x/registration?client_id=a&amp;tab_id=b">Register</a></div></body></html>"#;

fn page(text: &str, forms: &[&str], links: &[&str]) -> Page {
    let parse = |texts: &[&str]| texts.iter().map(|text| Selector::parse(text).unwrap()).collect();
    let query = PageQuery { forms: parse(forms), any_form: forms.is_empty(), links: parse(links) };
    let document = Document::read(text.as_bytes(), &Unlimited).unwrap();
    let url = Url::parse("http://h:8080/realms/load/auth?q=1#f").unwrap();
    Page::read(&document, &query, (url, 200, Referrer::default()), &Unlimited).unwrap()
}

fn given(pairs: &[(&str, &str)]) -> Vec<Given> {
    let one = |(name, value): &(&str, &str)| Given {
        name: (*name).to_owned(),
        values: vec![(*value).to_owned()],
    };
    pairs.iter().map(one).collect()
}

/// The method, the URL and the body of the request that sends the only form.
fn sent(text: &str, fields: &[(&str, &str)], press: Option<&str>) -> String {
    let page = page(text, &[], &[]);
    let names: Vec<&str> = fields.iter().map(|(name, _)| *name).collect();
    let form = page.form(None, &names).unwrap();
    let sent = Submission::new(&page, form, &given(fields), press).unwrap();
    let method = if sent.post { "POST" } else { "GET" };
    format!("{method} {} {}", sent.url, String::from_utf8(sent.body).unwrap())
}

#[test]
fn login_form_is_sent_like_a_browser() {
    let fields = [("username", "jo"), ("password", "a b&c\u{e9}")];
    assert_eq!(
        sent(LOGIN, &fields, None),
        "POST http://h:8080/realms/load/login-actions/authenticate?session_code=a&execution=b \
         username=jo&password=a+b%26c%C3%A9&credentialId=a%22b&login="
    );
}

#[test]
fn missing_form_lists_what_the_page_has() {
    let login = page(LOGIN, &[], &[]);
    assert_eq!(
        login.form(None, &["otp"]).unwrap_err().to_string(),
        "no form with the field 'otp' on http://h:8080/realms/load/auth (200); it has \
         'kc-form-login' with username, password, rememberMe, credentialId; it says \"Invalid \
         username or password.\""
    );
    let form = login.form(None, &[]).unwrap();
    let output = Submission::new(&login, form, &[], Some("cancel")).unwrap_err().to_string();
    assert!(
        output.contains("no button 'cancel'") && output.contains("buttons 'login'"),
        "{output}"
    );
    let two =
        page("<form id=a><input name=x></form><form action=/b?c><input name=x></form>", &[], &[]);
    let output = two.form(None, &[]).unwrap_err().to_string();
    assert!(output.contains("'a' with x; a form to '/b' with x; give a selector"), "{output}");
    let script = page("<script src=a></script><script>b</script>", &[], &[]);
    let output = script.form(None, &[]).unwrap_err().to_string();
    assert!(
        output.contains("no form and 2 scripts; see") || output.contains("2 scripts: see"),
        "{output}"
    );
}

#[test]
fn selectors_choose_forms_and_links() {
    let text = "<form id=a><input name=x value=1></form><form id=b><input name=x value=2></form>\
                <p><a href=\"/one\">1</a></p><div><a class=c href=' ../two?d=e&amp;f '>2</a></div>";
    let page = page(text, &["#b", "#c", "form"], &["div a", ".c", "p > .c"]);
    assert_eq!(page.form(Some(0), &["y"]).unwrap().fields[0].value, "2");
    assert!(page.form(Some(1), &[]).unwrap_err().to_string().starts_with("no form fits on"));
    assert!(matches!(page.form(Some(2), &["x"]), Err(FormError::Several { .. })));
    assert_eq!(page.link(1).unwrap().as_str(), "http://h:8080/realms/two?d=e&f");
    assert_eq!(page.link(0), page.link(1));
    assert!(page.link(2).unwrap_err().to_string().starts_with("no such link on"));
}

#[test]
fn form_controls_follow_their_rules() {
    let controls = "<form action='?b' method=get>
        <input name=t value=1><input value=2><input name=b type=button value=3>
        <input name=c type=checkbox checked><input name=c type=checkbox value=4>
        <input name=r type=radio value=5><input name=r type=radio value=6 checked>
        <select name=s><option>a  b<option value=7 selected>c</select>
        <select name=f><option disabled>x<option>y</select>
        <select name=m multiple><option selected>1<option>2<option selected>3</select>
        <textarea name=a>\nl1\nl2</textarea><fieldset disabled><input name=d></fieldset>
        <datalist><select name=q><option>1</select></datalist>
        <input type=file name=u><input type=hidden name=_charset_>
        <input type=submit name=go value=Go><input type=submit name=no value=No>
        </form><input name=late value=8 form=other><form id=other></form>";
    let text = controls.replace("<form id=other></form>", "");
    assert_eq!(
        sent(&text, &[], None),
        "GET http://h:8080/realms/load/auth?t=1&c=on&r=6&s=7&f=y&m=1&m=3&a=l1%0D%0Al2&u=&_charset_=UTF-8&go=Go "
    );
    let set = [("r", "5"), ("c", "on"), ("new", "9")];
    let requested = sent(
        &text.replace("</form>", "<input name=new disabled><input name=new>"),
        &set,
        Some("no"),
    );
    assert!(requested.contains("?t=1&c=on&r=5&s=7"), "{requested}");
    assert!(requested.contains("&new=9&no=No"), "{requested}");
    let page = page(controls, &["#other"], &[]);
    assert_eq!(page.form(Some(0), &[]).unwrap().fields[0].value, "8");
}

#[test]
fn form_buttons_and_encodings_apply() {
    let form = "<form method=POST enctype=multipart/form-data><input name='a\"' value=1>\
                <input type=file name=f><button formaction=/x name=b value=2>B</button>\
                <button name=c formmethod=get formenctype=''></button>\
                <input type=image name=i formenctype=text/plain></form>";
    let body = sent(form, &[], None);
    assert!(body.starts_with("POST http://h:8080/x ------brunt-form-00000000\r\n"), "{body}");
    assert!(body.contains("name=\"a%22\"\r\n\r\n1\r\n"), "{body}");
    assert!(
        body.contains("filename=\"\"\r\nContent-Type: application/octet-stream\r\n\r\n\r\n"),
        "{body}"
    );
    assert!(body.ends_with("name=\"b\"\r\n\r\n2\r\n------brunt-form-00000000--\r\n"), "{body}");
    let get = sent(form, &[], Some("c"));
    assert_eq!(get, "GET http://h:8080/realms/load/auth?a%22=1&f=&c= ");
    assert!(sent(form, &[], Some("i")).ends_with("a\"=1\r\nf=\r\ni.x=0\r\ni.y=0\r\n"));
}

#[test]
fn page_memory_is_limited() {
    let many = "<form><input name=a value=b></form>".repeat(100_000);
    let kept = page(&many, &[], &[]);
    assert_eq!((kept.forms.len(), kept.count), (FORMS_MAX, 100_000));
    let long = format!("<form id=f>{}</form>", "<input name=abc value=def>".repeat(1000));
    let kept = page(&long, &[], &[]);
    assert_eq!(kept.forms[0].fields.len(), 256);
    assert!(matches!(kept.form(None, &[]), Err(FormError::TooLarge(_))));
    let wide = format!("<form><textarea name=t>{}</textarea></form>", "x".repeat(1 << 20));
    assert!(matches!(page(&wide, &[], &[]).form(None, &[]), Err(FormError::TooLarge(_))));
    // Forms that nothing selects are named, and their values not kept.
    let other = page(LOGIN, &["#nothing"], &[]);
    assert!(other.forms[0].fields.iter().all(|field| field.value.is_empty()));
    // Forms within each other are one, and elements are closed one by one, however many there are.
    let within = "<form id=f><input name=a>".repeat(100_000);
    let kept = page(&within, &["#f"], &[]);
    assert_eq!((kept.count, kept.forms[0].fields.len(), kept.forms[0].cut), (1, 256, true));
    let deep = [
        "<div>".repeat(100_000),
        "<form><input name=a></form>".to_owned(),
        "</div>".repeat(100_000),
    ];
    assert_eq!(page(&deep.concat(), &[], &[]).forms[0].fields.len(), 1);
    let itself = page("<form id=a><form id=b><input name=x></form>", &[], &[]);
    assert_eq!((itself.count, itself.forms[0].id.as_deref()), (1, Some("a")));
}
