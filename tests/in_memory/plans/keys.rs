//! Keys of plans in files: what is wrong with one is said before anything is sent.

use brunt_test_program::Ended;
use brunt_testbed::Pki;

use crate::machine::own;
use crate::planned::{InMemory as _, Plan};
use crate::rest_target::RestTarget;

/// A plan that signs with the key of this name, of these certificates.
fn signing(target: &RestTarget, key: &str) -> Plan {
    Plan::from_text(&format!(
        "[run]\nusers = 1\niterations = {{ each = 2 }}\n[http]\nbase = \"{}\"\n[keys]\nclient = {{ {key} }}\n\
         [variables]\nassertion = {{ jwt = {{ iss = \"load\" }}, key = \"client\" }}\n\
         [[scenario]]\nsteps = [{{ post = \"/echo\", form = {{ client_assertion = \"${{assertion}}\" }} }}]\n",
        target.base
    ))
}

/// The text without line breaks.
fn flat(ended: &Ended) -> String {
    ended.output().split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn key_file_with_wrong_password_is_named_without_the_password() {
    let (target, directory) = (RestTarget::start(), brunt_test_program::scratch());
    let file = Pki::make(&directory.path().join("pki")).pkcs12("client");
    let key = format!("file = \"{}\", password = \"opensesame\"", file.display());
    for line in [&["--check"][..], &[]] {
        let ended = signing(&target, &key).run(line).expect(2);
        let output = flat(&ended);
        assert!(
            output.contains("plan.toml:7:") && output.contains("keys.client.file: "),
            "{ended}"
        );
        assert!(output.contains("client.p12: the password is wrong"), "{ended}");
        assert!(!output.contains("opensesame"), "{ended}");
    }
    let none = format!("file = \"{}\"", file.display());
    let ended = signing(&target, &none).run(&["--check"]).expect(2);
    assert!(flat(&ended).contains("it needs a password and none is given"), "{ended}");
    let right = format!("file = \"{}\", password = \"password\"", file.display());
    signing(&target, &right).run(&["--check"]).expect(0);
    let unfit = format!("{right}, algorithm = \"RS256\"");
    let ended = signing(&target, &unfit).run(&["--check"]).expect(2);
    assert!(
        flat(&ended).contains("it has an EC key (P-256), and RS256 needs an RSA key"),
        "{ended}"
    );
    assert!(target.stop().is_empty());
}

#[test]
fn expired_certificate_is_noted_and_its_key_still_signs() {
    let (target, directory) = (RestTarget::start(), brunt_test_program::scratch());
    let pki = Pki::make(&directory.path().join("pki"));
    own(|machine| machine.today = jiff::Timestamp::now().into());
    let plan = |name: &str| {
        let file = pki.pkcs12(name);
        signing(&target, &format!("file = \"{}\", password = \"password\"", file.display()))
    };
    let note = "keys.client: the certificate in ";
    let check = plan("expired").run(&["--check"]).expect(0);
    let output = check.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(output.contains(note) && output.contains("expired.p12 expired at 20"), "{check}");
    let ended = plan("expired").run(&[]).expect(0);
    assert!(flat(&ended).contains(note), "{ended}");
    assert_eq!(ended.record().counts.ok, 2, "{ended}");
    let valid = plan("client").run(&["--check"]).expect(0);
    assert!(!valid.stdout.contains("the certificate in"), "{valid}");
    assert_eq!(target.stop().len(), 2);
}
