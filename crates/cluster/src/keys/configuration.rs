//! The configuration of nats-server: mutual TLS, a login for each party, and the subjects to which each may publish and
//! subscribe.
//!
//! An agent sends requests and reports on subjects that end in its name, and subscribes only to its own inbox. Under
//! the common `_INBOX` every client could read every answer, so each party has an inbox of its own (`_I.NAME`). The
//! coordinator receives what agents publish for any run and answers into their inboxes. All other subjects are
//! forbidden.

use std::fmt::Write as _;

/// The login of an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentKey {
    /// Its name.
    pub name: String,
    /// Its public key (`U...`).
    pub key: String,
}

/// The contents of the nats-server configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Configuration {
    /// Where it listens.
    pub port: u16,
    /// The public key of the coordinator's login.
    pub coordinator: String,
    /// The logins of the agents.
    pub agents: Vec<AgentKey>,
}

impl Configuration {
    /// The text of `nats.conf`. Its file names are relative to the directory in which nats-server is started.
    pub fn text(&self) -> String {
        let mut text = format!(
            "\
# Written by 'brunt cluster keys', which writes it anew when agents are added. Start the broker in this directory:
#   nats-server -c nats.conf

port: {}
# A measured second of an agent is up to 512 KiB.
max_payload: 1MB

tls {{
  cert_file: \"server.pem\"
  key_file: \"server.key\"
  ca_file: \"ca.pem\"
  # Clients show certificates of the same authority.
  verify: true
  timeout: 10
}}

authorization {{
  users = [
    {{ # coordinator
      nkey: {}
      permissions: {{
        publish: [\"_I.>\"]
        subscribe: [\"_I.{}.>\", \"b1.*.hello\", \"b1.*.*.up.*\", \"b1.*.*.get.*\"]
      }}
    }}
",
            self.port,
            self.coordinator,
            super::COORDINATOR
        );
        for AgentKey { name, key } in &self.agents {
            // Writing to a String cannot fail.
            let _ = write!(
                text,
                "    {{ # {name}
      nkey: {key}
      permissions: {{
        publish: [\"b1.*.hello\", \"b1.*.*.up.{name}\", \"b1.*.*.get.{name}\"]
        subscribe: [\"_I.{name}.>\"]
      }}
    }}
"
            );
        }
        text.push_str("  ]\n}\n");
        text
    }
}
