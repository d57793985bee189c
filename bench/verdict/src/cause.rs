//! The types that describe a [`Cause`] of trouble. Only data: nothing here starts or reads anything.

use std::time::Duration;

/// Where the trouble of a run lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// There is none.
    Nothing,
    /// At the target or on the way to it.
    Target,
    /// At brunt or its machine.
    Generator,
}

impl Class {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Nothing, Self::Target, Self::Generator];

    /// The word for it in a table.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Nothing => "none",
            Self::Target => "target",
            Self::Generator => "generator, machine",
        }
    }
}

/// Which server is loaded. The embedded ones take a script, which may be empty.
#[derive(Clone, Copy, Debug)]
pub enum Server {
    /// `brunt target ldap`.
    Ldap(&'static str),
    /// `brunt target dhcp`.
    Dhcp(&'static str),
    /// `brunt target rest`.
    Rest(&'static str),
    /// nginx with these directives in its `http` block.
    Nginx(&'static str),
    /// HTTP with one worker for all connections, which takes this long for each request.
    OneWorker(Duration),
    /// A port at which no process listens.
    Nobody,
    /// A socket that listens, but whose connections are never read.
    Silent,
    /// What is measured runs within brunt.
    None,
}

/// A change of the place brunt or its target run in. *The tried core* is the last one this bench may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Condition {
    /// brunt may use the tried core only.
    BruntOnCore,
    /// So may the target.
    TargetOnCore,
    /// So many other processes spin there.
    Hogs(usize),
    /// brunt has this share of a core, in percent, by a control group.
    Quota(u32),
    /// brunt sees nothing in `/proc`.
    NoProc,
    /// brunt may have so many file descriptors.
    Descriptors(u32),
    /// brunt and its target have a network of their own, with so many ports for connections.
    Ports(u16),
}

/// What is done to a process while brunt runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// SIGSTOP for the target.
    StopTarget,
    /// SIGCONT for the target.
    ContinueTarget,
    /// SIGKILL for the target.
    KillTarget,
    /// The target is started again at its port.
    StartTarget,
    /// SIGSTOP for brunt.
    StopBrunt,
    /// SIGCONT for brunt.
    ContinueBrunt,
    /// ^C for brunt.
    InterruptBrunt,
    /// SIGKILL for one of the agents that brunt has started.
    KillAgent,
}

/// How brunt loads the target: the words that causes of a tool share. `{port}` is the target's port, `{free}` an unused
/// port, `{seconds}` the length of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tool {
    /// What stands before them.
    pub words: &'static str,
    /// What stands behind the options of a cause.
    pub last: &'static str,
}

/// One worker, so that the other core of a small machine is the target's.
pub(crate) const LDAP: Tool = Tool {
    words: "searchrate -h 127.0.0.1 -p {port} -b ou=people,dc=example,dc=com -F --workers 1 -i 1 \
            -g rand(0,100) -d {seconds} --drainTimeout 3000",
    last: "(uid=user.{1})",
};

/// The same without a length, which the options of a cause give, or an end from outside.
pub(crate) const LDAP_ENDLESS: Tool = Tool {
    words: "searchrate -h 127.0.0.1 -p {port} -b ou=people,dc=example,dc=com -F --workers 1 -i 1 -g rand(0,100)",
    last: "(uid=user.{1})",
};

pub(crate) const DHCP: Tool = Tool {
    words: "perfdhcp -4 -N {port} -L {free} -l 127.0.0.1 -R 10000 -p {seconds} --interval 1",
    last: "127.0.0.1",
};

pub(crate) const HTTP: Tool =
    Tool { words: "http --threads 1 -z {seconds}s", last: "http://127.0.0.1:{port}/" };

/// Two agents of this machine, which share the load.
pub(crate) const CLUSTER: Tool = Tool {
    words: "cluster run --local 2 --quiet",
    last: "-- http --threads 1 -c 10 -q 100 -z {seconds}s http://127.0.0.1:{port}/",
};

pub(crate) const LEASES: Tool =
    Tool { words: "leases --durability async --phases create -d {seconds}s", last: "" };

/// An objective, and what may become of it.
pub type Objective = (&'static str, &'static [&'static str]);

/// One cause, how it is arranged, and what brunt should say of it.
#[derive(Clone, Copy, Debug)]
pub struct Cause {
    /// What it is called.
    pub name: &'static str,
    /// Its row in the tables of docs/statistics.md. The simulator draws causes of most kinds too
    /// (tests/simulation/causes.rs).
    pub kind: &'static str,
    /// Where the trouble lies.
    pub class: Class,
    /// What is loaded.
    pub server: Server,
    /// How it is loaded.
    pub tool: Tool,
    /// Further words for the tool.
    pub options: &'static str,
    /// The length of the run, if its tool is given one.
    pub seconds: u64,
    /// The objectives of the run.
    pub objectives: &'static [Objective],
    /// Where it runs.
    pub conditions: &'static [Condition],
    /// What is done when, in milliseconds since brunt was started.
    pub acts: &'static [(u64, Action)],
    /// What brunt should say.
    pub expected: Expected,
}

/// What brunt may say.
#[derive(Clone, Copy, Debug)]
pub struct Expected {
    /// The statuses of the verdict; `refused` is a run that brunt ended without a record.
    pub statuses: &'static [&'static str],
    /// What came of the run, in the word of its record.
    pub outcomes: &'static [&'static str],
    /// A regular expression that a reason for the status, or what brunt printed when it refused, must match. A valid
    /// run needs no reason.
    pub reason: &'static str,
    /// The exit codes.
    pub exits: &'static [i32],
}
