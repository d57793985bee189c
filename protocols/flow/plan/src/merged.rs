//! The plan as it will be carried out: with defaults filled in, and without secrets.

use super::compile::{CONNECT, TIMEOUT, UPLOADS, USERS};
use super::model::{
    Choice, Close, Hidden, Http, HttpVersion, LdapStep, Order, Part, Parts, Plan, Step, Tls,
    Variable,
};
use super::values::{Node, Pairs, Scalar, Several, Size, Time};
use brunt_flow_driver::json_set::secret_word;
use brunt_http_driver::Limits;
use brunt_redact::{HIDDEN, is_secret_name};

/// The text of the plan with every default that was used.
pub fn text(plan: &Plan, users: u32, seed: u64) -> String {
    let mut plan = plan.clone();
    let own = plan.scenario.iter().any(|scenario| scenario.run.is_some());
    let run = &mut plan.run;
    if !own {
        run.users.get_or_insert(if run.is_open() { users } else { USERS });
    }
    run.timeout.get_or_insert(Time(TIMEOUT));
    run.seed.get_or_insert(seed);
    if run.rate.is_some() && run.rate_file.is_none() {
        run.arrival.get_or_insert_default();
    }
    if run.rounds.is_empty() && !own {
        let weighted = plan.scenario.iter().any(|scenario| scenario.weight.is_some());
        run.order.get_or_insert(if weighted { Order::Weights } else { Order::Turns });
    }
    let mut http = plan.http.take().unwrap_or_default();
    fill(&mut http);
    plan.http = Some(http);
    if let Some(ldap) = &mut plan.ldap {
        ldap.connect_timeout.get_or_insert(Time(CONNECT));
        ldap.resend.get_or_insert_default();
    }
    hide(&mut plan);
    toml::to_string_pretty(&plan)
        .unwrap_or_else(|error| format!("# failed to write the plan: {error}\n"))
}

fn fill(http: &mut Http) {
    http.version.get_or_insert(HttpVersion::Http1);
    http.resend.get_or_insert_default();
    http.redirects.get_or_insert(0);
    http.connect_timeout.get_or_insert(Time(CONNECT));
    http.cookies.get_or_insert(false);
    http.compression.get_or_insert(false);
    http.close.get_or_insert(Close::Fin);
    let usual = Limits::default();
    let limits = http.limits.get_or_insert_default();
    limits.head.get_or_insert(Size(usual.head as u64));
    limits.fields.get_or_insert(usual.fields as u32);
    limits.body_kept.get_or_insert(Size(usual.body_kept as u64));
    limits.body.get_or_insert(Size(usual.body));
    limits.uploads.get_or_insert(UPLOADS);
}

fn hide(plan: &mut Plan) {
    for (name, variable) in &mut plan.variables.0 {
        hide_variable(name, variable);
    }
    if let Some(http) = &mut plan.http {
        [&mut http.base, &mut http.proxy].into_iter().flatten().for_each(hide_url);
        hide_fields(&mut http.headers);
        http.proxy_login.iter_mut().for_each(|login| hide_one(&mut login.password));
        http.tls.iter_mut().for_each(|tls| hide_keys(tls));
    }
    if let Some(ldap) = &mut plan.ldap {
        ldap.tls.iter_mut().for_each(|tls| hide_keys(tls));
        ldap.bind.iter_mut().for_each(|login| hide_one(&mut login.password));
    }
    plan.scenario.iter_mut().flat_map(|scenario| &mut scenario.steps).for_each(hide_step);
    let around = plan.prepare.iter_mut().chain(&mut plan.clean_up);
    around.flat_map(|table| &mut table.steps).for_each(hide_step);
}

fn hide_step(step: &mut Step) {
    step.steps.iter_mut().for_each(hide_step);
    let Step { get, post, put, patch, delete, head, options, url, .. } = step;
    for url in [get, post, put, patch, delete, head, options, url].into_iter().flatten() {
        hide_url(url);
    }
    hide_fields(&mut step.headers);
    hide_pairs(&mut step.query);
    hide_pairs(&mut step.form);
    hide_parts(&mut step.multipart);
    for (place, node) in &mut step.set.0 {
        let name = secret_word(place).unwrap_or_default().to_owned();
        hide_node(&name, node);
    }
    step.json.iter_mut().for_each(|json| hide_node("", json));
    step.text.iter_mut().for_each(|text| *text = brunt_redact::text(text));
    step.basic.iter_mut().for_each(|basic| hide_one(&mut basic.password));
    step.bearer.iter_mut().for_each(|bearer| *bearer = brunt_redact::value(bearer));
    step.ldap.iter_mut().for_each(hide_directory);
}

