//! A coordinator and its agents over a network that loses, duplicates and delays messages, in simulated time.

use super::{ClusterRun, Coordinator, CoordinatorEvent, OnLoss, START_AFTER, Weights};
use crate::agent::{Action, LEASE, REPORT_EVERY, Share};
use crate::bundle::Manifest;
use crate::message::{Join, Name, PROTOCOL, Sealed, Stage, Word, read_report, write_report};
use std::time::Duration;

const TICK: Duration = Duration::from_millis(10);
/// How long a simulated run sends.
const RUN: Duration = Duration::from_secs(8);

const fn s(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// A pseudo-random number generator.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, most: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % most
    }
}

/// What the network does with each message.
#[derive(Clone, Copy, Default)]
struct NetworkFaults {
    lost_percent: u64,
    doubled_percent: u64,
    delay_ms: u64,
}

/// A run that writes one event line a tick from its beginning until it is over or stopped.
#[derive(Default)]
struct Run {
    at: Option<Duration>,
    stopped: Option<Duration>,
    written: Vec<u8>,
    over: bool,
}

struct Agent {
    name: Name,
    nonce: String,
    share: Option<Share>,
    run: Run,
    next: Duration,
    acts: Vec<(Duration, Action)>,
    /// How far its clock is ahead.
    ahead: Duration,
    alive: bool,
    version: &'static str,
}

impl Agent {
    fn new(number: u64) -> Self {
        Self {
            name: format!("a{number}").parse().unwrap(),
            nonce: format!("nonce{number}"),
            share: None,
            run: Run::default(),
            next: Duration::ZERO,
            acts: Vec::new(),
            ahead: s(100 * number),
            alive: true,
            version: "1",
        }
    }

    /// Whether its run sends at this moment.
    fn sends(&self, now: Duration) -> bool {
        self.run.at.is_some_and(|at| now >= at) && self.run.stopped.is_none() && !self.run.over
    }

    fn act(&mut self, acts: Vec<Action>, now: Duration) {
        for act in acts {
            match act {
                Action::Start(at) => self.run.at = Some(at.saturating_sub(self.ahead)),
                Action::Stop | Action::Abort => self.run.stopped = self.run.stopped.or(Some(now)),
                Action::Leave { .. } => {}
            }
            self.acts.push((now, act));
        }
    }

    /// Advances its run by one tick.
    fn advance(&mut self, now: Duration) {
        let (own, sends) = (now + self.ahead, self.sends(now));
        let Some(share) = &mut self.share else { return };
        let begun = self.run.at.is_some_and(|at| now >= at);
        if sends {
            let line = format!("{} {}\n", self.name, now.as_millis());
            self.run.written.extend(line.bytes());
            share.push_output(line.as_bytes());
        }
        let ended = self.run.at.is_some_and(|at| now >= at + RUN) || self.run.stopped.is_some();
        if !self.run.over && ended {
            self.run.over = true;
            let end = vec![b'e'; if begun { 700_000 } else { 10 }];
            self.run.written.extend(&end);
            share.push_output(&end);
            share.ended(Some(0), own);
        }
    }
}

/// The state of the whole simulation at one moment.
struct Simulation {
    now: Duration,
    coordinator: Coordinator,
    agents: Vec<Agent>,
    weather: NetworkFaults,
    numbers: Numbers,
    /// Reports and answers under way: when they arrive, and for which agent.
    reports: Vec<(Duration, usize, Vec<u8>)>,
    answers: Vec<(Duration, usize, Vec<u8>)>,
    arrived: Vec<Vec<u8>>,
    events: Vec<(Duration, CoordinatorEvent)>,
    connected: bool,
}

impl Simulation {
    fn new(agents: u64, seed: u64, weather: NetworkFaults, on_loss: OnLoss) -> Self {
        let requested = ClusterRun {
            run: "ab".to_owned(),
            epoch: 0,
            agents: agents as u32,
            weights: Weights::Even,
            seed: 7,
            argv: vec!["http".to_owned()],
            files: Manifest::default(),
            step: None,
            version: "1".to_owned(),
            on_loss,
            patience: s(60),
        };
        Self {
            now: Duration::ZERO,
            coordinator: Coordinator::new(requested, Duration::ZERO),
            agents: (0..agents).map(Agent::new).collect(),
            weather,
            numbers: Numbers(seed),
            reports: Vec::new(),
            answers: Vec::new(),
            arrived: vec![Vec::new(); agents as usize],
            events: Vec::new(),
            connected: true,
        }
    }

