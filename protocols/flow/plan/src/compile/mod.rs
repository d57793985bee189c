//! Compiles a [`Plan`] to what the engine and the drivers carry out.
//!
//! Every name is resolved here and every value checked, so that no error in a plan can appear once the run has begun.
//! Every error refers to a key.

mod answer;
mod around;
mod attempts;
mod condition;
mod directory;
mod environment;
mod filters;
mod find_max;
mod group;
mod hidden;
mod json;
mod keys;
mod leases;
mod load;
mod names;
mod network;
mod numbers;
mod one;
mod own_load;
mod page;
mod parallel;
mod possible;
mod ranges;
mod request;
mod token;
mod uploads;
mod variables;

pub use directory::{Directory, DirectoryError};
pub use environment::CompileEnvironment;
pub use leases::Leases;
pub use load::{CONNECT, TIMEOUT, USERS};
pub use uploads::UPLOADS;

use brunt_engine::{Load, Node, Settings};
use brunt_exchange::ThinkTime;
use brunt_feed::{Hole, Text};
use brunt_flow_driver::{self as flow, ExchangeStep, Flow, Pause, Payload, Start};
use brunt_flow_signing::Algorithm;
use brunt_http_driver as http;
use brunt_net::dscp::Dscp;
use brunt_record::{AbortError, AbortRule, Slo};
use brunt_run::SearchOptions;

use super::key_error::KeyError;
use super::model::{self, Http, Plan, Scenario, Step};
use super::path::KeyPath;

use group::Flat;
use keys::Keys;
use load::Loaded;
use names::Names;
use one::one;
use uploads::UploadFiles;

/// A plan that can be carried out.
#[derive(Debug)]
pub struct Compiled {
    /// What virtual users do.
    pub flow: Flow,
    /// When exchanges begin, how many there are, and for how long.
    pub settings: Settings,
    /// The settings of HTTP connections.
    pub http: http::Settings,
    /// The connection settings of the directory, if a step uses one.
    pub directory: Option<Directory>,
    /// The connection settings of the DHCP server, if a step uses one.
    pub leases: Option<Leases>,
    /// The keys, and the algorithm of each.
    pub keys: Vec<(String, Algorithm)>,
    /// The class of all packets.
    pub dscp: Option<Dscp>,
    /// The objectives.
    pub objectives: Vec<Slo>,
    /// The conditions that end the run.
    pub abort_on: Vec<AbortRule>,
    /// The settings of a search, if the plan is carried out at many rates.
    pub search: SearchOptions,
}

/// Compiles a plan for one node of those that share the run.
pub fn compile(
    plan: &Plan,
    node: Node,
    seed: u64,
    environment: &CompileEnvironment<'_>,
) -> Result<Compiled, KeyError> {
    let Loaded { mut settings, order, start, mut iterations, users, between, mut own } =
        loaded(plan, node, seed, environment)?;
    let keys = Keys::new(plan, environment)?;
    let names = declared(plan, &keys, environment)?;
    let http = plan.http.as_deref().cloned().unwrap_or_default();
    let mut network = network::network(&http, seed, environment)?;
    let directory = plan.ldap.as_deref().map(|it| Directory::new(it, environment)).transpose()?;
    let leases = plan.dhcp.as_deref().map(|dhcp| Leases::new(dhcp, users, seed)).transpose()?;
    let servers = (directory.is_some(), leases.is_some());
    let mut steps = Steps::new(&http, (names, &keys), environment, servers);
    let scenarios = steps.scenarios(plan)?;
    steps.name_lags(own.as_deref_mut(), &scenarios)?;
    let halves = steps.halves(plan, &settings.node, &scenarios)?;
    let Steps { names, operations, spans, groups, branches, choices, paths, bounds, .. } = steps;
    let measured: Vec<String> = operations.iter().chain(&spans).cloned().collect();
    let scanned = scenarios.iter().chain(halves.scenarios());
    let origins = page::origins(&http, all_steps(scanned, paths))?;
    if !http.origins.is_empty() {
        network.origins.clone_from(&origins);
    }
    let mut acts = scenarios.iter().flat_map(|scenario| &scenario.steps);
    let leases = leases.filter(|_| {
        acts.any(|step| matches!(step, flow::Step::Exchange(act) if matches!(act.payload, Payload::Dhcp(_))))
    });
    if leases.is_some() {
        load::one_worker(plan, &mut settings)?;
    }
    load::count(&plan.run, &scenarios, &mut settings, &mut iterations);
    let (objectives, abort_on) = (objectives(plan, &measured)?, abort_rules(plan, &measured)?);
    let search = find_max::search(plan, &measured)?;
    let (variables, marks) = names.finish();
    check_cycles(plan, &variables)?;
    let (algorithms, certificates) = (keys.algorithms(), keys.certificates());
    let flow = Flow {
        scenarios,
        order,
        variables,
        marks,
        own_keys: keys.own(),
        certificates,
        operations,
        spans,
        groups,
        branches,
        choices,
        bounds,
        start: if matches!(settings.load, Load::Open(_)) { Start::Together } else { start },
        iterations,
        between,
        own,
        origins,
        seed,
        users,
        first_user: settings.node.first_session,
        arrivals: matches!(settings.load, Load::Open(_)),
        ..Flow::default()
    };
    let flow = halves.around(flow, &settings.node);
    Ok(Compiled {
        flow,
        settings,
        http: network,
        directory,
        leases,
        dscp: load::dscp(&plan.run)?,
        keys: algorithms,
        objectives,
        abort_on,
        search,
    })
}

