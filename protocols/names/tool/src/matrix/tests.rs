//! A matrix with simulated cells: the requests, what is kept of the answers, and the handling of failures.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use brunt_engine::Stop;
use brunt_run::Console;
use brunt_run::environment::Environment;

use super::carry::{Bench, Outcome, SandboxSettings};
use super::plan::{Keys, Order, Participant, PathChoice, Provisioning};
use super::progress::Progress;
use super::sandbox_access::{SandboxAccess, SandboxFactory, SandboxObserver};
use crate::sandbox::{
    Answer, Backend, Counted, Data, Isolation, Listed, Provisioned, Request, SandboxAccessError,
    Source, Spec, Started, Statistics, Way,
};

type Requests = Rc<RefCell<Vec<String>>>;
type Answers = fn(&Request, u32) -> Result<Answer, SandboxAccessError>;

/// Cells that answer with a function of the request and of the number of users.
struct Invented {
    answers: Answers,
    requested: Requests,
    stop: Stop,
}

struct OpenSandbox {
    answers: Answers,
    requested: Requests,
    users: u32,
    stop: Stop,
}

impl SandboxFactory for Invented {
    fn open(&self, spec: &Spec) -> Result<Box<dyn SandboxAccess>, SandboxAccessError> {
        self.requested.borrow_mut().push(format!("open {}", spec.mark.rsplit('-').next().unwrap()));
        let (requested, stop) = (Rc::clone(&self.requested), self.stop.clone());
        Ok(Box::new(OpenSandbox { answers: self.answers, requested, users: 0, stop }))
    }
}

impl SandboxAccess for OpenSandbox {
    fn request(
        &mut self,
        request: &Request,
        _: Duration,
        observer: &mut dyn SandboxObserver,
    ) -> Result<Answer, SandboxAccessError> {
        let text = serde_json::to_string(request).unwrap();
        if !matches!(request, Request::Statistics) {
            self.requested
                .borrow_mut()
                .push(text.chars().filter(|c| !"{}\"".contains(*c)).collect());
        }
        if text.contains("interrupt") {
            self.stop.request();
        }
        assert_eq!(observer.poll(), !text.contains("interrupt"));
        let answer = (self.answers)(request, self.users);
        match request {
            Request::Insert { users, .. } => self.users += users.end - users.start,
            Request::Delete { users, .. } => self.users -= users.end - users.start,
            _ => {}
        }
        answer
    }
}

impl Drop for OpenSandbox {
    fn drop(&mut self) {
        self.requested.borrow_mut().push("end".to_owned());
    }
}

/// A cell in which everything succeeds.
#[expect(clippy::unnecessary_wraps, reason = "other worlds fail")]
fn well(request: &Request, there: u32) -> Result<Answer, SandboxAccessError> {
    Ok(match request {
        Request::Start(_) => Answer::Started(Started::default()),
        Request::Insert { users, .. } | Request::Delete { users, .. } => {
            let users = users.end - users.start;
            Answer::Provisioned(Provisioned { users, seconds: 2.0, ..Provisioned::default() })
        }
        Request::Count => {
            let there = Some(u64::from(there));
            Answer::Counted(Counted { accounts: there, file_groups: there, ..Counted::default() })
        }
        Request::List { numeric: true, .. } => {
            Answer::Listed(Listed { seconds: 0.006, requested: 0, resolved: 0 })
        }
        Request::List { .. } => {
            Answer::Listed(Listed { seconds: 0.5, requested: 200, resolved: 200 })
        }
        Request::Statistics => Answer::Statistics(Statistics::default()),
        _ => Answer::Done,
    })
}

fn files(label: &str) -> Participant {
    let backend = Backend { source: Source::Files, cache: None, switch: None };
    Participant { label: label.to_owned(), backend, paths: vec![PathChoice::Ls] }
}

fn carried(answers: Answers, labels: &[&str], nsswitch: Option<&str>) -> (Outcome, Vec<String>) {
    let requested = Requests::default();
    let stop = Stop::default();
    let sandboxes = Invented { answers, requested: Rc::clone(&requested), stop: stop.clone() };
    let ground = SandboxSettings {
        isolation: Isolation::Root,
        data: Data::Memory,
        nsswitch: nsswitch.map(str::to_owned),
        timeout: Duration::from_secs(1),
        limit: Duration::from_secs(10),
        seed: 7,
    };
    let order = Order {
        users: vec![100],
        manners: vec![Provisioning::By(Way::Bulk)],
        sampled_above: None,
        own_group: true,
        lookups: 1_000,
        passes: 2,
        keys: vec![Keys::UidGid],
        threads: vec![1],
    };
    let measured: Vec<Participant> = labels.iter().map(|label| files(label)).collect();
    let mut progress = Progress::new(stop, 1.0, &Console::kept(Environment::default()));
    let bench = Bench::new(&sandboxes, &ground, &measured, order.lookups);
    let outcome = bench.carry_out(&order, &mut progress);
    let requested = requested.borrow().clone();
    (outcome, requested)
}

