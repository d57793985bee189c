//! Process 1 of a sandbox: carries out the requests.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use super::accounts;
use super::configuration;
use super::configuration::directory389;
use super::connection::{Connection, Login};
use super::daemons::{Daemons, Listens, Start};
use super::etc;
use super::isolation;
use super::listing;
use super::provision::{self, Halt, Operation, Store};
use super::request::{Answer, Counted, Daemon, Ran, Request, Started, Statistics};
use super::sandbox_error::SandboxError;
use super::sandbox_paths::SandboxPaths;
use super::spec::{
    ADMIN, Backend, Cache, GROUPS, PASSWORD, PEOPLE, Reader, SUFFIX, Server, Source, Variant,
};
use super::tools;
use super::vitals;

/// How long a query tool of the system may take.
const TOOL: Duration = Duration::from_secs(300);
/// Where slapd counts the searches it has completed.
const SEARCHES: (&str, &str) = ("cn=Search,cn=Operations,cn=Monitor", "monitorOpCompleted");

/// The state of a sandbox.
#[derive(Debug)]
pub(super) struct Service {
    place: SandboxPaths,
    daemons: Daemons,
    backend: Option<Backend>,
    /// Searches of the directory that this process made itself, since the directory was started.
    own_searches: u64,
}

impl Service {
    /// A sandbox in which no daemon runs yet.
    pub(super) fn new(place: SandboxPaths) -> Self {
        Self { place, daemons: Daemons::default(), backend: None, own_searches: 0 }
    }

    /// Carries out a request.
    pub(super) fn carry_out(&mut self, request: Request) -> Result<Answer, SandboxError> {
        Ok(match request {
            Request::Start(backend) => Answer::Started(self.start(backend)?),
            Request::Insert { way, users } => {
                let (store, place) = (self.store()?, self.place.clone());
                let done =
                    provision::carry_out(Operation::Insert, way, &users, &store, &place, self)?;
                Answer::Provisioned(done)
            }
            Request::Delete { way, users } => {
                let (store, place) = (self.store()?, self.place.clone());
                let done =
                    provision::carry_out(Operation::Delete, way, &users, &store, &place, self)?;
                Answer::Provisioned(done)
            }
            Request::Sample { users, points, calls } => {
                let (store, place) = (self.store()?, self.place.clone());
                Answer::Sampled(provision::sample(&users, points, calls, &store, &place, self)?)
            }
            Request::Count => Answer::Counted(self.count()?),
            Request::MakeFiles { users, files } => {
                listing::make(&self.place, &users, files)?;
                Answer::Done
            }
            Request::List { numeric, limit_s } => {
                Answer::Listed(listing::list(&self.place, numeric, limit(limit_s))?)
            }
            Request::Resolve { words, limit_s } => {
                Answer::Ran(self.resolve(&words, limit(limit_s))?)
            }
            Request::Run { words, limit_s } => {
                let name = words.first().map_or("", String::as_str);
                let mut command = tools::command(&self.place.program(name)?);
                command.args(words.get(1..).unwrap_or_default());
                Answer::Ran(tools::run(command, &[], limit(limit_s))?)
            }
            Request::Restart(daemon) => {
                self.daemons.restart(daemon, &self.place)?;
                if daemon == Daemon::Directory {
                    self.own_searches = 0;
                }
                Answer::Done
            }
            Request::Pause(daemon) => self.daemons.pause(daemon, true).map(|()| Answer::Done)?,
            Request::Resume(daemon) => self.daemons.pause(daemon, false).map(|()| Answer::Done)?,
            Request::Statistics => Answer::Statistics(self.statistics()?),
        })
    }

    fn start(&mut self, backend: Backend) -> Result<Started, SandboxError> {
        self.daemons.stop_all();
        self.backend = None;
        etc::furnish(&self.place.etc)?;
        let mut started = Started::default();
        if let Source::Ldap { server, variant, .. } = &backend.source {
            match server {
                Server::Slapd => self.fill_slapd(variant)?,
                Server::DirectoryServer389 => self.fill_389(variant)?,
            }
            started.url = Some(self.place.url());
        }
        let sources = match &backend.source {
            Source::Files | Source::Ldap { reader: Reader::Nobody, .. } => "files",
            Source::Ldap { reader: Reader::Nslcd, .. } => "files ldap",
            Source::Ldap { reader: Reader::Sssd, .. } => "files sss",
        };
        if self.place.resolves() {
            etc::switch(&self.place.etc, sources, backend.switch.as_deref())?;
        } else if backend.source == Source::Files {
            started.notes.extend(isolation::unmasked());
        }
        self.backend = Some(backend);
        let done = self.start_daemons(&mut started).and_then(|()| self.found_389());
        if done.is_err() {
            self.daemons.stop_all();
            self.backend = None;
        }
        done.map(|()| started)
    }