/// The load of all scenarios, or those of each.
fn loaded(
    plan: &Plan,
    node: Node,
    seed: u64,
    environment: &CompileEnvironment<'_>,
) -> Result<Loaded, KeyError> {
    if own_load::is_own(plan) {
        own_load::load(plan, node, seed, environment)
    } else {
        load::load(plan, node, seed, environment)
    }
}

/// All steps of a plan, each with its path.
fn all_steps<'a>(
    scenarios: impl Iterator<Item = &'a flow::Scenario>,
    paths: Vec<KeyPath>,
) -> impl Iterator<Item = (KeyPath, &'a flow::Step)> {
    paths.into_iter().zip(scenarios.flat_map(|scenario| &scenario.steps))
}

/// The variables of a plan.
fn declared(
    plan: &Plan,
    keys: &Keys,
    environment: &CompileEnvironment<'_>,
) -> Result<Names, KeyError> {
    let mut names = Names::default();
    variables::declare(plan, &mut names, environment)?;
    declare_extracted(plan, &mut names)?;
    keys.publish(&mut names);
    variables::settle(plan, keys, &mut names, environment)?;
    Ok(names)
}

/// Declares all variables that are extracted from answers and not declared.
fn declare_extracted(plan: &Plan, names: &mut Names) -> Result<(), KeyError> {
    let at = KeyPath::new("scenario");
    for (index, scenario) in plan.scenario.iter().enumerate() {
        declare_of(&at.index(index).key("steps"), &scenario.steps, plan, names)?;
    }
    for (name, table) in around::tables(plan) {
        let steps = table.map_or(&[][..], |table| &table.steps);
        declare_of(&KeyPath::new(name).key("steps"), steps, plan, names)?;
    }
    Ok(())
}

fn declare_of(
    at: &KeyPath,
    steps: &[Step],
    plan: &Plan,
    names: &mut Names,
) -> Result<(), KeyError> {
    for (number, step) in steps.iter().enumerate() {
        let at = at.index(number);
        declare_of(&at.key("steps"), &step.steps, plan, names)?;
        for (name, _) in step.extract.iter() {
            let at = at.key("extract").key(name);
            if plan.feeders.value(name).is_some() {
                let what = "is also the name of a feeder: choose another name";
                return Err(KeyError::new(&at, what));
            }
            names.declare_extracted(&at, name)?;
        }
    }
    Ok(())
}

fn objectives(plan: &Plan, operations: &[String]) -> Result<Vec<Slo>, KeyError> {
    let at = KeyPath::new("objectives");
    let read = |(index, text): (usize, &String)| -> Result<Slo, KeyError> {
        let wrong = |error: &dyn std::fmt::Display| {
            KeyError::new(&at.index(index), format!("failed to {error}"))
        };
        let slo: Slo = text.parse().map_err(|error| wrong(&error))?;
        slo.check(operations.iter().map(String::as_str)).map_err(|error| wrong(&error))?;
        Ok(slo)
    };
    plan.objectives.iter().enumerate().map(read).collect()
}

