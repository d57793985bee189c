//! A request whose templates are compiled: the source of the bytes of each slot of its skeleton.
//!
//! A value in a filter becomes a BER assertion value unchanged, so it needs no escaping; a value in a DN is escaped by
//! the rules of RFC 4514. The text is built and parsed for every exchange only if a template decides the shape of the
//! filter itself, or if the user requests the behaviour of the original tools.

use super::buffers::{Arena, Scratch};
use super::error::PlanError;
use super::failure::Failure;
use super::setup::{
    Change, CompareSetup, DeleteSetup, ModifySetup, OperationControls, RenameSetup, SearchSetup,
};
use brunt_exchange::Class;
use brunt_feed::{Arguments, Escape, Piece, Position, Row, Slot, Template};
use brunt_ldap_wire::control::Control;
use brunt_ldap_wire::filter::{Filter, FilterError};
use brunt_ldap_wire::request::{self, ModifyOp, Search};
use brunt_ldap_wire::{Skeleton, Text};

/// Client result code of OpenDJ and the C API: the filter is invalid.
const FILTER_ERROR: u32 = 87;

/// The source of a slot's bytes.
#[derive(Clone, Debug)]
struct Hole {
    row: usize,
    slot: Slot,
    escape: Escape,
}

/// The request that restores the name of an entry.
#[derive(Debug)]
pub(super) struct Undo {
    /// The request, filled with the new DN, the old RDN, and the old parent if the entry was moved.
    pub(super) request: Request,
    pub(super) rdn: Template,
    pub(super) superior: Option<Template>,
}

/// A compiled request.
#[derive(Clone, Debug)]
pub(super) struct Request {
    skeleton: Skeleton,
    holes: Vec<Hole>,
    /// How many rows of arguments it takes: the exchange's own, and one for each further value.
    rows: usize,
    late: Option<Box<LateFilter>>,
    /// The DN or filter to name in the message when the request fails.
    about: Template,
    /// The base DN to name with a filter.
    base: Option<Template>,
    escape: Escape,
}

/// A filter that is parsed again for every exchange.
#[derive(Clone, Debug)]
struct LateFilter {
    search: Search,
    filter: Template,
    escape: Escape,
    controls: Vec<Control>,
}

/// A request with its values, ready to be encoded.
pub(super) struct Ready<'a> {
    skeleton: &'a Skeleton,
    arena: &'a Arena,
}

impl Ready<'_> {
    pub(super) fn encode(&self, id: i32, out: &mut Vec<u8>) {
        self.skeleton.encode(id, self.arena, out);
    }
}

impl Request {
    /// Fills the slots for the exchange at `position`. `appended` is the result of a search, used as the last argument;
    /// `extra` fills the slots after those of the templates.
    pub(super) fn fill<'a>(
        &'a self,
        arguments: &Arguments,
        position: &Position,
        appended: Option<&[u8]>,
        extra: &[&[u8]],
        scratch: &'a mut Scratch,
    ) -> Result<Ready<'a>, Failure> {
        let Scratch { rows, arena, text, late, .. } = scratch;
        self.draw(arguments, position, appended, rows);
        arena.clear();
        for hole in &self.holes {
            let Some(row) = rows.get(hole.row) else { continue };
            arena.push_with(|bytes| hole.slot.render_escaped(row, hole.escape, bytes));
        }
        for value in extra {
            arena.push(value);
        }
        let skeleton = match &self.late {
            None => &self.skeleton,
            Some(filter) => late.insert(filter.compile(rows.first(), text)?),
        };
        Ok(Ready { skeleton, arena })
    }

    /// Whether building the request can fail after it was built once as a check.
    pub(super) const fn may_fail(&self) -> bool {
        self.late.is_some()
    }

    fn draw(
        &self,
        arguments: &Arguments,
        position: &Position,
        appended: Option<&[u8]>,
        rows: &mut Vec<Row>,
    ) {
        if rows.len() < self.rows {
            rows.resize_with(self.rows, Row::new);
        }
        for (index, row) in rows.iter_mut().take(self.rows).enumerate() {
            match index.checked_sub(1) {
                None => arguments.draw(position, row),
                Some(part) => {
                    arguments.draw(&position.part(part as u64, self.rows as u64 - 1), row);
                }
            }
            if let Some(value) = appended {
                row.push(value);
            }
        }
    }

    /// The template of the DN that the request names.
    pub(super) const fn dn(&self) -> &Template {
        &self.about
    }

    /// Appends a template filled from a row, escaped as in a DN.
    pub(super) fn render(&self, template: &Template, row: &Row, out: &mut Vec<u8>) {
        template.render(row, self.escape, out);
    }

    /// The DN of the request at `position`, or its filter and base.
    pub(super) fn about(
        &self,
        arguments: &Arguments,
        position: &Position,
        appended: Option<&[u8]>,
    ) -> String {
        let (mut row, mut text) = (Row::new(), Vec::new());
        arguments.draw(position, &mut row);
        if let Some(value) = appended {
            row.push(value);
        }
        self.about.render(&row, self.escape, &mut text);
        if let Some(base) = &self.base {
            text.extend_from_slice(b" in ");
            let escape = if self.escape == Escape::None { Escape::None } else { Escape::Dn };
            base.render(&row, escape, &mut text);
        }
        String::from_utf8_lossy(&text).into_owned()
    }
}

