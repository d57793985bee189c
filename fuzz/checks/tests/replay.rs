//! Gives all stored inputs to the checks of the fuzz targets: seeds, and what fuzzing has found in earlier runs
//! (`fuzz/corpora`). What was fixed once stays fixed, on any Rust and without a fuzzer.
//!
//! A test for each target, which has the target's name; and tests that no target is left out.

use std::collections::BTreeSet;
use std::fs;
use std::io::Read as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use arbitrary::{Arbitrary, Unstructured};

const FUZZ: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// A test for each target, and the list of their names.
macro_rules! replayed {
    ($($target:ident),* $(,)?) => {
        const REPLAYED: &[&str] = &[$(stringify!($target)),*];
        $(
            #[test]
            fn $target() {
                let target = Target::named(stringify!($target));
                let inputs = target.inputs().unwrap_or_else(|why| panic!("{why}"));
                let check = |bytes: &[u8]| given(bytes, brunt_fuzz_checks::$target::check);
                match replay(&inputs, target.longest, &check) {
                    Ok(checked) => println!("{checked} of {} inputs", inputs.len()),
                    Err(why) => panic!("{why}"),
                }
            }
        )*
    };
}

replayed!(
    ber,
    cluster_messages,
    dhcp4_draft,
    dhcp4_reply,
    dhcp6_draft,
    dhcp6_reply,
    flow_extract,
    flow_json_set,
    flow_page,
    flow_plan,
    http2_fields,
    http2_frames,
    http_cookies,
    http_parts,
    http_request,
    http_response,
    http_target,
    import_curl,
    import_har,
    import_openapi,
    ldap_control_option,
    ldap_dn,
    ldap_filter,
    ldap_frame_scan,
    ldap_request,
    ldap_response,
    nscd_reply,
    nslcd_reply,
    record_events,
    serve_cookie,
    serve_envelope,
    serve_oidc,
);

/// What somebody who looks at a failure finds it by, and the octets.
#[derive(Debug, PartialEq)]
struct Input {
    name: String,
    bytes: Vec<u8>,
}

/// A row of `fuzz/targets.txt`.
#[derive(Debug)]
struct Target {
    name: String,
    longest: usize,
    seeds: Option<String>,
}

impl Target {
    fn all() -> Vec<Self> {
        let table = fs::read_to_string(Path::new(FUZZ).join("targets.txt")).expect("the table");
        let rows = table.lines().filter(|line| !line.starts_with('#'));
        rows.map(|row| Self::read(row).unwrap_or_else(|| panic!("targets.txt: {row}"))).collect()
    }

    fn read(row: &str) -> Option<Self> {
        let mut words = row.split_whitespace();
        let (name, longest) = (words.next()?.to_owned(), words.next()?.parse().ok()?);
        let seeds = words.next()?;
        let seeds = (seeds != "-").then(|| seeds.to_owned());
        words.next().is_none().then_some(Self { name, longest, seeds })
    }

    fn named(name: &str) -> Self {
        let row = Self::all().into_iter().find(|target| target.name == name);
        row.unwrap_or_else(|| panic!("no row in fuzz/targets.txt has {name}"))
    }

    /// Its seeds and its kept inputs.
    fn inputs(&self) -> Result<Vec<Input>, String> {
        let mut inputs = match &self.seeds {
            Some(directory) => in_directory(directory)?,
            None => Vec::new(),
        };
        let archive = format!("corpora/{}.tar.gz", self.name);
        let path = Path::new(FUZZ).join(&archive);
        if path.exists() {
            let packed = fs::read(&path).map_err(|error| format!("{archive}: {error}"))?;
            inputs.extend(unpacked(&archive, &packed)?);
        }
        if inputs.is_empty() {
            return Err(format!("{} has neither a seed nor a kept input", self.name));
        }
        Ok(inputs)
    }
}

/// The files of a directory of seeds.
fn in_directory(directory: &str) -> Result<Vec<Input>, String> {
    let failed = |error: std::io::Error| format!("{directory}: {error}");
    let mut inputs = Vec::new();
    for entry in fs::read_dir(Path::new(FUZZ).join(directory)).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let bytes = fs::read(entry.path()).map_err(failed)?;
        let name = format!("{directory}/{}", entry.file_name().display());
        inputs.push(Input { name, bytes });
    }
    if inputs.is_empty() {
        return Err(format!("{directory} holds no seed"));
    }
    Ok(inputs)
}

