//! [`Referrer`]: the Referer header of requests from a page.

use url::Url;

/// The referrer policy of a page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Referrer {
    /// The whole page to its own origin, only its origin to others: the default of browsers.
    #[default]
    Usual,
    /// Only the origin.
    Origin,
    /// The whole page to its own origin, nothing to others.
    Own,
    /// Nothing.
    None,
}

impl Referrer {
    /// Applies a policy: the last of a list that is known. An unknown one changes nothing.
    pub fn narrow(&mut self, policy: &str) {
        for word in policy.split(',') {
            *self = match word.trim().to_ascii_lowercase().as_str() {
                "no-referrer" | "never" => Self::None,
                "origin" | "strict-origin" => Self::Origin,
                "same-origin" => Self::Own,
                "no-referrer-when-downgrade"
                | "origin-when-cross-origin"
                | "strict-origin-when-cross-origin"
                | "unsafe-url"
                | "default"
                | "always" => Self::Usual,
                _ => *self,
            };
        }
    }

    /// The field `Referer` of a request from `page` to `target`.
    pub fn field(self, page: &Url, target: &Url) -> Option<String> {
        let same = page.origin() == target.origin();
        let downgrade = page.scheme() == "https" && target.scheme() != "https";
        let origin = || format!("{}/", page.origin().ascii_serialization());
        match self {
            Self::None => None,
            _ if downgrade => None,
            Self::Own if !same => None,
            Self::Origin => Some(origin()),
            Self::Usual if !same => Some(origin()),
            Self::Usual | Self::Own => Some(page.to_string()),
        }
    }

    /// The field `Origin` of such a request, if it sends a form with POST.
    pub fn origin(self, page: &Url) -> Option<String> {
        (self != Self::None).then(|| page.origin().ascii_serialization())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn referrer_policy_decides_what_is_sent() {
        let url = |text: &str| Url::parse(text).unwrap();
        let (page, own) = (url("https://a.example/x?y=z"), url("https://a.example/b"));
        let (other, plain) = (url("https://b.example/"), url("http://a.example/"));
        let sent = |policy: &str| {
            let mut referrer = Referrer::default();
            referrer.narrow(policy);
            [&own, &other, &plain].map(|to| referrer.field(&page, to).unwrap_or_default())
        };
        let (whole, origin) = ("https://a.example/x?y=z", "https://a.example/");
        assert_eq!(sent(""), [whole, origin, ""]);
        assert_eq!(sent("no-referrer"), ["", "", ""]);
        assert_eq!(sent("no-referrer, strict-origin-when-cross-origin"), [whole, origin, ""]);
        assert_eq!(sent("same-origin"), [whole, "", ""]);
        assert_eq!(sent("Strict-Origin"), [origin, origin, ""]);
        assert_eq!(Referrer::None.origin(&page), None);
        assert_eq!(Referrer::Own.origin(&page).unwrap(), "https://a.example");
    }
}
