//! The servers of a line: `-h` and `-p` in pairs.

use std::net::Ipv6Addr;

use brunt_run::options::usage_error::UsageError;
use brunt_run::options::values::Values;

/// Each server as our own `--hostname` takes it.
pub(super) fn pairs(values: &Values) -> Result<Vec<String>, UsageError> {
    let (mut hosts, mut ports) = (values.texts("hostname"), values.texts("port"));
    if hosts.is_empty() {
        hosts.push("localhost".to_owned());
    }
    if ports.is_empty() {
        ports.push("389".to_owned());
    }
    if hosts.len() != ports.len() {
        return Err(UsageError::new(format!(
            "-h and -p must be given the same number of times, and there are {} and {}: each port belongs to the host \
             of the same position",
            hosts.len(),
            ports.len()
        )));
    }
    hosts.iter().zip(&ports).map(|(host, port)| pair(host, port)).collect()
}

fn pair(host: &str, port: &str) -> Result<String, UsageError> {
    if host.starts_with("ldapi://") || host.starts_with("unix:") {
        return Ok(host.to_owned());
    }
    if host.parse::<Ipv6Addr>().is_ok() {
        return Ok(format!("[{host}]:{port}"));
    }
    let bracketed = host.starts_with('[') && host.ends_with(']');
    if host.is_empty() || host.contains(',') || host.contains(':') && !bracketed {
        return Err(UsageError::new(format!(
            "-h '{host}' is not the name or address of one server: give its port with -p, and further servers with \
             further pairs of -h and -p"
        )));
    }
    Ok(format!("{host}:{port}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::tool::Tool;
    use brunt_run::options::syntax::Syntax as _;

    use crate::unboundid::syntax::Unboundid;
    use crate::unboundid::table;

    fn servers(line: &str) -> Result<Vec<String>, String> {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        let rows = table::of(Tool::Searchrate);
        let given = Unboundid.split(&words, &rows).unwrap().given;
        pairs(&Values::new(&Unboundid, rows, given).unwrap()).map_err(|fault| fault.reason)
    }

    #[test]
    fn hosts_and_ports_are_paired() {
        assert_eq!(servers("").unwrap(), ["localhost:389"]);
        assert_eq!(servers("-h a -h b -p 1 -p 2").unwrap(), ["a:1", "b:2"]);
        assert_eq!(servers("-h ::1 -p 1389").unwrap(), ["[::1]:1389"]);
        assert_eq!(servers("-h ldapi://%2Frun%2Fldapi").unwrap(), ["ldapi://%2Frun%2Fldapi"]);
        assert!(servers("-h a -h b").unwrap_err().contains("there are 2 and 1"));
        assert!(servers("-h a:389").unwrap_err().contains("give its port with -p"));
    }
}
