//! The steps of a matrix, planned before any of them is carried out.
//!
//! The order makes figures comparable: all back ends of one size are open at the same time, and passes of lookups
//! alternate among them, so that a machine that becomes busier affects all of them. A plan is a function of the command
//! line and of the access paths of each back end; it contains the expected duration of each step, from which progress
//! is calculated.

pub(super) use crate::options::matrix::{Keys, PathChoice};
use crate::sandbox::{Backend, Reader, Source, Way};

/// A back end that takes part, with what can be measured of it here.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Participant {
    /// Its label.
    pub label: String,
    /// The back end.
    pub backend: Backend,
    /// The access paths through which it can be queried.
    pub paths: Vec<PathChoice>,
}

/// What was looked up before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CacheState {
    /// Nothing: every cache has just been started.
    Cold,
    /// The same names.
    Warm,
    /// Nothing, and the names do not exist.
    Negative,
    /// The same names, which do not exist.
    NegativeAgain,
}

/// A pass of lookups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Lookup {
    pub path: PathChoice,
    pub keys: Keys,
    pub temperature: CacheState,
    pub threads: u32,
}

/// How users are added and removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Provisioning {
    /// In this way, and measured.
    By(Way),
    /// Estimated from samples.
    Sampled,
}

/// An action.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Action {
    /// Create the cell and start what the back end needs.
    Open,
    /// Add the users.
    Insert(Provisioning),
    /// Remove them.
    Delete(Provisioning),
    /// Make the files that are listed, and list them by number.
    MakeFiles,
    /// Restart every daemon that caches answers.
    Forget,
    /// Look up.
    Look(Lookup),
    /// End the cell.
    Close,
}

/// A step of a plan.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Step {
    /// The back end, by number.
    pub participant: usize,
    /// The number of users.
    pub users: u32,
    /// The pass, from 1.
    pub pass: u32,
    /// The action.
    pub act: Action,
}

/// The input of the plan.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Order {
    /// Numbers of users.
    pub users: Vec<u32>,
    /// How users are added and removed; by default as suits the back end.
    pub manners: Vec<Provisioning>,
    /// Back ends with more users than this are sampled; by default only files with many users are.
    pub sampled_above: Option<u32>,
    /// Whether useradd creates the groups.
    pub own_group: bool,
    /// Names that are looked up, at most.
    pub lookups: u32,
    /// The number of passes.
    pub passes: u32,
    /// What is looked up through the C library.
    pub keys: Vec<Keys>,
    /// The numbers of threads that look up names.
    pub threads: Vec<u32>,
}

/// Files with more users than this are sampled unless the way of insertion is given.
const SAMPLED_ABOVE: u32 = 3_000;

impl PathChoice {
    /// Its name in labels.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ls => "ls",
            Self::Nss => "nss",
            Self::Nscd => "nscd",
            Self::Nslcd => "nslcd",
            Self::Ldap => "ldap",
        }
    }
}

impl Keys {
    /// Their name in labels.
    pub const fn name(self) -> &'static str {
        match self {
            Self::UidGid | Self::Absent => "uid+gid",
            Self::Name => "name",
            Self::Group => "group",
            Self::Groups => "groups",
        }
    }

    /// How many names are looked up for each key.
    pub const fn each(self) -> u32 {
        match self {
            Self::UidGid | Self::Absent => 2,
            Self::Name | Self::Group | Self::Groups => 1,
        }
    }
}

impl CacheState {
    /// Its name in labels.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Cold => "cold",
            Self::Warm => "warm",
            Self::Negative => "negative",
            Self::NegativeAgain => "negative-warm",
        }
    }
}

impl Provisioning {
    /// Its name in labels.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::By(Way::Process { .. }) => "process",
            Self::By(Way::Connection) => "connection",
            Self::By(Way::Batch) => "batch",
            Self::By(Way::Bulk) => "bulk",
            Self::Sampled => "sample",
        }
    }
}

impl Participant {
    /// Whether any part of it caches answers.
    pub(super) fn remembers(&self) -> bool {
        let sssd = matches!(self.backend.source, Source::Ldap { reader: Reader::Sssd, .. });
        sssd || self.backend.cache.is_some()
    }

