//! The options of cURL that can be imported, and those that change nothing about a request.

/// The effect of an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Url,
    Method,
    Header,
    Data,
    DataRaw,
    DataBinary,
    DataUrlencode,
    Json,
    UrlQuery,
    Get,
    Form,
    FormString,
    Upload,
    Head,
    Agent,
    Referer,
    Range,
    User,
    Bearer,
    Cookie,
    Jar,
    Compressed,
    Location,
    LocationTrusted,
    MaxRedirects,
    Insecure,
    Certificate,
    Key,
    Ca,
    Http1,
    Http2,
    PriorKnowledge,
    Resolve,
    ConnectTo,
    Unix,
    Proxy,
    ProxyUser,
    MaxTime,
    ConnectTimeout,
    NoKeepalive,
    Globoff,
    Next,
    /// It is about what cURL shows or stores.
    Ignored,
    /// It would change how a request is sent; a note reports it.
    Noted(&'static str),
    /// It cannot be imported, and leaving it out would make another request; the text is what to do instead.
    Refused(&'static str),
}

/// One option.
#[derive(Clone, Copy, Debug)]
pub(super) struct Opt {
    pub(super) long: &'static str,
    pub(super) short: Option<char>,
    pub(super) takes_value: bool,
    pub(super) kind: Kind,
}

const fn flag(long: &'static str, kind: Kind) -> Opt {
    Opt { long, short: None, takes_value: false, kind }
}

const fn value(long: &'static str, kind: Kind) -> Opt {
    Opt { long, short: None, takes_value: true, kind }
}

const fn short(char: char, option: Opt) -> Opt {
    Opt { short: Some(char), ..option }
}

const AUTH: Kind =
    Kind::Refused("brunt can show a user and a password (Basic) or a token (Bearer)");
const RETRIES: Kind = Kind::Noted("is left out: a request that is tried again would hide failures");
const LIMITS: Kind = Kind::Noted("is left out: nothing slows requests down but the target");
const TLS: Kind = Kind::Noted("is left out: TLS 1.2 and 1.3 are both offered");

/// All of them.
const OPTIONS: &[Opt] = &[
    value("url", Kind::Url),
    short('X', value("request", Kind::Method)),
    short('H', value("header", Kind::Header)),
    short('d', value("data", Kind::Data)),
    value("data-ascii", Kind::Data),
    value("data-raw", Kind::DataRaw),
    value("data-binary", Kind::DataBinary),
    value("data-urlencode", Kind::DataUrlencode),
    value("json", Kind::Json),
    value("url-query", Kind::UrlQuery),
    short('G', flag("get", Kind::Get)),
    short('F', value("form", Kind::Form)),
    value("form-string", Kind::FormString),
    short('T', value("upload-file", Kind::Upload)),
    short('I', flag("head", Kind::Head)),
    short('A', value("user-agent", Kind::Agent)),
    short('e', value("referer", Kind::Referer)),
    short('r', value("range", Kind::Range)),
    short('u', value("user", Kind::User)),
    flag("basic", Kind::Ignored),
    value("oauth2-bearer", Kind::Bearer),
    flag("digest", AUTH),
    flag("ntlm", AUTH),
    flag("negotiate", AUTH),
    flag("anyauth", AUTH),
    value("aws-sigv4", AUTH),
    short('b', value("cookie", Kind::Cookie)),
    short('c', value("cookie-jar", Kind::Jar)),
    short('j', flag("junk-session-cookies", Kind::Ignored)),
    flag("compressed", Kind::Compressed),
    short('L', flag("location", Kind::Location)),
    flag("location-trusted", Kind::LocationTrusted),
    value("max-redirs", Kind::MaxRedirects),
    short('k', flag("insecure", Kind::Insecure)),
    short('E', value("cert", Kind::Certificate)),
    value("cert-type", Kind::Noted("is left out: certificates are read as PEM")),
    value("key", Kind::Key),
    value("key-type", Kind::Noted("is left out: keys are read as PEM")),
    value("cacert", Kind::Ca),
    value("capath", Kind::Refused("give one file of certificates with --cacert")),
    value("pass", Kind::Refused("take the passphrase off the key")),
    short('0', flag("http1.0", Kind::Refused("HTTP/1.0 is not spoken: give --http1.1"))),
    flag("http1.1", Kind::Http1),
    flag("http2", Kind::Http2),
    flag("http2-prior-knowledge", Kind::PriorKnowledge),
    flag("http3", Kind::Refused("HTTP/3 is not spoken: give --http2")),
    flag("http3-only", Kind::Refused("HTTP/3 is not spoken: give --http2")),
    value("resolve", Kind::Resolve),
    value("connect-to", Kind::ConnectTo),
    value("unix-socket", Kind::Unix),
    value("abstract-unix-socket", Kind::Refused("a socket must have a path: give --unix-socket")),
    short('x', value("proxy", Kind::Proxy)),
    short('U', value("proxy-user", Kind::ProxyUser)),
    value("noproxy", Kind::Noted("is left out: a proxy is used for every request")),
    value("socks5", Kind::Refused("a proxy must speak HTTP: give --proxy http://..")),
    value("socks5-hostname", Kind::Refused("a proxy must speak HTTP: give --proxy http://..")),
    short('m', value("max-time", Kind::MaxTime)),
    value("connect-timeout", Kind::ConnectTimeout),
    flag("no-keepalive", Kind::NoKeepalive),
    short('g', flag("globoff", Kind::Globoff)),
    short(':', flag("next", Kind::Next)),
    short('K', value("config", Kind::Refused("write the options of the file on the command line"))),
    short('a', flag("append", Kind::Ignored)),
    short('s', flag("silent", Kind::Ignored)),
    short('S', flag("show-error", Kind::Ignored)),
    short('v', flag("verbose", Kind::Ignored)),
    short('i', flag("include", Kind::Ignored)),
    flag("show-headers", Kind::Ignored),
    short('o', value("output", Kind::Ignored)),
    short('O', flag("remote-name", Kind::Ignored)),
    short('J', flag("remote-header-name", Kind::Ignored)),
    short('R', flag("remote-time", Kind::Ignored)),
    flag("create-dirs", Kind::Ignored),
    value("output-dir", Kind::Ignored),
    short('w', value("write-out", Kind::Ignored)),
    short('D', value("dump-header", Kind::Ignored)),
    short('f', flag("fail", Kind::Ignored)),
    flag("fail-with-body", Kind::Ignored),
    flag("fail-early", Kind::Ignored),
    short('N', flag("no-buffer", Kind::Ignored)),
    short('#', flag("progress-bar", Kind::Ignored)),
    flag("no-progress-meter", Kind::Ignored),
    short('q', flag("disable", Kind::Ignored)),
    flag("styled-output", Kind::Ignored),
    flag("tcp-nodelay", Kind::Ignored),
    flag("path-as-is", Kind::Ignored),
    value("stderr", Kind::Ignored),
    value("trace", Kind::Ignored),
    value("trace-ascii", Kind::Ignored),
    flag("trace-time", Kind::Ignored),
    value("keepalive-time", Kind::Ignored),
    value("expect100-timeout", Kind::Ignored),
    value("retry", RETRIES),
    value("retry-delay", RETRIES),
    value("retry-max-time", RETRIES),
    flag("retry-connrefused", RETRIES),
    flag("retry-all-errors", RETRIES),
    value("limit-rate", LIMITS),
    value("rate", LIMITS),
    value("max-filesize", LIMITS),
    short('Y', value("speed-limit", LIMITS)),
    short('y', value("speed-time", LIMITS)),
    short(
        'Z',
        flag("parallel", Kind::Noted("is left out: how much is done at once is up to the load")),
    ),
    short(
        '4',
        flag("ipv4", Kind::Noted("is left out: whatever address the name has first is taken")),
    ),
    short(
        '6',
        flag("ipv6", Kind::Noted("is left out: whatever address the name has first is taken")),
    ),
    value("interface", Kind::Refused("give the source address to brunt with --source-ip")),
    short('1', flag("tlsv1", TLS)),
    flag("tlsv1.2", TLS),
    flag("tlsv1.3", TLS),
    value("tls-max", TLS),
    value("ciphers", TLS),
    value("tls13-ciphers", TLS),
    flag("ssl-no-revoke", TLS),
];

/// The option of that long name, which may be shortened as long as it is unambiguous.
pub(super) fn long(name: &str) -> Option<Opt> {
    let exact = OPTIONS.iter().find(|option| option.long == name);
    let mut beginning =
        OPTIONS.iter().filter(|option| name.len() > 2 && option.long.starts_with(name));
    exact.or_else(|| beginning.next().filter(|_| beginning.next().is_none())).copied()
}

/// The option of that letter.
pub(super) fn letter(letter: char) -> Option<Opt> {
    OPTIONS.iter().find(|option| option.short == Some(letter)).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn option_names_are_unique() {
        for (at, option) in OPTIONS.iter().enumerate() {
            let same = |other: &&Opt| {
                other.long == option.long || option.short.is_some() && other.short == option.short
            };
            assert!(OPTIONS[at + 1..].iter().find(same).is_none(), "{}", option.long);
        }
    }

    #[test]
    fn option_names_may_be_abbreviated_if_unambiguous() {
        assert_eq!(long("head").map(|it| it.kind), Some(Kind::Head));
        assert_eq!(long("insec").map(|it| it.kind), Some(Kind::Insecure));
        assert_eq!(long("data-u").map(|it| it.kind), Some(Kind::DataUrlencode));
        assert!(long("data-").is_none() && long("retr").is_none() && long("").is_none());
        assert_eq!(letter('d').map(|it| it.kind), Some(Kind::Data));
        assert!(letter('?').is_none());
    }
}