    /// Creates an empty database with the top entries.
    fn fill_slapd(&self, variant: &Variant) -> Result<(), SandboxError> {
        let (root, database) = (&self.place.root, self.place.data.join("slapd"));
        let _ = fs::remove_dir_all(&database);
        fs::create_dir_all(&database).map_err(SandboxError::file("make", &database))?;
        let text = configuration::slapd::text(variant, &database, &root.join("slapd.pid"))?;
        let (config, base) = (root.join("slapd.conf"), root.join("base.ldif"));
        fs::write(&config, text).map_err(SandboxError::file("write", &config))?;
        fs::write(&base, configuration::slapd::base())
            .map_err(SandboxError::file("write", &base))?;
        let mut command = provision::slapadd(&self.place)?;
        command.arg("-l").arg(&base);
        tools::demand(command, &[], TOOL).map(|_| ())
    }

    /// Creates the files that a 389 Directory Server needs to start.
    fn fill_389(&self, variant: &Variant) -> Result<(), SandboxError> {
        self.in_isolation("389 Directory Server")?;
        let root = self.place.data.join("ds389");
        let _ = fs::remove_dir_all(&root);
        for name in ["config/schema", "db", "lock", "tmp", "run", "log"] {
            let path = root.join(name);
            fs::create_dir_all(&path).map_err(SandboxError::file("make", &path))?;
        }
        let template = Path::new(directory389::TEMPLATE);
        let template =
            fs::read_to_string(template).map_err(SandboxError::file("read", template))?;
        let dse = directory389::dse(&template, variant, &root, self.place.port)?;
        etc::write(&root, "config/dse.ldif", 0o600, &dse)?;
        etc::write(&root, "config/schema/99user.ldif", 0o600, directory389::SCHEMA)
    }

    /// Gives a new 389 Directory Server its database and first entries.
    fn found_389(&mut self) -> Result<(), SandboxError> {
        let Some(Source::Ldap { server: Server::DirectoryServer389, variant, .. }) =
            self.backend.as_ref().map(|backend| &backend.source)
        else {
            return Ok(());
        };
        let mut connection = Connection::open(&self.login())?;
        for (dn, attributes) in directory389::entries(variant) {
            connection.add_entry(&dn, &attributes)?;
        }
        // An index that was added to a running server is not used until the server is restarted.
        self.daemons.restart(Daemon::Directory, &self.place)?;
        let mut connection = Connection::open(&self.login())?;
        let suffix: [(&str, &[&str]); 3] = [
            ("objectClass", &["top", "domain"]),
            ("dc", &["bench"]),
            ("aci", &[directory389::ACCESS]),
        ];
        connection.add_entry(SUFFIX, &suffix)?;
        for (dn, ou) in [(PEOPLE, "people"), (GROUPS, "groups")] {
            let unit: [(&str, &[&str]); 2] =
                [("objectClass", &["organizationalUnit"]), ("ou", &[ou])];
            connection.add_entry(dn, &unit)?;
        }
        Ok(())
    }

    /// Starts the daemons of the backend, servers before their clients.
    fn start_daemons(&mut self, started: &mut Started) -> Result<(), SandboxError> {
        let Some(backend) = self.backend.clone() else { return Ok(()) };
        let mut starts = Vec::new();
        if let Source::Ldap { server, reader, .. } = &backend.source {
            starts.push(match server {
                Server::Slapd => (Daemon::Directory, self.slapd(), "-V"),
                Server::DirectoryServer389 => (Daemon::Directory, self.ns_slapd(), "-v"),
            });
            match reader {
                Reader::Nslcd => starts.push((Daemon::Nslcd, self.nslcd()?, "-V")),
                Reader::Sssd => starts.push((Daemon::Sssd, self.sssd()?, "--version")),
                Reader::Nobody => {}
            }
        }
        if let Some(cache) = &backend.cache {
            starts.push((Daemon::Nscd, self.nscd(cache)?, "-V"));
        }
        for (daemon, start, version) in starts {
            let program = start.program;
            let time = self.daemons.start(daemon, &start, &self.place)?;
            started.seconds.insert(daemon.name().to_owned(), time.as_secs_f64());
            started.versions.insert(program.to_owned(), self.version(program, version));
        }
        self.own_searches = 0;
        Ok(())
    }

