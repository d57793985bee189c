//! [`User`]: a virtual user, who carries out one step of a flow an exchange.
//!
//! A user has a client of its own, with its own connections and cookies, and its own variables. It is ready when the
//! way to its next step is open; what the step sends is rendered only when it is due, because in the open model nobody
//! knows before what an arrival brings.

use super::course::{ActNote, Course};
use super::ledger::{Fate, Ledger};
use super::plan::{Act, Start, Times, What};
use super::reply::{Parsed, Reply};
use super::source::Exhausted;
use super::variables::Variables;
use super::walk::{Ahead, Spot, Walk};
use super::{Content, HttpAct};
use crate::http::{self, Body, Client, Group, Origin, Request, Response};
use brunt_exchange::{Class, Moment, Outcome, Part, Session, Ticket, Want, Watch};
use brunt_feed::{Text, Unset, Values};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

/// From the beginning of an iteration to its end, pauses included.
pub const ITERATION: Part = Part(3);
/// The names of the parts, by number.
pub const PARTS: [&str; 5] = ["connect", "tls", "first byte", "iteration", "bind"];

/// What the users of one worker share.
#[derive(Debug)]
pub struct Desk {
    course: Arc<Course>,
    ledger: Arc<Ledger>,
}

impl Desk {
    /// A desk for the users of the worker that writes this ledger.
    pub fn new(course: &Arc<Course>, ledger: &Arc<Ledger>) -> Self {
        Self { course: Arc::clone(course), ledger: Arc::clone(ledger) }
    }
}

/// A virtual user.
pub struct User {
    desk: Rc<Desk>,
    number: u32,
    walk: Walk,
    variables: Variables,
    client: Client,
    request: Request,
    response: Response,
    url: Vec<u8>,
    /// The step whose request lies rendered, where it never changes.
    rendered: Option<Spot>,
    /// Why the way to a server could not be opened, to be told of the step that needed it.
    failed: Option<(Arc<Origin>, http::Failure)>,
    /// How long the way to the next step took to open.
    opening: Duration,
    /// The step that was begun and has not ended.
    midair: Option<Spot>,
    /// When the iteration began.
    began: Moment,
    started: bool,
    /// Why there was nothing to fill the variables of an iteration with.
    spent: Option<Exhausted>,
}

impl User {
    /// User `number`, who shares the connections of `group`.
    pub fn new(desk: &Rc<Desk>, group: &Rc<Group>, number: u32) -> Self {
        let course = &desk.course;
        Self {
            number,
            walk: Walk::new(number),
            variables: Variables::new(course, number),
            client: Client::new(course.network(), group, number),
            request: Request::default(),
            response: Response::default(),
            url: Vec::new(),
            rendered: None,
            failed: None,
            opening: Duration::ZERO,
            midair: None,
            began: Moment::ZERO,
            started: false,
            spent: None,
            desk: Rc::clone(desk),
        }
    }

    fn ahead(&mut self) -> Ahead {
        self.walk.ahead(&self.desk.course, &self.desk.ledger, &mut self.variables)
    }

    /// The step that comes next; an arrival begins an iteration.
    fn next(&mut self, ticket: &Ticket) -> Option<Spot> {
        match self.ahead() {
            Ahead::Step(spot, _) => Some(spot),
            Ahead::Unknown | Ahead::Nothing => None,
            Ahead::Arrival => {
                let desk = &self.desk;
                let (course, ledger) = (&desk.course, &desk.ledger);
                match self.walk.arrive(ticket.number, course, ledger, &mut self.variables) {
                    Ok(spot) => spot,
                    Err(exhausted) => {
                        self.spent = Some(exhausted);
                        None
                    }
                }
            }
        }
    }

    /// How much later than the run this user begins.
    fn start(&self) -> Duration {
        let flow = self.desk.course.flow();
        match flow.start {
            Start::Together => Duration::ZERO,
            Start::Groups { size, every } => every * (self.number / size.max(1)),
            Start::Over(all) => {
                let share = f64::from(self.number) / f64::from(flow.users.max(1));
                all.mul_f64(share.min(1.0))
            }
        }
    }

    /// An exchange that was begun and has not come back was called off by the run.
    fn settle(&mut self) {
        let Some(spot) = self.midair.take() else { return };
        let desk = Rc::clone(&self.desk);
        if let Some((act, _)) = desk.course.act(spot) {
            desk.ledger.ended(act.operation, Fate::Exceeded, act.patience.unwrap_or_default());
        }
        self.rendered = None;
        self.walk.done(spot, true, &desk.course);
    }

    async fn open(&mut self, origin: &Arc<Origin>, watch: &mut Watch<'_>) {
        if let Err(failure) = self.client.ready(origin, watch).await
            && self.failed.is_none()
        {
            self.failed = Some((Arc::clone(origin), failure));
        }
    }

