//! How an agent carries out one order: its [`Share`] decides the next step, a [`Child`] makes it, and the agent reports
//! to the control plane.

use std::collections::VecDeque;
use std::fmt::Display;
use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use brunt_cluster::agent::{Action, REPORT_EVERY, Share};
use brunt_cluster::bundle::OrderDirectory;
use brunt_cluster::message::{Order, Sealed, Stage, Word, write_report};
use brunt_cluster::policy::Permit;
use brunt_exchange::{Clock as _, Monotonic};
use brunt_run::console;
use brunt_run::options::exit::Exit;
use brunt_run::options::refusal::Refusal;
use brunt_run::signals::Urgency;
use serde::Deserialize;
use tokio::sync::oneshot::Receiver;

use super::child::{Child, ChildError, ChildSettings, Ended};
use super::files::Files;
use super::judge::{Judged, OrderRefusal, judge};
use super::{Agent, Carried};
use crate::commands::plane::Ticks;

/// How often a share is polled.
const TICK: Duration = Duration::from_millis(10);
/// How long the agent waits for an answer before it sends the report again.
const ANSWER: Duration = Duration::from_millis(500);
/// How long the agent waits for a piece of a file before it requests it again.
const PIECE: Duration = Duration::from_secs(5);

/// An answer that the agent waits for.
type Answer<'a> = Pin<Box<dyn Future<Output = Option<Vec<u8>>> + 'a>>;

/// The fields of an event line that an agent reads.
#[derive(Deserialize)]
struct Line {
    #[serde(rename = "type")]
    kind: String,
}

/// A share that is being carried out.
struct Work<'a> {
    agent: &'a Agent<'a>,
    share: Share,
    /// The files of the order, while they are being received.
    files: Option<Files>,
    /// The owner's decision on the order, while it is pending.
    judging: Option<Receiver<Judged>>,
    child: Option<Child>,
    /// The directory of the files. It is deleted when the run has ended.
    laid: Option<OrderDirectory>,
    clock: Monotonic,
    /// Whether the run has not yet reported that it is ready.
    waiting: bool,
    /// How urgently this program is to end, as last passed on to the share.
    urgency: Urgency,
    left: Option<bool>,
}

impl Agent<'_> {
    /// Carries an order out until it is over and everything has been reported.
    pub(super) async fn carry_out(&self, order: Order) -> Result<Carried, Refusal> {
        self.world.console.message(&format!(
            "run {}: share {} of {}: {}",
            short(&order.run),
            order.rank,
            order.of,
            order.argv.join(" ")
        ));
        let clock = Monotonic::new();
        let share = Share::new(order, self.name.clone(), clock.now().since_origin());
        let mut work = Work {
            agent: self,
            share,
            files: None,
            judging: None,
            child: None,
            laid: None,
            clock,
            waiting: true,
            urgency: Urgency::Run,
            left: None,
        };
        work.prepare();
        work.advance().await;
        Ok(work.end())
    }
}

