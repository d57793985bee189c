//! [`Wide`]: a broker with keys on the server's host of a network, and a host for each agent, as DHCP needs them: two
//! relays cannot share one address.

use std::fs;
use std::net::TcpStream;
use std::time::Duration;

use brunt_cluster::keys::{self, Wanted};
use brunt_testbed::{Beyond, Daemon, Lan, free_port, until};
use tempfile::TempDir;

use crate::cluster_attempt::Launcher;
use brunt_test_program::{Trial, binary, scratch};

const PATIENCE: Duration = Duration::from_secs(90);

/// A network of agents, of which each may load the DHCP server of the server's host.
pub(crate) struct Wide {
    // First, so that it is gone before its network is.
    broker: Option<Daemon>,
    beyond: Vec<Beyond>,
    /// The network. The coordinator and the first agent are on the clients' host.
    pub(crate) lan: Lan,
    directory: TempDir,
    port: u16,
}

impl Wide {
    pub(crate) fn start(agents: u8) -> Self {
        let (lan, directory, port) = (Lan::make(), scratch(), free_port());
        let beyond = (1..agents).map(|agent| lan.beyond(agent - 1)).collect();
        let wanted = Wanted {
            agents: agents.into(),
            hosts: vec![Lan::SERVER_V4.to_string()],
            port,
            from: "2000-01-01".parse().expect("a day"),
            until: "2999-01-01".parse().expect("a day"),
        };
        let at = |name: &str| directory.path().join(name);
        keys::make(directory.path(), &wanted).expect("keys");
        let orders = fs::read_to_string(at("coordinator/order.pub")).expect("a key");
        let policy =
            format!("orders_from = ['{}']\ntargets = ['{}:67']\n", orders.trim(), Lan::SERVER_V4);
        for agent in 0..agents {
            fs::write(at(&format!("agents/agent-{agent}/agent.toml")), &policy).expect("a file");
        }
        let mut wide = Self { broker: None, beyond, lan, directory, port };
        wide.bring_broker_back();
        wide
    }
}

impl Launcher for Wide {
    fn agent(&self, rank: usize) -> Trial {
        let brunt = match rank {
            0 => self.lan.client(binary()),
            _ => self.beyond[rank - 1].client(binary()),
        };
        let keys = self.directory.path().join(format!("agents/agent-{rank}"));
        Trial::new(brunt).typed("agent --once --keys").arg(keys)
    }

    fn coordinator(&self) -> Trial {
        let run = Trial::new(self.lan.client(binary())).typed("cluster run --keys");
        run.arg(self.directory.path().join("coordinator"))
    }

    fn take_broker_away(&mut self) {
        self.broker = None;
    }

    fn bring_broker_back(&mut self) {
        let mut server = self.lan.server("sh");
        let script = "cd \"$1\" && exec nats-server -a \"$2\" -c nats.conf";
        server.args(["-c", script, "sh"]).arg(self.directory.path().join("nats"));
        server.arg(Lan::SERVER_V4.to_string());
        self.broker = Some(Daemon::start(&server, &self.directory.path().join("log")));
        let there = || TcpStream::connect((Lan::SERVER_V4, self.port)).is_ok();
        assert!(self.lan.as_client(|| until(PATIENCE, there)), "the broker does not listen");
    }
}
