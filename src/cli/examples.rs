//! Examples of every command that clap parses: what each shows, and the command line.
//!
//! The help and the pages in `docs/` show the same ones, the most useful first, since `-h` has room for two. The tests
//! read each of them as a command line. A line has at most 76 columns, so that it fits an indented screen of 80.

/// What an example shows, and the command line.
pub(super) type Example = (&'static str, &'static str);

const HTTP: &[Example] = &[
    (
        "Closed loop: as many requests as the server answers, over 50 connections:",
        "brunt http https://id.example.com/ping",
    ),
    (
        "Open loop: 2,000 requests per second for a minute:",
        "brunt http -q 2000 -c 100 -z 1m https://id.example.com/ping",
    ),
    ("The command line of wrk:", "brunt http -t2 -c100 -d30s http://127.0.0.1:8080/"),
    (
        "10,000 POST requests with a body, and an objective for a CI job:",
        "brunt http -n 10k -m POST -T application/json -d '{\"a\":1}' \\\n\
         \x20 --slo 'p99<20ms' http://127.0.0.1:8080/echo",
    ),
    (
        "HTTP/2 with ten concurrent requests on each of five connections:",
        "brunt http --http2 -c 5 -p 10 -z 30s https://id.example.com/",
    ),
    (
        "A request copied from a browser, 100 times per second:",
        "brunt http -q 100 --curl 'curl https://id.example.com/ -H accept:text/html'",
    ),
    (
        "The URLs of a file, in random order:",
        "brunt http --urls-from-file urls.txt --rand-order -z 30s",
    ),
];

const IMPORT_CURL: &[Example] = &[
    (
        "Convert a command line:",
        "brunt import curl 'curl -u jo https://id.example.com/me' -o me.toml",
    ),
    ("Convert a file that holds one:", "brunt import curl token.curl -o token.toml"),
];

const IMPORT_HAR: &[Example] = &[
    (
        "Convert all requests to one host:",
        "brunt import har visit.har --host id.example.com -o visit.toml",
    ),
    (
        "Convert the requests that were answered with JSON, without pauses:",
        "brunt import har visit.har --type application/json --no-pauses",
    ),
];

const IMPORT_OPENAPI: &[Example] = &[(
    "Convert an API that runs on another host than its document says:",
    "brunt import openapi users.yaml --server http://127.0.0.1:8080 -o users.toml",
)];

const RUN: &[Example] = &[
    ("Run a plan and write the record:", "brunt run login.toml --record run.json"),
    ("Check a plan without sending anything:", "brunt run login.toml --check"),
    ("Do each scenario once and print every request and answer:", "brunt run login.toml --once"),
    (
        "Keep the first failed requests, for a browser's tools:",
        "brunt run login.toml --trace failed.har",
    ),
    (
        "Override values of the plan:",
        "brunt run login.toml --duration 1m --set run.users=50 \\\n\
         \x20 --set http.base=https://id.example.com",
    ),
    ("Run the second of three shares, one per machine:", "brunt run login.toml --node 1/3"),
];

const LOADGEN: &[Example] = &[
    (
        "Run a job against the in-memory identity API:",
        "brunt loadgen --config examples/loadgen/jobs/sessions.json",
    ),
    (
        "Show what the job would do, and send nothing:",
        "brunt loadgen --config examples/loadgen/jobs/sessions.json --check",
    ),
    (
        "Reproduce the figures of LoadGen itself:",
        "brunt loadgen --config examples/loadgen/jobs/sessions.json --compat",
    ),
    (
        "Convert the job into a plan:",
        "brunt loadgen --config examples/loadgen/jobs/sessions.json \\\n  --to-plan sessions.toml",
    ),
];

const LEASES: &[Example] = &[
    ("SQLite and memfile in a temporary directory, synchronous and asynchronous:", "brunt leases"),
    (
        "Three stores on a given disk, five runs to tell differences from noise:",
        "brunt leases sqlite memfile redb --directory /var/lib --runs 5",
    ),
    (
        "The tables of the DHCP Performance Guide beside its figures of 2012:",
        "brunt leases --guide --html guide.html",
    ),
    (
        "Kea's current schema in PostgreSQL, ten operations per transaction, with\n\
         searches by client identifier:",
        "brunt leases postgres://kea@db.example.com/ --schema kea --group 10 \\\n\
         \x20 --search-by client-id",
    ),
    (
        "The operations of a DHCP server with a million leases, over eight connections:",
        "brunt leases mysql://kea@db.example.com/ --schema kea --preload 1m \\\n\
         \x20 --workers 8 -d 1m --mix allocate=40,renew=45,release=10,expire=5",
    ),
    (
        "Open loop: 500 new leases per second, and an objective for a CI job:",
        "brunt leases sqlite --durability sync --phases create --rate 500 -d 30s \\\n\
         \x20 --slo 'create.p99<20ms'",
    ),
];

