//! The name, groups and role of a user, from the claims of the provider.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;
use serde::{Deserialize, Serialize};

use super::{Conversation, Failure};
use crate::app::App;
use crate::auth::{Hash, Role};
use crate::oidc::{Claims, TokenReply};
use crate::problem::Problem;
use crate::store::{Identity, ProviderSettings};

/// The most characters of a name and of an address.
const NAME_MAX: usize = 50;
const WORDS_MAX: usize = 200;
/// The most characters of the name of a group, and the most groups of a person that are stored.
const GROUP_MAX: usize = 200;
const GROUPS_MAX: usize = 2_000;

/// Somebody for whom the provider vouched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Person {
    pub(crate) identity: Identity,
    /// The name that they get here if they are new.
    pub(crate) name: String,
    /// What their groups allow; `None` if they may not sign in.
    pub(crate) role: Option<Role>,
    /// Their groups, by which they see projects.
    pub(crate) groups: Vec<String>,
    /// The provider's name for their session.
    pub(crate) sid: Option<String>,
}

/// The tokens of a session that are needed later.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Tokens {
    /// The ID token, with which the session at the provider is ended.
    pub(crate) id: String,
    /// The refresh token, with which the session is checked again.
    pub(crate) refresh: Option<String>,
}

/// Reads the claims of tokens. The groups may be among the claims that the provider gives only on request.
pub(crate) fn person_of(
    conversation: &Conversation<'_>,
    settings: &ProviderSettings,
    (reply, id_token): (&TokenReply, &str),
    nonce: Option<&str>,
) -> Result<Person, Failure> {
    let access = reply.access_token.as_deref();
    let claims = conversation.claims(id_token, nonce, access)?;
    let mut groups = claims.groups(&settings.claim);
    let mut more = None;
    if groups.is_none()
        && let Some(access) = access
        && let Some(found) = conversation.userinfo(access)?
    {
        // OpenID Connect Core 1.0, section 5.3.2: it must be about the same person.
        if found.subject() != claims.subject() {
            return Err(Failure::Refused("its claims are about somebody else".to_owned()));
        }
        groups = found.groups(&settings.claim);
        more = Some(found);
    }
    let mut groups = groups.unwrap_or_default();
    let role = settings.role(&groups);
    // A truncated name could be that of another group.
    groups.retain(|group| group.chars().count() <= GROUP_MAX);
    groups.truncate(GROUPS_MAX);
    Ok(Person { role, groups, ..named(&settings.issuer, &claims, more.as_ref()) })
}

fn named(issuer: &str, claims: &Claims, more: Option<&Claims>) -> Person {
    let text = |name: &str| claims.text(name).or_else(|| more?.text(name)).unwrap_or_default();
    let bounded = |text: &str| -> String {
        text.chars().filter(|one| !one.is_control()).take(WORDS_MAX).collect()
    };
    let subject = claims.subject().to_owned();
    let identity = Identity {
        issuer: issuer.to_owned(),
        full_name: bounded(text("name")),
        mail: bounded(text("email")),
        subject,
    };
    let called = [text("preferred_username"), text("email"), &identity.subject];
    let name = called.into_iter().map(plain).find(|name| !name.is_empty());
    let sid = claims.text("sid").map(bounded);
    let name = name.unwrap_or_else(|| "person".to_owned());
    Person { name, identity, role: None, groups: Vec::new(), sid }
}

/// A name that can be typed and distinguished from others here.
fn plain(name: &str) -> String {
    let fits = |one: &char| one.is_alphanumeric() || "-._@".contains(*one);
    name.chars().filter(fits).take(NAME_MAX).collect()
}

/// The client secret of the provider. The error contains what to do.
pub(crate) fn client_secret(
    app: &App,
    settings: &ProviderSettings,
    sealed: &[u8],
) -> Result<String, Failure> {
    let secret = app.vault.unseal_for(&secret_parts(settings), sealed);
    let why = "its client secret was encrypted with another secrets.key: an administrator has to enter it again";
    secret.ok_or_else(|| Failure::Refused(why.to_owned()))
}

/// Encrypts the client secret. It belongs to the issuer: after a change of the issuer it has to be entered again.
pub(crate) fn sealed(
    app: &App,
    settings: &ProviderSettings,
    secret: &str,
) -> Result<Vec<u8>, Problem> {
    app.vault.seal_for(&secret_parts(settings), secret).map_err(Problem::bug)
}

fn secret_parts(settings: &ProviderSettings) -> [&str; 2] {
    ["client secret", &settings.issuer]
}

impl Tokens {
    /// Encrypts the tokens of a session.
    pub(crate) fn sealed(&self, app: &App, session: &Hash) -> Result<Vec<u8>, Problem> {
        let text = serde_json::to_string(self).map_err(Problem::bug)?;
        let parts = ["session", &BASE64.encode(session)];
        app.vault.seal_for(&parts, &text).map_err(Problem::bug)
    }

    /// Decrypts them; `None` if they were encrypted with another key, or for another session.
    pub(crate) fn unsealed(app: &App, session: &Hash, sealed: &[u8]) -> Option<Self> {
        let text = app.vault.unseal_for(&["session", &BASE64.encode(session)], sealed)?;
        serde_json::from_str(&text).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_person_gets_a_name_that_can_be_typed() {
        let name = |text: &str| {
            let claims = Claims::read(text.as_bytes()).unwrap();
            named("https://sso.example.com", &claims, None).name
        };
        assert_eq!(name(r#"{"sub": "1", "preferred_username": "ada l.", "email": "x"}"#), "adal.");
        assert_eq!(name(r#"{"sub": "1", "email": "ada@example.com"}"#), "ada@example.com");
        assert_eq!(name(r#"{"sub": "f3b1-07"}"#), "f3b1-07");
        assert_eq!(name(r#"{"sub": "<>", "preferred_username": "\u0000"}"#), "person");
        assert_eq!(name(&format!(r#"{{"sub": "{}"}}"#, "x".repeat(200))).len(), NAME_MAX);
    }
}
