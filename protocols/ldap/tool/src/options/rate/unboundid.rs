//! Recognises a command line of UnboundID's tools where it cannot be read: an error about one of its options alone
//! would not say that all of them mean something else here.

use super::{Fault, Tool, brackets, options};
use crate::options::words::find_long;

/// Options that UnboundID's tools have, and those of OpenDJ not.
const NAMES: [&str; 8] = [
    "filter",
    "credentials",
    "attribute",
    "bindOnly",
    "numIntervals",
    "warmUpIntervals",
    "asynchronous",
    "ldapURL",
];

/// The fault, with what the command line looks like.
pub(super) fn explained(fault: Fault, words: &[String], tool: Tool) -> Fault {
    let Some(sign) = sign(words, tool) else { return fault };
    Fault::new(format!(
        "{}.  {sign} belongs to UnboundID's tools, whose options have to be translated: there -t is the number of \
         connections (here -c), -r the rate (-M), -f the filter (the last argument), -b of authrate the base or the \
         DN to bind as, -A an attribute (an argument after the filter); see 'brunt help coming-from'",
        fault.reason
    ))
}

/// What only a command line of UnboundID's tools contains.
fn sign(words: &[String], tool: Tool) -> Option<String> {
    let table = options::of(tool);
    let long = |word: &str| {
        let name = word.strip_prefix("--")?.split('=').next()?;
        let theirs = NAMES.iter().any(|known| known.eq_ignore_ascii_case(name));
        (theirs && find_long(name, &table).is_none()).then(|| format!("--{name}"))
    };
    let short = |pair: &[String]| match &pair[0][..] {
        "-A" => Some("-A".to_owned()),
        "-r" if tool != Tool::Addrate && pair[1].parse::<u64>().is_ok() => {
            Some(format!("-r {}", pair[1]))
        }
        _ => None,
    };
    let names = || words.iter().find_map(|word| long(word));
    let letters = || words.windows(2).find_map(short);
    names().or_else(letters).or_else(|| brackets::pattern(words).map(str::to_owned))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reason(line: &str, tool: Tool) -> String {
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        explained(Fault::new("Wrong"), &words, tool).reason
    }

    #[test]
    fn a_line_of_unboundids_tools_is_told_from_one_of_opendjs() {
        for (line, tool, sign) in [
            ("--hostname a --filter (uid=b) --numThreads 2", Tool::Searchrate, "--filter"),
            ("-h a --Credentials=pw -t 2", Tool::Authrate, "--Credentials"),
            ("-h a -b dc=x -s sub -f (uid=a) -A cn", Tool::Searchrate, "-A"),
            ("-h a -b dc=x -r 100", Tool::Modrate, "-r 100"),
            ("-h a -b uid=user.[1-100],dc=x", Tool::Modrate, "[1-100]"),
        ] {
            let told = reason(line, tool);
            assert!(told.starts_with(&format!("Wrong.  {sign} belongs to UnboundID's")), "{told}");
        }
        for (line, tool) in [
            ("-h a -b dc=x -F -c 2 -f (uid={}) cn", Tool::Searchrate),
            ("-h a -b dc=x --attribute cn --valueLength 8", Tool::Modrate),
            ("-h a -r 100 -C remove entry.template", Tool::Addrate),
        ] {
            assert_eq!(reason(line, tool), "Wrong");
        }
    }
}