const NAMES_LOOKUP: &[Example] = &[
    (
        "The users and groups of this machine, 1,000 lookups per second for 10 s:",
        "brunt names lookup --by uid,gid,user,group,groups",
    ),
    (
        "As fast as 8 threads can, through the C library and then through nslcd only:",
        "brunt names lookup --threads 8 --unlimited --duration 5s\n\
         brunt names lookup --threads 8 --unlimited --duration 5s --through nslcd",
    ),
    (
        "A directory of 3,000 users: some more popular, one lookup in ten for a name\n\
         that does not exist:",
        "brunt names lookup --keys 10000-12999 --pattern u%d --by uid=3,user \\\n\
         \x20 --distribution zipf:1.1 --negative 0.1",
    ),
    (
        "The same searches, sent to the directory itself:",
        "brunt names lookup --through ldap --url ldap://127.0.0.1 \\\n\
         \x20 --base dc=example,dc=com --keys 10000-12999",
    ),
    (
        "A rising rate, to find where the daemon stops keeping up:",
        "brunt names lookup --stages 'ramp 100..20000 over 2m' --record names.json",
    ),
];

const NAMES_MATRIX: &[Example] = &[
    ("The article's four back ends with 1,000 and 3,000 users:", "brunt names matrix"),
    (
        "The article's whole table, as a page and as a record:",
        "brunt names matrix --users 1000,3000,6000,9000,11000 \\\n\
         \x20 --html names.html --record names.json",
    ),
    (
        "The effect of an index on names and of more threads in the directory:",
        "brunt names matrix --backend ldap:stock,ldap:fast,ldap+index+uid \\\n\
         \x20 --variant 'fast=index uidNumber,gidNumber,uid,cn eq; threads 8; nosync'",
    ),
    (
        "sssd compared with nscd, through the C library only:",
        "brunt names matrix --backend sssd,ldap+index+nscd --through nss --passes 5",
    ),
];

const NAMES_SWEEP: &[Example] = &[
    (
        "Prime and other hash table sizes, with 1,000 users:",
        "brunt names sweep --users 1000 \\\n\
         \x20 --suggested-size 211,1009,2003,2004,4001,4002,32011",
    ),
    (
        "Times to live at 500 lookups per second:",
        "brunt names sweep --ttl 1s,5s,20s,60s --rate 500 --duration 60s \\\n\
         \x20 --html ttl.html",
    ),
];

const MERGE: &[Example] = &[
    (
        "Share a run between two machines:",
        "perfdhcp -4 -r 500 -p 60 --seed 7 --node 0/2 --record n0.json 192.0.2.1\n\
         perfdhcp -4 -r 500 -p 60 --seed 7 --node 1/2 --record n1.json 192.0.2.1",
    ),
    ("Merge both records and print the result:", "brunt merge n0.json n1.json --record all.json"),
    ("Print the percentiles of the whole run:", "brunt report all.json --format hgrm > all.hgrm"),
];

const CLUSTER_RUN: &[Example] = &[
    (
        "Try it on this machine, with two agents and a broker of their own:",
        "brunt cluster run --local 2 -- http -q 2000 -z 30s http://127.0.0.1:8080/",
    ),
    (
        "Four agents of other machines share 20,000 searches per second:",
        "brunt cluster run --keys keys/coordinator --agents 4 --record all.json -- \\\n\
         \x20 searchrate -h ldap.lab -b dc=example,dc=com -M 20000 -c 400 '(uid=u)'",
    ),
    (
        "Go on with the others if an agent is lost:",
        "brunt cluster run --keys keys/coordinator --agents 4 --on-loss go-on \\\n\
         \x20 -- run login.toml",
    ),
];

