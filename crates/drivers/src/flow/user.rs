//! [`User`]: a virtual user, who carries out one step of a flow an exchange.
//!
//! A user has a client of its own, with its own connections and cookies, and its own variables. It is ready when the
//! way to its next step is open; what the step sends is rendered only when it is due, because in the open model nobody
//! knows before what an arrival brings.

use super::course::{ActNote, Course};
use super::directory::Directory;
use super::ldap::LdapAct;
use super::ledger::{Fate, Ledger};
use super::plan::{Act, Start, Times, What};
use super::reply::{Parsed, Reply};
use super::source::Exhausted;
use super::spot::Spot;
use super::variables::Variables;
use super::walk::{Ahead, Walk};
use super::web::Web;
use crate::dhcp::{DhcpAccess, DhcpClient, Kind};
use crate::http::{self, Group};
use crate::ldap::Hall;
use brunt_exchange::{Class, Moment, Outcome, Part, Session, Ticket, Want, Watch};
use brunt_feed::Hole;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

/// From the beginning of an iteration to its end, pauses included.
pub const ITERATION: Part = Part(5);
/// The names of the parts, by number.
pub const PARTS: [&str; 6] = ["connect", "tls", "bind", "reconnect", "first byte", "iteration"];

/// What the users of one worker share.
#[derive(Debug)]
pub struct Desk {
    course: Arc<Course>,
    ledger: Arc<Ledger>,
    group: Rc<Group>,
    hall: Option<Hall>,
    access: Option<DhcpAccess>,
}

impl Desk {
    /// A desk for so many users, those of the worker that writes this ledger. To be made within its runtime.
    pub fn new(course: &Arc<Course>, ledger: &Arc<Ledger>, users: usize) -> Self {
        let access = course.flow().dhcp.as_deref();
        Self {
            group: Group::new(course.network()),
            hall: course.flow().ldap.as_ref().map(Hall::new),
            access: access.map(|access| DhcpAccess::new(access, users)),
            course: Arc::clone(course),
            ledger: Arc::clone(ledger),
        }
    }
}

/// A virtual user.
pub struct User {
    desk: Rc<Desk>,
    number: u32,
    walk: Walk,
    variables: Variables,
    web: Web,
    directory: Option<Box<Directory>>,
    dhcp_client: Option<DhcpClient>,
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
    /// User `number` of the whole run.
    pub fn new(desk: &Rc<Desk>, number: u32) -> Self {
        let course = &desk.course;
        Self {
            number,
            walk: Walk::new(number),
            variables: Variables::new(course, number),
            web: Web::new(course, &desk.group, number),
            directory: desk.hall.as_ref().map(|hall| Box::new(Directory::new(hall, number))),
            dhcp_client: desk.access.as_ref().map(|access| DhcpClient::new(access, number)),
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
        self.walk.due_in(ticket.phase);
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
            let patience = act.patience.unwrap_or_default();
            desk.ledger.ended(self.walk.phase(), act.operation, Fate::Exceeded, patience);
        }
        self.web.give_up();
        self.walk.done(spot, true, &desk.course);
    }

    /// Opens the way to a step.
    async fn open(&mut self, act: &Act, note: &ActNote, watch: &mut Watch<'_>) {
        match (&act.what, &note.origin, &mut self.directory) {
            (What::Http(_), Some((origin, _)), _) => self.web.open(origin, watch).await,
            (What::Ldap(_), _, Some(directory)) => directory.open(watch).await,
            _ => {}
        }
    }

