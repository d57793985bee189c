//! Renews the tokens of a user who signed in at the provider, to learn whether they may still be signed in, and their
//! groups.

use http::StatusCode;

use super::{Failure, Tokens, client_secret, person_of};
use crate::app::App;
use crate::auth::Secret;
use crate::problem::Problem;
use crate::store::{LiveSession, ProviderSettings, StoreError, User, Vouched};

/// How long a session lasts after its check was due and impossible, in seconds: the provider is down, or gave no
/// refresh token.
const GRACE: i64 = 3_600;

/// The user of a session; if it began at the provider, with the role that they have there now. `None` if the session
/// has ended. One request at a time is sent to the provider, and others continue meanwhile.
pub(crate) fn confirmed(
    app: &App,
    session: &Secret,
    live: LiveSession,
) -> Result<Option<User>, Problem> {
    let Some(checked) = live.checked else { return Ok(Some(live.user)) };
    let Some((settings, sealed)) = app.store.provider()? else { return Ok(None) };
    let due = checked.saturating_add(settings.minutes * 60);
    let now = app.now();
    if now < due {
        return Ok(Some(live.user));
    }
    let may_wait = now < due.saturating_add(GRACE);
    match checked_again(app, session, (&settings, &sealed), (&live.user, may_wait)) {
        Ok(checked) => Ok(checked),
        Err(NotConfirmed::Later(_)) if may_wait => Ok(Some(live.user)),
        Err(NotConfirmed::Later(why)) if why.is_empty() => Err(busy(&settings)),
        Err(NotConfirmed::Ended(why) | NotConfirmed::Later(why)) => {
            ended(app, session, &live.user, &settings, &why)
        }
        Err(NotConfirmed::Failed(problem)) => Err(problem),
    }
}

/// Why a session was not confirmed.
enum NotConfirmed {
    /// It must end.
    Ended(String),
    /// It may be confirmed later. The reason is empty if other requests to the provider are active.
    Later(String),
    /// The site failed.
    Failed(Problem),
}

impl From<StoreError> for NotConfirmed {
    fn from(error: StoreError) -> Self {
        Self::Failed(error.into())
    }
}

impl From<Problem> for NotConfirmed {
    fn from(problem: Problem) -> Self {
        Self::Failed(problem)
    }
}

impl From<Failure> for NotConfirmed {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Down(why) | Failure::Refused(why) => Self::Later(why),
            Failure::Busy => Self::Later(String::new()),
            Failure::Ended(why) => Self::Ended(why),
        }
    }
}

fn checked_again(
    app: &App,
    session: &Secret,
    (settings, sealed): (&ProviderSettings, &[u8]),
    (user, may_wait): (&User, bool),
) -> Result<Option<User>, NotConfirmed> {
    let (hash, now) = (session.hash(), app.now());
    let secret = client_secret(app, settings, sealed)?;
    let with = (settings, secret.as_str());
    let conversation = if may_wait {
        app.provider.try_begin(with, now)?
    } else {
        app.provider.begin(with, now)?
    };
    // Another request may have renewed them since this one began.
    let Some(vouched) = app.store.vouched(&hash)? else { return Ok(None) };
    if app.now() < vouched.checked.saturating_add(settings.minutes * 60) {
        return Ok(app.store.user(user.id)?.filter(|user| !user.disabled));
    }
    let tokens = Tokens::unsealed(app, &hash, &vouched.tokens);
    let tokens =
        tokens.ok_or_else(|| NotConfirmed::Ended("its tokens cannot be read".to_owned()))?;
    let no_refresh = || NotConfirmed::Later("the provider gave no refresh token".to_owned());
    let reply = conversation.renew(tokens.refresh.as_deref().ok_or_else(no_refresh)?)?;
    let id = reply.id_token.clone();
    let id = id.ok_or_else(|| NotConfirmed::Later("the provider renews no ID token".to_owned()))?;
    let refresh = reply.refresh_token.clone().or(tokens.refresh);
    let person = person_of(&conversation, settings, (&reply, &id), None);
    // A refresh token may be valid only once, so the new one is kept whatever the other tokens contain.
    let keep = |checked, id| {
        let tokens = Tokens { id, refresh: refresh.clone() };
        let tokens = tokens.sealed(app, &hash)?;
        app.store.vouch(&hash, &Vouched { checked, tokens, sid: vouched.sid.clone() })?;
        Ok::<(), NotConfirmed>(())
    };
    let person = match person {
        Ok(person) => person,
        Err(failure) => {
            keep(vouched.checked, tokens.id)?;
            return Err(failure.into());
        }
    };
    let known = app.store.identity(user.id)?;
    if known.is_none_or(|known| known.subject != person.identity.subject) {
        return Err(NotConfirmed::Ended("its tokens are now about somebody else".to_owned()));
    }
    app.store.note_groups(user.id, &person.groups)?;
    let Some(role) = person.role else {
        return Err(NotConfirmed::Ended(
            "they are in none of the groups that may sign in".to_owned(),
        ));
    };
    keep(app.now(), id)?;
    app.store.note_person(user.id, &person.identity, role, app.now())?;
    if role != user.role {
        let what = format!("{} from {} to {}", user.name, user.role.word(), role.word());
        app.audit_by(&settings.name, "change role", &what)?;
    }
    Ok(app.store.user(user.id)?.filter(|user| !user.disabled))
}

/// It has to be confirmed, and other requests to the provider are active.
fn busy(settings: &ProviderSettings) -> Problem {
    let detail = format!("Whether you may still be signed in is being asked of {}.", settings.name);
    let problem = Problem::new(StatusCode::SERVICE_UNAVAILABLE, "Try again in a moment", detail);
    Problem { wait: Some(5), ..problem }
}

fn ended(
    app: &App,
    session: &Secret,
    user: &User,
    settings: &ProviderSettings,
    why: &str,
) -> Result<Option<User>, Problem> {
    app.store.end_session(&session.hash())?;
    app.audit_by(&settings.name, "end session", &format!("of {}: {why}", user.name))?;
    Ok(None)
}