    fn has(&self, path: PathChoice) -> bool {
        self.paths.contains(&path)
    }

    fn is_files(&self) -> bool {
        self.backend.source == Source::Files
    }
}

impl Order {
    /// Every step, in order.
    pub(super) fn steps(&self, measured: &[Participant]) -> Vec<Step> {
        let mut steps = Vec::new();
        for users in self.users.iter().copied() {
            let mut push =
                |participant, pass, act| steps.push(Step { participant, users, pass, act });
            for (number, participant) in measured.iter().enumerate() {
                push(number, 1, Action::Open);
                let manners = self.manners(participant, users);
                for (place, manner) in manners.iter().enumerate() {
                    push(number, 1, Action::Insert(*manner));
                    if place + 1 < manners.len() {
                        push(number, 1, Action::Delete(*manner));
                    }
                }
                if participant.has(PathChoice::Ls) {
                    push(number, 1, Action::MakeFiles);
                }
            }
            for pass in 1..=self.passes {
                for (number, participant) in measured.iter().enumerate() {
                    for act in self.pass(participant) {
                        push(number, pass, act);
                    }
                }
            }
            for (number, participant) in measured.iter().enumerate() {
                if let Some(manner) = self.manners(participant, users).last() {
                    push(number, 1, Action::Delete(*manner));
                }
                push(number, 1, Action::Close);
            }
        }
        steps
    }

    /// How users are added to a back end and removed.
    fn manners(&self, participant: &Participant, users: u32) -> Vec<Provisioning> {
        if !self.manners.is_empty() {
            return self.manners.clone();
        }
        let process = Provisioning::By(Way::Process { own_group: self.own_group });
        let long = match self.sampled_above {
            Some(most) => users > most,
            None => participant.is_files() && users > SAMPLED_ABOVE,
        };
        vec![if long { Provisioning::Sampled } else { process }]
    }

    /// Everything that is looked up in a back end in one pass.
    fn pass(&self, participant: &Participant) -> Vec<Action> {
        let mut acts = Vec::new();
        let remembers = participant.remembers();
        let look =
            |path, keys, temperature| Action::Look(Lookup { path, keys, temperature, threads: 1 });
        let forget = |acts: &mut Vec<Action>| {
            if remembers {
                acts.push(Action::Forget);
            }
        };
        if participant.has(PathChoice::Ls) {
            forget(&mut acts);
            acts.push(look(PathChoice::Ls, Keys::UidGid, CacheState::Cold));
            acts.push(look(PathChoice::Ls, Keys::UidGid, CacheState::Warm));
        }
        if participant.has(PathChoice::Nss) {
            for keys in self.keys.iter().copied() {
                self.through_the_library(participant, keys, &mut acts);
            }
        }
        if participant.has(PathChoice::Nscd) {
            forget(&mut acts);
            acts.push(look(PathChoice::Nscd, Keys::UidGid, CacheState::Cold));
            acts.push(look(PathChoice::Nscd, Keys::UidGid, CacheState::Warm));
        }
        // A cold lookup reaches the layers below; a warm one is answered by the cache.
        let beneath = if remembers { CacheState::Cold } else { CacheState::Warm };
        for path in [PathChoice::Nslcd, PathChoice::Ldap] {
            if participant.has(path) {
                acts.push(look(path, Keys::UidGid, beneath));
            }
        }
        acts
    }

    fn through_the_library(&self, participant: &Participant, keys: Keys, acts: &mut Vec<Action>) {
        let remembers = participant.remembers();
        let look = |temperature, threads| {
            Action::Look(Lookup { path: PathChoice::Nss, keys, temperature, threads })
        };
        let (first, again) = match keys {
            Keys::Absent => (CacheState::Negative, CacheState::NegativeAgain),
            _ => (CacheState::Cold, CacheState::Warm),
        };
        if remembers {
            acts.push(Action::Forget);
        }
        // Without a cache the first pass is like every other, and is made only if it replaces ls.
        let stands_in = keys == Keys::UidGid && !participant.has(PathChoice::Ls);
        if remembers || stands_in || keys == Keys::Absent {
            acts.push(look(first, 1));
        }
        if remembers || keys != Keys::Absent {
            acts.push(look(again, 1));
        }
        if keys == Keys::UidGid {
            let many = self.threads.iter().copied().filter(|threads| *threads > 1);
            acts.extend(many.map(|threads| look(again, threads)));
        }
    }

