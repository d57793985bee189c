//! [`Sandbox`]: a private environment, used as its controller does, one line of JSON at a time.

use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::{Value, json};

/// A running sandbox. Dropping it closes its input, as the end of its controller would.
pub(crate) struct Sandbox {
    pub(crate) outer: Child,
    answers: BufReader<ChildStdout>,
    pub(crate) mark: String,
}

impl Sandbox {
    /// A sandbox as root has it, with its data in memory.
    pub(crate) fn open() -> Self {
        Self::with("Root", &json!("Memory"), None)
    }

    /// Another kind of sandbox, perhaps as another user.
    pub(crate) fn with(isolation: &str, data: &Value, user: Option<u32>) -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let mark = format!("test-{}-{number}", std::process::id());
        let spec = json!({ "data": data, "isolation": isolation, "mark": mark });
        let mut command = Command::new(env!("CARGO_BIN_EXE_brunt"));
        command.args(["names", "cell", "--spec", &spec.to_string()]).env("BRUNT_CELL", &mark);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).process_group(0);
        if let Some(user) = user {
            command.uid(user).gid(user);
        }
        let mut outer = command.spawn().expect("brunt starts");
        let answers = BufReader::new(outer.stdout.take().expect("the output is a pipe"));
        let mut sandbox = Self { outer, answers, mark };
        assert_eq!(sandbox.answer(), json!("Done"));
        sandbox
    }

    /// Asks and waits for the answer.
    pub(crate) fn request(&mut self, request: &Value) -> Value {
        self.send(request);
        self.answer()
    }

    /// Asks for something that must be done: what is inside the answer.
    pub(crate) fn demand(&mut self, request: &Value, answer: &str) -> Value {
        let mut given = self.request(request);
        let inside = given.get_mut(answer).map(Value::take);
        inside.unwrap_or_else(|| panic!("{request} was answered {given}"))
    }

    /// Asks and does not wait.
    pub(crate) fn send(&mut self, request: &Value) {
        let input = self.outer.stdin.as_mut().expect("the input is a pipe");
        let _ = writeln!(input, "{request}");
    }

    fn answer(&mut self) -> Value {
        let mut line = String::new();
        self.answers.read_line(&mut line).expect("the answer is text");
        serde_json::from_str(&line).unwrap_or_else(|_| panic!("{line:?} is no answer"))
    }

    /// Starts a backend.
    pub(crate) fn start(&mut self, backend: &Value) -> Value {
        self.demand(&json!({ "Start": backend }), "Started")
    }

    /// Adds users; every one of them must have been added.
    pub(crate) fn insert(&mut self, way: &Value, users: std::ops::Range<u32>) -> Value {
        self.provision("Insert", way, users)
    }

    /// Removes users.
    pub(crate) fn delete(&mut self, way: &Value, users: std::ops::Range<u32>) -> Value {
        self.provision("Delete", way, users)
    }

    fn provision(&mut self, act: &str, way: &Value, users: std::ops::Range<u32>) -> Value {
        let count = users.len();
        let request =
            json!({ act: { "way": way, "users": { "start": users.start, "end": users.end } } });
        let done = self.demand(&request, "Provisioned");
        assert_eq!((&done["users"], &done["failed"]), (&json!(count), &json!(0)), "{done}");
        done
    }

    /// What a shell in the sandbox prints. It must end well.
    pub(crate) fn shell(&mut self, script: &str) -> String {
        let words = ["sh", "-c", script];
        let ran = self.demand(&json!({ "Run": { "words": words, "limit_s": 60.0 } }), "Ran");
        assert_eq!(ran["code"], 0, "{script}: {ran}");
        ran["output"].as_str().expect("output is text").trim_end().to_owned()
    }

    /// Lists the files.
    pub(crate) fn list(&mut self, limit_s: f64) -> Value {
        self.demand(&json!({ "List": { "numeric": false, "limit_s": limit_s } }), "Listed")
    }

    /// The process ids of all that belongs to the sandbox, as the host sees them.
    pub(crate) fn processes(&self) -> Vec<i32> {
        marked(&self.mark)
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        drop(self.outer.stdin.take());
        let _ = self.outer.wait();
    }
}

/// The processes that have this mark in their environment.
pub(crate) fn marked(mark: &str) -> Vec<i32> {
    let wanted = format!("BRUNT_CELL={mark}");
    let processes = std::fs::read_dir("/proc").expect("/proc can be read");
    processes
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .filter(|pid| {
            let path = Path::new("/proc").join(i32::to_string(pid)).join("environ");
            let environment = std::fs::read(path).unwrap_or_default();
            environment.split(|byte| *byte == 0).any(|variable| variable == wanted.as_bytes())
        })
        .collect()
}

/// Users in the files of accounts.
pub(crate) fn files() -> Value {
    json!({ "source": "Files", "cache": null, "switch": null })
}

/// Users in slapd with these attributes indexed, read through nslcd.
pub(crate) fn ldap(indexed: &[&str]) -> Value {
    let index = |name: &&str| json!({ "attributes": [name], "kinds": ["eq"] });
    let indices: Vec<Value> = indexed.iter().map(index).collect();
    let variant = json!({
        "name": "test", "indices": indices, "max_size": null, "threads": null, "no_sync": false,
        "checkpoint": null, "idl_exponent": null, "cache_size": null, "size_limit": null, "lines": []
    });
    let source = json!({ "Ldap": { "server": "Slapd", "variant": variant, "reader": "Nslcd" } });
    json!({ "source": source, "cache": null, "switch": null })
}

/// The same behind nscd.
pub(crate) fn cached(mut backend: Value) -> Value {
    backend["cache"] = json!({ "Nscd": {
        "suggested_size": 211, "positive_ttl_s": null, "negative_ttl_s": null, "shared": true, "persistent": false
    } });
    backend
}

/// A process a user.
pub(crate) fn process() -> Value {
    json!({ "Process": { "own_group": true } })
}