    fn slapd(&self) -> Start {
        let config = self.place.root.join("slapd.conf").display().to_string();
        // Any level of debugging keeps slapd in the foreground; 0 prints nothing.
        let words = ["-f", &config, "-h", &self.place.url(), "-d", "0"];
        Start {
            program: "slapd",
            words: words.map(str::to_owned).to_vec(),
            listens: Listens::Port(self.place.port),
            forgets: Vec::new(),
        }
    }

    fn ns_slapd(&self) -> Start {
        let root = self.place.data.join("ds389");
        let at = |name: &str| root.join(name).display().to_string();
        let words = ["-D", &at("config"), "-i", &at("run/pid"), "-d", "0"];
        Start {
            program: "ns-slapd",
            words: words.map(str::to_owned).to_vec(),
            listens: Listens::Port(self.place.port),
            forgets: Vec::new(),
        }
    }

    fn nslcd(&self) -> Result<Start, SandboxError> {
        self.in_isolation("nslcd")?;
        etc::write(
            &self.place.etc,
            "nslcd.conf",
            0o600,
            &configuration::nslcd::text(&self.place.url()),
        )?;
        Ok(Start {
            program: "nslcd",
            words: vec!["-n".to_owned()],
            listens: Listens::Socket("/run/nslcd/socket".into()),
            forgets: vec!["/run/nslcd".into()],
        })
    }

    fn sssd(&self) -> Result<Start, SandboxError> {
        self.in_isolation("sssd")?;
        etc::write(
            &self.place.etc,
            "sssd/sssd.conf",
            0o600,
            &configuration::sssd::text(&self.place.url()),
        )?;
        let below = |name: &str| Path::new("/var/lib/sss").join(name);
        Ok(Start {
            program: "sssd",
            words: vec!["-i".to_owned()],
            listens: Listens::Socket(below("pipes/nss")),
            forgets: vec![below("pipes/nss"), below("db"), below("mc"), "/run/sssd.pid".into()],
        })
    }

    fn nscd(&self, cache: &Cache) -> Result<Start, SandboxError> {
        self.in_isolation("nscd")?;
        let (program, word, text) = match cache {
            Cache::Nscd(nscd) => ("nscd", "-F", configuration::nscd::text(nscd)),
            Cache::Unscd(nscd) => ("unscd", "-d", configuration::nscd::unscd(nscd)),
        };
        etc::write(&self.place.etc, "nscd.conf", 0o644, &text)?;
        Ok(Start {
            program,
            words: vec![word.to_owned()],
            listens: Listens::Socket("/run/nscd/socket".into()),
            forgets: vec!["/run/nscd".into(), "/var/cache/nscd".into(), "/var/db/nscd".into()],
        })
    }

    fn in_isolation(&self, daemon: &str) -> Result<(), SandboxError> {
        if self.place.resolves() {
            return Ok(());
        }
        Err(SandboxError::Unfit(format!(
            "start {daemon} without root or a user namespace: its socket would be the host's"
        )))
    }

    /// The version that a program reports: the first line of its output with a number that contains a point.
    fn version(&self, program: &str, word: &str) -> String {
        let Ok(path) = self.place.program(program) else { return String::new() };
        let mut command = tools::command(&path);
        command.arg(word);
        let Ok(ran) = tools::run(command, &[], Duration::from_secs(10)) else {
            return String::new();
        };
        let lines = ran.output.lines().chain(ran.complaints.lines());
        let line = lines
            .map(str::trim)
            .find(|line| line.contains(|c: char| c.is_ascii_digit()) && line.contains('.'));
        line.map(|line| line.trim_start_matches("@(#) ").to_owned()).unwrap_or_default()
    }

    fn store(&self) -> Result<Store, SandboxError> {
        match self.backend.as_ref().map(|backend| &backend.source) {
            Some(Source::Files) => Ok(Store::Files),
            Some(Source::Ldap { server, .. }) => {
                Ok(Store::Directory { login: self.login(), server: *server })
            }
            None => Err(SandboxError::Unfit(
                "find a backend in this environment: none was started".to_owned(),
            )),
        }
    }

    fn login(&self) -> Login {
        Login { port: self.place.port, dn: ADMIN, password: PASSWORD }
    }

    fn count(&mut self) -> Result<Counted, SandboxError> {
        let mut counted = Counted::default();
        if self.place.resolves() && !self.daemons.has(Daemon::Sssd) {
            counted.accounts = Some(self.listed("passwd")?);
            counted.groups = Some(self.listed("group")?);
        }
        match self.store()? {
            Store::Files => {
                let lines = |file| {
                    accounts::count(&self.place.etc, file)
                        .map_err(SandboxError::file("read", &self.place.etc))
                };
                counted.file_accounts = Some(lines("passwd")?);
                counted.file_groups = Some(lines("group")?);
            }
            Store::Directory { .. } => {
                counted.ldap_accounts = Some(self.found(PEOPLE, "(objectClass=posixAccount)")?);
                counted.ldap_groups = Some(self.found(GROUPS, "(objectClass=posixGroup)")?);
            }
        }
        Ok(counted)
    }