/// Removes the secrets from a step's directory operation.
pub fn hide_directory(step: &mut LdapStep) {
    match step {
        LdapStep::Bind(login) => hide_one(&mut login.password),
        LdapStep::Compare { attribute, value, .. } if is_secret_name(attribute) => {
            *value = brunt_redact::value(value);
        }
        LdapStep::Modify { changes, .. } => {
            let secret = changes.iter_mut().filter(|change| is_secret_name(&change.attribute));
            secret.flat_map(|change| &mut change.values.0).for_each(hide_scalar);
        }
        LdapStep::Add { attributes, .. } => hide_pairs(attributes),
        _ => {}
    }
}

fn hide_keys(tls: &mut Tls) {
    [&mut tls.password, &mut tls.ca_password].into_iter().flatten().for_each(hide_one);
}

fn hide_one(secret: &mut Hidden) {
    if let Hidden::Text(text) = secret {
        *text = brunt_redact::value(text);
    }
}

fn hide_url(url: &mut String) {
    *url = brunt_redact::url(url);
}

fn hide_fields(fields: &mut Pairs<Several>) {
    for (name, values) in &mut fields.0 {
        for value in &mut values.0 {
            *value = Scalar::from(brunt_redact::header(name, &value.to_string()).as_str());
        }
    }
}

/// Parameters and attributes: one that is named as a secret is removed, and others may contain a secret.
fn hide_pairs(pairs: &mut Pairs<Several>) {
    for (name, values) in &mut pairs.0 {
        values.0.iter_mut().for_each(|value| hide_named(name, value));
    }
}

/// The parts of a form, as its fields.
fn hide_parts(parts: &mut Pairs<Parts>) {
    for (name, several) in &mut parts.0 {
        for part in &mut several.0 {
            match part {
                Part::Text(value) => hide_named(name, value),
                Part::Table(table) => {
                    table.json.iter_mut().for_each(|json| hide_node(name, json));
                    if let Some(text) = &mut table.text {
                        let hide = if is_secret_name(name) {
                            brunt_redact::value
                        } else {
                            brunt_redact::text
                        };
                        *text = hide(text);
                    }
                }
            }
        }
    }
}

fn hide_named(name: &str, value: &mut Scalar) {
    match value {
        Scalar::Boolean(_) => {}
        _ if is_secret_name(name) => hide_scalar(value),
        Scalar::Text(text) => *text = brunt_redact::text(text),
        Scalar::Integer(_) | Scalar::Float(_) => {}
    }
}

fn hide_scalar(value: &mut Scalar) {
    *value = Scalar::from(brunt_redact::value(&value.to_string()).as_str());
}

fn hide_node(name: &str, node: &mut Node) {
    match node {
        Node::Scalar(scalar) => hide_named(name, scalar),
        Node::Array(nodes) => nodes.iter_mut().for_each(|node| hide_node(name, node)),
        Node::Object(pairs) => {
            // OpenAM's callbacks and recordings: a pair of a name and a value.
            let named = pairs.iter().find_map(|(key, node)| match node {
                Node::Scalar(Scalar::Text(text)) if key == "name" => Some(text.clone()),
                _ => None,
            });
            for (key, node) in &mut pairs.0 {
                let key = named.as_ref().filter(|_| key == "value").unwrap_or(key);
                hide_node(key, node);
            }
        }
    }
}

fn hide_variable(name: &str, variable: &mut Variable) {
    match variable {
        Variable::Constant(scalar) => hide_named(name, scalar),
        Variable::Source(source) => {
            // A value that is marked as a secret is one whatever its name.
            let name = if source.secret == Some(true) { "secret" } else { name };
            source.value.iter_mut().for_each(|value| hide_named(name, value));
            match &mut source.choice {
                Some(Choice::Alike(texts)) => {
                    for text in texts {
                        hide_named(name, text);
                    }
                }
                Some(Choice::Weighted(pairs)) if is_secret_name(name) => {
                    for (number, (text, _)) in (1..).zip(&mut pairs.0) {
                        *text = format!("{HIDDEN} {number}");
                    }
                }
                Some(Choice::Weighted(_)) | None => {}
            }
        }
    }
}
