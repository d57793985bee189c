//! Pages for people.

use std::fmt::Write as _;

use serde_json::json;

use crate::call::Call;
use crate::reply::Reply;
use crate::script::LoginFault;

const HTML: &str = "text/html;charset=utf-8";

/// A page with one form.
pub(super) struct Form<'a> {
    pub(super) id: &'a str,
    pub(super) title: &'a str,
    pub(super) action: &'a str,
    /// Names and values of hidden fields.
    pub(super) hidden: &'a [(&'a str, &'a str)],
    /// Names, types and labels of the others.
    pub(super) inputs: &'a [(&'a str, &'a str, &'a str)],
    /// Names and texts of the buttons.
    pub(super) buttons: &'a [(&'a str, &'a str)],
    /// What went wrong before.
    pub(super) error: Option<&'a str>,
}

/// Text in HTML, also within an attribute.
fn escaped(text: &str, out: &mut String) {
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&#34;"),
            '\'' => out.push_str("&#39;"),
            letter => out.push(letter),
        }
    }
}

/// A form whose fields are all hidden, which a script sends to another site.
pub(super) fn post_elsewhere(reply: &mut Reply, action: &str, fields: &[(&str, &str)]) {
    let form = Form {
        id: "post-form",
        title: "Continue",
        action,
        hidden: fields,
        inputs: &[],
        buttons: &[("", "Continue")],
        error: None,
    };
    let mut body = String::with_capacity(1024);
    form.write(form.id, &mut body);
    body.push_str("<script>document.getElementById('post-form').submit()</script>");
    whole(reply, 200, form.title, &body);
}

/// A page with a message and without a form.
pub(super) fn message_page(reply: &mut Reply, status: u16, title: &str, text: &str, error: bool) {
    let mut body = String::with_capacity(256);
    let class = if error { " class=\"error\" role=\"alert\"" } else { "" };
    let _ = write!(body, "<p{class}>");
    escaped(text, &mut body);
    body.push_str("</p>");
    whole(reply, status, title, &body);
}

impl Form<'_> {
    /// Shows the page, or what the script makes of it.
    pub(super) fn show(&self, call: &Call<'_>, reply: &mut Reply) {
        let mut body = String::with_capacity(1024);
        match call.login_fault {
            Some(LoginFault::NoForm) => {
                let text = "The service is being maintained.";
                return message_page(reply, 200, "Maintenance", text, true);
            }
            Some(LoginFault::JsonPage) => return reply.json(200, &json!({"action": self.action})),
            Some(LoginFault::ScriptForm) => self.write_script(&mut body),
            Some(LoginFault::TwoForms) => {
                self.write(self.id, &mut body);
                self.write(&format!("{}-again", self.id), &mut body);
            }
            _ => self.write(self.id, &mut body),
        }
        whole(reply, 200, self.title, &body);
    }

    fn write(&self, id: &str, out: &mut String) {
        if let Some(error) = self.error {
            out.push_str("<p id=\"input-error\" class=\"error\" role=\"alert\">");
            escaped(error, out);
            out.push_str("</p>\n");
        }
        let _ = write!(out, "<form id=\"{id}\" method=\"post\" action=\"");
        escaped(self.action, out);
        out.push_str("\">\n");
        for (name, value) in self.hidden {
            let _ = write!(out, "<input type=\"hidden\" name=\"{name}\" value=\"");
            escaped(value, out);
            out.push_str("\">\n");
        }
        for (name, kind, label) in self.inputs {
            let _ = writeln!(
                out,
                "<label for=\"{name}\">{label}</label> \
                 <input id=\"{name}\" name=\"{name}\" type=\"{kind}\" autocomplete=off>"
            );
        }
        for (name, text) in self.buttons {
            let name = if name.is_empty() { String::new() } else { format!(" name=\"{name}\"") };
            let _ = writeln!(out, "<button type=\"submit\"{name} value=\"{text}\">{text}</button>");
        }
        out.push_str("</form>\n");
    }

    /// The same as data for a script that would draw the form.
    fn write_script(&self, out: &mut String) {
        let hidden: serde_json::Map<_, _> =
            self.hidden.iter().map(|(name, value)| ((*name).to_owned(), json!(value))).collect();
        let data = json!({"loginAction": self.action, "hidden": hidden}).to_string();
        let data = data.replace('<', "\\u003c");
        let _ = write!(
            out,
            "<div id=\"root\"></div>\n<script>const kcContext = {data};</script>\n\
             <script>function draw() {{}}</script>\n<script>draw();</script>\n"
        );
    }
}

fn whole(reply: &mut Reply, status: u16, title: &str, body: &str) {
    reply.status = status;
    reply.content_type = HTML;
    reply.body.clear();
    let parts = [
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>",
        title,
        "</title>\n<meta name=\"viewport\" content=\"width=device-width\">\n</head>\n<body>\n<h1>",
        title,
        "</h1>\n",
        body,
        "\n</body>\n</html>\n",
    ];
    for part in parts {
        reply.body.extend_from_slice(part.as_bytes());
    }
}

/// Sends the browser to another place.
pub(super) fn redirect(reply: &mut Reply, to: String) {
    reply.status = 302;
    reply.body.clear();
    reply.field("Location", to);
}

/// A URL with more parameters.
pub(super) fn with_parameters(url: &str, parameters: &[(&str, &str)]) -> String {
    let mut out = String::with_capacity(url.len() + 128);
    out.push_str(url);
    out.push(if url.contains('?') { '&' } else { '?' });
    let start = out.len();
    form_urlencoded::Serializer::for_suffix(out, start).extend_pairs(parameters).finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn page_texts_and_parameters_are_escaped() {
        let mut out = String::new();
        escaped("<a href=\"x\">&'", &mut out);
        assert_eq!(out, "&lt;a href=&#34;x&#34;&gt;&amp;&#39;");
        assert_eq!(with_parameters("http://a/?b", &[("c", "d e&f")]), "http://a/?b&c=d+e%26f");
        assert_eq!(with_parameters("http://a/", &[("c", "d"), ("e", "")]), "http://a/?c=d&e=");
    }
}