    /// How many users `getent` lists.
    fn listed(&mut self, database: &str) -> Result<u64, SandboxError> {
        let before = self.searches()?;
        let mut command = tools::command(&self.place.program("getent")?);
        command.arg(database);
        let ran = tools::demand(command, &[], TOOL)?;
        // The searches made by counting are not part of the measurement.
        if let (Some(before), Some(after)) = (before, self.searches()?) {
            self.own_searches += after.saturating_sub(before);
        }
        Ok(accounts::counted(&ran.output))
    }

    /// How many entries `ldapsearch` finds.
    fn found(&mut self, base: &str, filter: &str) -> Result<u64, SandboxError> {
        let mut command: Command = tools::command(&self.place.program("ldapsearch")?);
        command.args(["-x", "-LLL", "-H", &self.place.url(), "-D", ADMIN, "-w", PASSWORD]);
        command.args(["-s", "one", "-b", base, filter, "1.1"]);
        let ran = tools::demand(command, &[], TOOL)?;
        self.own_searches += 1;
        Ok(ran.output.lines().filter(|line| line.starts_with("dn:")).count() as u64)
    }

    fn resolve(&self, words: &[String], limit: Duration) -> Result<Ran, SandboxError> {
        let record = self.place.root.join("record.json");
        let _ = fs::remove_file(&record);
        let path = record.display().to_string();
        // A new process each time: a process that once found no cache tries again only after a hundred lookups.
        let mut command = tools::command(Path::new("/proc/self/exe"));
        command.args(words.iter().map(|word| word.replace("{record}", &path)));
        let mut ran = tools::run(command, &[], limit)?;
        ran.record = fs::read_to_string(&record).ok();
        Ok(ran)
    }

    /// Searches the directory has completed, less our own.
    fn searches(&mut self) -> Result<Option<u64>, SandboxError> {
        // slapd answers the search for this figure before it counts it; the other server has counted it already.
        let source = self.backend.as_ref().map(|backend| &backend.source);
        let ((entry, attribute), itself) = match source {
            Some(Source::Ldap { server: Server::Slapd, .. }) => (SEARCHES, 0),
            Some(Source::Ldap { server: Server::DirectoryServer389, .. }) => {
                (directory389::MONITOR, 1)
            }
            _ => return Ok(None),
        };
        if !self.daemons.has(Daemon::Directory) {
            return Ok(None);
        }
        let mut connection = Connection::open(&self.login())?;
        let value = connection.value(entry, attribute)?;
        let all: Option<u64> = value.and_then(|value| value.parse().ok());
        let others = all.map(|all| all.saturating_sub(self.own_searches + itself));
        self.own_searches += 1;
        Ok(others)
    }

    fn statistics(&mut self) -> Result<Statistics, SandboxError> {
        let daemons = self.daemons.running();
        let daemons = daemons.map(|(daemon, pid)| (daemon.name().to_owned(), vitals::usage(pid)));
        let daemons = daemons.collect();
        let nscd = if self.has_glibc_nscd() {
            let mut command = tools::command(&self.place.program("nscd")?);
            command.arg("-g");
            Some(vitals::nscd_tables(&tools::demand(command, &[], TOOL)?.output))
        } else {
            None
        };
        let synced = vitals::synced(&self.place.data);
        let mut synced = synced.map_err(SandboxError::file("synchronise", &self.place.data))?;
        Ok(Statistics {
            daemons,
            searches: self.searches()?,
            nscd,
            fsync: provision::spread(&mut synced),
            load: vitals::load(),
        })
    }

    fn has_glibc_nscd(&self) -> bool {
        matches!(self.backend, Some(Backend { cache: Some(Cache::Nscd(_)), .. }))
    }
}

impl Halt for Service {
    fn while_stopped(
        &mut self,
        work: &mut dyn FnMut(&SandboxPaths) -> Result<(), SandboxError>,
    ) -> Result<(), SandboxError> {
        // Daemons with connections to the directory would find them broken afterwards.
        self.daemons.stop_all();
        let done = work(&self.place);
        self.start_daemons(&mut Started::default())?;
        done
    }
}

fn limit(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds).unwrap_or(TOOL)
}
