//! [`Variables`]: the values of one user, and when each is renewed.

use super::compiled_flow::CompiledFlow;
use super::guard::Guard;
use super::plan::{ExchangeStep, Flow};
use super::source::{DrawContext, Exhausted, Renewal, RequestPart, Source};
use super::step_id::StepId;
use super::value_error::{ValueError, whole_number};
use brunt_exchange::Moment;
use brunt_exchange::chance::mix;
use brunt_feed::{Hole, Stream, Text, TraceContext, Values};
use brunt_flow_signing::Key;
use std::sync::Arc;
use std::time::Duration;

/// The variables of one user.
#[derive(Debug)]
pub(super) struct Variables {
    values: Values,
    /// Where the user is.
    place: DrawContext,
    /// How many values of each variable the user has drawn.
    turns: Vec<u64>,
    /// Whether the current value of each has been used.
    used: Vec<bool>,
    /// How many exchanges of the iteration have begun.
    exchanges: u32,
    /// The values from answers whose age is of use.
    taken: Vec<Taken>,
    /// What the user signs with, if the plan has keys of each user or one-time passwords.
    signing: Option<Box<Signing>>,
}

/// When a variable got its value from an answer.
#[derive(Clone, Copy, Debug)]
struct Taken {
    hole: Hole,
    at: Moment,
    /// How long it is valid, if the answer gave that.
    lifetime: Option<Duration>,
    /// How long before its end it does not exist for conditions any more.
    early: Duration,
}

/// The values of one user that are handed over.
#[derive(Debug, Default)]
pub(super) struct Own {
    values: Vec<(Hole, Box<[u8]>)>,
    taken: Vec<Taken>,
}

impl Own {
    pub(super) const fn is_empty(&self) -> bool {
        self.values.is_empty()
    }
}

impl Taken {
    /// Whether it is still valid so long before its end.
    fn lasts(&self, now: Moment, early: Duration) -> bool {
        self.lifetime.is_none_or(|time| self.at + time.saturating_sub(early) > now)
    }
}

/// What a user signs with.
#[derive(Debug, Default)]
struct Signing {
    /// The keys that the user has generated.
    own: Vec<Key>,
    /// The periods whose one-time passwords were set aside.
    codes: Vec<(Hole, u64)>,
}

impl Variables {
    /// Creates the variables of user `user`, with values for those that are drawn once.
    pub(super) fn new(compiled: &CompiledFlow, user: u32) -> Self {
        let count = compiled.flow().variables.len();
        let place = DrawContext {
            user,
            users: compiled.flow().users,
            iteration: user.into(),
            ..DrawContext::default()
        };
        let mut variables = Self {
            values: Values::new(count),
            place,
            turns: vec![0; count],
            used: vec![false; count],
            exchanges: 0,
            taken: Vec::new(),
            signing: Signing::new(compiled).map(Box::new),
        };
        for hole in compiled.secrets() {
            variables.values.hide_always(*hole);
        }
        for (hole, _) in compiled.flow().marks.iter().filter(|(_, secret)| !secret) {
            variables.values.hide_never(*hole);
        }
        // A variable whose rows are used up stays without a value, which a text that needs it will report.
        let _ = variables.renew(compiled, |_, renewal, _, _| renewal == Renewal::User);
        variables
    }

    /// The values of all users that this one has extracted, and its own that are kept.
    pub(super) fn handed_over(&self, compiled: &CompiledFlow) -> (Option<Values>, Own) {
        let variables = &compiled.flow().variables;
        let of = |renewal: Renewal| {
            let these = (0..).map(Hole).zip(variables);
            let these = these.filter(move |(_, variable)| variable.renewal == renewal);
            these.filter_map(|(hole, _)| Some((hole, self.values.value(hole)?)))
        };
        let mut all = None;
        for (hole, value) in of(Renewal::Shared) {
            let all = all.get_or_insert_with(|| Values::new(variables.len()));
            all.set(hole, value);
            if self.values.is_hidden(hole) {
                all.hide_always(hole);
            }
        }
        let own = of(Renewal::Kept).map(|(hole, value)| (hole, value.into())).collect();
        let of_own = |taken: &&Taken| {
            variables.get(usize::from(taken.hole.0)).is_some_and(|it| it.renewal == Renewal::Kept)
        };
        (all, Own { values: own, taken: self.taken.iter().filter(of_own).copied().collect() })
    }

    /// Uses values of all users, which are stored once.
    pub(super) fn share(&mut self, all: &Arc<Values>) {
        self.values.share(all);
    }

    /// Takes over values that were handed over.
    pub(super) fn take_over(&mut self, own: &Own) {
        for (hole, value) in &own.values {
            self.values.set(*hole, value);
        }
        self.taken.extend(own.taken.iter().copied());
    }

    /// The current values.
    pub(super) fn values(&self) -> &Values {
        &self.values
    }

    /// The values, for an extraction to keep one.
    pub(super) fn values_mut(&mut self) -> &mut Values {
        &mut self.values
    }