fn abort_rules(plan: &Plan, measured: &[String]) -> Result<Vec<AbortRule>, KeyError> {
    let at = KeyPath::new("abort-on");
    let rule = |(index, text): (usize, &String)| {
        let wrong =
            |error: AbortError| KeyError::new(&at.index(index), format!("failed to {error}"));
        let rule: AbortRule = text.parse().map_err(wrong)?;
        rule.check(measured.iter().map(String::as_str)).map_err(wrong)?;
        Ok(rule)
    };
    plan.abort_on.iter().enumerate().map(rule).collect()
}

fn check_cycles(plan: &Plan, variables: &[flow::Variable]) -> Result<(), KeyError> {
    let Err(cycle) = flow::drawing_order(variables) else { return Ok(()) };
    let declared = plan.variables.value(&cycle.0).is_some();
    let at = KeyPath::new("variables");
    let at = if declared { at.key(&cycle.0) } else { at };
    Err(KeyError::new(&at, format!("failed to {cycle}")))
}

/// A text made of others, as a variable that no text can name; its own name makes it a secret.
fn joined(at: &KeyPath, names: &mut Names, text: Text) -> Result<Hole, KeyError> {
    let source = flow::Source::Text(text);
    names.add(at, "credentials", source, flow::Renewal::Iteration)
}

/// The steps of a plan, compiled one after the other.
struct Steps<'a> {
    http: &'a Http,
    names: Names,
    keys: &'a Keys,
    environment: &'a CompileEnvironment<'a>,
    files: UploadFiles<'a>,
    operations: Vec<String>,
    /// What consists of several exchanges and is measured as one.
    spans: Vec<String>,
    groups: Vec<flow::Group>,
    /// The steps and groups that are performed under a condition.
    branches: Vec<String>,
    /// What is counted of groups of which one step is performed.
    choices: Vec<flow::GroupChoice>,
    /// The paths of all steps, in order.
    paths: Vec<KeyPath>,
    /// The most that an iteration of each scenario can do.
    bounds: Vec<flow::Bound>,
    /// Whether there is a directory.
    directory: bool,
    /// Whether there is a DHCP server.
    leases: bool,
}