const AGENT: &[Example] = &[
    (
        "Wait for orders, with the keys that cluster keys made:",
        "brunt agent --keys keys/agents/agent-0",
    ),
    (
        "The same on the machine of the broker, for trying:",
        "brunt agent --nats nats://127.0.0.1:4222",
    ),
    (
        "Take part in one run, and permit what a file says:",
        "brunt agent --nats tls://nats.lab:4222 --creds a.creds \\\n\
         \x20 --policy agent.toml --once",
    ),
];

const AGENTS: &[Example] = &[("List who waits:", "brunt agents --keys keys/coordinator")];

const CLUSTER_CHECK: &[Example] = &[
    ("Show what a plan needs of agents:", "brunt cluster check -- run login.toml"),
    (
        "Ask whether an agent's owner permits a fourth of a load:",
        "brunt cluster check --policy agent.toml --agents 4 \\\n\
         \x20 -- perfdhcp -4 -r 500 127.0.0.1",
    ),
];

const CLUSTER_MANIFEST: &[Example] = &[
    (
        "Have Kubernetes run a plan on four nodes:",
        "brunt cluster manifest k8s --agents 4 --image registry.lab/brunt:0.1 \\\n\
         \x20 -- run login.toml > brunt.yaml",
    ),
    (
        "The same over ssh:",
        "brunt cluster manifest ssh --agents 2 --nats tls://nats.lab:4222 \\\n\
         \x20 --ssh-host load1 --ssh-host load2 -- run login.toml > run.sh",
    ),
    (
        "A batch script for Slurm:",
        "brunt cluster manifest slurm --agents 8 --nats tls://head:4222 \\\n\
         \x20 --deadline 20m -- perfdhcp -4 -r 5000 -p 60 192.0.2.1 > run.sbatch",
    ),
];

const CLUSTER_KEYS: &[Example] = &[
    (
        "Make the keys of four agents and of a broker on the machine nats.lab:",
        "brunt cluster keys keys --agents 4 --host nats.lab",
    ),
    ("Start the broker with them:", "cd keys/nats && nats-server -c nats.conf"),
    ("Add two agents to the four:", "brunt cluster keys keys --agents 6 --host nats.lab"),
];

const SIZING: &[Example] = &[
    (
        "Servers for 1,200 operations per second at peak, and 30 % more next year:",
        "brunt sizing found.json --peak 1200/s --growth 30%",
    ),
    (
        "The same as a page, from a search that two servers of 4 cores answered:",
        "brunt sizing found.json --peak 1200/s --tested-servers 2 --cores 4 \\\n\
         \x20 --format html > sizing.html",
    ),
    (
        "With the Universal Scalability Law, and whether it can be believed:",
        "brunt sizing found.json --peak 1200/s --usl",
    ),
];

const MAKELDIF: &[Example] = &[
    (
        "Write the entries of a template, with its suffix replaced:",
        "brunt makeldif -c suffix=dc=example,dc=com -o people.ldif people.template",
    ),
    (
        "Import them into an OpenLDAP server:",
        "brunt makeldif people.template | slapadd -f slapd.conf",
    ),
    ("Look at the first three entries:", "brunt makeldif -m 3 --no-branches people.template"),
];

const REPORT: &[Example] = &[
    ("Print a record as the run did:", "brunt report run.json"),
    ("Print the intervals, for a spreadsheet:", "brunt report run.json --format csv > run.csv"),
    (
        "Print the percentiles, for HdrHistogram plotters:",
        "brunt report run.json --format hgrm > run.hgrm",
    ),
    (
        "Write a run or a comparison as a page for browsers:",
        "brunt report run.json --html run.html",
    ),
    (
        "Make a record of the events of a run that was killed:",
        "brunt report run.ndjson --format json > run.json",
    ),
    (
        "Show response against rate, from runs at three rates:",
        "brunt report 100.json 500.json 2500.json --html curve.html",
    ),
];

const TARGET_LDAP: &[Example] = &[
    ("A directory with 2,000 users on port 1389:", "brunt target ldap --users 2000"),
    (
        "LDAPS as well, with a certificate that clients can trust:",
        "brunt target ldap --listen-tls 127.0.0.1:1636 --ca-out ca.pem",
    ),
    ("A directory that injects faults:", "brunt target ldap --script stall.toml"),
];