    /// Carries out one step.
    async fn act(&mut self, spot: Spot, watch: &mut Watch<'_>) -> Outcome {
        let desk = Rc::clone(&self.desk);
        let Some((act, note)) = desk.course.act(spot) else { return Outcome::Skipped };
        watch.operation(act.operation);
        let empty = |hole: &Hole| self.variables.values().value(*hole).is_none_or(<[u8]>::is_empty);
        let bare = note.needs.iter().any(empty);
        if self.walk.skips() || bare {
            desk.ledger.skipped(self.walk.phase(), act.operation);
            self.walk.done(spot, false, &desk.course);
            return Outcome::Skipped;
        }
        self.midair = Some(spot);
        let outcome = match self.variables.begin_exchange(&desk.course, &note.uses) {
            Err(spent) => exhausted(&spent, watch),
            Ok(()) => self.exchange_of(spot, act, note, watch).await,
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
            self.desk.ledger.ended(self.walk.phase(), act.operation, fate, Duration::ZERO);
            return outcome;
        }
        let ended = watch.ended_at().unwrap_or_else(|| watch.now());
        watch.ended_as(ended);
        let service = watch.sent_at().map_or(Duration::ZERO, |sent| ended - sent);
        let took = match times {
            Times::Coarse => {
                let millis = (service + self.opening + reopening(watch)).as_millis();
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
        self.desk.ledger.ended(self.walk.phase(), act.operation, fate, took);
        outcome
    }

    /// Asks, and looks whether the answer is what the plan expects.
    async fn exchange_of(
        &mut self,
        spot: Spot,
        act: &Act,
        note: &ActNote,
        watch: &mut Watch<'_>,
    ) -> Outcome {
        let desk = Rc::clone(&self.desk);
        let values = self.variables.values();
        match (&act.what, &mut self.directory) {
            (What::Http(http), _) => {
                let step = (spot, &**http, note);
                match self.web.exchange(step, &desk.course, values, watch).await {
                    Ok(()) => {
                        let reply = self.web.reply();
                        let outcome = judge_status(act, reply, &mut self.variables, watch);
                        self.web.put_away();
                        outcome
                    }
                    Err(outcome) => outcome,
                }
            }
            (What::Ldap(ldap), Some(directory)) => {
                match directory.exchange(ldap, &desk.course, values, watch).await {
                    Ok(()) => judge_result(act, ldap, directory, &mut self.variables, watch),
                    Err(outcome) => outcome,
                }
            }
            (What::Ldap(_), None) => Outcome::Skipped,
            (What::Dhcp(kind), _) => self.lease(*kind, act, note, watch).await,
        }
    }

    /// Asks a DHCP server, and looks whether the answer is what the plan expects.
    async fn lease(
        &mut self,
        kind: Kind,
        act: &Act,
        note: &ActNote,
        watch: &mut Watch<'_>,
    ) -> Outcome {
        let Some(dhcp_client) = &mut self.dhcp_client else { return Outcome::Skipped };
        let phase = self.walk.phase().unwrap_or_default();
        match dhcp_client.carry_out(kind, note.wanted.fields, phase, watch).await {
            Outcome::Ok(code) => {
                let reply = Reply::Named { code, values: dhcp_client.values() };
                judge(act, reply, &mut self.variables, watch)
            }
            outcome => outcome,
        }
    }
}

/// How long it took to open a connection again before the request left. What followed the request is in its own time.
fn reopening(watch: &Watch<'_>) -> Duration {
    let reconnects = watch.parts().iter().filter(|(part, _)| *part == http::RECONNECT);
    let before = reconnects.clone().count().saturating_sub(watch.times_resent() as usize);
    reconnects.take(before).map(|(_, took)| *took).sum()
}

/// Looks whether an answer is what the plan expects, and keeps of it what the plan wants.
fn judge(act: &Act, reply: Reply<'_>, variables: &mut Variables, watch: &mut Watch<'_>) -> Outcome {
    let code = reply.code();
    if act.checks.is_empty() && act.extracts.is_empty() {
        return Outcome::Ok(code);
    }
    let parsed = Parsed::new(reply);
    for check in &act.checks {
        let values = variables.values();
        if !check.holds(&parsed, values) {
            if watch.wants_text() {
                watch.explain(format_args!("{}", check.words(&parsed, values)));
            }
            let class = if check.is_of_the_code() { Class::Result } else { Class::Check };
            return Outcome::Failed(class, code);
        }
    }
    for extract in &act.extracts {
        if !extract.keep(&parsed, variables.values_mut()) {
            watch.explain(format_args!("{}", extract.words(&parsed)));
            return Outcome::Failed(Class::Check, code);
        }
    }
    Outcome::Ok(code)
}

/// The same for a web server, which says by its status that it did not do what it was asked.
fn judge_status(
    act: &Act,
    reply: Reply<'_>,
    variables: &mut Variables,
    watch: &mut Watch<'_>,
) -> Outcome {
    let told = act.checks.iter().any(super::Check::is_of_the_code);
    if !told && reply.code() >= 400 {
        return Outcome::Failed(Class::Result, reply.code());
    }
    judge(act, reply, variables, watch)
}

/// The same for a directory, whose result codes have a meaning of their own where the plan gives them none.
fn judge_result(
    act: &Act,
    ldap: &LdapAct,
    directory: &Directory,
    variables: &mut Variables,
    watch: &mut Watch<'_>,
) -> Outcome {
    let reply = directory.reply();
    let told = act.checks.iter().any(super::Check::is_of_the_code);
    if !told && !ldap.succeeded(reply.code()) {
        return Outcome::Failed(Class::Result, reply.code());
    }
    judge(act, reply, variables, watch)
}

/// The outcome of an exchange whose variables could not be filled.
fn exhausted(spent: &Exhausted, watch: &mut Watch<'_>) -> Outcome {
    watch.explain(format_args!("failed to {spent}"));
    Outcome::Failed(Class::Check, 0)
}

impl Session for User {
    async fn ready(&mut self, watch: &mut Watch<'_>) {
        let desk = Rc::clone(&self.desk);
        let coarse = desk.course.flow().times == Times::Coarse;
        let before = coarse.then(|| watch.now());
        match self.ahead() {
            Ahead::Arrival => {
                for spot in desk.course.firsts() {
                    if let Some((act, note)) = desk.course.act(*spot) {
                        self.open(act, note, watch).await;
                    }
                }
            }
            Ahead::Step(spot, _) if !self.walk.skips() => {
                if let Some((act, note)) = desk.course.act(spot) {
                    self.open(act, note, watch).await;
                }
            }
            _ => return,
        }
        if let Some(before) = before {
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
            if first != last {
                self.began = watch.now();
            }
            if self.desk.course.network().settings().cookies {
                self.web.begin_visit();
            }
        }
        let outcome = self.act(spot, watch).await;
        // How long a visit takes is told of those that came to their end, where it is more than one exchange.
        if spot.step == last && first != last && !self.walk.skips() {
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
        self.web.close().await;
        if let Some(directory) = &mut self.directory {
            directory.close().await;
        }
        if let Some(dhcp_client) = &mut self.dhcp_client {
            dhcp_client.leave();
        }
    }
}