    /// The number that decides which of several matches in an answer is picked: a function of the seed, the step and
    /// the iteration.
    pub(super) fn draw(
        &self,
        compiled: &CompiledFlow,
        id: StepId,
        act: &ExchangeStep,
        turns: u64,
    ) -> u64 {
        if act.extracts.is_empty() {
            return 0;
        }
        // Beyond the streams of variables.
        let stream = (1 << 48) | ((id.scenario as u64) << 24) | id.step as u64;
        let number =
            if turns == 0 { self.place.iteration } else { mix(self.place.iteration, turns) };
        Stream::new(compiled.flow().seed, stream).at(number).bits()
    }

    /// The identity of the exchange that began last, if exchanges have one.
    pub(super) fn trace_context(&self, flow: &Flow) -> Option<TraceContext> {
        let of = || TraceContext::new(flow.seed, self.place.iteration, self.exchanges);
        flow.traceparent.then(of)
    }

    /// How many exchanges of the iteration have begun.
    pub(super) const fn exchanges(&self) -> u32 {
        self.exchanges
    }

    /// Makes an exchange of several that were made at once the one that began last.
    pub(super) const fn return_to(&mut self, exchanges: u32) {
        self.exchanges = exchanges;
    }

    /// Draws new values for the variables that an iteration renews.
    pub(super) fn begin_iteration(
        &mut self,
        compiled: &CompiledFlow,
        place: DrawContext,
    ) -> Result<(), Exhausted> {
        self.place = place;
        self.exchanges = 0;
        for (hole, variable) in (0..).map(Hole).zip(&compiled.flow().variables) {
            if variable.renewal == Renewal::Extracted {
                self.values.unset(hole);
            }
        }
        self.renew(compiled, |_, renewal, used, turns| match renewal {
            Renewal::Iteration => true,
            Renewal::IterationIfUsed => used || turns == 0,
            Renewal::AfterUse => turns == 0,
            _ => false,
        })
    }

    /// Records when a variable got its value from an answer, and how long that is valid, if it expires. For conditions
    /// it does not exist from so much earlier on, so that steps which follow one can still use it.
    pub(super) fn taken(
        &mut self,
        hole: Hole,
        at: Moment,
        (lifetime, early): (Option<Duration>, Duration),
    ) {
        self.taken.retain(|known| known.hole != hole);
        self.taken.push(Taken { hole, at, lifetime, early });
    }

    /// How old the value of a variable is, and how long it is valid, as far as that is known.
    pub(super) fn age(&self, hole: Hole, now: Moment) -> Option<(Duration, Option<Duration>)> {
        let known = self.taken.iter().find(|known| known.hole == hole)?;
        self.values.value(hole).map(|_| (now - known.at, known.lifetime))
    }

    /// Removes the values that have expired by this moment.
    pub(super) fn expire(&mut self, now: Moment) {
        self.keep(|known| known.lasts(now, Duration::ZERO));
    }

    /// Removes the values that do not exist for conditions at this moment.
    pub(super) fn expire_early(&mut self, now: Moment) {
        self.keep(|known| known.lasts(now, known.early));
    }

    fn keep(&mut self, lasts: impl Fn(&Taken) -> bool) {
        let Self { values, taken, .. } = self;
        taken.retain(|known| {
            let lasts = lasts(known);
            if !lasts {
                values.unset(known.hole);
            }
            lasts
        });
    }

    /// Whether all conditions hold of the values now.
    pub(super) fn hold(&mut self, compiled: &CompiledFlow, guards: &[Guard]) -> bool {
        guards.iter().all(|guard| {
            guard.texts().for_each(|text| self.refresh(compiled, text));
            guard.holds(&self.values)
        })
    }

    /// The whole number that a text is now.
    pub(super) fn number(
        &mut self,
        compiled: &CompiledFlow,
        text: &Text,
    ) -> Result<u64, ValueError> {
        whole_number(text, self.made(compiled, text))
    }

    /// The values, with those of a text made anew.
    pub(super) fn made(&mut self, compiled: &CompiledFlow, text: &Text) -> &Values {
        self.refresh(compiled, text);
        &self.values
    }

    /// Makes the variables of a text that are composed of others anew: what they are composed of may have changed since
    /// the last exchange.
    fn refresh(&mut self, compiled: &CompiledFlow, text: &Text) {
        let mut holes = Vec::new();
        text.holes().for_each(|hole| compiled.made_of(hole, &mut holes));
        for &(hole, renewal) in compiled.drawing_order() {
            let number = usize::from(hole.0);
            let flow = compiled.flow();
            let made =
                matches!(flow.variables[number].source, Source::Text(_) | Source::Filtered(..));
            if made && renewal == Renewal::Exchange && holes.contains(&hole) {
                // A value that is too long is reported by the exchange that uses it.
                let _ = flow.variables[number].draw(
                    hole,
                    flow.seed,
                    (&self.place, &[]),
                    &mut self.values,
                );
            }
        }
    }