    /// When each copy of a message arrives.
    fn deliveries(&mut self) -> Vec<Duration> {
        if !self.connected || self.numbers.below(100) < self.weather.lost_percent {
            return Vec::new();
        }
        let copies = 1 + usize::from(self.numbers.below(100) < self.weather.doubled_percent);
        let delay = |numbers: &mut Numbers, most| Duration::from_millis(numbers.below(most + 1));
        (0..copies).map(|_| self.now + delay(&mut self.numbers, self.weather.delay_ms)).collect()
    }

    fn ask(&mut self, number: usize) {
        let agent = &self.agents[number];
        if agent.share.is_none() {
            let join = Join {
                protocol: PROTOCOL,
                version: agent.version.to_owned(),
                name: agent.name.clone(),
                nonce: agent.nonce.clone(),
                host: String::new(),
                cores: 2,
                ceilings: std::collections::BTreeMap::new(),
                rank: None,
                wall_ms: None,
                permits: None,
            };
            if !self.deliveries().is_empty()
                && let Some(order) = self.coordinator.join(&join, self.now)
                && !self.deliveries().is_empty()
            {
                let agent = &mut self.agents[number];
                let own = self.now + agent.ahead;
                let mut share = Share::new(order, agent.name.clone(), own);
                share.push_output(b"head\n");
                agent.run.written.extend(b"head\n");
                share.ready();
                agent.share = Some(share);
            }
            self.agents[number].next = self.now + s(1) / 2;
            return;
        }
        let own = self.now + agent.ahead;
        let Some(share) = &agent.share else { return };
        let (report, piece) = share.report(own, 0);
        let frame = write_report(&report, &piece);
        self.agents[number].next = self.now + REPORT_EVERY;
        let arrivals = self.deliveries();
        self.reports.extend(arrivals.into_iter().map(|at| (at, number, frame.clone())));
    }

    fn tick(&mut self) {
        self.now += TICK;
        let now = self.now;
        for number in 0..self.agents.len() {
            if !self.agents[number].alive {
                continue;
            }
            self.agents[number].advance(now);
            let own = now + self.agents[number].ahead;
            let acts = self.agents[number].share.as_mut().map(|share| share.tick(own));
            self.agents[number].act(acts.unwrap_or_default(), now);
            if now >= self.agents[number].next {
                self.ask(number);
            }
        }
        let (due, later) =
            std::mem::take(&mut self.reports).into_iter().partition(|it| it.0 <= now);
        self.reports = later;
        let due: Vec<(Duration, usize, Vec<u8>)> = due;
        for (_, number, frame) in due {
            let (report, piece) = read_report(&frame).unwrap();
            let (arrived, numbers) = (&mut self.arrived, &mut self.numbers);
            let mut take = |rank: u32, piece: Vec<u8>| {
                // Now and then there is no room for a piece.
                let room = numbers.below(10) > 0;
                if room {
                    arrived[rank as usize].extend(piece);
                }
                room
            };
            let name = self.agents[number].name.clone();
            let word = self.coordinator.report(&name, &report, piece, (now, 0), &mut take);
            if let Some(word) = word {
                let bytes = Sealed::new(&word, &|_| None).bytes();
                let arrivals = self.deliveries();
                self.answers.extend(arrivals.into_iter().map(|at| (at, number, bytes.clone())));
            }
        }
        let (due, later) =
            std::mem::take(&mut self.answers).into_iter().partition(|it| it.0 <= now);
        self.answers = later;
        let due: Vec<(Duration, usize, Vec<u8>)> = due;
        for (_, number, bytes) in due {
            let word: Word = Sealed::open(&bytes, &|_, _| true).unwrap();
            let agent = &mut self.agents[number];
            let own = now + agent.ahead;
            let Some(share) = &mut agent.share else { continue };
            let acts = share.answered(&word, own);
            agent.next = agent.next.min(now + share.pause());
            agent.act(acts, now);
        }
        self.coordinator.tick(now, self.connected);
        while let Some(event) = self.coordinator.next_event() {
            if event == CoordinatorEvent::Ready {
                self.coordinator.begin(now);
            }
            self.events.push((now, event));
        }
    }

    fn go_on_for(&mut self, time: Duration) {
        let until = self.now + time;
        while self.now < until {
            self.tick();
        }
    }

