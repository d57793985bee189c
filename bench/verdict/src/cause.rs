//! The words in which a [`Cause`] of trouble is written down. Data alone: nothing here starts or reads anything.

/// Where the trouble of a run lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Class {
    /// There is none.
    Nothing,
    /// At the target or on the way to it.
    Target,
    /// At brunt or its machine.
    Generator,
}

impl Class {
    pub(crate) const ALL: [Self; 3] = [Self::Nothing, Self::Target, Self::Generator];

    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Nothing => "none",
            Self::Target => "target",
            Self::Generator => "generator, machine",
        }
    }
}

/// Which server is loaded. The embedded ones take a script, which may be empty.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Server {
    Ldap(&'static str),
    Dhcp(&'static str),
    Rest(&'static str),
    /// nginx with these directives in its `http` block.
    Nginx(&'static str),
    /// A socket that listens, and whose connections nobody reads.
    Silent,
    /// What is measured runs within brunt.
    None,
}

/// A change of the place brunt or its target run in. *The tried core* is the last one this bench may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Condition {
    /// brunt may use the tried core only.
    BruntOnCore,
    /// So may the target.
    TargetOnCore,
    /// So many other processes spin there.
    Hogs(usize),
    /// brunt has this share of a core, in percent, by a control group.
    Quota(u32),
    /// brunt may have so many file descriptors.
    Descriptors(u32),
    /// brunt and its target have a network of their own, with so many ports for connections.
    Ports(u16),
}

/// What is done to a process while brunt runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Act {
    StopTarget,
    ContinueTarget,
    KillTarget,
    StartTarget,
    StopBrunt,
    ContinueBrunt,
}

/// How brunt loads the target: the words that all causes of a tool share. `{port}` is the target's port, `{free}` a
/// port that nobody uses, `{seconds}` the length of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tool {
    pub(crate) words: &'static str,
    /// What stands behind the options of a cause.
    pub(crate) last: &'static str,
}

/// One worker, so that the other core of a small machine is the target's.
pub(crate) const LDAP: Tool = Tool {
    words: "searchrate -h 127.0.0.1 -p {port} -b ou=people,dc=example,dc=com -F -c 10 --workers 1 -i 1 \
            -g rand(0,100) -d {seconds} --operationTimeout 2000 --drainTimeout 3000",
    last: "(uid=user.{1})",
};

pub(crate) const DHCP: Tool = Tool {
    words: "perfdhcp -4 -N {port} -L {free} -l 127.0.0.1 -R 10000 -p {seconds} --interval 1",
    last: "127.0.0.1",
};

pub(crate) const HTTP: Tool =
    Tool { words: "http --threads 1 --timeout 2s -z {seconds}s", last: "http://127.0.0.1:{port}/" };

pub(crate) const LEASES: Tool = Tool { words: "leases --durability async -d {seconds}s", last: "" };

/// One cause, how it is arranged, and what brunt should say of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cause {
    pub(crate) name: &'static str,
    pub(crate) class: Class,
    pub(crate) server: Server,
    pub(crate) tool: Tool,
    /// Further words for the tool.
    pub(crate) options: &'static str,
    pub(crate) seconds: u64,
    /// The objective that the run is held against; none where it is empty.
    pub(crate) objective: &'static str,
    pub(crate) conditions: &'static [Condition],
    /// What is done when, in milliseconds since brunt was started.
    pub(crate) acts: &'static [(u64, Act)],
    pub(crate) expected: Expected,
}

/// What brunt may say.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Expected {
    /// The statuses of the verdict; `refused` is a run that brunt ended without a record.
    pub(crate) statuses: &'static [&'static str],
    /// A regular expression that a reason for the status, or what brunt said when it refused, must match. Not asked of
    /// a valid run, which needs no reason.
    pub(crate) reason: &'static str,
    /// What may become of the objective.
    pub(crate) objectives: &'static [&'static str],
    pub(crate) exits: &'static [i32],
}
