//! Options that hey, vegeta and bombardier spell with one hyphen, and that would be read as letters of `brunt http`.
//!
//! Go's flags take one hyphen before a whole word. Here `-more` would be the method `ore`, and `-host` the help. So
//! such a word is refused with the spelling to use, whether or not its letters happen to be options.

/// The spelling here of each word, or why there is none.
const WORDS: [(&str, &str); 45] = [
    ("body", "--body-file FILE"),
    ("cert", "--cert FILE"),
    ("chunked", "--body-file FILE: a body is sent with its length"),
    ("connect-to", "--connect-to HOST:PORT:TO-HOST:TO-PORT"),
    ("connections", "-c NUMBER"),
    ("cpus", "--threads NUMBER"),
    ("disable-compression", "--disable-compression"),
    ("disable-keepalive", "--disable-keepalive"),
    ("disable-redirects", "leave it out: redirects are followed with --redirect only"),
    ("dns-ttl", "leave it out: each name is looked up once"),
    ("duration", "-z DURATION"),
    ("format", "leave it out: the format of --urls-from-file is recognised"),
    ("h2", "--http2"),
    ("h2c", "--http2"),
    ("header", "-H 'NAME: VALUE'"),
    ("host", "--host NAME"),
    ("http1", "--http-version 1.1"),
    ("http2", "--http2"),
    ("insecure", "--insecure"),
    ("keepalive", "leave it out: connections are kept; --disable-keepalive closes them"),
    ("key", "--key FILE"),
    ("laddr", "--source-ip ADDRESS"),
    ("latencies", "--latency"),
    ("lazy", "leave it out: --urls-from-file is read while the run goes on"),
    ("max-body", "leave it out: bodies are read to their end, and not kept"),
    ("max-connections", "-c NUMBER"),
    ("max-workers", "-c NUMBER"),
    ("method", "-m METHOD"),
    ("more", "leave it out: the report has all details"),
    ("name", "leave it out: --record FILE keeps the command line as its name"),
    ("output", "--record FILE"),
    ("profile", "leave it out: no profile of the program is written"),
    ("prometheus-addr", "--prometheus ADDRESS:PORT"),
    ("proxy-header", "-H 'NAME: VALUE'"),
    ("rate", "-q RATE"),
    ("redirects", "--redirect NUMBER"),
    ("requests", "-n NUMBER"),
    ("resolvers", "--resolve HOST:PORT:ADDRESS"),
    ("root-certs", "--cacert FILE"),
    ("session-tickets", "leave it out: TLS sessions are resumed where the server agrees"),
    ("targets", "--urls-from-file FILE"),
    ("timeout", "--timeout DURATION"),
    ("unix-socket", "--unix-socket PATH"),
    ("version", "write brunt --version"),
    ("workers", "-c NUMBER"),
];

/// What to write for a word without its hyphens.
pub fn spelling(word: &str) -> Option<String> {
    let (_, ours) = WORDS.iter().find(|(theirs, _)| *theirs == word)?;
    Some(if ours.starts_with('-') { format!("write {ours}") } else { (*ours).to_owned() })
}

/// What is wrong with the first such word of a command line, and what to write.
pub fn refusal(words: &[String]) -> Option<String> {
    words.iter().take_while(|word| *word != "--").find_map(|word| {
        let name = word.strip_prefix('-').filter(|name| !name.starts_with('-'))?;
        let name = name.split('=').next().unwrap_or(name);
        let tip = match spelling(name) {
            Some(tip) => tip,
            None if name.starts_with('h') && name.len() > 1 => "write -h alone for the help".into(),
            None => return None,
        };
        Some(format!(
            "error: unexpected argument '-{name}' found\n\n  tip: words have two hyphens here; {tip}\n\n\
             For more information, try 'brunt http --help'.\n"
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn advice_for(line: &str) -> Option<String> {
        refusal(&line.split(' ').map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn single_hyphen_words_are_refused_with_the_spelling() {
        for (line, tip) in [
            ("-n 5 -disable-keepalive http://h/", "write --disable-keepalive"),
            ("-more http://h/", "leave it out: the report has all details"),
            ("-h2 http://h/", "write --http2"),
            ("-host=a http://h/", "write --host NAME"),
            ("-rate=50/s -duration=5s", "write -q RATE"),
            ("-hot http://h/", "write -h alone for the help"),
        ] {
            assert!(advice_for(line).unwrap().contains(tip), "{line}: {:?}", advice_for(line));
        }
    }

    #[test]
    fn single_hyphen_letters_with_values_are_accepted() {
        for line in [
            "-t12 -c400 -d30s http://h/",
            "-mPOST -q500 -z10s http://h/",
            "-h",
            "--host a",
            "-n 5 -- -more",
        ] {
            assert_eq!(advice_for(line), None, "{line}");
        }
    }

    #[test]
    fn single_hyphen_words_are_sorted_and_unique() {
        assert!(WORDS.is_sorted_by(|one, next| one.0 < next.0));
    }
}
