//! A bind, simple or SASL, from compiled credentials to the server's verdict.
//!
//! The same procedure binds when a connection is opened, and authrate measures it. All steps of a SASL mechanism are
//! one bind. A simple bind allocates nothing; SASL does, as its cryptography costs far more than an allocation.

use super::channel::Channel;
use super::error::PlanError;
use super::failure::Failure;
use super::request::{Compiler, Request};
use super::sasl::{
    Conversation, Identity as SaslIdentity, KeyCache, Mechanism, SaslError, SaslOptions, Step,
};
use super::setup::Identity;
use super::slot::Keep;
use super::trace::TraceIds;
use brunt_exchange::{Class, Watch};
use brunt_feed::{Arguments, Escape, Position, Row, Template};
use brunt_ldap_wire::control::Control;
use brunt_ldap_wire::{Skeleton, Text, code, op, request};
use brunt_net::chance::mix;
use brunt_net::secret::Secret;

/// The password that a bind sends when it is meant to fail.
const INVALID: &[u8] = b"invalid-password";

/// No mechanism needs this many steps; a server that never ends the conversation is cut off.
const STEPS_MAX: usize = 10;

/// The identity that binds, with compiled templates.
#[derive(Debug)]
pub(super) struct Credentials {
    method: Method,
    password: Secret,
    wrong: WrongPasswords,
}

/// Which binds of a run are meant to fail: a function of the seed and the bind's number, so that runs repeat.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct WrongPasswords {
    pub(super) seed: u64,
    /// How many binds in a hundred. For 0 and 100 nothing is drawn.
    pub(super) percent: u8,
}

#[derive(Debug)]
enum Method {
    Simple(Request),
    Sasl(Box<Sasl>),
}

#[derive(Debug)]
struct Sasl {
    options: SaslOptions,
    authid: Template,
    authzid: Template,
    escape: Escape,
    with_credentials: Skeleton,
    without_credentials: Skeleton,
}

/// Which bind of a run this is.
#[derive(Clone, Copy)]
pub(super) struct BindContext<'a> {
    /// The server's name.
    pub(super) host: &'a str,
    pub(super) arguments: &'a Arguments,
    pub(super) position: Position,
    /// The DN that a search found.
    pub(super) found: Option<&'a [u8]>,
    /// The identities of a bind that is measured, for the traces of the server.
    pub(super) traces: Option<TraceIds>,
}

impl BindContext<'_> {
    /// Completes the request that begins at this byte.
    fn identify(&self, from: usize, out: &mut Vec<u8>) {
        if let Some(traces) = self.traces {
            traces.identify(self.position.number, from, out);
        }
    }
}

impl Credentials {
    /// Compiles an identity; `None` if there is no bind.
    pub(super) fn compile(
        identity: &Identity,
        controls: &[Control],
        compiler: Compiler<'_>,
        wrong: WrongPasswords,
    ) -> Result<Option<Self>, PlanError> {
        let (method, password) = match identity {
            Identity::Anonymous => return Ok(None),
            Identity::Simple { dn, password } => {
                (Method::Simple(compiler.bind(dn, controls)?), password)
            }
            Identity::Sasl { options, password } => {
                let (name, mechanism) = (Text::new(), options.mechanism.name());
                // `dn:uid={},…` is a prefix and a DN, and is escaped as a DN; no other form has an `=`.
                let escape = match options.mechanism {
                    Mechanism::Gssapi => Escape::None,
                    _ => compiler.dn_escape(),
                };
                let sasl = Sasl {
                    escape,
                    authid: compiler.template(options.authid.as_deref().unwrap_or_default())?,
                    authzid: compiler.template(options.authzid.as_deref().unwrap_or_default())?,
                    with_credentials: request::bind_sasl(
                        &name,
                        mechanism,
                        Some(&Text::slot(0)),
                        controls,
                    ),
                    without_credentials: request::bind_sasl(&name, mechanism, None, controls),
                    options: options.clone(),
                };
                (Method::Sasl(Box::new(sasl)), password)
            }
        };
        Ok(Some(Self { method, password: password.clone(), wrong }))
    }

    /// The compiled request of a simple bind.
    pub(super) const fn request(&self) -> Option<&Request> {
        match &self.method {
            Method::Simple(request) => Some(request),
            Method::Sasl(_) => None,
        }
    }

    /// The identity of the bind, for messages.
    pub(super) fn about(&self, context: &BindContext<'_>) -> String {
        match &self.method {
            Method::Simple(request) => {
                request.about(context.arguments, &context.position, context.found)
            }
            Method::Sasl(sasl) => {
                format!("{} {}", sasl.options.mechanism, sasl.render(&sasl.authid, context))
            }
        }
    }

    /// The password of one bind.
    fn password(&self, number: u64) -> &[u8] {
        if self.wrong.has(number) { INVALID } else { self.password.expose() }
    }

    /// Binds as the measured exchange, or outside it if there is no `watch`. Returns the result code.
    pub(super) async fn bind(
        &self,
        channel: Channel<'_>,
        context: BindContext<'_>,
        watch: Option<&mut Watch<'_>>,
    ) -> Result<u32, Failure> {
        let password = self.password(context.position.number);
        let reply = match &self.method {
            Method::Simple(request) => {
                let reply = {
                    let encode = |id: i32, out: &mut Vec<u8>| {
                        let mut scratch = channel.buffers.scratch.borrow_mut();
                        let BindContext { arguments, position, found, .. } = &context;
                        let from = out.len();
                        // A DN cannot fail: only filters are parsed late.
                        if let Ok(ready) =
                            request.fill(arguments, position, *found, &[password], &mut scratch)
                        {
                            ready.encode(id, out);
                        }
                        context.identify(from, out);
                    };
                    match watch {
                        Some(watch) => {
                            channel.exchange(op::BIND_RESPONSE, Keep::Nothing, watch, encode).await
                        }
                        None => channel.request(op::BIND_RESPONSE, Keep::Nothing, encode).await,
                    }
                };
                reply.code()
            }
            Method::Sasl(sasl) => Box::pin(sasl.bind(channel, context, password, watch)).await,
        };
        channel.star(password);
        reply
    }
}