    /// Continues until nothing more will happen, and returns when that was.
    fn go_on_to_the_end(&mut self) -> Duration {
        for _ in 0..20_000 {
            self.tick();
            if self.has(&CoordinatorEvent::Over) {
                return self.now;
            }
        }
        panic!("it does not end: {:?}", self.events);
    }

    fn has(&self, what: &CoordinatorEvent) -> bool {
        self.events.iter().any(|(_, event)| event == what)
    }

    fn find<T>(&self, of: impl Fn(&CoordinatorEvent) -> Option<T>) -> Option<(Duration, T)> {
        self.events.iter().find_map(|(at, event)| Some((*at, of(event)?)))
    }
}

#[test]
fn network_faults_lose_and_reorder_nothing() {
    for seed in 0..24 {
        let weather = NetworkFaults {
            lost_percent: seed % 5 * 4,
            doubled_percent: seed % 3 * 20,
            delay_ms: seed % 4 * 60,
        };
        let mut cluster = Simulation::new(1 + seed % 4, seed, weather, OnLoss::GoOn);
        cluster.go_on_to_the_end();
        for (agent, arrived) in cluster.agents.iter().zip(&cluster.arrived) {
            assert!(agent.run.written == *arrived, "seed {seed}: {}", agent.name);
            assert!(agent.run.over && agent.run.stopped.is_none(), "seed {seed}");
        }
        let starts: Vec<Duration> =
            cluster.agents.iter().filter_map(|agent| agent.run.at).collect();
        assert_eq!(starts.len(), cluster.agents.len());
        // The clocks are a hundred seconds apart, and only delays can make a comparison wrong.
        let (first, last) = (starts.iter().min().unwrap(), starts.iter().max().unwrap());
        let skew = last.saturating_sub(*first);
        assert!(skew <= Duration::from_millis(weather.delay_ms) + TICK, "seed {seed}: {skew:?}");
        assert!(
            !cluster
                .events
                .iter()
                .any(|(_, event)| matches!(event, CoordinatorEvent::Failed { .. }))
        );
    }
}

#[test]
fn killed_agent_is_noticed_in_two_seconds() {
    for (on_loss, at) in [OnLoss::Stop, OnLoss::GoOn].into_iter().zip([4_000, 7_310]) {
        let mut cluster = Simulation::new(4, 3, NetworkFaults::default(), on_loss);
        cluster.go_on_for(Duration::from_millis(at));
        cluster.agents[2].alive = false;
        let killed = cluster.now;
        cluster.go_on_to_the_end();
        let lost = cluster
            .find(|event| matches!(event, CoordinatorEvent::Lost { rank: 2, .. }).then_some(()));
        let noticed = lost.expect("it is lost").0.saturating_sub(killed);
        assert!(noticed < Duration::from_millis(1_500), "{noticed:?}");
        for (number, agent) in cluster.agents.iter().enumerate().filter(|(number, _)| *number != 2)
        {
            let stopped = agent.run.stopped.map(|at| at.saturating_sub(killed));
            match on_loss {
                OnLoss::Stop => {
                    assert!(stopped.is_some_and(|it| it < s(2)), "{number}: {stopped:?}");
                }
                OnLoss::GoOn => assert_eq!(stopped, None, "{number}"),
            }
            assert!(agent.run.written == cluster.arrived[number], "{number}");
        }
        assert!(cluster.agents[2].run.written.starts_with(&cluster.arrived[2]));
        assert!(cluster.coordinator.summaries()[2].lost.is_some());
    }
}

#[test]
fn killed_agent_before_the_start_means_nothing_was_sent() {
    let mut ways = [0, 0];
    for at in (600..3_200).step_by(40) {
        let mut cluster = Simulation::new(3, 9, NetworkFaults::default(), OnLoss::Stop);
        cluster.go_on_for(Duration::from_millis(at));
        cluster.agents[1].alive = false;
        cluster.go_on_to_the_end();
        let failed = cluster
            .events
            .iter()
            .any(|(_, event)| matches!(event, CoordinatorEvent::Failed { .. }));
        // An event line about sent exchanges contains a space.
        let sent = cluster.agents.iter().any(|agent| agent.run.written.contains(&b' '));
        assert!(!(failed && sent), "killed after {at} ms: {:?}", cluster.events);
        ways[usize::from(failed)] += 1;
    }
    assert!(ways[0] > 0 && ways[1] > 0, "{ways:?}");
}

