//! The [`AddressPolicy`] of a [`Network`](super::Network): the only addresses that a run may connect or send to.
//!
//! It is checked where a connection is opened or a datagram is sent, with the resolved address: so it also covers a
//! redirect, a name that resolves to another address an hour later, and an answer that names another server. A policy
//! defines what is allowed: a list of addresses, a file of targets with limits for each, and otherwise all addresses
//! that are not public. Sockets of this machine have no address, and the C library's own name service requests are not
//! checked. It must not depend on what is sent, and sends nothing itself.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Mutex, PoisonError, RwLock, RwLockReadGuard};

use super::allowed::Allowed;
use super::public::{is_of_documentation, is_public};
#[cfg(test)]
use super::targets::Rule;
use super::targets::{Demand, Targets};

/// The largest number of servers of a run that are checked before it begins. Others are checked when they are reached.
const EXPECTED_MAX: usize = 1_024;

/// What a run may reach.
#[derive(Clone, Debug, Default)]
pub struct Policy {
    /// Only these addresses, if there is a list; none, if it is empty.
    pub allowed: Option<Vec<Allowed>>,
    /// Only loopback and these targets, if there is a file of targets.
    pub targets: Option<Targets>,
    /// Whether public addresses that neither of them names are allowed.
    pub public: bool,
    /// Who made the list of addresses.
    pub made_by: MadeBy,
}

/// Who made the list of addresses that a run may reach, and so who can add to it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MadeBy {
    /// The user of the command line.
    #[default]
    User,
    /// The owner of the agent that carries out an order, and whoever gave the order.
    Owner,
    /// The administrators of a website.
    Site,
}

impl MadeBy {
    /// Why an address that is not on the list may not be reached.
    const fn refusal(self) -> Why {
        match self {
            Self::User => Why::NotAllowed,
            Self::Owner => Why::NotOrdered,
            Self::Site => Why::NotGranted,
        }
    }
}

/// What a run may reach, and the first address that was refused.
#[derive(Debug, Default)]
pub struct AddressPolicy {
    policy: Policy,
    /// What is known about the present run.
    run: RwLock<Known>,
    /// The first address that was refused.
    refused: Mutex<Option<Refused>>,
}

/// What is known about a run before it sends anything.
#[derive(Debug, Default)]
struct Known {
    /// The servers that the run will reach, each with its possible addresses.
    expected: Vec<Vec<SocketAddr>>,
    /// Public addresses that a user has confirmed.
    agreed: Vec<IpAddr>,
    demand: Demand,
}

impl AddressPolicy {
    /// An address policy with this policy.
    pub fn new(policy: Policy) -> Self {
        Self { policy, ..Self::default() }
    }

    /// Decides whether an address may be reached; the error is the reason why not.
    fn decide(&self, to: SocketAddr) -> Result<(), Refused> {
        let refused = |why| Err(Refused { to, why });
        let allowed = self.policy.allowed.as_deref();
        let listed = allowed.is_some_and(|all| all.iter().any(|allowed| allowed.holds(to)));
        if !listed && allowed.is_some() {
            return refused(self.policy.made_by.refusal());
        }
        if let Some(targets) = &self.policy.targets {
            return match targets.rule(to) {
                Some(rule) => match rule.exceeded(&self.known().demand) {
                    Some(limit) => refused(Why::Limit(targets.name(), rule.name(), limit)),
                    None => Ok(()),
                },
                None if to.ip().to_canonical().is_loopback() => Ok(()),
                None => refused(Why::NotListed(targets.name())),
            };
        }
        let stranger = !listed && !self.policy.public && is_public(to.ip());
        if stranger && !self.known().agreed.contains(&to.ip().to_canonical()) {
            let example = is_of_documentation(to.ip());
            return refused(if example { Why::Documentation } else { Why::Public });
        }
        Ok(())
    }

    /// Checks whether an address may be reached; remembers the first that may not.
    pub fn check(&self, to: SocketAddr) -> io::Result<()> {
        self.decide(to).map_err(|refused| {
            self.refused
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .get_or_insert_with(|| refused.clone());
            io::Error::new(io::ErrorKind::PermissionDenied, refused)
        })
    }

    /// Whether an address might be reached. This is not remembered.
    pub fn permits(&self, to: SocketAddr) -> bool {
        self.decide(to).is_ok()
    }

    /// Records that the run will reach a server, by one of these addresses. The code that carries out a run calls
    /// [`Self::blocked`] before it begins.
    pub fn expect(&self, addresses: &[SocketAddr]) {
        self.learn(|known| {
            if known.expected.len() < EXPECTED_MAX
                && !known.expected.iter().any(|it| it == addresses)
            {
                known.expected.push(addresses.to_vec());
            }
        });
    }

    /// The servers that are known so far, each with its possible addresses.
    pub fn expected(&self) -> Vec<Vec<SocketAddr>> {
        self.known().expected.clone()
    }

    /// Sets the load that the next run puts on its targets.
    pub fn demand(&self, demand: Demand) {
        self.learn(|known| known.demand = demand);
    }