impl WrongPasswords {
    const fn has(self, number: u64) -> bool {
        match self.percent {
            0 => false,
            100.. => true,
            percent => mix(self.seed ^ mix(number)) % 100 < percent as u64,
        }
    }
}

impl Sasl {
    async fn bind(
        &self,
        channel: Channel<'_>,
        context: BindContext<'_>,
        password: &[u8],
        mut watch: Option<&mut Watch<'_>>,
    ) -> Result<u32, Failure> {
        let mechanism = self.options.mechanism;
        let (authid, act_as) =
            (self.render(&self.authid, &context), self.render(&self.authzid, &context));
        let identity = SaslIdentity {
            authid: &authid,
            authzid: &act_as,
            password,
            realm: self.options.realm.as_deref(),
            host: context.host,
            digest_uri: self.options.digest_uri.as_deref(),
        };
        let mut conversation =
            Conversation::new(mechanism, &identity).map_err(|error| of_sasl(&error))?;
        let mut challenge: Option<Vec<u8>> = None;
        for number in 0..STEPS_MAX {
            let (step, response);
            (conversation, step, response) =
                advance(channel, conversation, challenge.take()).await?;
            let encode = |id: i32, out: &mut Vec<u8>| {
                let from = out.len();
                match step {
                    Step::Respond => self.with_credentials.encode(id, &[&response], out),
                    Step::Listen => self.without_credentials.encode(id, &(), out),
                }
                context.identify(from, out);
            };
            let reply = match &mut watch {
                Some(watch) => {
                    channel.exchange(op::BIND_RESPONSE, Keep::Credentials, watch, encode).await
                }
                None => channel.request(op::BIND_RESPONSE, Keep::Credentials, encode).await,
            };
            let credentials = channel.kept(<[u8]>::to_vec);
            // Once a step was answered, the bind is in progress and cannot be restarted.
            let unanswered = |failure: &Failure| failure.unanswered && number == 0;
            let reply = reply
                .code()
                .map_err(|failure| Failure { unanswered: unanswered(&failure), ..failure });
            match reply? {
                code::SASL_BIND_IN_PROGRESS => challenge = Some(credentials),
                code::SUCCESS => {
                    let proof = Some(credentials.as_slice()).filter(|proof| !proof.is_empty());
                    return conversation
                        .finish(proof)
                        .map(|()| code::SUCCESS)
                        .map_err(|error| of_sasl(&error));
                }
                refused => return Ok(refused),
            }
        }
        Err(Failure::protocol(format!(
            "the server wants more than {STEPS_MAX} steps of {mechanism}"
        )))
    }

    fn render(&self, template: &Template, context: &BindContext<'_>) -> String {
        let (mut row, mut text) = (Row::new(), Vec::new());
        context.arguments.draw(&context.position, &mut row);
        if let Some(found) = context.found {
            row.push(found);
        }
        template.render(&row, self.escape, &mut text);
        String::from_utf8_lossy(&text).into_owned()
    }
}

/// One step of the conversation; on another thread if it may wait for a KDC, so that the other sessions of this core
/// continue meanwhile.
async fn advance(
    channel: Channel<'_>,
    mut conversation: Conversation,
    challenge: Option<Vec<u8>>,
) -> Result<(Conversation, Step, Vec<u8>), Failure> {
    let mut response = Vec::new();
    if !conversation.blocks() {
        let mut keys = channel.buffers.keys.borrow_mut();
        let step = conversation
            .step(challenge.as_deref(), &mut keys, &mut response)
            .map_err(|error| of_sasl(&error))?;
        return Ok((conversation, step, response));
    }
    let stepped = tokio::task::spawn_blocking(move || {
        let step = conversation.step(challenge.as_deref(), &mut KeyCache::default(), &mut response);
        step.map(|step| (conversation, step, response))
    });
    match stepped.await {
        Ok(stepped) => stepped.map_err(|error| of_sasl(&error)),
        Err(error) => Err(Failure::new(Class::Login, code::LOCAL_ERROR, error.to_string())),
    }
}

fn of_sasl(error: &SaslError) -> Failure {
    let class = match error {
        SaslError::Challenge { .. } => Class::Protocol,
        SaslError::Impostor(_) | SaslError::Refused { .. } => Class::Check,
        _ => Class::Login,
    };
    Failure::new(class, code::LOCAL_ERROR, error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrong_passwords_are_exact_in_number_and_repeatable() {
        for percent in [0, 1, 37, 99, 100] {
            let wrong = WrongPasswords { seed: 7, percent };
            let count = (0..100_000).filter(|number| wrong.has(*number)).count();
            let expected = usize::from(percent) * 1000;
            assert!(count.abs_diff(expected) < 600, "{percent}: {count}");
            assert!((0..1000).all(|number| wrong.has(number) == wrong.has(number)));
        }
        let drawn = |seed| {
            let wrong = WrongPasswords { seed, percent: 50 };
            (0..64).map(|number| wrong.has(number)).collect::<Vec<_>>()
        };
        assert_ne!(drawn(1), drawn(2));
    }
}