#[test]
fn answers_each_become_a_cell() {
    let (outcome, requested) = carried(well, &["files"], None);
    assert!(!outcome.lost && !outcome.interrupted, "{outcome:?}");
    let cells: Vec<_> = outcome
        .cells
        .iter()
        .map(|cell| {
            let label = |name| cell.label(name).unwrap_or("-").to_owned();
            let what = ["kind", "way", "road", "temperature", "run"].map(label).join(" ");
            (what, cell.figure("seconds").unwrap())
        })
        .collect();
    let expected = [
        ("insert bulk - - 1", 2.0),
        ("lookup - ls cold 1", 0.5),
        ("lookup - ls warm 1", 0.5),
        ("lookup - ls cold 2", 0.5),
        ("lookup - ls warm 2", 0.5),
        ("delete bulk - - 1", 2.0),
    ];
    let expected = expected.map(|(what, seconds)| (what.to_owned(), seconds));
    assert_eq!(cells, expected);
    assert!((outcome.figures["ls_numeric_s"] - 0.006).abs() < 1e-9);
    assert_eq!(outcome.cells[0].figure("accounts"), Some(100.0));
    // A deletion is followed by a count too.
    assert_eq!(outcome.cells[5].figure("file_groups"), Some(0.0));
    let made = "MakeFiles:users:start:0,end:100,files:100";
    assert!(requested.iter().any(|request| request == made), "{requested:?}");
    assert_eq!(
        (requested.first().unwrap().as_str(), requested.last().unwrap().as_str()),
        ("open 0", "end")
    );
}

#[test]
fn lost_backend_does_not_affect_the_others() {
    let answers: Answers = |request, there| match request {
        Request::List { numeric: false, .. } if there == 100 => {
            Err(SandboxAccessError::Silent(Duration::from_secs(1), String::new()))
        }
        _ => well(request, there),
    };
    let (outcome, requested) = carried(answers, &["files", "other"], None);
    assert!(outcome.lost);
    let lost: Vec<_> =
        outcome.cells.iter().filter(|cell| cell.figure("invalid") == Some(1.0)).collect();
    assert_eq!(lost.len(), 2, "{lost:#?}");
    assert!(lost[0].notes[0].ends_with("nothing more was measured of it"), "{lost:#?}");
    assert_eq!(requested.iter().filter(|request| *request == "end").count(), 2);
    // Each failed at its first listing, so that neither was queried a second time.
    assert_eq!(
        requested.iter().filter(|request| request.starts_with("List:numeric:false")).count(),
        2
    );
}

#[test]
fn refused_step_keeps_its_reason_and_continues() {
    let answers: Answers = |request, there| match request {
        Request::Delete { .. } => Err(SandboxAccessError::Refused("find userdel".to_owned())),
        _ => well(request, there),
    };
    let (outcome, _) = carried(answers, &["files"], None);
    let last = outcome.cells.last().unwrap();
    assert_eq!(last.label("kind"), Some("delete"));
    assert_eq!(last.notes, ["failed to find userdel"]);
    assert!(outcome.lost);
    let refused: Answers = |request, there| match request {
        Request::Insert { .. } => Err(SandboxAccessError::Refused("run newusers".to_owned())),
        _ => well(request, there),
    };
    let (outcome, _) = carried(refused, &["files"], None);
    assert_eq!(outcome.cells.len(), 1, "without users there is nothing to look up: {outcome:?}");
}

#[test]
fn miscounted_users_make_the_insertion_invalid() {
    let answers: Answers = |request, there| match request {
        Request::Count if there > 0 => {
            Ok(Answer::Counted(Counted { accounts: Some(99), ..Counted::default() }))
        }
        _ => well(request, there),
    };
    let (outcome, _) = carried(answers, &["files"], None);
    assert!(outcome.lost);
    let note = "getent passwd shows 99 of the users, but there should be 100";
    assert_eq!(outcome.cells[0].notes, [note]);
}

#[test]
fn signal_ends_the_matrix_and_keeps_results() {
    let (outcome, requested) = carried(well, &["files", "other"], Some("interrupt"));
    assert!(outcome.interrupted && outcome.cells.is_empty(), "{outcome:?}");
    // The open cells have ended, and no further cell was opened.
    assert_eq!(requested.len(), 3, "{requested:?}");
    assert!(requested[1].starts_with("Start:"), "{requested:?}");
    assert_eq!(requested[2], "end");
}