/// The files of an archive that fuzz/keep has made. The whole of it is unpacked first, because its checksum stands at
/// its end.
fn unpacked(archive: &str, packed: &[u8]) -> Result<Vec<Input>, String> {
    let failed = |error: std::io::Error| format!("{archive}: {error}");
    let mut plain = Vec::new();
    flate2::read::MultiGzDecoder::new(packed).read_to_end(&mut plain).map_err(failed)?;
    let mut inputs = Vec::new();
    for entry in tar::Archive::new(plain.as_slice()).entries().map_err(failed)? {
        let mut entry = entry.map_err(failed)?;
        let name = format!("{archive}: {}", String::from_utf8_lossy(&entry.path_bytes()));
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).map_err(failed)?;
        inputs.push(Input { name, bytes });
    }
    if inputs.is_empty() {
        return Err(format!("{archive} holds no input"));
    }
    Ok(inputs)
}

/// Gives the octets to a check as libFuzzer does. Whether they make an input of its type.
fn given<'a, T: Arbitrary<'a>>(bytes: &'a [u8], check: fn(T)) -> bool {
    if bytes.len() < T::size_hint(0).0 {
        return false;
    }
    let Ok(input) = T::arbitrary_take_rest(Unstructured::new(bytes)) else { return false };
    check(input);
    true
}

/// Gives each input, cut to the length that libFuzzer cuts it to, to a check. How many were checked, or which one is
/// the first that does not pass.
fn replay(
    inputs: &[Input],
    longest: usize,
    check: &dyn Fn(&[u8]) -> bool,
) -> Result<usize, String> {
    let mut checked = 0;
    for input in inputs {
        let bytes = &input.bytes[..input.bytes.len().min(longest)];
        match catch_unwind(AssertUnwindSafe(|| check(bytes))) {
            Ok(taken) => checked += usize::from(taken),
            Err(_) => return Err(format!("the input fuzz/{} does not pass", input.name)),
        }
    }
    if checked == 0 {
        return Err(format!("none of {} inputs is of the type that the check takes", inputs.len()));
    }
    Ok(checked)
}

/// The names of the files of a directory of `fuzz` that end so, without that end.
fn names(directory: &str, end: &str) -> BTreeSet<String> {
    let entries = fs::read_dir(Path::new(FUZZ).join(directory)).expect("a directory");
    let files = entries.map(|entry| entry.expect("an entry").file_name().into_string());
    files.filter_map(|name| Some(name.ok()?.strip_suffix(end)?.to_owned())).collect()
}

#[test]
fn fuzz_targets_are_all_replayed() {
    let replayed: BTreeSet<String> = REPLAYED.iter().map(ToString::to_string).collect();
    let targets = names("fuzz_targets", ".rs");
    assert_eq!(targets, replayed, "on the left what is fuzzed, on the right what is replayed here");
    let rows: BTreeSet<String> = Target::all().into_iter().map(|target| target.name).collect();
    assert_eq!(targets, rows, "on the left what is fuzzed, on the right the rows of targets.txt");
    let without: Vec<_> = names("corpora", ".tar.gz").difference(&targets).cloned().collect();
    assert!(without.is_empty(), "no target has these corpora: {without:?}");
}

/// Otherwise another thing would be fuzzed than is replayed.
#[test]
fn fuzz_targets_run_the_check_of_their_name() {
    for target in names("fuzz_targets", ".rs") {
        let file = Path::new(FUZZ).join("fuzz_targets").join(format!("{target}.rs"));
        let text = fs::read_to_string(file).expect("a source");
        assert!(calls_its_check(&target, &text), "{target}: {text}");
    }
    let call = "libfuzzer_sys::fuzz_target!(|bytes: &[u8]| brunt_fuzz_checks::ber::check(bytes));";
    let file = format!("//! It.\n\n#![no_main]\n\n{call}\n");
    assert!(calls_its_check("ber", &file));
    assert!(!calls_its_check("dhcp4_reply", &file));
    assert!(!calls_its_check("ber", &file.replace("check(bytes)", "check(&bytes[1..])")));
    assert!(!calls_its_check("ber", &file.replace("fuzz_checks::", "fuzz_checks::x::")));
    assert!(!calls_its_check("ber", &format!("{file}fn more() {{}}\n")));
}