    /// Carries out one step.
    async fn act(&mut self, spot: Spot, watch: &mut Watch<'_>) -> Outcome {
        let desk = Rc::clone(&self.desk);
        let Some((act, note)) = desk.course.act(spot) else { return Outcome::Skipped };
        watch.operation(act.operation);
        let bare = act
            .needs
            .iter()
            .any(|hole| self.variables.values().value(*hole).is_none_or(<[u8]>::is_empty));
        if self.walk.skips() || bare {
            desk.ledger.skipped(act.operation);
            self.walk.done(spot, false, &desk.course);
            return Outcome::Skipped;
        }
        self.midair = Some(spot);
        let outcome = match self.variables.begin_exchange(&desk.course, &note.uses) {
            Err(spent) => exhausted(&spent, watch),
            Ok(()) => match &act.what {
                What::Http(http) => self.http(spot, act, http, note, watch).await,
            },
        };
        self.midair = None;
        let outcome = self.count(act, outcome, watch);
        self.walk.done(spot, !matches!(outcome, Outcome::Ok(_)), &desk.course);
        outcome
    }

    /// Enters the step in the ledger; what came too late has not passed.
    fn count(&mut self, act: &Act, outcome: Outcome, watch: &mut Watch<'_>) -> Outcome {
        let times = self.desk.course.flow().times;
        if act.threshold.is_none() && times == Times::None {
            let fate = if matches!(outcome, Outcome::Ok(_)) { Fate::Passed } else { Fate::Failed };
            self.desk.ledger.ended(act.operation, fate, Duration::ZERO);
            return outcome;
        }
        let ended = watch.ended_at().unwrap_or_else(|| watch.now());
        watch.ended_as(ended);
        let service = watch.sent_at().map_or(Duration::ZERO, |sent| ended - sent);
        let took = match times {
            Times::Coarse => {
                let millis = (service + self.opening).as_millis();
                Duration::from_millis(u64::try_from(millis).unwrap_or(u64::MAX))
            }
            Times::None | Times::Service => service,
        };
        let late = act.threshold.is_some_and(|threshold| took > threshold);
        let (fate, outcome) = match outcome {
            Outcome::Ok(code) if late => {
                watch.explain(format_args!(
                    "{took:?} is longer than the {:?} it may take",
                    act.threshold.unwrap_or_default()
                ));
                (Fate::Exceeded, Outcome::Failed(Class::Exceeded, code))
            }
            Outcome::Ok(_) => (Fate::Passed, outcome),
            Outcome::TimedOut => (Fate::Exceeded, outcome),
            // LoadGen looks at the clock before it looks at the answer.
            _ if late && times == Times::Coarse => (Fate::Exceeded, outcome),
            _ => (Fate::Failed, outcome),
        };
        self.desk.ledger.ended(act.operation, fate, took);
        outcome
    }

    async fn http(
        &mut self,
        spot: Spot,
        act: &Act,
        http: &HttpAct,
        note: &ActNote,
        watch: &mut Watch<'_>,
    ) -> Outcome {
        if self.rendered != Some(spot)
            && let Err(outcome) = self.render(spot, http, note, watch)
        {
            return outcome;
        }
        let origin = match &note.origin {
            Some((origin, _)) => Arc::clone(origin),
            None => match self.aim(watch).await {
                Ok(origin) => origin,
                Err(outcome) => return outcome,
            },
        };
        if let Some((_, failure)) = self.failed.take_if(|(failed, _)| Arc::ptr_eq(failed, &origin))
        {
            return failure.outcome(watch);
        }
        let sent = self
            .client
            .exchange(&origin, &mut self.request, note.wanted, &mut self.response, watch)
            .await;
        match sent {
            Err(failure) => {
                self.rendered = None;
                failure.outcome(watch)
            }
            Ok(()) => {
                watch.items(self.response.received());
                self.judge(act, watch)
            }
        }
    }

    /// Renders the request.
    fn render(
        &mut self,
        spot: Spot,
        http: &HttpAct,
        note: &ActNote,
        watch: &mut Watch<'_>,
    ) -> Result<(), Outcome> {
        self.rendered = None;
        self.url.clear();
        let values = self.variables.values();
        if let Err(Unset(hole)) = write(&mut self.request, &mut self.url, http, values) {
            let variables = &self.desk.course.flow().variables;
            let name = variables.get(usize::from(hole.0)).map_or("?", |variable| &variable.name);
            watch.explain(format_args!("the variable '{name}' has no value"));
            return Err(Outcome::Failed(Class::Check, 0));
        }
        if let Some((_, path)) = &note.origin {
            self.request.target_mut().extend_from_slice(&self.url[*path..]);
            let settings = self.desk.course.network().settings();
            let alone = settings.redirects == 0 && !settings.cookies;
            self.rendered = (note.constant && alone).then_some(spot);
        }
        Ok(())
    }

