//! [`Attributes`]: the attributes that a job, a workload and a task can have.
//!
//! A task's attributes override those of its workload, and these override those of the job. The paper promised this for
//! every attribute; the program published with it did so for only one of them.

use super::document::Value;
use super::fields::Fields;
use super::file_position::FilePosition;
use super::header::header;
use super::job_error::JobError;
use super::kept::kept;
use super::wildcard::{self, Wildcard};

/// The keys of attributes, at every level.
pub(super) const KEYS: &[&str] = &[
    "service-location-port",
    "service-location",
    "service-port",
    "ADMINUSERID",
    "ADMINUSERPASSWORD",
    "upperbounds",
    "randomfile",
    "header",
    "WILDCARDS",
    "persist",
];

/// The largest upper bound: the maximum of a Java `long`, minus the one that is added to it.
const UPPER_MAX: u64 = i64::MAX as u64 - 1;

/// The attributes of one level, or of a level merged with those above it.
#[derive(Clone, Debug, Default)]
pub struct Attributes {
    location: Option<Location>,
    /// Where the location is set.
    location_spot: Option<FilePosition>,
    port: Option<String>,
    /// `ADMINUSERID`.
    pub admin_user: Option<String>,
    /// `ADMINUSERPASSWORD`.
    pub admin_password: Option<String>,
    /// The maximum of `$RANDOMVALUE`.
    pub upper_bounds: Option<u64>,
    /// The file that `$RANDOMFILE` draws lines from.
    pub random_file: Option<(String, FilePosition)>,
    /// The fields of requests.
    pub header: Vec<(String, String)>,
    /// Wildcards that are declared, those of the nearest level first.
    pub wildcards: Vec<Wildcard>,
    /// Attributes of answers that are kept for later tasks.
    pub persist: Vec<String>,
}

/// The location of the service, in either spelling.
#[derive(Clone, Debug)]
enum Location {
    /// `service-location-port`.
    Whole(String),
    /// `service-location`, to which a port is appended.
    Host(String),
}

impl Attributes {
    /// Reads the attributes of one level.
    pub fn read(fields: &Fields<'_>, notes: &mut Vec<String>) -> Result<Self, JobError> {
        let owned = |name: &str| fields.text(name).map(|text| text.map(str::to_owned));
        let whole = owned("service-location-port")?.map(Location::Whole);
        let host = owned("service-location")?.map(Location::Host);
        let port = fields.one("service-port").map(port).transpose()?;
        if let (Some(_), Some(other)) =
            (&whole, fields.one("service-location").or(fields.one("service-port")))
        {
            notes.push(format!(
                "{}: both \"service-location-port\" and \"{}\" are set; the first one counts",
                other.document.path.display(),
                other.key
            ));
        }
        let port = port.filter(|_| whole.is_none());
        Ok(Self {
            location: whole.or(host),
            location_spot: fields
                .one("service-location-port")
                .or(fields.one("service-location"))
                .map(FilePosition::new),
            port,
            admin_user: owned("ADMINUSERID")?,
            admin_password: owned("ADMINUSERPASSWORD")?,
            upper_bounds: fields
                .one("upperbounds")
                .map(|value| value.whole(0, UPPER_MAX))
                .transpose()?,
            random_file: fields
                .one("randomfile")
                .map(|value| Ok((value.text()?.to_owned(), FilePosition::new(value))))
                .transpose()?,
            header: fields.one("header").map_or(Ok(Vec::new()), |value| header(value, notes))?,
            wildcards: fields
                .one("WILDCARDS")
                .map_or(Ok(Vec::new()), |value| wildcard::list(value, notes))?,
            persist: fields.one("persist").map_or(Ok(Vec::new()), persist)?,
        })
    }

    /// Merges these with those of the level above.
    pub fn over(mut self, above: &Self) -> Self {
        let moved = matches!(self.location, Some(Location::Whole(_)));
        if self.port.is_none() && !moved {
            self.port.clone_from(&above.port);
        }
        if self.location.is_none() {
            self.location.clone_from(&above.location);
            self.location_spot.clone_from(&above.location_spot);
        }
        self.admin_user = self.admin_user.or_else(|| above.admin_user.clone());
        self.admin_password = self.admin_password.or_else(|| above.admin_password.clone());
        self.upper_bounds = self.upper_bounds.or(above.upper_bounds);
        self.random_file = self.random_file.or_else(|| above.random_file.clone());
        for (name, value) in &above.header {
            if !self.header.iter().any(|(known, _)| known.eq_ignore_ascii_case(name)) {
                self.header.push((name.clone(), value.clone()));
            }
        }
        for wildcard in &above.wildcards {
            if !self.wildcards.iter().any(|known| known.name == wildcard.name) {
                self.wildcards.push(wildcard.clone());
            }
        }
        self.persist_also(&above.persist);
        self
    }

    /// Keeps these attributes of answers as well.
    pub fn persist_also(&mut self, attributes: &[String]) {
        for attribute in attributes {
            if !self.persist.contains(attribute) {
                self.persist.push(attribute.clone());
            }
        }
    }