    /// Sets the number of the current round of the innermost repetition.
    pub(super) fn set_round(&mut self, compiled: &CompiledFlow, round: u64) {
        self.place.round = round;
        for (hole, variable) in (0..).map(Hole).zip(&compiled.flow().variables) {
            if matches!(variable.source, Source::Round { .. }) {
                // A number always fits.
                let _ =
                    variable.draw(hole, compiled.flow().seed, (&self.place, &[]), &mut self.values);
            }
        }
    }

    /// A random number for a step: a function of the seed, the iteration, the step and how often it was returned to.
    pub(super) fn chance(&self, compiled: &CompiledFlow, id: StepId, turns: u64) -> u64 {
        // Beyond the streams of variables and of picks.
        let stream = (1 << 49) | ((id.scenario as u64) << 24) | id.step as u64;
        let number =
            if turns == 0 { self.place.iteration } else { mix(self.place.iteration, turns) };
        Stream::new(compiled.flow().seed, stream).at(number).bits()
    }

    /// Draws new values for the variables that an exchange renews, and records which it uses.
    pub(super) fn begin_exchange(
        &mut self,
        compiled: &CompiledFlow,
        uses: &[Hole],
    ) -> Result<(), Exhausted> {
        self.exchanges += 1;
        if compiled.renews_by_exchange() {
            self.renew(compiled, |hole, renewal, used, _| match renewal {
                Renewal::Exchange => true,
                Renewal::AfterUse => used,
                Renewal::Use => uses.contains(&hole),
                _ => false,
            })?;
        }
        for hole in uses {
            if let Some(used) = self.used.get_mut(usize::from(hole.0)) {
                *used = true;
            }
        }
        Ok(())
    }

    /// Sets the parts of a request that is being sent, and draws the variables that are made of them.
    #[cold]
    pub(super) fn begin_request(
        &mut self,
        compiled: &CompiledFlow,
        part: impl Fn(RequestPart) -> Vec<u8>,
    ) -> Result<(), Exhausted> {
        for (hole, variable) in (0..).map(Hole).zip(&compiled.flow().variables) {
            if let Source::Request(of) = variable.source {
                self.values.set(hole, &part(of));
            }
        }
        self.renew(compiled, |_, renewal, _, _| renewal == Renewal::Request)
    }

    /// The keys that the user has generated.
    pub(super) fn own_keys(&self) -> &[Key] {
        self.signing.as_ref().map_or(&[], |signing| &signing.own)
    }

    /// Sets the one-time passwords of a step aside that is performed after this time. Returns how much longer it has to
    /// wait for the period of the last of them.
    #[cold]
    pub(super) fn set_codes_aside(
        &mut self,
        compiled: &CompiledFlow,
        id: StepId,
        after: Duration,
    ) -> Duration {
        let mut longer = Duration::ZERO;
        let Some((_, info)) = compiled.act(id) else { return longer };
        for hole in &info.uses {
            let variable = &compiled.flow().variables[usize::from(hole.0)];
            let Source::Signed(signed) = &variable.source else { continue };
            let aside = signed.set_aside(&self.values, after.saturating_add(longer));
            if let Some((step, wait)) = aside {
                let codes = &mut self.signing.get_or_insert_default().codes;
                codes.retain(|(known, _)| known != hole);
                codes.push((*hole, step));
                longer = longer.saturating_add(wait);
            }
        }
        longer
    }

    /// Draws the variables that `due` selects by renewal, by whether the value was used and by how many were drawn.
    fn renew(
        &mut self,
        compiled: &CompiledFlow,
        due: impl Fn(Hole, Renewal, bool, u64) -> bool,
    ) -> Result<(), Exhausted> {
        for &(hole, renewal) in compiled.drawing_order() {
            let number = usize::from(hole.0);
            if due(hole, renewal, self.used[number], self.turns[number]) {
                let (mut code, mut own) = (None, &[][..]);
                if let Some(signing) = &mut self.signing {
                    code = signing.code_of(hole);
                    own = &signing.own;
                }
                let place = DrawContext { turn: self.turns[number], code, ..self.place };
                let flow = compiled.flow();
                flow.variables[number].draw(hole, flow.seed, (&place, own), &mut self.values)?;
                self.turns[number] += 1;
                self.used[number] = false;
            }
        }
        Ok(())
    }
}

impl Signing {
    /// Generates the keys of a user, if the plan has such.
    fn new(compiled: &CompiledFlow) -> Option<Self> {
        // The plan names only algorithms for which keys can be generated.
        let key = |(algorithm, id): &(_, Option<String>)| {
            Key::generate(*algorithm).ok().map(|key| key.with_id(id.clone()))
        };
        let own: Vec<Key> = compiled.flow().own_keys.iter().filter_map(key).collect();
        (!own.is_empty()).then(|| Self { own, codes: Vec::new() })
    }

    /// The period whose one-time password was set aside for a variable, which takes it.
    fn code_of(&mut self, hole: Hole) -> Option<u64> {
        let at = self.codes.iter().position(|(known, _)| *known == hole)?;
        Some(self.codes.swap_remove(at).1)
    }
}