impl LateFilter {
    fn compile(&self, row: Option<&Row>, text: &mut Vec<u8>) -> Result<Skeleton, Failure> {
        text.clear();
        if let Some(row) = row {
            self.filter.render(row, self.escape, text);
        }
        let filter = Filter::parse_text(&Text::from(text.as_slice())).map_err(|error| {
            Failure::new(
                Class::Check,
                FILTER_ERROR,
                format!("filter {}: {error}", String::from_utf8_lossy(text)),
            )
        })?;
        Ok(Search { filter, ..self.search.clone() }.skeleton(&self.controls))
    }
}

/// Compiles the templates of one request, numbering the slots in order.
pub(super) struct Compiler<'a> {
    arguments: &'a Arguments,
    appended: usize,
    raw: bool,
    holes: Vec<Hole>,
    row: usize,
    rows: usize,
}

impl<'a> Compiler<'a> {
    /// A compiler for these arguments, followed by `appended` more values.
    pub(super) fn new(arguments: &'a Arguments, appended: usize, raw: bool) -> Self {
        Self { arguments, appended, raw, holes: Vec::new(), row: 0, rows: 1 }
    }

    pub(super) fn template(&self, text: &str) -> Result<Template, PlanError> {
        Ok(self.arguments.template(text, self.appended)?)
    }

    /// How values are escaped in a DN.
    pub(super) fn dn_escape(&self) -> Escape {
        if self.raw { Escape::None } else { Escape::Dn }
    }

    /// A DN: the values that fill it are escaped.
    pub(super) fn dn(&mut self, text: &str) -> Result<Text, PlanError> {
        self.text(text, self.dn_escape())
    }

    /// A value: the values that fill it are not escaped.
    pub(super) fn value(&mut self, text: &str) -> Result<Text, PlanError> {
        self.text(text, Escape::None)
    }

    fn text(&mut self, text: &str, escape: Escape) -> Result<Text, PlanError> {
        let template = self.template(text)?;
        Ok(self.pieces(&template, escape))
    }

    fn pieces(&mut self, template: &Template, escape: Escape) -> Text {
        let mut text = Text::new();
        for piece in template.pieces() {
            match piece {
                Piece::Text(bytes) => text.push_bytes(bytes.as_bytes()),
                Piece::Slot(slot) => {
                    text.push_slot(self.holes.len());
                    self.holes.push(Hole { row: self.row, slot: *slot, escape });
                }
            }
        }
        text
    }

    /// A filter; `None` if its shape depends on the values.
    fn filter(&mut self, template: &Template) -> Result<Option<Filter<Text>>, PlanError> {
        let before = self.holes.len();
        let text = self.pieces(template, Escape::None);
        if self.raw && self.holes.len() > before {
            self.holes.truncate(before);
            return Ok(None);
        }
        match Filter::parse_text(&text) {
            Ok(filter) => Ok(Some(filter)),
            Err(FilterError::Structural { .. }) => {
                self.holes.truncate(before);
                Ok(None)
            }
            Err(error) => Err(PlanError::Filter { text: text.to_string(), error }),
        }
    }

