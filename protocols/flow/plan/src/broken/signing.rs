//! Wrong keys and values that are signed.

use super::{expect, message, step, top};

#[test]
fn key_errors() {
    let key = |keys: &str| top(&format!("[keys]\nk = {keys}"));
    expect(
        &key("{}"),
        "p.toml:2:5: keys.k:",
        &["where the key comes from", "file, secret, generate"],
    );
    expect(
        &key("{ generate = \"ES256\", secret = \"s\" }"),
        "p.toml:2:18: keys.k.generate:",
        &["with 'secret'"],
    );
    expect(&key("{ generate = \"ES512\" }"), "p.toml:2:18", &["the known ones are RS256"]);
    expect(
        &key("{ generate = \"RS256\" }"),
        "p.toml:2:18",
        &["cannot be generated", "give a file"],
    );
    expect(
        &key("{ secret = \"s\", algorithm = \"RS256\" }"),
        "p.toml:2:16",
        &["RS256 needs an RSA key"],
    );
    expect(&key("{ secret = \"s\", alias = \"a\" }"), "p.toml:2:29", &["belongs to 'file'"]);
    expect(&key("{ file = \"none.pem\" }"), "p.toml:2:14", &["none.pem", "cannot be read"]);
    expect(&key("{ generte = \"ES256\" }"), "p.toml:2:7", &["did you mean 'generate'?"]);
    expect(
        &key("{ generate = \"ES256\", algorithm = \"ES384\" }"),
        "p.toml:2:18",
        &["leave 'algorithm' out"],
    );
}

#[test]
fn signing_errors() {
    let variable = |keys: &str| {
        top(&format!(
            "[keys]\nown = {{ generate = \"ES256\" }}\nshared = {{ secret = \"s\" }}\n[variables]\nv = {keys}"
        ))
    };
    for right in [
        "{ jwt = { iss = \"a\" }, key = \"own\" }",
        "{ jwt = { iss = \"a\", exp = 5 }, key = \"shared\" }",
        "{ hmac = \"x\", key = \"shared\", algorithm = \"sha512\", as = \"base64url\" }",
        "{ totp = \"JBSWY3DP\", digits = 8, period = \"60s\" }",
        "\"${keys.own.jwk} ${keys.own.thumbprint}\"",
    ] {
        assert_eq!(message(&variable(right)), None, "{right}");
    }
    expect(&variable("{ jwt = { iss = \"a\" } }"), "p.toml:5:5: variables.v:", &["key = \"NAME\""]);
    expect(&variable("{ jwt = \"a\", key = \"own\" }"), "p.toml:5:13", &["no table of claims"]);
    expect(&variable("{ jwt = {}, key = \"onw\" }"), "p.toml:5:23", &["did you mean 'own'?"]);
    expect(
        &variable("{ jwt = { exp = 1 }, key = \"own\", lifetime = \"5s\" }"),
        "p.toml:5:13",
        &["only one of them"],
    );
    expect(
        &variable("{ jwt = {}, key = \"own\", lifetime = \"5ms\" }"),
        "p.toml:5:13",
        &["less than 1s"],
    );
    expect(
        &variable("{ jwt = {}, key = \"own\", renew = \"user\" }"),
        "p.toml:5:38",
        &["new for each exchange"],
    );
    expect(&variable("{ hmac = \"x\", key = \"own\" }"), "p.toml:5:25", &["give it 'secret'"]);
    expect(
        &variable("{ hmac = \"x\", key = \"shared\", digits = 6 }"),
        "p.toml:5:44",
        &["belongs to 'totp'"],
    );
    expect(&variable("{ totp = \"x\", digits = 5 }"), "p.toml:5:5", &["from 6 to 8"]);
    expect(&variable("{ totp = \"x\", period = \"1500ms\" }"), "p.toml:5:5", &["whole seconds"]);
    expect(&variable("\"${keys.shared.jwk}\""), "p.toml:5:5", &["neither declared nor extracted"]);
}

#[test]
fn request_based_values_are_allowed_only_in_headers() {
    let plan = |keys: &str| {
        format!(
            "{}[variables]\nseal = {{ hmac = \"${{request.body}}\", key = \"k\" }}\n[keys]\nk = {{ secret = \"s\" }}\n",
            step(keys)
        )
    };
    assert_eq!(message(&plan("get = \"/\"\nheaders = { seal = \"v=${seal}\" }")), None);
    expect(&plan("get = \"/?s=${seal}\""), "p.toml:4:7", &["'request.body'", "'headers'"]);
    expect(
        &plan("post = \"/\"\ntext = \"${request.method}\""),
        "p.toml:3:1",
        &["'request.method'"],
    );
    expect(
        &plan("get = \"/\"\nchecks = [{ json = \"/a\", equals = \"${seal}\" }]"),
        "p.toml:5:10",
        &["'headers'"],
    );
    expect(&plan("get = \"/\"\ndpop = \"k\""), "p.toml:5:8", &["a proof needs a private key"]);
    expect(&plan("get = \"/\"\ndpop = \"x\""), "p.toml:5:8", &["not in [keys]"]);
    expect(&plan("dhcp = \"renew\"\ndpop = \"k\""), "p.toml:5:8", &["HTTP requests"]);
}