#[test]
fn unheard_agent_delivers_everything_later() {
    let mut cluster = Simulation::new(3, 5, NetworkFaults::default(), OnLoss::GoOn);
    cluster.go_on_for(s(4));
    // Only its own messages are lost.
    let away = cluster.now;
    while cluster.now < away + s(3) {
        cluster.agents[1].next = cluster.now + s(9);
        cluster.tick();
    }
    cluster.agents[1].next = cluster.now;
    cluster.go_on_to_the_end();
    assert!(
        cluster
            .find(|event| matches!(event, CoordinatorEvent::Lost { rank: 1, .. }).then_some(()))
            .is_some()
    );
    assert!(
        cluster
            .find(|event| matches!(event, CoordinatorEvent::Back { rank: 1, .. }).then_some(()))
            .is_some()
    );
    for (agent, arrived) in cluster.agents.iter().zip(&cluster.arrived) {
        assert!(agent.run.written == *arrived && agent.run.stopped.is_none());
    }
    let summary = &cluster.coordinator.summaries()[1];
    assert!(summary.lost.is_none() && summary.silent_for > s(2), "{summary:?}");
}

#[test]
fn broker_outage_of_a_second_costs_nothing() {
    let mut cluster = Simulation::new(3, 6, NetworkFaults::default(), OnLoss::Stop);
    cluster.go_on_for(s(4));
    cluster.connected = false;
    cluster.go_on_for(s(1));
    cluster.connected = true;
    cluster.go_on_to_the_end();
    assert!(cluster.has(&CoordinatorEvent::Away));
    assert!(
        cluster
            .find(|event| matches!(event, CoordinatorEvent::Returned { .. }).then_some(()))
            .is_some()
    );
    assert!(
        !cluster.events.iter().any(|(_, event)| matches!(event, CoordinatorEvent::Lost { .. }))
    );
    for (agent, arrived) in cluster.agents.iter().zip(&cluster.arrived) {
        assert!(agent.run.written == *arrived && agent.run.stopped.is_none());
    }
}

#[test]
fn agents_without_a_broker_stop_and_keep_their_lines() {
    let mut cluster = Simulation::new(3, 8, NetworkFaults::default(), OnLoss::GoOn);
    cluster.go_on_for(s(4));
    cluster.connected = false;
    let gone = cluster.now;
    cluster.go_on_for(s(8));
    assert!(cluster.has(&CoordinatorEvent::PlaneLost) && cluster.has(&CoordinatorEvent::Over));
    for agent in &cluster.agents {
        let stopped = agent.run.stopped.expect("it stopped").saturating_sub(gone);
        assert!(stopped <= LEASE + s(1) / 10, "{stopped:?}");
        assert!(!agent.sends(cluster.now));
    }
}

#[test]
fn agent_that_never_begins_is_given_up() {
    let mut cluster = Simulation::new(3, 9, NetworkFaults::default(), OnLoss::GoOn);
    let never = s(3_600);
    while !cluster.has(&CoordinatorEvent::Over) {
        // It has confirmed, and its run does not begin.
        if let Some(at) = &mut cluster.agents[1].run.at {
            *at = (*at).max(never);
        }
        assert!(cluster.now < s(60), "it is waited for without end");
        cluster.tick();
    }
    let why = cluster.find(|event| match event {
        CoordinatorEvent::Failed { why, .. } => Some(why.clone()),
        _ => None,
    });
    let (_, why) = why.expect("it is named");
    assert!(why.starts_with("a1: it confirmed when to begin and sent nothing"), "{why}");
    for rank in [0, 2] {
        assert!(cluster.agents[rank].run.written == cluster.arrived[rank], "{rank} is complete");
    }
}

#[test]
fn stop_before_the_start_sends_nothing() {
    let mut cluster = Simulation::new(2, 9, NetworkFaults::default(), OnLoss::Stop);
    while cluster.find(|event| matches!(event, CoordinatorEvent::Starts(_)).then_some(())).is_none()
    {
        cluster.tick();
    }
    cluster.coordinator.stop();
    cluster.go_on_to_the_end();
    assert!(cluster.agents.iter().all(|agent| agent.run.stopped.is_some()));
    assert!(cluster.arrived.iter().all(|arrived| arrived.len() < 50), "nothing but head and end");
}

