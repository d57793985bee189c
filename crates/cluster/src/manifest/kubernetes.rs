//! Kubernetes: an indexed Job of agents, the broker, and a Job of the coordinator.
//!
//! An agent is one pod on a node of its own with whole cores, since pods that share cores would measure each other. No
//! pod is ever replaced. A pod sees only its own keys: all keys are in one Secret whose entries are arranged by the
//! name of the agent, and each pod mounts the part of its index.

use serde_json::{Value, json};

use super::agent::agent;
use super::{LaunchOptions, ManifestError, is_plain, text, yaml};

/// A Secret is limited to 1 MiB, and the keys of an agent take 4 KiB of it.
const AGENTS_MAX: u32 = 200;
/// The user that everything runs as.
const USER: u32 = 10_001;

/// The options for Kubernetes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kubernetes {
    /// The image that contains brunt.
    pub image: String,
    /// The image that contains nats-server.
    pub nats_image: String,
    /// The namespace, if not the default one of the user who applies the manifest.
    pub namespace: Option<String>,
}

impl Kubernetes {
    /// The manifest.
    pub fn text(&self, options: &LaunchOptions) -> Result<String, ManifestError> {
        let documents = self.documents(options)?;
        let namespace = self.namespace.as_ref().map_or(String::new(), |it| format!(" -n {it}"));
        let head = format!(
            "\
# {} agents, their broker and their coordinator. Before this is applied, make the keys and hand them over:
#
#   brunt cluster keys keys --agents {} --host brunt-nats
#   kubectl{namespace} create secret generic brunt-nats --from-file=keys/nats
#   kubectl{namespace} create secret generic brunt-coordinator --from-file=keys/coordinator
#   kubectl{namespace} create secret generic brunt-agents $(cd keys/agents && for file in agent-*/*; do
#     printf -- '--from-file=%s=keys/agents/%s ' \"$(echo \"$file\" | tr / .)\" \"$file\"; done)
#   kubectl{namespace} create configmap brunt-files --from-file=...   # what the command reads
#
# Edit keys/agents/*/agent.toml first: it says what may be loaded. Afterwards:
#
#   kubectl{namespace} logs -f job/brunt-coordinator
#   kubectl{namespace} delete job/brunt-agents job/brunt-coordinator
",
            options.agents, options.agents
        );
        let documents: Vec<String> = documents.iter().map(yaml::document).collect();
        Ok(format!("{head}---\n{}", documents.join("---\n")))
    }

    /// The objects.
    pub(super) fn documents(&self, options: &LaunchOptions) -> Result<Vec<Value>, ManifestError> {
        self.check(options)?;
        let agents = json!({
            "completionMode": "Indexed",
            "completions": options.agents,
            "parallelism": options.agents,
            "backoffLimit": 0,
            "activeDeadlineSeconds": options.deadline.as_secs(),
            "template": self.agent(options),
        });
        let coordinator = json!({
            "completions": 1,
            "parallelism": 1,
            "backoffLimit": 0,
            "activeDeadlineSeconds": options.deadline.as_secs(),
            "template": self.coordinator(options),
        });
        Ok(vec![
            self.broker(),
            self.object(
                "v1",
                "Service",
                "brunt-nats",
                &json!({
                    "selector": labels("nats"),
                    "ports": [{"name": "nats", "port": 4222, "targetPort": 4222}],
                }),
            ),
            self.object("batch/v1", "Job", "brunt-agents", &agents),
            self.object("batch/v1", "Job", "brunt-coordinator", &coordinator),
        ])
    }

    fn check(&self, options: &LaunchOptions) -> Result<(), ManifestError> {
        options.check()?;
        if options.agents > AGENTS_MAX {
            let why = "the keys of at most 200 agents fit into a Secret: make several manifests";
            return Err(ManifestError::Agents(options.agents, why));
        }
        for (what, image) in [("--image", &self.image), ("--nats-image", &self.nats_image)] {
            if !is_plain(image, "-_./:@") {
                return Err(text(what, image, "write REGISTRY/NAME:TAG"));
            }
        }
        let named =
            |it: &&String| !is_plain(it, "-") || it.chars().any(|it| it.is_ascii_uppercase());
        match self.namespace.as_ref().filter(named) {
            Some(namespace) => {
                Err(text("--namespace", namespace, "write small letters, digits and -"))
            }
            None => Ok(()),
        }
    }

    fn object(&self, version: &str, kind: &str, name: &str, spec: &Value) -> Value {
        let component = name.trim_start_matches("brunt-");
        let mut metadata = json!({ "name": name, "labels": labels(component) });
        if let Some(namespace) = &self.namespace {
            metadata["namespace"] = json!(namespace);
        }
        json!({ "apiVersion": version, "kind": kind, "metadata": metadata, "spec": spec })
    }

