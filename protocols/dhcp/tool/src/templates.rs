//! The packets that a user composed, in the form that the drivers take.

use brunt_dhcp_driver::{Offsets, Template, hexfile};
use brunt_run::Files;

use super::error::PerfdhcpError;
use crate::options::args::{self, DhcpArgs};

/// The packets to send first and second, if there are any.
pub(crate) fn read(args: &DhcpArgs, files: &Files) -> Result<[Option<Template>; 2], PerfdhcpError> {
    let Some(given) = &args.templates else { return Ok([None, None]) };
    let first = template(&given.first, files)?;
    Ok([Some(first), given.second.as_ref().map(|given| second(given, files)).transpose()?])
}

fn template(given: &args::Template, files: &Files) -> Result<Template, PerfdhcpError> {
    Ok(Template {
        packet: hexfile::read(&given.path, files)?,
        name: given.path.clone(),
        offsets: Offsets { xid: given.xid, identity: given.random, ..Offsets::default() },
    })
}

fn second(given: &args::SecondTemplate, files: &Files) -> Result<Template, PerfdhcpError> {
    let mut template = template(&given.template, files)?;
    template.offsets.server_id = given.server_id;
    template.offsets.lease = given.address;
    template.offsets.elapsed = given.elapsed.offset();
    Ok(template)
}
