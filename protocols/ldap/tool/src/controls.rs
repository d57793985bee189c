//! Request controls of a command line, in the form that the driver takes.

use brunt_ldap_wire::control::Control;

use crate::options::rate::control;

/// The controls, in order.
pub(crate) fn controls(given: &[control::Control]) -> Vec<Control> {
    let one = |given: &control::Control| {
        let control = Control::new(given.oid.clone(), given.critical);
        match &given.value {
            None => control,
            Some(value) => control.with_value(&value.as_slice().into()),
        }
    };
    given.iter().map(one).collect()
}
