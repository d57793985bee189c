//! What commands that use the loads of others cannot have `brunt http` do.

use brunt_redact::{is_secret_header, text, url};
use brunt_run::load::{NO_ADDRESS, NO_LOAD, SECRET, never};
use brunt_run::options::output::duration;
use brunt_run::options::pacing::Pacing;
use brunt_run::options::spelled::ToolSpelling as _;
use brunt_run::{Caller, Unsuitable};

use crate::options::http::{HttpArgs, Requests};

/// The options that set when requests begin, how many there are or how long they go on.
pub(super) fn pacing(args: &HttpArgs) -> Vec<Pacing> {
    let timed = args.request.duration_or_body.as_deref().is_some_and(|it| duration(it).is_ok());
    let own = Pacing { called: "-d as a duration".to_owned(), ..Pacing::new(&["d"], timed) };
    [args.load.options.pacing(Requests::SPELLING), vec![own]].concat()
}

/// Why a caller cannot have this carried out.
pub(super) fn refuses(args: &HttpArgs, caller: Caller) -> Result<(), Unsuitable> {
    args.trace.refuses(caller)?;
    never("--to-plan", args.to_plan, NO_LOAD)?;
    if caller == Caller::AgentsOfOthers {
        let socket = args.connection.unix_socket.is_some();
        never("--unix-socket", socket, NO_ADDRESS)?;
        return secret(args);
    }
    Ok(())
}

/// A secret in the command line itself.
fn secret(args: &HttpArgs) -> Result<(), Unsuitable> {
    let literal = |text: &String| text.split(':').nth(1) != Some("env");
    let basic = args.request.basic_auth.as_ref().is_some_and(literal);
    never("--basic-auth", basic, format!("{SECRET}: write USER:env:NAME"))?;
    let header = args.request.headers.iter().any(|header| {
        header
            .split_once(':')
            .is_some_and(|(name, _)| is_secret_header(&name.trim().to_ascii_lowercase()))
    });
    let plan =
        format!("{SECRET}: write a plan whose variable has env or file, and order brunt run");
    never("--header", header, plan.clone())?;
    never(
        "--curl",
        args.curl.is_some(),
        "may hold secrets: convert it with brunt import curl, and order brunt run",
    )?;
    let with_password =
        |given: &Option<String>| given.as_ref().is_some_and(|given| url(given) != *given);
    never("the URL", with_password(&args.url), plan.clone())?;
    never("--proxy", with_password(&args.connection.proxy), plan.clone())?;
    let bodies = [&args.request.body, &args.request.duration_or_body];
    let body = bodies.into_iter().flatten().any(|body| text(body) != *body);
    never("--body", body, plan)
}