/// Whether a target's file consists of its description and of the call that hands the input on as it came.
fn calls_its_check(target: &str, text: &str) -> bool {
    let code = text.lines().filter(|line| !line.starts_with("//"));
    let code: String = code.flat_map(str::split_whitespace).collect();
    let Some(rest) = code.strip_prefix("#![no_main]libfuzzer_sys::fuzz_target!(|") else {
        return false;
    };
    let Some((name, rest)) = rest.split_once(':') else { return false };
    let Some((_, call)) = rest.split_once('|') else { return false };
    let check = format!("brunt_fuzz_checks::{target}::check({name})");
    call == format!("{check});") || call == format!("{{{check}}});")
}

#[test]
fn corpus_archive_that_is_broken_is_refused() {
    let pack = |plain: &[u8]| {
        let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        std::io::Write::write_all(&mut packer, plain).expect("memory has room");
        packer.finish().expect("memory has room")
    };
    let mut builder = tar::Builder::new(Vec::new());
    for (name, bytes) in [("one", &b"some octets"[..]), ("two", b"")] {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        builder.append_data(&mut header, name, bytes).expect("memory has room");
    }
    let plain = builder.into_inner().expect("memory has room");
    let packed = pack(&plain);
    let input = |name: &str, bytes: &[u8]| Input { name: name.to_owned(), bytes: bytes.to_vec() };
    let inputs = unpacked("a.tar.gz", &packed).expect("a whole archive");
    assert_eq!(inputs, [input("a.tar.gz: one", b"some octets"), input("a.tar.gz: two", b"")]);

    let empty = tar::Builder::new(Vec::new()).into_inner().expect("memory has room");
    let (mut other, mut sum) = (plain.clone(), packed.clone());
    other[0] ^= 1;
    let at = sum.len() - 6;
    sum[at] ^= 1;
    for (what, broken) in [
        ("nothing", Vec::new()),
        ("no archive", b"text".to_vec()),
        ("an archive without inputs", pack(&empty)),
        ("a part of what is packed", pack(&plain[..600])),
        ("a part of the packed", packed[..packed.len() / 2].to_vec()),
        ("all but its end", packed[..packed.len() - 1].to_vec()),
        ("another header", pack(&other)),
        ("another checksum", sum),
    ] {
        let read = unpacked("a.tar.gz", &broken);
        assert!(read.as_ref().is_err_and(|why| why.starts_with("a.tar.gz")), "{what}: {read:?}");
    }
}

#[test]
fn replay_names_the_first_failing_input() {
    let input = |name: &str, bytes: &[u8]| Input { name: name.to_owned(), bytes: bytes.to_vec() };
    let inputs = [input("a", b"1"), input("b", b"23"), input("c", b"23")];
    let not_2 = |bytes: &[u8]| -> bool {
        assert!(!bytes.starts_with(b"2"), "this panic is meant");
        true
    };
    let failed = replay(&inputs, 4096, &not_2).expect_err("the second does not pass");
    assert!(failed.contains("fuzz/b "), "{failed}");
    assert_eq!(replay(&inputs[..1], 4096, &not_2), Ok(1));
    assert_eq!(replay(&inputs, 1, &|bytes| bytes.len() == 1), Ok(3), "they are cut");
    assert_eq!(replay(&inputs, 4096, &|bytes| bytes.len() == 2), Ok(2), "not all were taken");
    assert!(replay(&inputs, 4096, &|_| false).is_err(), "none was taken");
    assert!(replay(&[], 4096, &|_| true).is_err(), "there is none");
}

#[test]
fn octets_become_inputs_like_in_libfuzzer() {
    let pair: fn((u8, &[u8])) = |(first, rest)| assert_eq!((first, rest), (7, &b"rest"[..]));
    assert!(given(b"\x07rest", pair));
    assert!(!given(b"", pair), "an octet must be there");
    let text: fn(&str) = |text| assert_eq!(text, "text");
    assert!(given(b"text", text));
    // Both workspaces must take octets apart alike: what one has stored would mean another thing to the other.
    let version = |lock: &str| {
        let text = fs::read_to_string(Path::new(FUZZ).join(lock)).expect("a lock file");
        let (_, rest) = text.split_once("name = \"arbitrary\"\n").expect("the package");
        rest.lines().next().expect("its version").to_owned()
    };
    assert_eq!(version("Cargo.lock"), version("../Cargo.lock"));
}