const TARGET_DHCP: &[Example] = &[
    (
        "DHCPv4 on a port that needs no privilege:",
        "brunt target dhcp --listen 127.0.0.1:10067 --reply-to-source",
    ),
    (
        "A server that injects faults, and the leases it granted:",
        "brunt target dhcp --script bad-day.toml --leases-out leases.csv",
    ),
    (
        "DHCPv4 and DHCPv6, with few addresses and short leases:",
        "brunt target dhcp --listen 127.0.0.1:10067 --listen [::1]:10547 \\\n\
         \x20 --pool 10.1.0.0/24 --pool6 2001:db8:1::1-2001:db8:1::64 --lifetime 10",
    ),
    (
        "Clients without a relay, in a network namespace or on a network of your own:",
        "brunt target dhcp --lab --interface veth1 --listen 0.0.0.0:67 \\\n\
         \x20 --listen [::]:547",
    ),
];

const COMPARE: &[Example] = &[
    (
        "Two runs of the same command, before and after a change of the server:",
        "brunt compare before.json after.json",
    ),
    (
        "Repeated runs, one directory for each side, with an HTML page:",
        "brunt compare before/ after/ --html compare.html",
    ),
    (
        "A check in CI: exit code 6 if p99 rose by more than 10 %, or any other\n\
         figure is worse by more than 5 %:",
        "brunt compare baseline.json run.json --tolerance 5%,p99=10%",
    ),
    (
        "A comment for a pull request:",
        "brunt compare baseline/ run/ --format markdown > comment.md",
    ),
];

const AB: &[Example] = &[
    (
        "Two servers, five runs each, in turn:",
        "brunt ab -- http -z 20s http://old.example.com/ \\\n\
         \x20 -- http -z 20s http://new.example.com/",
    ),
    (
        "An option of the load, with the records kept:",
        "brunt ab --runs 9 --keep trial -- http -z 20s http://127.0.0.1:8080/ \\\n\
         \x20 -- http -z 20s --http2 http://127.0.0.1:8080/",
    ),
];

const TREND: &[Example] = &[
    ("The records of nightly runs:", "brunt trend nightly/"),
    ("A page with a chart of every figure:", "brunt trend nightly/ --html trend.html"),
];

const SERVE: &[Example] = &[
    ("Try it, with servers in memory:", "brunt serve --trial"),
    ("A website for this machine alone:", "brunt serve"),
    (
        "For a team, with a certificate of one's own:",
        "brunt serve --dir /var/lib/brunt --listen 0.0.0.0:443 \\\n\
         \x20 --host load.example.com --tls-cert cert.pem --tls-key key.pem",
    ),
    (
        "Behind a proxy that speaks HTTPS:",
        "brunt serve --listen 10.0.0.7:7878 --host load.example.com \\\n\
         \x20 --behind-proxy 10.0.0.5/32",
    ),
    ("A link for an administrator who forgot the password:", "brunt serve --link admin"),
];

const PUSH: &[Example] = &[
    (
        "A run, and its record brought to a website:",
        "brunt push run.json --to https://load.example.com \\\n\
         \x20 --token-file token.txt",
    ),
    (
        "In CI, which fails if a figure is worse than that of the baseline:",
        "brunt push run.json --to https://load.example.com \\\n\
         \x20 --token-file token.txt --tag nightly --commit 4f2a91c --fail-on-regression",
    ),
];

const TARGET_REST: &[Example] = &[
    ("An API with 2,000 users on port 8080:", "brunt target rest --users 2000"),
    (
        "HTTPS as well, with a certificate that clients can trust:",
        "brunt target rest --listen-tls 127.0.0.1:8443 --ca-out ca.pem",
    ),
    (
        "A log of the received requests, to compare with what was sent:",
        "brunt target rest --listen 127.0.0.1:0 --log requests.jsonl",
    ),
    ("An API that injects faults:", "brunt target rest --script bad-day.toml"),
];

const CALIBRATE: &[Example] = &[
    ("Measure this machine and keep the figures:", "brunt calibrate"),
    (
        "Measure for longer, with more connections:",
        "brunt calibrate --duration 10 --connections 100",
    ),
];