    /// Allows public addresses that a user has confirmed.
    pub fn agree(&self, addresses: &[SocketAddr]) {
        self.learn(|known| {
            known.agreed.extend(addresses.iter().map(|to| to.ip().to_canonical()));
        });
    }

    /// The first address that was refused, and why.
    pub fn refused(&self) -> Option<Refused> {
        self.refused.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The servers that the run would reach but must not, each with its first address.
    pub fn blocked(&self) -> Vec<Refused> {
        let expected = self.known().expected.clone();
        let refusal = |addresses: &Vec<SocketAddr>| {
            let all: Result<Vec<Refused>, ()> =
                addresses.iter().map(|to| self.decide(*to).err().ok_or(())).collect();
            all.ok()?.into_iter().next()
        };
        expected.iter().filter_map(refusal).collect()
    }

    fn known(&self) -> RwLockReadGuard<'_, Known> {
        self.run.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn learn(&self, what: impl FnOnce(&mut Known)) {
        what(&mut self.run.write().unwrap_or_else(PoisonError::into_inner));
    }
}

/// Why nothing was sent to an address.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{to} {why}")]
pub struct Refused {
    /// The address.
    pub to: SocketAddr,
    /// The reason.
    pub why: Why,
}

/// Why an address may not be reached.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Why {
    /// There is a list of addresses, and it is not on it.
    #[error("is not an address that this run may reach; add it with --allow")]
    NotAllowed,
    /// The same for an order that an agent carries out: whoever gave it cannot add what the owner does not permit.
    #[error(
        "is not an address that this order may reach: the targets of the agent's owner (agent.toml), and an --allow of \
         the order if it has one, must contain it"
    )]
    NotOrdered,
    /// The same for a run of a website, where nobody has a command line.
    #[error(
        "is not an address that this run may reach; an administrator can list it among the targets"
    )]
    NotGranted,
    /// It is on the public internet, and this was not confirmed.
    #[error("is a public address; if it is yours to load, name it with --allow or give --yes")]
    Public,
    /// It is an address of examples, and this was not confirmed.
    #[error(
        "is a documentation address: put yours in; if it is yours to load, name it with --allow or give --yes"
    )]
    Documentation,
    /// The file of targets does not contain it.
    #[error("is not among the targets of {0}; add it there if it may be loaded")]
    NotListed(String),
    /// A rule of the file of targets allows less than the run requests.
    #[error("may not be loaded like that: {0} allows {1} {2}")]
    Limit(String, String, String),
}

/// Whether an error is the refusal of an address.
pub fn is_refusal(error: &io::Error) -> bool {
    error.get_ref().is_some_and(<dyn std::error::Error + Send + Sync>::is::<Refused>)
}