    pub(super) fn controls(
        &mut self,
        setup: &OperationControls,
    ) -> Result<Vec<Control>, PlanError> {
        let texts = |names: &[String]| {
            names.iter().map(|name| Text::from(name.as_str())).collect::<Vec<_>>()
        };
        let mut controls = setup.other.clone();
        if let Some(identity) = &setup.proxy_as {
            controls.push(Control::proxied_authorization(&self.dn(identity)?));
        }
        if let Some(assertion) = &setup.assertion {
            let template = self.template(assertion)?;
            let filter = self
                .filter(&template)?
                .ok_or_else(|| PlanError::AssertionShape(assertion.clone()))?;
            controls.push(Control::assertion(&filter, true));
        }
        if !setup.pre_read.is_empty() {
            controls.push(Control::pre_read(&texts(&setup.pre_read), false));
        }
        if !setup.post_read.is_empty() {
            controls.push(Control::post_read(&texts(&setup.post_read), false));
        }
        if setup.permissive_modify {
            controls.push(Control::permissive_modify(false));
        }
        if setup.manage_dsa_it {
            controls.push(Control::manage_dsa_it(false));
        }
        Ok(controls)
    }

    /// A search. With paging, the slot after those of the templates is the cookie.
    pub(super) fn search(
        mut self,
        setup: &SearchSetup,
        size_limit: i32,
    ) -> Result<Request, PlanError> {
        let base = self.dn(&setup.base)?;
        let (named, about) = (self.template(&setup.base)?, self.template(&setup.filter)?);
        let mut controls = self.controls(&setup.controls)?;
        let filter = self.filter(&about)?;
        if !setup.sort.is_empty() {
            controls.push(Control::sort(&setup.sort, false));
        }
        if let Some(size) = setup.page_size {
            controls.push(Control::paged_results(size, &Text::slot(self.holes.len()), false));
        }
        let search = Search {
            base,
            scope: setup.scope,
            deref: setup.deref,
            size_limit,
            time_limit: setup.time_limit,
            types_only: setup.types_only,
            filter: filter.clone().unwrap_or_else(|| Filter::present("objectClass")),
            attributes: setup.attributes.iter().map(|name| Text::from(name.as_str())).collect(),
        };
        let skeleton = search.skeleton(&controls);
        let escape = if self.raw { Escape::None } else { Escape::Filter };
        let late = match filter {
            Some(_) => None,
            None => Some(Box::new(LateFilter { search, filter: about.clone(), escape, controls })),
        };
        Ok(Request {
            skeleton,
            holes: self.holes,
            rows: self.rows,
            late,
            about,
            base: Some(named),
            escape,
        })
    }

    /// A modify. `found` says that the DN is the result of a search: the slot after those of the templates. With
    /// `version`, the next slot is the value that the attribute must still have.
    pub(super) fn modify(
        mut self,
        setup: &ModifySetup,
        found: bool,
        version: Option<&str>,
    ) -> Result<Request, PlanError> {
        let about = self.template(if found { "" } else { &setup.dn })?;
        let dn = if found { None } else { Some(self.dn(&setup.dn)?) };
        let mut controls = self.controls(&setup.controls)?;
        let mut changes = Vec::new();
        for (attribute, value) in &setup.values {
            changes.push(self.change(setup, attribute, value)?);
        }
        let dn = dn.unwrap_or_else(|| Text::slot(self.holes.len()));
        if let Some(attribute) = version {
            let value = Text::slot(self.holes.len() + usize::from(found));
            controls.push(Control::assertion(&Filter::equality(attribute, value), true));
        }
        let skeleton = request::modify(&dn, &changes, &controls);
        Ok(self.made(skeleton, about))
    }

