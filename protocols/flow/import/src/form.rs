//! Forms: how browsers and cURL encode names and values, and how these are decoded again.

use crate::body;
use crate::imported::Body;
use crate::notation::has_holes;
use crate::pairs;
use crate::secrets::Variables;
use brunt_redact::is_secret_name;
use url::form_urlencoded;

/// The type of the content of a form.
pub(crate) const TYPE: &str = "application/x-www-form-urlencoded";

/// A byte as it stands in a URL: letters, digits and `-._~` as they are, everything else as `%XX` (RFC 3986).
pub(crate) fn percent(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len());
    for byte in bytes {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                out.push(char::from(*byte));
            }
            byte => {
                out.push('%');
                out.push(char::from(b"0123456789ABCDEF"[usize::from(byte >> 4)]));
                out.push(char::from(b"0123456789ABCDEF"[usize::from(byte & 15)]));
            }
        }
    }
    out
}

/// The body of a form: its fields if splitting it loses nothing, else the text unchanged. `text` is in the notation of
/// plans.
pub(crate) fn body(text: &str, variables: &mut Variables) -> Body {
    if has_holes(text) {
        return Body::Text(body::text(text, variables));
    }
    let plain = text.replace("$${", "${");
    let fields: Vec<(String, String)> =
        form_urlencoded::parse(plain.as_bytes()).into_owned().collect();
    let again = form_urlencoded::Serializer::new(String::new()).extend_pairs(&fields).finish();
    if fields.is_empty() || again != plain.replace("%20", "+") {
        return Body::Text(body::text(text, variables));
    }
    let fields = fields.into_iter().map(|(name, value)| {
        let value = pairs::member(&name, &value, variables);
        (name, value)
    });
    Body::Form(fields.collect())
}

/// A URL with the secrets of its query replaced by variables. It is in the notation of plans and stays so.
pub(crate) fn query(url: &str, variables: &mut Variables) -> String {
    let Some((path, query)) = url.split_once('?') else { return url.to_owned() };
    let pairs = query.split('&').map(|pair| match pair.split_once('=') {
        Some((name, value)) if is_secret_name(name) => {
            let comment = format!("what the parameter '{name}' of a URL held, not encoded");
            format!("{name}={}", variables.secret(name, value, &comment))
        }
        _ => pair.to_owned(),
    });
    format!("{path}?{}", pairs.collect::<Vec<_>>().join("&"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::secrets::Secrets;

    #[test]
    fn form_is_split_only_without_loss() {
        let mut variables = Variables::new(Secrets::Named);
        let field = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(
            body("grant_type=password&password=a%26b&x=a+b%20c", &mut variables),
            Body::Form(vec![
                field("grant_type", "password"),
                field("password", "${password}"),
                field("x", "a b c")
            ])
        );
        for text in ["{\"a\":1}", "", "a=%7e", "a", "a=${X}", "a=é"] {
            assert_eq!(body(text, &mut variables), Body::Text(text.to_owned()));
        }
        assert_eq!(
            body("scope=a b&password=x%20y&n=1", &mut variables),
            Body::Text("scope=a b&password=${password_2|form}&n=1".to_owned())
        );
        assert!(variables.taken_note().unwrap().ends_with("as PASSWORD, PASSWORD_2"));
        assert_eq!(
            body("user=${USER}&password=x y", &mut variables),
            Body::Text("user=${USER}&password=${password_2}".to_owned())
        );
        assert_eq!(
            body("{\"password\":\"z=&\"}", &mut variables),
            Body::Text("{\"password\":\"${password_3}\"}".to_owned())
        );
        assert_eq!(
            query("http://h/?a=1&access_token=x%20y", &mut variables),
            "http://h/?a=1&access_token=${access_token}"
        );
        assert_eq!(percent("a b/é~".as_bytes()), "a%20b%2F%C3%A9~");
    }
}