    fn broker(&self) -> Value {
        let container = json!({
            "name": "nats",
            "image": self.nats_image,
            "command": ["nats-server", "-c", "nats.conf"],
            "workingDir": "/etc/brunt-nats",
            "ports": [{"containerPort": 4222}],
            "readinessProbe": {"tcpSocket": {"port": 4222}},
            "resources": whole(1, "256Mi"),
            "securityContext": confined(),
            "volumeMounts": [{"name": "keys", "mountPath": "/etc/brunt-nats", "readOnly": true}],
        });
        let template = pod("nats", &container, &[secret("keys", "brunt-nats")], &json!({}));
        self.object(
            "apps/v1",
            "Deployment",
            "brunt-nats",
            &json!({
                "replicas": 1,
                "strategy": {"type": "Recreate"},
                "selector": {"matchLabels": labels("nats")},
                "template": template,
            }),
        )
    }

    fn agent(&self, options: &LaunchOptions) -> Value {
        let mut words = agent(options, "/keys");
        words.extend(["--records", "/tmp/records"].map(str::to_owned));
        let container = json!({
            "name": "agent",
            "image": self.image,
            "command": words,
            "workingDir": "/work",
            "env": [{
                "name": "JOB_COMPLETION_INDEX",
                "valueFrom": {"fieldRef": {
                    "fieldPath": "metadata.annotations['batch.kubernetes.io/job-completion-index']",
                }},
            }],
            "resources": whole(options.cores, "1Gi"),
            "securityContext": confined(),
            "volumeMounts": [
                {
                    "name": "keys",
                    "mountPath": "/keys",
                    "subPathExpr": "agent-$(JOB_COMPLETION_INDEX)",
                    "readOnly": true,
                },
                {"name": "files", "mountPath": "/work", "readOnly": true},
                {"name": "scratch", "mountPath": "/tmp"},
            ],
        });
        let parts =
            ["agent.toml", "ca.pem", "client.key", "client.pem", "login.seed", "login.toml"];
        let items: Vec<Value> = (0..options.agents)
            .flat_map(|index| parts.map(|name| (index, name)))
            .map(|(index, name)| {
                json!({
                    "key": format!("agent-{index}.{name}"),
                    "path": format!("agent-{index}/{name}"),
                })
            })
            .collect();
        let keys = json!({
            "name": "keys",
            "secret": {"secretName": "brunt-agents", "defaultMode": 288, "items": items},
        });
        let apart = json!({"podAntiAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": [{
                "labelSelector": {"matchLabels": labels("agents")},
                "topologyKey": "kubernetes.io/hostname",
            }],
        }});
        pod("agents", &container, &[keys, files(), empty("scratch")], &apart)
    }

    fn coordinator(&self, options: &LaunchOptions) -> Value {
        let words: Vec<String> =
            options.ordered("/keys").iter().map(|word| expanded(word)).collect();
        let container = json!({
            "name": "coordinator",
            "image": self.image,
            "command": words,
            "workingDir": "/work",
            "resources": whole(1, "1Gi"),
            "securityContext": confined(),
            "volumeMounts": [
                {"name": "keys", "mountPath": "/keys", "readOnly": true},
                {"name": "files", "mountPath": "/work", "readOnly": true},
                {"name": "scratch", "mountPath": "/tmp"},
            ],
        });
        let volumes = [secret("keys", "brunt-coordinator"), files(), empty("scratch")];
        pod("coordinator", &container, &volumes, &json!({}))
    }
}

/// Kubernetes expands `$(NAME)` in a command; a word of the user's must arrive as it was written.
fn expanded(word: &str) -> String {
    word.replace("$(", "$$(")
}

fn labels(component: &str) -> Value {
    json!({"app.kubernetes.io/name": "brunt", "app.kubernetes.io/component": component})
}

/// Requests equal to limits, so that the pod has its cores to itself.
fn whole(cores: u32, memory: &str) -> Value {
    let amount = json!({"cpu": cores.to_string(), "memory": memory});
    json!({"requests": amount, "limits": amount})
}

fn confined() -> Value {
    json!({
        "allowPrivilegeEscalation": false,
        "readOnlyRootFilesystem": true,
        "capabilities": {"drop": ["ALL"]},
    })
}

/// The keys, readable by their group only (0440).
fn secret(name: &str, of: &str) -> Value {
    json!({"name": name, "secret": {"secretName": of, "defaultMode": 288}})
}

/// The files that the command reads.
fn files() -> Value {
    json!({"name": "files", "configMap": {"name": "brunt-files", "optional": true}})
}

fn empty(name: &str) -> Value {
    json!({"name": name, "emptyDir": {}})
}

/// A pod that is never restarted, except a pod of a Deployment, which always is.
fn pod(component: &str, container: &Value, volumes: &[Value], affinity: &Value) -> Value {
    let policy = if component == "nats" { "Always" } else { "Never" };
    json!({
        "metadata": {"labels": labels(component)},
        "spec": {
            "restartPolicy": policy,
            "automountServiceAccountToken": false,
            "enableServiceLinks": false,
            "terminationGracePeriodSeconds": 30,
            "securityContext": {
                "runAsNonRoot": true,
                "runAsUser": USER,
                "runAsGroup": USER,
                "fsGroup": USER,
                "seccompProfile": {"type": "RuntimeDefault"},
            },
            "affinity": affinity,
            "containers": [container],
            "volumes": volumes,
        },
    })
}