const QUICKSTART: &[Example] = &[
    ("LDAP, with the defaults:", "brunt quickstart"),
    ("DHCP:", "brunt quickstart dhcp"),
    (
        "HTTP, with the command lines, tables and whole summaries:",
        "brunt quickstart rest --details",
    ),
    (
        "A shorter run, with the records in another directory:",
        "brunt quickstart --duration 2s --output /tmp/first",
    ),
];

const COMPLETIONS: &[Example] = &[
    ("For bash:", "brunt completions bash > ~/.local/share/bash-completion/completions/brunt"),
    ("For fish:", "brunt completions fish > ~/.config/fish/completions/brunt.fish"),
    ("For all links as well:", "brunt completions fish --all ~/.config/fish/completions"),
];

const MAN: &[Example] = &[
    ("Read a page:", "brunt man authrate | man -l -"),
    ("Of a command with two words:", "brunt man names lookup | man -l -"),
    ("Have man find them all:", "brunt man --all ~/.local/share/man/man1"),
];

const WHOLE: &[Example] = &[
    ("A first run, against a server in memory:", "brunt quickstart"),
    (
        "2,000 HTTP requests per second for a minute:",
        "brunt http -q 2000 -z 1m https://id.example.com/ping",
    ),
    (
        "LDAP binds, as fast as the server answers:",
        "brunt authrate -h ds.example.com -D uid=jo,dc=example,dc=com -w:file pw -f",
    ),
];

const FIND_MAX: &[Example] = &[
    (
        "The highest rate at which 99% of the requests take less than 20 ms:",
        "brunt find-max --slo 'p99<20ms' -- http -c 100 http://127.0.0.1:8080/",
    ),
    ("A plan with its own objectives:", "brunt find-max -- run login.toml"),
    (
        "Binds that may take five times as long as without load, kept for a report:",
        "brunt find-max --slo 'p99<5x' --quick --record found.json -- \\\n\
         \x20 authrate -h 127.0.0.1 -p 1389 -c 50 -f -w password \\\n\
         \x20 -D 'uid=user.{1},ou=people,dc=example,dc=com' -g 'rand(0,2000)'",
    ),
    (
        "A server of one's own elsewhere, up to 20,000 leases per second:",
        "brunt find-max --slo 'p99<50ms' --allow 10.0.0.2 --to 20k/s -- \\\n\
         \x20 perfdhcp -4 10.0.0.2",
    ),
    (
        "A mix of lease operations on SQLite:",
        "brunt find-max --slo 'p99<10ms' -- \\\n\
         \x20 leases sqlite --durability sync --workers 4 --preload 100k \\\n\
         \x20 --mix allocate=40,renew=45,release=40",
    ),
    (
        "With the processor time of the target, for brunt sizing:",
        "brunt find-max --slo 'p99<20ms' --server-cpu local --record found.json -- \\\n\
         \x20 http -c 100 http://127.0.0.1:8080/",
    ),
];

/// The examples of a command, by its words behind `brunt`; the program itself has no words.
pub(super) fn of(name: &str) -> &'static [Example] {
    match name {
        "" => WHOLE,
        "http" => HTTP,
        "import" | "import curl" => IMPORT_CURL,
        "import har" => IMPORT_HAR,
        "import openapi" => IMPORT_OPENAPI,
        "run" => RUN,
        "loadgen" => LOADGEN,
        "leases" => LEASES,
        "names" | "names lookup" => NAMES_LOOKUP,
        "names matrix" => NAMES_MATRIX,
        "names sweep" => NAMES_SWEEP,
        "report" => REPORT,
        "makeldif" => MAKELDIF,
        "merge" => MERGE,
        "cluster run" => CLUSTER_RUN,
        "agent" => AGENT,
        "agents" => AGENTS,
        "cluster" | "cluster keys" => CLUSTER_KEYS,
        "cluster check" => CLUSTER_CHECK,
        "cluster manifest" => CLUSTER_MANIFEST,
        "sizing" => SIZING,
        "find-max" => FIND_MAX,
        "compare" => COMPARE,
        "ab" => AB,
        "trend" => TREND,
        "serve" => SERVE,
        "push" => PUSH,
        "target" | "target ldap" => TARGET_LDAP,
        "target dhcp" => TARGET_DHCP,
        "target rest" => TARGET_REST,
        "calibrate" => CALIBRATE,
        "quickstart" => QUICKSTART,
        "completions" => COMPLETIONS,
        "man" => MAN,
        _ => &[],
    }
}