    /// The expected duration of a step, in seconds: an estimate, from which progress is calculated.
    pub(super) fn expected(&self, measured: &[Participant], step: &Step) -> f64 {
        let participant = &measured[step.participant];
        let users = f64::from(step.users);
        let process = if participant.is_files() { 0.005 + 4.5e-6 * users } else { 0.006 };
        match step.act {
            Action::Open => 0.5,
            Action::Insert(Provisioning::Sampled) => 200.0 * process,
            Action::Insert(manner) | Action::Delete(manner) => match manner {
                Provisioning::By(Way::Process { .. }) => users * process,
                Provisioning::By(Way::Connection) => users * 0.000_5,
                Provisioning::By(Way::Batch) => users * 0.002,
                Provisioning::By(Way::Bulk) | Provisioning::Sampled => 0.2,
            },
            Action::MakeFiles => 0.1,
            Action::Forget => 0.2,
            Action::Close => 0.05,
            Action::Look(lookup) => {
                let names = self.lookups.min(step.users) * lookup.keys.each();
                0.1 + f64::from(names) * participant.lookup_s(users, lookup)
            }
        }
    }
}

impl Participant {
    /// The expected cost of a lookup, in seconds.
    fn lookup_s(&self, users: f64, lookup: Lookup) -> f64 {
        if self.remembers() && lookup.temperature == CacheState::Warm {
            return 5e-6;
        }
        let numbered = matches!(lookup.keys, Keys::UidGid | Keys::Absent);
        match &self.backend.source {
            Source::Files => 1e-5 + 3.5e-8 * users,
            Source::Ldap { variant, .. } if variant.indices.is_empty() || !numbered => {
                5e-4 + 6e-7 * users
            }
            Source::Ldap { .. } => 3e-4,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sandbox::{Cache, Nscd, Server, Variant};

    fn files() -> Participant {
        let backend = Backend { source: Source::Files, cache: None, switch: None };
        Participant {
            label: "files".to_owned(),
            backend,
            paths: vec![PathChoice::Ls, PathChoice::Nss],
        }
    }

    fn cached() -> Participant {
        let source = Source::Ldap {
            server: Server::Slapd,
            variant: Variant::indexed(),
            reader: Reader::Nslcd,
        };
        let cache = Some(Cache::Nscd(Nscd::default()));
        let paths = vec![
            PathChoice::Ls,
            PathChoice::Nss,
            PathChoice::Nscd,
            PathChoice::Nslcd,
            PathChoice::Ldap,
        ];
        let backend = Backend { source, cache, switch: None };
        Participant { label: "ldap+index+nscd".to_owned(), backend, paths }
    }

    fn order(users: &[u32], passes: u32) -> Order {
        Order {
            users: users.to_vec(),
            manners: Vec::new(),
            sampled_above: None,
            own_group: true,
            lookups: 1_000,
            passes,
            keys: vec![Keys::UidGid, Keys::Absent],
            threads: vec![1],
        }
    }

    fn words(steps: &[Step]) -> Vec<String> {
        let word = |step: &Step| {
            let act = match step.act {
                Action::Open => "open".to_owned(),
                Action::Insert(manner) => format!("insert {}", manner.name()),
                Action::Delete(manner) => format!("delete {}", manner.name()),
                Action::MakeFiles => "files".to_owned(),
                Action::Forget => "forget".to_owned(),
                Action::Look(Lookup { path, temperature, threads, .. }) => {
                    format!("{} {} {threads}", path.name(), temperature.name())
                }
                Action::Close => "close".to_owned(),
            };
            format!("{}.{} {act}", step.participant, step.pass)
        };
        steps.iter().map(word).collect()
    }

    #[test]
    fn plan_alternates_backends_and_passes() {
        let steps = order(&[300], 2).steps(&[files(), cached()]);
        let lookups = |pass: u32| {
            let files = ["ls cold 1", "ls warm 1", "nss warm 1", "nss negative 1"];
            let cached = [
                "forget",
                "ls cold 1",
                "ls warm 1",
                "forget",
                "nss cold 1",
                "nss warm 1",
                "forget",
                "nss negative 1",
                "nss negative-warm 1",
                "forget",
                "nscd cold 1",
                "nscd warm 1",
                "nslcd cold 1",
                "ldap cold 1",
            ];
            let files = files.map(|act| format!("0.{pass} {act}"));
            files.into_iter().chain(cached.map(|act| format!("1.{pass} {act}"))).collect::<Vec<_>>()
        };
        let mut expected: Vec<String> = ["0.1 open", "0.1 insert process", "0.1 files"]
            .into_iter()
            .chain(["1.1 open", "1.1 insert process", "1.1 files"])
            .map(str::to_owned)
            .collect();
        expected.extend(lookups(1));
        expected.extend(lookups(2));
        let end = ["0.1 delete process", "0.1 close", "1.1 delete process", "1.1 close"];
        expected.extend(end.map(str::to_owned));
        assert_eq!(words(&steps), expected);
    }

    #[test]
    fn plan_samples_processes_for_many_users() {
        let both = [files(), cached()];
        let way = |order: &Order, participant: usize| {
            let steps = order.steps(&both);
            let of = steps.iter().filter(|step| step.participant == participant);
            of.filter_map(|step| match step.act {
                Action::Insert(manner) => Some((step.users, manner.name())),
                _ => None,
            })
            .collect::<Vec<_>>()
        };
        let requested = order(&[3_000, 6_000], 1);
        assert_eq!(way(&requested, 0), [(3_000, "process"), (6_000, "sample")]);
        assert_eq!(way(&requested, 1), [(3_000, "process"), (6_000, "process")]);
        let sooner = Order { sampled_above: Some(2_000), ..order(&[2_000, 3_000], 1) };
        for participant in [0, 1] {
            assert_eq!(way(&sooner, participant), [(2_000, "process"), (3_000, "sample")]);
        }
        let explicit = Order {
            manners: vec![Provisioning::By(Way::Process { own_group: false })],
            ..requested
        };
        assert_eq!(way(&explicit, 0), [(3_000, "process"), (6_000, "process")]);
    }

    #[test]
    fn plan_keeps_the_users_of_the_last_insertion() {
        let manners = vec![Provisioning::By(Way::Bulk), Provisioning::By(Way::Connection)];
        let order = Order { manners, ..order(&[10], 1) };
        let words = words(&order.steps(&[files()]));
        let work: Vec<&str> = words
            .iter()
            .filter(|w| w.contains("sert") || w.contains("delete"))
            .map(String::as_str)
            .collect();
        let expected = [
            "0.1 insert bulk",
            "0.1 delete bulk",
            "0.1 insert connection",
            "0.1 delete connection",
        ];
        assert_eq!(work, expected);
        assert_eq!(words[words.len() - 2..], ["0.1 delete connection", "0.1 close"]);
    }

    #[test]
    fn plan_without_ls_queries_the_library() {
        let participant = Participant { paths: vec![PathChoice::Nss], ..files() };
        let order = Order { threads: vec![1, 4], keys: vec![Keys::UidGid], ..order(&[10], 1) };
        let words = words(&order.steps(&[participant]));
        assert_eq!(words[2..5], ["0.1 nss cold 1", "0.1 nss warm 1", "0.1 nss warm 4"]);
    }

    #[test]
    fn plan_expects_longer_steps_to_take_longer() {
        let both = [files(), cached()];
        let order = order(&[1_000], 1);
        let expected =
            |act| order.expected(&both, &Step { participant: 0, users: 1_000, pass: 1, act });
        let process = Provisioning::By(Way::Process { own_group: true });
        assert!(
            expected(Action::Insert(process))
                > 10.0 * expected(Action::Insert(Provisioning::By(Way::Bulk)))
        );
        assert!(order.steps(&both).iter().all(|step| order.expected(&both, step) > 0.0));
    }
}