impl<'a> Steps<'a> {
    fn new(
        http: &'a Http,
        (names, keys): (Names, &'a Keys),
        environment: &'a CompileEnvironment<'a>,
        (directory, leases): (bool, bool),
    ) -> Self {
        Self {
            http,
            names,
            keys,
            environment,
            files: UploadFiles::new(http, environment),
            operations: Vec::new(),
            directory,
            leases,
            spans: Vec::new(),
            groups: Vec::new(),
            branches: Vec::new(),
            choices: Vec::new(),
            paths: Vec::new(),
            bounds: Vec::new(),
        }
    }

    fn scenarios(&mut self, plan: &Plan) -> Result<Vec<flow::Scenario>, KeyError> {
        let at = KeyPath::new("scenario");
        if plan.scenario.is_empty() {
            let what = "the plan has no scenario: add [[scenario]] and its steps";
            return Err(KeyError::new(&KeyPath::default(), what));
        }
        let mut scenarios: Vec<flow::Scenario> = Vec::new();
        for (index, scenario) in plan.scenario.iter().enumerate() {
            let at = at.index(index);
            let settled = self.scenario(&at, index, scenario)?;
            // Rounds come to an end whatever is in them; all else would go on without an exchange.
            let idles = !settled.steps.iter().any(|step| matches!(step, flow::Step::Exchange(_)));
            if idles && plan.run.rounds.is_empty() {
                let what = "has no step that sends anything: add one, such as { get = \"/\" }";
                return Err(KeyError::new(&at, what));
            }
            if scenarios.iter().any(|other| other.name == settled.name) {
                let what =
                    format!("'{}' is already the name of a scenario: choose another", settled.name);
                return Err(KeyError::new(&at.key("name"), what));
            }
            scenarios.push(settled);
        }
        Ok(scenarios)
    }

    fn scenario(
        &mut self,
        at: &KeyPath,
        index: usize,
        given: &Scenario,
    ) -> Result<flow::Scenario, KeyError> {
        let name = given.name.clone().unwrap_or_else(|| format!("scenario {}", index + 1));
        let (Flat { steps, paths }, bound) = self.flatten(&at.key("steps"), &given.steps)?;
        let after_failure = match given.after_failure.unwrap_or_default() {
            model::AfterFailure::Skip => flow::AfterFailure::Skip,
            model::AfterFailure::GoOn => flow::AfterFailure::GoOn,
        };
        self.paths.extend(paths);
        self.bounds.push(bound);
        Ok(flow::Scenario { name, steps, after_failure })
    }

    fn step(&mut self, at: &KeyPath, step: &Step) -> Result<flow::Step, KeyError> {
        let requests = step.requests();
        let mut keys: Vec<(&'static str, bool)> =
            requests.iter().map(|(key, url)| (*key, url.is_some())).collect();
        keys.extend([
            ("submit", step.submit.is_some()),
            ("follow", step.follow.is_some()),
            ("pause", step.pause.is_some()),
            ("ldap", step.ldap.is_some()),
            ("dhcp", step.dhcp.is_some()),
            ("steps", !step.steps.is_empty()),
        ]);
        if step.method.is_some() && keys.iter().all(|(_, given)| !given) {
            return Err(KeyError::new(
                &at.key("method"),
                "needs a path or a URL: give it as 'url'",
            ));
        }
        match one(at, &keys, "what is done")? {
            "pause" => pause(at, step),
            key => {
                let what = self.what(at, key, step)?;
                self.act(at, key, step, what).map(Box::new).map(flow::Step::Exchange)
            }
        }
    }

    fn what(&mut self, at: &KeyPath, key: &'static str, step: &Step) -> Result<Payload, KeyError> {
        if key == "ldap" || key == "dhcp" {
            web_only(at, key, step)?;
        }
        if let Some(step) = step.dhcp {
            if !self.leases {
                let what = "needs a DHCP server: set dhcp.server, such as \"192.0.2.1:67\"";
                return Err(KeyError::new(&at.key("dhcp"), what));
            }
            return Ok(Payload::Dhcp(leases::kind(step)));
        }
        if let Some(step) = &step.ldap {
            let at = at.key("ldap");
            if !self.directory {
                let what = "needs a directory: set ldap.server, such as \"ldap://localhost:1389\"";
                return Err(KeyError::new(&at, what));
            }
            let act = directory::act(&at, step, &mut self.names, self.environment)?;
            return Ok(Payload::Ldap(Box::new(act)));
        }
        let parts = (&mut self.names, self.keys);
        let act = request::request(at, key, step, self.http, parts, &mut self.files)?;
        Ok(Payload::Http(Box::new(act)))
    }

    fn act(
        &mut self,
        at: &KeyPath,
        key: &str,
        step: &Step,
        payload: Payload,
    ) -> Result<ExchangeStep, KeyError> {
        let mut needs = Vec::new();
        for (index, name) in step.needs.iter().enumerate() {
            needs.push(self.names.find(&at.key("needs").index(index), name)?);
        }
        let name = step.name.clone().unwrap_or_else(|| title(key, step));
        if name.trim().is_empty() {
            return Err(KeyError::new(
                &at.key("name"),
                "is empty; leave it out to derive the name from the request",
            ));
        }
        let known = self.operations.iter().position(|known| *known == name);
        let operation = known.unwrap_or(self.operations.len());
        let operation = u16::try_from(operation)
            .map_err(|_| KeyError::new(at, "is one name too many: the maximum is 65,536"))?;
        if known.is_none() {
            self.operations.push(name.clone());
        }
        let retry = attempts::retry(at, step, &name, &mut self.spans)?;
        let reconnects = attempts::reconnects(at, step, self.http)?;
        let challenge = step.dpop.as_ref().map(|_| self.operation(at, &format!("{name} nonce")));
        let challenge = challenge.transpose()?;
        let pending = if step.pending.is_empty() {
            operation
        } else {
            self.operation(at, &format!("{name} pending"))?
        };
        let polled = (name.as_str(), pending);
        let poll = attempts::poll(at, step, polled, &mut self.names, &mut self.spans)?;
        let checks = answer::checks(at, step, &mut self.names)?;
        let extracts = answer::extracts(at, step, &mut self.names)?;
        let checked = checks.iter().flat_map(flow::Check::texts);
        self.names.no_request(&at.key("checks"), checked)?;
        let zero = |key: &str| KeyError::new(&at.key(key), "is 0, but must be more than 0");
        if step.timeout.is_some_and(|time| time.0.is_zero()) {
            return Err(zero("timeout"));
        }
        Ok(ExchangeStep {
            checks,
            extracts,
            threshold: step.threshold.map(|time| time.0),
            timeout: step.timeout.map(|time| time.0),
            needs,
            retry,
            poll,
            challenge,
            reconnects,
            ..ExchangeStep::new(operation, payload)
        })
    }
}

/// Refuses keys that apply only to HTTP requests.
fn web_only(at: &KeyPath, key: &str, step: &Step) -> Result<(), KeyError> {
    let given = [
        ("method", step.method.is_some()),
        ("content-type", step.content_type.is_some()),
        ("text", step.text.is_some()),
        ("body-file", step.body_file.is_some()),
        ("bearer", step.bearer.is_some()),
        ("basic", step.basic.is_some()),
        ("dpop", step.dpop.is_some()),
        ("query", !step.query.is_empty()),
        ("headers", !step.headers.is_empty()),
        ("json", step.json.is_some()),
        ("form", !step.form.is_empty()),
        ("multipart", !step.multipart.is_empty()),
        ("set", !step.set.is_empty()),
        ("set-missing", step.set_missing.is_some()),
        ("press", step.press.is_some()),
        ("lands", step.lands.is_some()),
    ];
    match given.into_iter().find(|(_, given)| *given) {
        None => Ok(()),
        Some((other, _)) => {
            let what = format!("belongs to HTTP requests, but this step is '{key}'");
            Err(KeyError::new(&at.key(other), what))
        }
    }
}

/// The default name of a step: its method and its path, without the query and without secrets; or its kind of operation
/// on a directory.
fn title(key: &str, step: &Step) -> String {
    if let Some(step) = &step.ldap {
        return directory::kind(step).to_owned();
    }
    if let Some(step) = step.dhcp {
        return leases::title(step).to_owned();
    }
    if let Some(key) = step.page_key() {
        let selector = match (&step.submit, &step.follow) {
            (Some(model::Submit::Selected(selector)), _) | (_, Some(selector)) => selector,
            _ => "form",
        };
        return format!("{key} {selector}");
    }
    let url = step.requests().into_iter().find_map(|(known, url)| (known == key).then_some(url));
    let url = url.flatten().unwrap_or_default();
    let after_scheme = url.find("://").map_or(0, |at| at + 3);
    let from = url[after_scheme..].find('/').map_or(0, |at| after_scheme + at);
    let path = if after_scheme > 0 { &url[from..] } else { url };
    let path = path.split('?').next().unwrap_or_default();
    let method = if key == "url" { step.method.as_deref().unwrap_or("GET") } else { key };
    format!("{} {}", method.to_lowercase(), brunt_redact::url(path))
}

fn pause(at: &KeyPath, step: &Step) -> Result<flow::Step, KeyError> {
    let text = step.pause.as_deref().unwrap_or_default();
    let alone = Step {
        name: step.name.clone(),
        pause: step.pause.clone(),
        when: step.when.clone(),
        weight: step.weight.clone(),
        ..Step::default()
    };
    if *step != alone {
        return Err(KeyError::new(
            &at.key("pause"),
            "is a separate step: put it before or after the request",
        ));
    }
    let time = ThinkTime::parse(text)
        .map_err(|error| KeyError::new(&at.key("pause"), format!("failed to {error}")))?;
    let name = step.name.clone().unwrap_or_else(|| "pause".to_owned());
    Ok(flow::Step::Pause(Pause { time, name }))
}

#[cfg(test)]
mod tests;
