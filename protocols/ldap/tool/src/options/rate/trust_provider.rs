//! Java's providers of trust stores, which a command line of `PingDS` 8 may name: those that read files have formats
//! that brunt reads itself.

use super::{UsageError, Values};

/// A provider that reads trust stores from files.
struct Provider {
    name: &'static str,
    classes: &'static [&'static str],
    /// The formats, the usual one first.
    formats: &'static [&'static str],
}

const PROVIDERS: [Provider; 4] = [
    Provider { name: "SUN", classes: &["sun.security.provider.Sun"], formats: &["jks", "pkcs12"] },
    Provider {
        name: "SunJSSE",
        classes: &["sun.security.ssl.SunJSSE", "com.sun.net.ssl.internal.ssl.Provider"],
        formats: &["pkcs12"],
    },
    Provider { name: "SunJCE", classes: &["com.sun.crypto.provider.SunJCE"], formats: &["jceks"] },
    Provider {
        name: "BC",
        classes: &["org.bouncycastle.jce.provider.BouncyCastleProvider"],
        formats: &["pkcs12"],
    },
];

/// The options that give the format of a trust store by their names.
const FORMATS: [(&str, &str); 3] = [
    ("useJavaTrustStore", "jks"),
    ("useJceTrustStore", "jceks"),
    ("usePkcs12TrustStore", "pkcs12"),
];

const REMEDY: &str = "which only a Java program can do: save its certificates to a file, such as with 'keytool \
                      -exportcert -rfc', and name that with --trustStorePath";

/// The format of the trust store, if the provider that was named reads only one. `declared` is the format that was
/// given.
pub(super) fn format<'a>(
    values: &Values,
    declared: Option<&'a str>,
) -> Result<Option<&'a str>, UsageError> {
    let given = ["trustStoreProviderName", "trustStoreProviderClass"];
    let named = given.into_iter().filter_map(|long| Some((long, values.text(long)?)));
    let mut provider: Option<(&str, &Provider)> = None;
    for (long, text) in named {
        let is_it =
            |it: &&Provider| it.name.eq_ignore_ascii_case(text) || it.classes.contains(&text);
        let Some(known) = PROVIDERS.iter().find(is_it) else {
            return Err(UsageError::new(format!(
                "--{long} {text} loads a provider of Java, {REMEDY}"
            )));
        };
        match provider {
            Some((first, other)) if other.name != known.name => {
                return Err(UsageError::new(format!(
                    "--{first} and --{long} name two providers: leave one of them out"
                )));
            }
            _ => provider = Some((long, known)),
        }
    }
    if values.has("trustStoreProviderArg") {
        return Err(UsageError::new(match provider {
            Some((_, Provider { name, .. })) => format!(
                "--trustStoreProviderArg has no meaning for the provider {name}, which takes no argument: leave it out"
            ),
            None => format!("--trustStoreProviderArg configures a provider of Java, {REMEDY}"),
        }));
    }
    let Some((long, Provider { name, formats, .. })) = provider else { return Ok(declared) };
    let by_option =
        FORMATS.iter().find(|(option, _)| values.has(option)).map(|(_, format)| *format);
    if by_option.is_none() && !values.has("trustStorePath") {
        return Err(UsageError::new(format!("--{long} needs a trust store: add --trustStorePath")));
    }
    match declared.or(by_option) {
        Some(format) if !formats.contains(&format) => Err(UsageError::new(format!(
            "--{long} means the provider {name}, which reads {}, and the trust store is {format}: leave one of the two \
             out",
            formats.join(" and ")
        ))),
        None if formats.len() == 1 => Ok(formats.first().copied()),
        _ => Ok(declared),
    }
}