/// The number of a system error, or the one that represents a refusal by the address policy.
pub fn number(error: &io::Error) -> Option<i32> {
    error.raw_os_error().or_else(|| is_refusal(error).then_some(libc::EACCES))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> SocketAddr {
        text.parse().unwrap()
    }

    fn around(allowed: &[Allowed]) -> AddressPolicy {
        AddressPolicy::new(Policy { allowed: Some(allowed.to_vec()), ..Policy::default() })
    }

    #[test]
    fn fence_allows_its_networks_and_ports() {
        for (allowed, inside, outside) in [
            ("10.1.0.0/16:389", &["10.1.255.7:389"][..], &["10.1.0.1:636", "10.2.0.0:389"][..]),
            ("192.0.2.7", &["192.0.2.7:1"], &["192.0.2.6:1", "[::]:1"]),
            ("192.0.2.128/25", &["192.0.2.255:80"], &["192.0.2.127:80"]),
            ("0.0.0.0/0", &["8.8.8.8:53", "[::ffff:8.8.8.8]:53"], &["[2001:db8::1]:53"]),
            ("2001:db8::/33", &["[2001:db8:7fff::1]:9"], &["[2001:db8:8000::1]:9"]),
            ("[2001:db8::1]:636", &["[2001:db8::1]:636"], &["[2001:db8::1]:389"]),
            ("[2001:db8::]/32:636", &["[2001:db8:1::]:636"], &["[2001:db9::]:636"]),
            ("[2001:db8::/32]:636", &["[2001:db8:1::]:636"], &["[2001:db8::]:1"]),
            ("127.0.0.1:1389", &["[::ffff:127.0.0.1]:1389"], &["[::1]:1389"]),
        ] {
            let address_policy = around(&[allowed.parse().unwrap()]);
            for to in inside {
                assert!(address_policy.check(at(to)).is_ok(), "{to} in {allowed}");
            }
            for to in outside {
                let error = address_policy.check(at(to)).unwrap_err();
                assert!(error.to_string().contains("--allow"), "{to} in {allowed}: {error}");
            }
        }
    }

    #[test]
    fn fence_refusal_names_who_can_permit_it() {
        let refusal = |made_by| {
            let allowed = Some(vec!["10.1.0.0/16".parse().unwrap()]);
            let address_policy =
                AddressPolicy::new(Policy { allowed, made_by, ..Policy::default() });
            assert!(address_policy.check(at("10.1.0.1:389")).is_ok());
            address_policy.check(at("10.2.0.1:389")).unwrap_err().to_string()
        };
        assert!(refusal(MadeBy::User).ends_with("add it with --allow"));
        let ordered = refusal(MadeBy::Owner);
        assert!(ordered.contains("targets of the agent's owner"), "{ordered}");
        assert!(!ordered.contains("add it with"), "{ordered}");
        let granted = refusal(MadeBy::Site);
        assert!(granted.contains("an administrator") && !granted.contains("--allow"), "{granted}");
    }

    #[test]
    fn fence_refuses_a_public_address_until_permitted() {
        let address_policy = AddressPolicy::default();
        for to in ["10.0.0.1:1", "[::ffff:192.168.1.1]:1", "127.9.9.9:1", "[fe80::1]:1"] {
            assert!(address_policy.check(at(to)).is_ok(), "{to}");
        }
        let error = |to| address_policy.check(at(to)).unwrap_err().to_string();
        let example = error("192.0.2.1:389");
        assert!(example.contains("documentation address: put yours in"), "{example}");
        let public = error("8.8.8.8:389");
        assert!(public.contains("public address") && public.contains("--yes"), "{public}");
        assert!(address_policy.check(at("192.0.2.2:389")).is_err());
        assert_eq!(
            address_policy.refused.lock().unwrap().as_ref().unwrap().to,
            at("192.0.2.1:389")
        );
        address_policy.learn(|known| known.agreed.push(at("192.0.2.2:1").ip()));
        assert!(address_policy.check(at("[::ffff:192.0.2.2]:636")).is_ok());
        assert!(address_policy.check(at("192.0.2.1:389")).is_err(), "another was agreed to");
        let answered = AddressPolicy::new(Policy { public: true, ..Policy::default() });
        assert!(answered.check(at("192.0.2.1:389")).is_ok());
        assert!(around(&["192.0.2.0/24".parse().unwrap()]).check(at("192.0.2.1:1")).is_ok());
        let loopback = around(&Allowed::LOOPBACK);
        assert!(loopback.check(at("127.9.9.9:1")).is_ok() && loopback.check(at("[::1]:1")).is_ok());
        assert!(around(&[]).check(at("127.0.0.1:1")).is_err(), "an empty list allows nothing");
        assert!(loopback.check(at("0.0.0.0:1")).is_err() && loopback.check(at("[::2]:1")).is_err());
    }

    #[test]
    fn fence_blocks_a_server_without_a_permitted_address() {
        let address_policy = around(&["127.0.0.1".parse().unwrap()]);
        address_policy.learn(|known| known.expected.push(vec![at("[::1]:80"), at("127.0.0.1:80")]));
        assert_eq!(address_policy.blocked(), []);
        address_policy.learn(|known| known.expected.push(vec![at("[::1]:81"), at("127.0.0.2:81")]));
        let blocked = address_policy.blocked();
        assert_eq!((blocked.len(), blocked[0].to), (1, at("[::1]:81")));
        assert!(address_policy.refused.lock().unwrap().is_none(), "nothing was tried");
    }

    #[test]
    fn fence_applies_the_limits_of_the_targets_file() {
        let rule = |network: &str, rate| Rule {
            networks: vec![network.parse().unwrap()],
            rate,
            ..Rule::default()
        };
        let rules = vec![rule("10.1.0.0/16:389", Some(500.0)), rule("192.0.2.7", None)];
        let targets = Some(Targets { file: "targets.toml".to_owned(), rules });
        let address_policy =
            AddressPolicy::new(Policy { targets: targets.clone(), ..Policy::default() });
        let with = |rate| {
            address_policy.learn(|known| known.demand = Demand { rate, ..Demand::default() });
        };
        with(Some(500.0));
        assert!(
            address_policy.check(at("10.1.2.3:389")).is_ok()
                && address_policy.check(at("192.0.2.7:1")).is_ok()
        );
        assert!(address_policy.check(at("127.0.0.1:389")).is_ok(), "this machine is nobody else's");
        let error = address_policy.check(at("10.1.2.3:636")).unwrap_err().to_string();
        assert!(error.contains("not among the targets of targets.toml"), "{error}");
        for rate in [Some(500.1), None] {
            with(rate);
            let error = address_policy.check(at("10.1.2.3:389")).unwrap_err().to_string();
            assert!(error.contains("10.1.0.0/16:389") && error.contains("500/s"), "{error}");
        }
        // Both lists must contain the address.
        let policy = Policy {
            targets,
            allowed: Some(vec!["10.2.0.0/16".parse().unwrap()]),
            public: true,
            ..Policy::default()
        };
        let address_policy = AddressPolicy::new(policy);
        assert!(
            address_policy.check(at("10.2.0.1:389")).is_err()
                && address_policy.check(at("10.1.2.3:389")).is_err()
        );
    }
}
