//! Options from elsewhere than the command line: passwords from variables and files, and files of properties.

use std::fs;

use brunt_ldap_server::Operation;
use brunt_record::Record;
use brunt_test_program::scratch;
use brunt_testbed::{BASE_DN, PASSWORD, user_dn};

use crate::directory::{Directory, measure};

#[test]
fn passwords_are_read_from_variables_and_files() {
    let directory = scratch();
    let file = directory.path().join("password");
    // Only the first line counts.
    fs::write(&file, format!("{PASSWORD}\nnot this\n")).unwrap();
    let (dn, file) = (user_dn(4), file.to_str().unwrap());
    for given in [
        &["-w:env", "BIND_PASSWORD"][..],
        &["--bindPassword:env", "BIND_PASSWORD"],
        &["--BINDPASSWORD:ENV=BIND_PASSWORD"],
        &["-w:file", file],
        &["--bindPassword:file", file],
        &["-j", file],
        &["--bindPasswordFile", file],
    ] {
        let (mut machine, directory) = Directory::with(20);
        machine.set("BIND_PASSWORD", PASSWORD);
        let line = ["-D", &dn, "-m", "2"];
        let ended = measure(&machine, "authrate", &[&line[..], given].concat()).expect(0);
        assert_eq!(directory.answered(Operation::Bind), 2, "{ended}");
    }
}

#[test]
fn properties_file_supplies_missing_options() {
    let (mut machine, binds) = Directory::with(20);
    let directory = scratch();
    let file = directory.path().join("tools.properties");
    let dn = user_dn(5);
    let text = format!(
        "# For every tool that has them.\nhostname=10.0.0.2\nport=389\nbindDN={dn}\n\
         bindPassword={PASSWORD}\nmaxIterations = 4\nauthrate.numConnections: 2\n\
         modrate.numConnections=7\nnosuchoption=1\n"
    );
    fs::write(&file, text).unwrap();
    let file = file.to_str().unwrap();
    let path = directory.path().join("record.json");
    let named = ["authrate", "--propertiesFilePath", file, "--record", path.to_str().unwrap()];
    let ended = machine.run(&named).expect(0);
    assert!(ended.stderr.starts_with(&format!("note: Taken from {file}: --")), "{ended}");
    assert_eq!(Record::read(&path).unwrap().plan.sessions, 2, "{ended}");
    assert!(!ended.stderr.contains(PASSWORD), "{ended}");
    let quiet = ["--suppressPropertiesFileComment", "-m", "9"];
    let quiet = machine.run(&[&named[..], &quiet].concat()).expect(0);
    assert!(!quiet.stderr.contains("Taken from"), "{quiet}");
    assert_eq!(binds.answered(Operation::Bind), 4 + 9);

    // The default path of the file, and the option that ignores it.
    let home = scratch();
    fs::create_dir_all(home.path().join(".opendj")).unwrap();
    fs::copy(file, home.path().join(".opendj/tools.properties")).unwrap();
    machine.set("HOME", home.path().to_str().unwrap());
    machine.run(&["authrate"]).expect(0);
    let ended = machine.run(&["authrate", "--noPropertiesFile"]).expect(89);
    assert!(ended.output().contains("Authentication information must be provided"), "{ended}");
    assert_eq!(binds.answered(Operation::Bind), 4 + 9 + 4);
}

#[test]
fn properties_file_that_was_generated_can_be_read() {
    let (machine, searches) = Directory::with(20);
    let directory = scratch();
    let file = directory.path().join("generated.properties");
    let file = file.to_str().unwrap();
    machine.run(&["searchrate", "--generatePropertiesFile", file]).expect(0);
    let text = fs::read_to_string(file).unwrap();
    assert!(text.contains("numConnections"), "{text}");
    let line = ["--propertiesFilePath", file, "-m", "5", "-b", BASE_DN, "(uid=user.1)"];
    measure(&machine, "searchrate", &line).expect(0);
    assert_eq!(searches.answered(Operation::Search), 5);
}