    fn change(
        &mut self,
        setup: &ModifySetup,
        attribute: &str,
        value: &str,
    ) -> Result<request::Change, PlanError> {
        let op = match setup.change {
            Change::Replace => ModifyOp::Replace,
            Change::Increment => ModifyOp::Increment,
        };
        let count = if setup.change == Change::Increment { 1 } else { setup.value_count as usize };
        if count > 1 && self.template(value)?.is_constant() {
            return Err(PlanError::SameValues {
                attribute: attribute.to_owned(),
                value: value.to_owned(),
                count,
            });
        }
        let mut values = Vec::with_capacity(count);
        for index in 0..count {
            self.row = if count > 1 { index + 1 } else { 0 };
            self.rows = self.rows.max(self.row + 1);
            values.push(self.value(value)?);
        }
        self.row = 0;
        Ok(request::Change { op, attribute: Text::from(attribute), values })
    }

    /// A comparison.
    pub(super) fn compare(mut self, setup: &CompareSetup) -> Result<Request, PlanError> {
        let about = self.template(&setup.dn)?;
        let (dn, value) = (self.dn(&setup.dn)?, self.value(&setup.value)?);
        let controls = self.controls(&setup.controls)?;
        let attribute = Text::from(setup.attribute.as_str());
        let skeleton = request::compare(&dn, &attribute, &value, &controls);
        Ok(self.made(skeleton, about))
    }

    /// A deletion.
    pub(super) fn delete(mut self, setup: &DeleteSetup) -> Result<Request, PlanError> {
        let about = self.template(&setup.dn)?;
        let dn = self.dn(&setup.dn)?;
        let controls = self.controls(&setup.controls)?;
        Ok(self.made(request::delete(&dn, &controls), about))
    }

    /// A modify DN.
    pub(super) fn rename(mut self, setup: &RenameSetup) -> Result<Request, PlanError> {
        let about = self.template(&setup.dn)?;
        let (dn, rdn) = (self.dn(&setup.dn)?, self.dn(&setup.rdn)?);
        let superior = setup.superior.as_deref().map(|text| self.dn(text)).transpose()?;
        let controls = self.controls(&setup.controls)?;
        let delete_old = !setup.keep_old;
        let skeleton = request::modify_dn(&dn, &rdn, delete_old, superior.as_ref(), &controls);
        Ok(self.made(skeleton, about))
    }

    /// The modify DN that undoes another. Its values are separate slots: the new DN, the old RDN, the old parent.
    pub(super) fn undo(mut self, setup: &RenameSetup) -> Result<Undo, PlanError> {
        let rdn = self.template(&setup.rdn)?;
        let superior = setup.superior.as_deref().map(|text| self.template(text)).transpose()?;
        let controls = self.controls(&setup.controls)?;
        let first = self.holes.len();
        let [dn, old, parent] = [0, 1, 2].map(|slot| Text::slot(first + slot));
        let parent = superior.is_some().then_some(&parent);
        let skeleton = request::modify_dn(&dn, &old, true, parent, &controls);
        let about = self.template("")?;
        Ok(Undo { request: self.made(skeleton, about), rdn, superior })
    }

    /// A request whose message names a DN.
    fn made(self, skeleton: Skeleton, about: Template) -> Request {
        let escape = self.dn_escape();
        Request {
            skeleton,
            holes: self.holes,
            rows: self.rows,
            late: None,
            about,
            base: None,
            escape,
        }
    }

    /// A simple bind. The password is the slot after those of the templates, as not every bind has the right one.
    pub(super) fn bind(mut self, dn: &str, controls: &[Control]) -> Result<Request, PlanError> {
        let about = self.template(dn)?;
        let name = self.dn(dn)?;
        let skeleton = request::bind_simple(&name, &Text::slot(self.holes.len()), controls);
        Ok(self.made(skeleton, about))
    }

    /// The base search that reads the attribute that distinguishes versions.
    pub(super) fn read(mut self, dn: &str, attribute: &str) -> Result<Request, PlanError> {
        let about = self.template(dn)?;
        let base = self.dn(dn)?;
        let mut search = Search::new(base, request::Scope::Base, Filter::present("objectClass"));
        search.attributes = vec![Text::from(attribute)];
        let skeleton = search.skeleton(&[]);
        Ok(self.made(skeleton, about))
    }
}