#[test]
fn coordinator_that_stalled_knows_the_start() {
    let mut cluster = Simulation::new(2, 9, NetworkFaults::default(), OnLoss::Stop);
    while !cluster.has(&CoordinatorEvent::Ready) {
        cluster.tick();
    }
    // It hears none of the agents say that they know when to begin.
    let begun = cluster.now;
    cluster.coordinator.tick(begun + s(3), true);
    let events: Vec<_> = std::iter::from_fn(|| cluster.coordinator.next_event()).collect();
    assert_eq!(events, [CoordinatorEvent::Starts(begun + START_AFTER)]);
}

#[test]
fn agents_heard_late_have_more_time_to_confirm() {
    for (silent, least) in [(s(0), START_AFTER), (s(3) / 2, s(6)), (s(4), s(10))] {
        let mut cluster = Simulation::new(2, 9, NetworkFaults::default(), OnLoss::GoOn);
        while !cluster.has(&CoordinatorEvent::Ordered) {
            cluster.tick();
        }
        // Nothing is heard of any of them, so none is lost.
        cluster.agents.iter_mut().for_each(|agent| agent.alive = false);
        cluster.go_on_for(silent);
        cluster.agents.iter_mut().for_each(|agent| agent.alive = true);
        while !cluster.has(&CoordinatorEvent::Ready) {
            cluster.tick();
        }
        let ready = cluster.now;
        cluster.go_on_to_the_end();
        let begun = cluster.find(|event| match event {
            CoordinatorEvent::Starts(at) => Some(*at),
            _ => None,
        });
        let lead = begun.expect("it began").1.saturating_sub(ready);
        assert!(lead >= least && lead < least + s(3), "{silent:?}: {lead:?}");
    }
}

#[test]
fn agents_missing_or_unfit_are_named_and_nothing_is_sent() {
    let mut cluster = Simulation::new(3, 1, NetworkFaults::default(), OnLoss::Stop);
    cluster.agents[1].version = "0.9";
    cluster.agents[2].alive = false;
    cluster.go_on_for(s(61));
    let why = cluster.find(|event| match event {
        CoordinatorEvent::Failed { why, refused: false } => Some(why.clone()),
        _ => None,
    });
    let why = why.expect("it failed").1;
    assert!(why.contains("3 agents were asked for, and there are 1: a0"), "{why}");
    assert!(why.contains("not a1: it is brunt 0.9"), "{why}");
    assert!(
        cluster.has(&CoordinatorEvent::Over)
            && cluster.agents.iter().all(|agent| agent.share.is_none())
    );
}

#[test]
fn agent_that_refuses_fails_the_run_by_name() {
    let mut cluster = Simulation::new(2, 2, NetworkFaults::default(), OnLoss::Stop);
    cluster.go_on_for(s(1) / 2);
    // The agent that arrived last has its order already.
    let own = cluster.now + cluster.agents[1].ahead;
    let share = cluster.agents[1].share.as_mut().expect("it has an order");
    share.refuse("rate_max: at most 5\u{1b}[2J".to_owned(), own);
    assert!(matches!(share.stage(), Stage::Refused { .. }));
    cluster.go_on_to_the_end();
    let why = cluster.find(|event| match event {
        CoordinatorEvent::Failed { why, refused: true } => Some(why.clone()),
        _ => None,
    });
    let why = why.expect("it failed").1;
    assert!(why.contains("a1: rate_max") && !why.contains('\u{1b}'), "{why:?}");
    assert!(cluster.agents.iter().all(|agent| agent.run.at.is_none()));
}

#[test]
fn agent_twin_is_told_to_leave_and_counted() {
    let mut cluster = Simulation::new(2, 4, NetworkFaults::default(), OnLoss::Stop);
    cluster.go_on_for(s(4));
    let (report, _) = cluster.agents[0].share.as_ref().unwrap().report(cluster.now, 0);
    let twin = crate::message::Report { nonce: "other".to_owned(), ..report };
    let name = cluster.agents[0].name.clone();
    let answer = cluster.coordinator.report(
        &name,
        &twin,
        b"forged\n".to_vec(),
        (cluster.now, 0),
        &mut |_, _| panic!("nothing of it is taken"),
    );
    assert_eq!(answer.unwrap().wish, crate::message::Instruction::Leave);
    cluster.go_on_to_the_end();
    assert_eq!(cluster.coordinator.summaries()[0].twins, 1);
    assert!(cluster.agents[0].run.written == cluster.arrived[0]);
}