    /// Where the beginning of URLs is set.
    pub fn base_spot(&self) -> Option<&FilePosition> {
        self.location_spot.as_ref()
    }

    /// The beginning of URLs, if it is set.
    pub fn base(&self) -> Option<String> {
        Some(match (self.location.as_ref()?, &self.port) {
            (Location::Whole(whole), None) => whole.clone(),
            (Location::Whole(whole), Some(port)) => with_port(whole, port),
            (Location::Host(host), port) => {
                let host = host.trim_end_matches(':');
                port.as_ref().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
            }
        })
    }
}

/// The same location with another port.
fn with_port(whole: &str, port: &str) -> String {
    let start = whole.find("://").map_or(0, |at| at + 3);
    let end = whole[start..].find('/').map_or(whole.len(), |at| start + at);
    let (authority, path) = (&whole[start..end], &whole[end..]);
    // The colons within an address in brackets do not precede a port.
    let host = match authority.rfind(':') {
        Some(at) if !authority[at..].contains(']') => &authority[..at],
        _ => authority,
    };
    format!("{}{host}:{port}{path}", &whole[..start])
}

fn port(value: &Value<'_>) -> Result<String, JobError> {
    if !value.is_text() {
        return value.whole(1, u16::MAX.into()).map(|port| port.to_string());
    }
    let text = value.text()?.trim_start_matches(':');
    match text.parse::<u16>() {
        Ok(port) if port > 0 => Ok(port.to_string()),
        _ => {
            Err(value.fault(format!("\"{text}\" is not a port"), "write a number from 1 to 65535"))
        }
    }
}

fn persist(value: &Value<'_>) -> Result<Vec<String>, JobError> {
    value.list()?.map(|name| kept(&name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loadgen::document::Document;
    use std::path::Path;

    fn attributes(text: &str) -> Attributes {
        let document = Document::parse(Path::new("t.json"), text.to_owned()).unwrap();
        let notes = &mut Vec::new();
        let fields = Fields::read(&document.value(), KEYS, notes).unwrap();
        Attributes::read(&fields, notes).unwrap()
    }

    fn base(task: &str, workload: &str, job: &str) -> Option<String> {
        attributes(task).over(&attributes(workload).over(&attributes(job))).base()
    }

    #[test]
    fn task_location_overrides_workload_and_job() {
        let whole = |name: &str| format!("{{\"service-location-port\": \"http://{name}:1/x\"}}");
        let split = "{\"service-location\": \"http://s:\", \"service-port\": \"8080\"}";
        let port = "{\"service-port\": 99}";
        assert_eq!(base(&whole("t"), &whole("w"), &whole("j")).unwrap(), "http://t:1/x");
        assert_eq!(base("{}", &whole("w"), &whole("j")).unwrap(), "http://w:1/x");
        assert_eq!(base("{}", "{}", &whole("j")).unwrap(), "http://j:1/x");
        assert_eq!(base("{}", "{}", "{}"), None);
        assert_eq!(base("{}", split, &whole("j")).unwrap(), "http://s:8080");
        assert_eq!(base(&whole("t"), port, split).unwrap(), "http://t:1/x");
        assert_eq!(base(port, "{}", split).unwrap(), "http://s:99");
        assert_eq!(base(port, "{}", &whole("j")).unwrap(), "http://j:99/x");
        assert_eq!(
            base("{\"service-location\": \"http://t\"}", port, split).unwrap(),
            "http://t:99"
        );
        assert_eq!(with_port("http://[::1]/x", "7"), "http://[::1]:7/x");
        assert_eq!(with_port("https://[::1]:8", "7"), "https://[::1]:7");
    }

    #[test]
    fn task_attributes_override_workload_and_job() {
        let job = "{\"adminuserid\": \"j\", \"ADMINUSERPASSWORD\": \"p\", \"upperbounds\": 7, \
                   \"randomfile\": \"j.txt\", \"header\": {\"A\": \"j\", \"B\": \"j\"}, \
                   \"persist\": [\"tokenId\", \"/a/b\"], \
                   \"WILDCARDS\": [{\"name\": \"$X\", \"type\": \"file\", \"source\": \"j\"}]}";
        let task = "{\"AdminUserId\": \"t\", \"upperbounds\": 3, \"header\": {\"b\": \"t\"}, \
                    \"WILDCARDS\": [{\"name\": \"$X\", \"type\": \"file\", \"source\": \"t\"}]}";
        let all = attributes(task).over(&attributes("{}").over(&attributes(job)));
        assert_eq!(all.admin_user.as_deref(), Some("t"));
        assert_eq!(all.admin_password.as_deref(), Some("p"));
        assert_eq!((all.upper_bounds, all.random_file.unwrap().0.as_str()), (Some(3), "j.txt"));
        let header: Vec<_> = all.header.iter().map(|(n, v)| (n.as_str(), v.as_str())).collect();
        assert_eq!(header, [("b", "t"), ("A", "j")]);
        assert_eq!(all.persist, ["tokenId", "/a/b"]);
        assert_eq!(all.wildcards.len(), 1);
        let wildcard::Nature::File(source) = &all.wildcards[0].nature else { panic!() };
        assert_eq!(source, "t");
    }
}
