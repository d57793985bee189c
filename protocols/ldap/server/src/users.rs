//! The initial entries of a directory: a suffix, `ou=people`, an administrator and numbered users.
//!
//! The users are made only from their numbers, so every start has the same ones.

use brunt_ldap_wire::dn;

use super::config::Config;
use super::directory::{Directory, Entry};
use super::refusal::Refusal;

const GIVEN_NAMES: [&str; 16] = [
    "Ada",
    "Barbara",
    "Claude",
    "Dennis",
    "Edsger",
    "Frances",
    "Grace",
    "Hedy",
    "Ivan",
    "John",
    "Katherine",
    "Leslie",
    "Margaret",
    "Niklaus",
    "Radia",
    "Tim",
];
const SURNAMES: [&str; 16] = [
    "Allen",
    "Berners",
    "Conway",
    "Dijkstra",
    "Engelbart",
    "Floyd",
    "Goldberg",
    "Hopper",
    "Iverson",
    "Johnson",
    "Knuth",
    "Lamport",
    "McCarthy",
    "Naur",
    "Perlman",
    "Wirth",
];

/// Fills a directory.
pub(super) fn populate(config: &Config) -> Result<Directory, Refusal> {
    let mut directory = Directory::new();
    let suffix = config.suffix.as_str();
    directory.add(suffix_entry(suffix)?, true)?;
    let people = format!("ou=people,{suffix}");
    let classes: [&[u8]; 2] = [b"top", b"organizationalUnit"];
    directory.add(entry(&people, &[("objectClass", &classes), ("ou", &[b"people"])])?, false)?;
    let mut admin = person(&format!("uid=admin,{suffix}"), "admin", "Directory", "Manager")?;
    admin.secret.push(b"userPassword", [config.admin_password.as_bytes()]);
    directory.add(admin, false)?;
    for number in 0..config.users {
        directory.add(user(number, &people, &config.password)?, false)?;
    }
    Ok(directory)
}

fn suffix_entry(suffix: &str) -> Result<Entry, Refusal> {
    let name = dn::Dn::parse(suffix.as_bytes()).map_err(|error| invalid(suffix, &error))?;
    let Some(pair) = name.rdns.first().and_then(|rdn| rdn.pairs.first()) else {
        return Err(Refusal::new(34, "the suffix must not be empty"));
    };
    let class: &[u8] = match pair.attribute.to_ascii_lowercase().as_str() {
        "dc" => b"domain",
        "o" => b"organization",
        "ou" => b"organizationalUnit",
        "c" => b"country",
        _ => b"extensibleObject",
    };
    entry(suffix, &[("objectClass", &[b"top", class]), (&pair.attribute, &[&pair.value])])
}

fn user(number: usize, people: &str, password: &str) -> Result<Entry, Refusal> {
    let uid = format!("user.{number}");
    let given = GIVEN_NAMES[number % GIVEN_NAMES.len()];
    let surname = SURNAMES[number / GIVEN_NAMES.len() % SURNAMES.len()];
    let mut user = person(&format!("uid={uid},{people}"), &uid, given, surname)?;
    for (name, value) in [
        ("mail", format!("{uid}@example.com")),
        ("employeeNumber", number.to_string()),
        ("telephoneNumber", format!("+1 555 {:03} {:04}", number / 10_000 % 1000, number % 10_000)),
        ("description", format!("This is the description of {given} {surname}.")),
    ] {
        user.attributes.push(name.as_bytes(), [value.as_bytes()]);
    }
    user.secret.push(b"userPassword", [password.as_bytes()]);
    Ok(user)
}

fn person(name: &str, uid: &str, given: &str, surname: &str) -> Result<Entry, Refusal> {
    let classes: [&[u8]; 4] = [b"top", b"person", b"organizationalPerson", b"inetOrgPerson"];
    let full = format!("{given} {surname}");
    entry(
        name,
        &[
            ("objectClass", &classes),
            ("uid", &[uid.as_bytes()]),
            ("cn", &[full.as_bytes()]),
            ("sn", &[surname.as_bytes()]),
            ("givenName", &[given.as_bytes()]),
        ],
    )
}

fn entry(name: &str, attributes: &[(&str, &[&[u8]])]) -> Result<Entry, Refusal> {
    let mut normal = Vec::with_capacity(name.len());
    dn::normalize(name.as_bytes(), &mut normal).map_err(|error| invalid(name, &error))?;
    let mut entry = Entry::new(name.as_bytes(), normal);
    for (name, values) in attributes {
        entry.attributes.push(name.as_bytes(), values.iter().copied());
    }
    Ok(entry)
}

fn invalid(name: &str, error: &dn::DnError) -> Refusal {
    Refusal::new(34, format!("{name} is not a name of an entry: {error}"))
}
