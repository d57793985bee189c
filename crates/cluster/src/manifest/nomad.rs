//! Nomad: a batch job with a group of agents, each on a client of its own, none of which is restarted, and a group of
//! the coordinator.

use super::agent::agent;
use super::{LaunchOptions, ManifestError, is_plain, text};

/// The options for Nomad.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nomad {
    /// The image that contains brunt.
    pub image: String,
    /// The data centre.
    pub datacenter: String,
}

impl Nomad {
    /// The job.
    pub fn text(&self, options: &LaunchOptions) -> Result<String, ManifestError> {
        options.check()?;
        if !is_plain(&self.image, "-_./:@") {
            return Err(text("--image", &self.image, "write REGISTRY/NAME:TAG"));
        }
        if !is_plain(&self.datacenter, "-_.") {
            return Err(text("--datacenter", &self.datacenter, "write letters, digits, - and _"));
        }
        let mut agent = agent(options, "/keys/agents/agent-${NOMAD_ALLOC_INDEX}");
        agent.extend(["--records", "${NOMAD_TASK_DIR}/records"].map(str::to_owned));
        let ordered = options.ordered("/keys/coordinator");
        // No word of the coordinator is a reference in Nomad's language.
        let ordered: Vec<String> =
            ordered.iter().map(|word| word.replace("${", "$${").replace("%{", "%%{")).collect();
        Ok(format!(
            "\
# {agents} agents and their coordinator. Each client has the directory that 'brunt cluster keys' made, or its own
# part of it, as a host volume, which its configuration declares:
#   host_volume \"brunt-keys\" {{ path = \"/etc/brunt/keys\"  read_only = true }}
# Edit agents/*/agent.toml in it first. The files that the command reads are in the working directory of the image; the
# coordinator sends them to the agents. The broker runs elsewhere: cd nats && nats-server -c nats.conf
job \"brunt\" {{
  datacenters = [\"{datacenter}\"]
  type        = \"batch\"

  group \"agents\" {{
    count = {agents}
{never}
    constraint {{
      distinct_hosts = true
    }}
{volume}
    task \"agent\" {{
{task}
      config {{
        image   = \"{image}\"
        command = \"{program}\"
        args = [
{words}
        ]
      }}
      resources {{
        cores  = {cores}
        memory = 1024
      }}
    }}
  }}

  group \"coordinator\" {{
    count = 1
{never}{volume}
    task \"coordinator\" {{
{task}
      config {{
        image   = \"{image}\"
        command = \"{program}\"
        args = [
{ordered}
        ]
      }}
      resources {{
        cores  = 1
        memory = 1024
      }}
    }}
  }}
}}
",
            agents = options.agents,
            datacenter = self.datacenter,
            image = self.image,
            never = NEVER,
            volume = VOLUME,
            task = TASK,
            cores = options.cores,
            program = "brunt",
            words = list(&agent[1..]),
            ordered = list(&ordered[1..]),
        ))
    }
}

/// Disables restarts and rescheduling.
const NEVER: &str = "    restart {
      attempts = 0
      mode     = \"fail\"
    }
    reschedule {
      attempts  = 0
      unlimited = false
    }
";

const VOLUME: &str = "    volume \"keys\" {
      type      = \"host\"
      source    = \"brunt-keys\"
      read_only = true
    }
";

const TASK: &str = "      driver       = \"docker\"
      kill_timeout = \"30s\"
      volume_mount {
        volume      = \"keys\"
        destination = \"/keys\"
        read_only   = true
      }";

/// A list of HCL strings, whose escapes are those of JSON.
fn list(words: &[String]) -> String {
    let quoted =
        words.iter().map(|word| format!("          {}", serde_json::Value::from(word.as_str())));
    quoted.collect::<Vec<_>>().join(",\n")
}