impl Work<'_> {
    fn now(&self) -> Duration {
        self.clock.now().since_origin()
    }

    /// Starts to fetch the files of the order. An order of this program's own coordinator needs no permission, and its
    /// files are already on this machine.
    fn prepare(&mut self) {
        if self.agent.args.local.is_some() {
            return self.start(Ok(None));
        }
        let policy = match self.agent.policy() {
            Ok(policy) => policy,
            Err(error) => return self.fail(&error),
        };
        match Files::new(self.share.order(), &policy, self.agent.records()) {
            Ok(files) => self.files = Some(files),
            Err(error) => self.fail(&error),
        }
    }

    /// The next piece of a file to request, if any is missing. The order is judged once all files are there.
    fn wanted(&mut self) -> Option<Vec<u8>> {
        if self.share.stage().is_over() {
            self.files = None;
        }
        let wanted = self.files.as_ref()?.wanted();
        if wanted.is_none() {
            self.laid = self.files.take().and_then(Files::finish);
            self.judge();
        }
        wanted
    }

    /// Takes a piece of a file that has arrived.
    fn take(&mut self, answer: &[u8]) {
        let Some(files) = &mut self.files else { return };
        if let Err(error) = files.take(answer) {
            self.files = None;
            self.fail(&error);
        }
    }

    fn judge(&mut self) {
        let Some(laid) = &self.laid else { return };
        let (order, directory) = (self.share.order().clone(), laid.path().to_owned());
        let policy = match self.agent.policy() {
            Ok(policy) => policy,
            Err(error) => return self.refuse(&error),
        };
        match judge(order, policy, directory, self.agent.world.environment.clone()) {
            Ok(judging) => self.judging = Some(judging),
            Err(error) => self.refuse(&error),
        }
    }

    /// Reports that the order cannot be carried out here, although as far as is known its owner would have permitted
    /// it.
    fn fail(&mut self, why: &dyn Display) {
        self.agent.world.console.message(&format!("error: {why}"));
        self.share.end_by_itself(&why.to_string());
        let now = self.now();
        self.share.ended(None, now);
    }

    /// Starts the run of an order that was judged, unless the order was ended meanwhile.
    fn start(&mut self, judged: Result<Option<Permit>, OrderRefusal>) {
        self.judging = None;
        if self.share.stage().is_over() {
            return;
        }
        let permit = match judged {
            Ok(permit) => permit,
            Err(error) => return self.refuse(&error),
        };
        match self.child(permit) {
            Ok(child) => self.child = Some(child),
            Err(error) => self.refuse(&error),
        }
    }

    fn child(&self, permit: Option<Permit>) -> Result<Child, ChildError> {
        Child::start(&ChildSettings {
            order: self.share.order(),
            environment: &self.agent.world.environment,
            records: self.agent.records(),
            permit,
            directory: self.laid.as_ref().map(OrderDirectory::path),
        })
    }

    fn refuse(&mut self, why: &dyn Display) {
        self.agent.world.console.message(&format!("refused: {why}"));
        if let Some(child) = &mut self.child {
            child.interrupt();
        }
        let now = self.now();
        self.share.refuse(why.to_string(), now);
    }

    async fn advance(&mut self) {
        let nats = &self.agent.nats;
        let mut ticks = Ticks::every(TICK);
        let (mut pending, mut piece): (Option<Answer<'_>>, Option<Answer<'_>>) = (None, None);
        let mut next = Duration::ZERO;
        let mut lines: VecDeque<Vec<u8>> = VecDeque::new();
        while self.left.is_none() {
            let now = self.now();
            if pending.is_none() && now >= next {
                let (report, piece) = self.share.report(now, console::now().as_microsecond());
                next = now + REPORT_EVERY;
                pending = Some(Box::pin(nats.request(
                    self.share.subject(),
                    write_report(&report, &piece),
                    ANSWER,
                )));
            }
            if piece.is_none()
                && let Some(wanted) = self.wanted()
            {
                piece = Some(Box::pin(nats.request(self.share.wanted(), wanted, PIECE)));
            }
            let answered = tokio::select! {
                answer = answer(&mut pending) => Some(answer),
                brought = answer(&mut piece) => {
                    piece = None;
                    self.take(&brought.unwrap_or_default());
                    None
                }
                line = line(&mut self.child) => { lines.push_back(line); None }
                judged = judged(&mut self.judging) => { self.start(judged.map(Some)); None }
                () = ticks.next() => None,
            };
            if let Some(answer) = answered {
                pending = None;
                if let Some(answer) = answer {
                    self.on_message(&answer);
                    next = next.min(self.now() + self.share.pause());
                }
            }
            for line in lines.drain(..) {
                self.push_output(&line);
            }
            self.poll();
        }
    }

    /// Takes the answer to a report.
    fn on_message(&mut self, answer: &[u8]) {
        let Ok(policy) = self.agent.policy() else { return };
        let trust = |text: &[u8], signature: &[u8]| policy.signer(text, signature).is_ok();
        let Ok(word) = Sealed::open::<Word>(answer, &trust) else { return };
        let now = self.now();
        let acts = self.share.answered(&word, now);
        self.act(acts);
    }

    /// Takes a line that the run has written.
    fn push_output(&mut self, line: &[u8]) {
        if matches!(self.share.stage(), Stage::Refused { .. }) {
            return;
        }
        self.share.push_output(line);
        if !self.waiting {
            return;
        }
        let Ok(line) = serde_json::from_slice::<Line>(line) else { return };
        if line.kind == "ready" {
            self.waiting = false;
            self.share.ready();
        }
    }

    /// Checks the clock, the run and the requests of this program's own user.
    fn poll(&mut self) {
        let urgency = self.agent.world.signals.stop().urgency();
        if urgency != self.urgency {
            self.urgency = urgency;
            self.share.end_by_itself("the agent was stopped on its own machine");
            if urgency == Urgency::Abort
                && let Some(child) = &mut self.child
            {
                child.interrupt();
            }
        }
        let now = self.now();
        let acts = self.share.tick(now);
        self.act(acts);
        if self.agent.args.local.is_some()
            && urgency != Urgency::Run
            && self.share.stage().is_over()
        {
            // The coordinator is gone, and the broker with it.
            self.left = Some(false);
        }
        let Some(child) = &mut self.child else { return };
        // All its lines are read first. If the run never opened the pipe, the end of its lines is seen only after its
        // exit code is requested.
        if let Some(Ended { code }) = child.ended()
            && child.lines.is_closed()
            && child.lines.is_empty()
            && !self.share.stage().is_over()
        {
            let errors = child.errors();
            let last = why(&errors);
            if code == Some(Exit::Unsafe.code().into()) && self.waiting {
                // The run hit the address policy that the owner's targets put around it.
                return self.refuse(&last);
            }
            if code != Some(0) && self.waiting {
                let code = code.map_or("a signal".to_owned(), |code| format!("exit code {code}"));
                self.share.end_by_itself(&format!("its run ended with {code}: {last}"));
            }
            let now = self.now();
            self.share.ended(code, now);
        }
    }

    fn act(&mut self, acts: Vec<Action>) {
        for act in acts {
            match act {
                Action::Start(at) => {
                    let ahead = at.saturating_sub(self.now());
                    let moment =
                        console::now().checked_add(ahead).unwrap_or_else(|_| console::now());
                    if let Some(child) = &mut self.child {
                        child.begin(moment);
                    }
                }
                Action::Stop | Action::Abort => match &mut self.child {
                    Some(child) => child.interrupt(),
                    None if self.share.stage().is_over() => {}
                    // The run was not started, and will not be.
                    None => {
                        let now = self.now();
                        self.share.ended(None, now);
                    }
                },
                Action::Leave { delivered } => self.left = Some(delivered),
            }
        }
    }

    fn end(self) -> Carried {
        let refused = matches!(self.share.stage(), Stage::Refused { .. });
        let delivered = self.left == Some(true);
        let how = match self.share.stage() {
            Stage::Refused { .. } => "refused".to_owned(),
            Stage::Ended { why: Some(why), .. } => why.clone(),
            _ if delivered => "complete, and all figures were delivered".to_owned(),
            _ => "complete, but not all figures were delivered".to_owned(),
        };
        let record = self.child.as_ref().filter(|child| child.record().exists());
        let record = record.map(|child| format!("; record: {}", child.record().display()));
        let run = short(&self.share.order().run).to_owned();
        self.agent
            .world
            .console
            .message(&format!("run {run}: {how}{}", record.unwrap_or_default()));
        Carried { delivered, refused }
    }
}

/// The sentence by which a run ended, without the reference to further reading.
fn why(errors: &str) -> &str {
    let lines = || errors.lines().filter(|line| !line.starts_with("see 'brunt help "));
    let refused = lines().find_map(|line| line.strip_prefix("refused: "));
    refused.or_else(|| lines().next_back()).unwrap_or_default()
}

fn short(run: &str) -> &str {
    run.get(..8).unwrap_or(run)
}

/// The pending answer; never resolves if there is none.
async fn answer(pending: &mut Option<Answer<'_>>) -> Option<Vec<u8>> {
    match pending {
        Some(answer) => answer.await,
        None => std::future::pending().await,
    }
}

/// The next line of the run; never resolves if there is no run.
async fn line(child: &mut Option<Child>) -> Vec<u8> {
    if let Some(child) = child
        && let Some(line) = child.lines.recv().await
    {
        return line;
    }
    std::future::pending().await
}

/// The owner's decision on the order; never resolves if no decision is pending.
async fn judged(judging: &mut Option<Receiver<Judged>>) -> Judged {
    match judging {
        Some(judging) => judging.await.unwrap_or(Err(OrderRefusal::NotJudged)),
        None => std::future::pending().await,
    }
}