    /// Finds out where a URL leads that is another each time.
    async fn aim(&mut self, watch: &mut Watch<'_>) -> Result<Arc<Origin>, Outcome> {
        match self.client.aim(&self.url).await {
            Ok((origin, path)) => {
                self.request.target_mut().extend_from_slice(&self.url[path..]);
                Ok(origin)
            }
            Err(failure) => Err(failure.outcome(watch)),
        }
    }

    /// Looks whether the answer is what the plan expects, and keeps of it what the plan wants.
    fn judge(&mut self, act: &Act, watch: &mut Watch<'_>) -> Outcome {
        let code = u32::from(self.response.status());
        let parsed = Parsed::new(Reply::Http(&self.response));
        for check in &act.checks {
            let values = self.variables.values();
            if !check.holds(&parsed, values) {
                if watch.wants_text() {
                    watch.explain(format_args!("{}", check.words(&parsed, values)));
                }
                let class = if check.is_of_the_code() { Class::Result } else { Class::Check };
                return Outcome::Failed(class, code);
            }
        }
        for extract in &act.extracts {
            if !extract.keep(&parsed, self.variables.values_mut()) {
                watch.explain(format_args!("the answer does not hold {extract}"));
                return Outcome::Failed(Class::Check, code);
            }
        }
        Outcome::Ok(code)
    }
}

/// The outcome of an exchange whose variables could not be filled.
fn exhausted(spent: &Exhausted, watch: &mut Watch<'_>) -> Outcome {
    watch.explain(format_args!("failed to {spent}"));
    Outcome::Failed(Class::Check, 0)
}

/// Writes a request but for its target, and its URL.
fn write(
    request: &mut Request,
    url: &mut Vec<u8>,
    http: &HttpAct,
    values: &Values,
) -> Result<(), Unset> {
    request.begin(&http.method);
    http.url.render(values, url)?;
    for (name, value) in &http.fields {
        request.field(name, |out| Text::render(value, values, out))?;
    }
    match &http.body {
        Content::None => request.set_body(Body::None),
        Content::Text(text) => text.render(values, request.body_mut())?,
        Content::Fixed(body) => request.set_body(body.clone()),
    }
    Ok(())
}

impl Session for User {
    async fn ready(&mut self, watch: &mut Watch<'_>) {
        let before = watch.now();
        match self.ahead() {
            Ahead::Arrival => {
                let desk = Rc::clone(&self.desk);
                for origin in desk.course.firsts() {
                    self.open(origin, watch).await;
                }
            }
            Ahead::Step(spot, _) if !self.walk.skips() => {
                let desk = Rc::clone(&self.desk);
                let note = desk.course.act(spot).map(|(_, note)| note);
                if let Some((origin, _)) = note.and_then(|note| note.origin.as_ref()) {
                    self.open(origin, watch).await;
                }
            }
            _ => return,
        }
        if self.desk.course.flow().times == Times::Coarse {
            self.opening = watch.now() - before;
        }
    }

    async fn exchange(&mut self, ticket: &Ticket, watch: &mut Watch<'_>) -> Outcome {
        let Some(spot) = self.next(ticket) else {
            return match &self.spent {
                Some(spent) => exhausted(spent, watch),
                None => Outcome::Skipped,
            };
        };
        let (first, last) = self.desk.course.ends(spot.scenario);
        if spot.step == first {
            self.began = watch.now();
        }
        let outcome = self.act(spot, watch).await;
        // How long a visit takes is told of those that came to their end.
        if spot.step == last && !self.walk.skips() {
            watch.part(ITERATION, watch.now() - self.began);
        }
        outcome
    }

    fn wants(&mut self, free: Moment) -> Want {
        self.settle();
        match self.ahead() {
            Ahead::Arrival => Want::Next,
            Ahead::Step(_, pause) => {
                let first = !std::mem::replace(&mut self.started, true);
                let pause = if first { pause + self.start() } else { pause };
                let midway = self.desk.course.flow().arrivals;
                if pause.is_zero() && !midway { Want::Next } else { Want::At(free + pause) }
            }
            Ahead::Nothing | Ahead::Unknown => Want::Nothing,
        }
    }

    fn patience(&mut self, ticket: &Ticket) -> Option<Duration> {
        let spot = self.next(ticket)?;
        self.desk.course.act(spot).and_then(|(act, _)| act.patience)
    }

    async fn close(&mut self) {
        self.client.close().await;
    }
}
