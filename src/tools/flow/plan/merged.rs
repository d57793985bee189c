//! The plan as it will be carried out: defaults filled in, secrets left out.

use super::compile::{CONNECT, TIMEOUT, USERS};
use super::model::{Close, Hidden, Http, HttpVersion, LdapStep, Order, Plan, Tls};
use super::values::{Pairs, Scalar, Several, Size, Time};
use brunt_drivers::http::Limits;

/// What stands in place of a secret.
pub(super) const HIDDEN: &str = "***";

/// Fields of HTTP whose values open doors.
const DOORS: [&str; 3] = ["authorization", "cookie", "proxy-authorization"];

/// The text of the plan with every default that was used.
pub(super) fn text(plan: &Plan, users: u32, seed: u64) -> String {
    let mut plan = plan.clone();
    let run = &mut plan.run;
    let open = run.rate.is_some() || run.stages.is_some() || run.trace.is_some();
    run.users.get_or_insert(if open { users } else { USERS });
    run.timeout.get_or_insert(Time(TIMEOUT));
    run.seed.get_or_insert(seed);
    if run.rate.is_some() {
        run.arrival.get_or_insert_default();
    }
    if run.rounds.is_empty() {
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
}

fn hide(plan: &mut Plan) {
    if let Some(http) = &mut plan.http {
        hide_fields(&mut http.headers);
        http.proxy_login.iter_mut().for_each(|login| hide_one(&mut login.password));
        http.tls.iter_mut().for_each(|tls| hide_keys(tls));
    }
    if let Some(ldap) = &mut plan.ldap {
        ldap.tls.iter_mut().for_each(|tls| hide_keys(tls));
        ldap.bind.iter_mut().for_each(|login| hide_one(&mut login.password));
    }
    for step in plan.scenario.iter_mut().flat_map(|scenario| &mut scenario.steps) {
        hide_fields(&mut step.headers);
        step.basic.iter_mut().for_each(|basic| hide_one(&mut basic.password));
        if let Some(bearer) = &mut step.bearer
            && !bearer.contains("${")
        {
            HIDDEN.clone_into(bearer);
        }
        step.ldap.iter_mut().for_each(hide_login);
    }
}

/// Leaves out the password of a step that binds.
pub(super) fn hide_login(step: &mut LdapStep) {
    if let LdapStep::Bind(login) = step {
        hide_one(&mut login.password);
    }
}

fn hide_keys(tls: &mut Tls) {
    [&mut tls.password, &mut tls.ca_password].into_iter().flatten().for_each(hide_one);
}

fn hide_one(secret: &mut Hidden) {
    if let Hidden::Text(text) = secret
        && !text.contains("${")
    {
        HIDDEN.clone_into(text);
    }
}

fn hide_fields(fields: &mut Pairs<Several>) {
    for (name, values) in &mut fields.0 {
        let door = DOORS.iter().any(|door| door.eq_ignore_ascii_case(name));
        for value in values.0.iter_mut().filter(|_| door) {
            if !value.to_string().contains("${") {
                *value = Scalar::from(HIDDEN);
            }
        }
    }
}
