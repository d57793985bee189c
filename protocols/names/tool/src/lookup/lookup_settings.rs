//! [`LookupSettings`]: a command line of `brunt names lookup`, with every choice made.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use brunt_engine::{Load, Settings};
use brunt_feed::{Files, file};
use brunt_ldap_wire::request::Scope;
use brunt_names_driver::{
    AccessPaths, Directory, DirectoryError, DirectorySearch, Distribution, NSCD_SOCKET,
    NSLCD_SOCKET, Part, Questions, QuestionsError,
};
use brunt_net::Network;
use brunt_net::keystore::Store;
use brunt_net::secret::Secret;
use brunt_net::tls;
use brunt_run::console;
use brunt_run::options::arrivals::Rate;
use brunt_run::options::load_options::LoadOptions;
use brunt_run::options::resend::Resending;
use brunt_run::options::run_options::NodeError;
use brunt_run::options::spelled::ToolSpelling as _;
use brunt_run::schedules::LoadError;
use brunt_run::share::{self, ShareError};

use super::known::{Known, OriginError};
use super::sources::{self, Probe};
use crate::options::lookup::{
    DirectoryArgs, LookupArgs, LookupLoad, Lookups, ScopeChoice, Through, USUAL_RATE, USUAL_THREADS,
};

/// How long to run if nothing else is given.
const USUAL: Duration = Duration::from_secs(10);
/// A thread that was left behind gives up this much later than the run did.
const GRACE: Duration = Duration::from_secs(1);

/// A command line with every choice made.
pub(super) struct LookupSettings {
    pub questions: Arc<Questions>,
    pub paths: AccessPaths,
    pub settings: Settings,
    /// The target, for the record.
    pub target: String,
    /// Notes for the user before the run begins.
    pub notes: Vec<String>,
    /// The keys that each source is queried for afterwards.
    pub probes: Vec<Probe>,
}

/// Why a command line makes no lookups. It reads after "failed to".
#[derive(Debug, thiserror::Error)]
pub(super) enum LookupError {
    #[error("use --socket: it needs --through nscd or --through nslcd")]
    Socket,
    #[error("use --source: it needs --through nss")]
    Source,
    #[error(
        "use --think: it needs --unlimited, because lookups that become due at a rate do not wait for an answer"
    )]
    Think,
    #[error("use --resend: it needs --through ldap, because no other layer keeps connections open")]
    Resend,
    #[error("query a directory: add --url")]
    NoUrl,
    #[error("use --url: it needs --through ldap")]
    Url,
    #[error(transparent)]
    Keys(#[from] OriginError),
    #[error("{0}")]
    Questions(#[from] QuestionsError),
    #[error("read {}: {source}", path.display())]
    Password { path: PathBuf, source: io::Error },
    #[error("read {}: it contains no password", .0.display())]
    NoPassword(PathBuf),
    #[error("{0}")]
    Directory(#[from] DirectoryError),
    // This error is a whole sentence, while every other reason only completes one.
    #[error("plan the load: {}", .0.to_string().replace("failed to ", "cannot "))]
    Load(#[from] LoadError),
    #[error(transparent)]
    Node(#[from] NodeError),
    #[error(transparent)]
    Share(#[from] ShareError),
}

impl LookupSettings {
    /// Reads the command line, and finds the keys to look up.
    pub(super) fn new(args: &LookupArgs, network: &Network) -> Result<Self, LookupError> {
        check(args)?;
        let seed = args.output.seed.unwrap_or_else(console::seed);
        let paths = paths(args, network)?;
        let known = Known::new(args, network.files())?;
        let parts: Vec<Part> = args
            .by
            .iter()
            .map(|(by, weight)| Part { by: *by, weight: *weight, keys: known.for_kind(*by) })
            .collect();
        let distribution = args.distribution.unwrap_or(Distribution::Uniform);
        let questions = Questions::new(&parts, distribution, args.negative, seed)?;
        let mut settings = settings((&args.load, network.files()), distribution, &questions)?;
        settings.interval = args.output.interval.unwrap_or(settings.interval);
        settings.seed = seed;
        let node = share::requested(&args.output.run, args.output.seed)?;
        let settings = share::divided(settings, node, 1)?;
        let probes = sources::probes(args, &parts);
        Ok(Self {
            questions: Arc::new(questions),
            target: target(args),
            paths,
            settings,
            notes: notes(args, known.notes),
            probes,
        })
    }
}

/// Refuses options that have a meaning only for other access paths, instead of ignoring them.
fn check(args: &LookupArgs) -> Result<(), LookupError> {
    let (through, directory) = (args.through, &args.directory);
    if args.socket.is_some() && !matches!(through, Through::Nscd | Through::Nslcd) {
        return Err(LookupError::Socket);
    }
    if args.source.is_some() && through != Through::Nss {
        return Err(LookupError::Source);
    }
    if args.load.options.think.is_some() && !args.load.unlimited {
        return Err(LookupError::Think);
    }
    if directory.resend != Resending::default() && through != Through::Ldap {
        return Err(LookupError::Resend);
    }
    match (&directory.url, through) {
        (None, Through::Ldap) => Err(LookupError::NoUrl),
        (Some(_), Through::Nss | Through::Nscd | Through::Nslcd) => Err(LookupError::Url),
        _ => Ok(()),
    }
}

fn paths(args: &LookupArgs, network: &Network) -> Result<AccessPaths, LookupError> {
    let limit = args.load.options.timeout.filter(|limit| !limit.is_zero());
    let patience = limit.map(|limit| limit + GRACE);
    let socket = |usual: &'static str| args.socket.as_deref().unwrap_or(Path::new(usual)).into();
    Ok(match args.through {
        Through::Nss => AccessPaths::Nss,
        Through::Nscd => AccessPaths::Nscd { socket: socket(NSCD_SOCKET), timeout: patience },
        Through::Nslcd => AccessPaths::Nslcd { socket: socket(NSLCD_SOCKET), timeout: patience },
        Through::Ldap => AccessPaths::Ldap {
            directory: Arc::new(directory(&args.directory, network)?),
            timeout: patience,
            resend: args.directory.resend.into(),
        },
    })
}

fn directory(args: &DirectoryArgs, network: &Network) -> Result<Directory, LookupError> {
    let search = |base: &Option<String>, filter: &str| DirectorySearch {
        base: base.clone().unwrap_or_else(|| args.base.clone()),
        scope: match args.scope {
            ScopeChoice::Base => Scope::Base,
            ScopeChoice::One => Scope::One,
            ScopeChoice::Sub => Scope::Subtree,
        },
        filter: filter.to_owned(),
    };
    let users = search(&args.users_base, &args.users_filter);
    let groups = search(&args.groups_base, &args.groups_filter);
    let bind = match (&args.bind_dn, &args.bind_password_file) {
        (Some(dn), Some(path)) => {
            let text = network
                .files()
                .read_secret(path, file::WRITTEN_MAX)
                .and_then(|bytes| String::from_utf8(bytes).map_err(io::Error::other))
                .map_err(|source| LookupError::Password { path: path.clone(), source })?;
            let password = text.trim_end_matches(['\r', '\n']);
            if password.is_empty() {
                return Err(LookupError::NoPassword(path.clone()));
            }
            Some((dn.clone(), Secret::from(password)))
        }
        _ => None,
    };
    let secured = || {
        let trust = match (&args.cacert, args.insecure) {
            (_, true) => tls::Trust::Anything,
            (Some(path), _) => {
                tls::Trust::Stores(vec![Store { path: path.clone(), password: None }])
            }
            (None, false) => tls::Trust::System,
        };
        tls::Client::new(&tls::Options { trust, ..tls::Options::default() }, network.files())
    };
    let url = args.url.as_deref().unwrap_or_default();
    Ok(Directory::new(network, url, bind, &users, &groups, secured)?)
}

fn settings(
    (load, files): (&LookupLoad, &Files),
    distribution: Distribution,
    questions: &Questions,
) -> Result<Settings, LoadError> {
    let mut options = LoadOptions::clone(&load.options);
    if options.arrivals() == Rate::Unlimited && !load.unlimited {
        options.rate = Some(USUAL_RATE.into());
    }
    let shape = options.load(Lookups::SPELLING, files)?;
    let ends = matches!(&shape, Load::Open(schedule) if schedule.lasting().is_some());
    let once = distribution == Distribution::Once && options.duration.is_none();
    options.count = options.count.or_else(|| once.then(|| questions.each_once()));
    if options.count.is_none() && options.duration.is_none() && !ends {
        options.duration = Some(USUAL);
    }
    // A thread makes one lookup at a time, so threads are sessions; each has a worker of its own.
    let threads = options.workers.take().unwrap_or(USUAL_THREADS);
    Ok(options.settings(shape, threads))
}

fn target(args: &LookupArgs) -> String {
    let socket = |usual: &str| {
        args.socket.as_ref().map_or_else(|| usual.to_owned(), |path| path.display().to_string())
    };
    match args.through {
        Through::Nss => match &args.source {
            Some(sources) => format!("the C library with {sources} only"),
            None => "the name service of this machine".to_owned(),
        },
        Through::Nscd => format!("nscd at {}", socket(NSCD_SOCKET)),
        Through::Nslcd => format!("nslcd at {}", socket(NSLCD_SOCKET)),
        Through::Ldap => args.directory.url.clone().unwrap_or_default(),
    }
}

fn notes(args: &LookupArgs, mut notes: Vec<String>) -> Vec<String> {
    let load = &args.load;
    if load.options.arrivals() == Rate::Unlimited && !load.unlimited {
        notes.push(format!(
            "the rate is {USUAL_RATE} lookups per second by default; --rate sets another one, --unlimited removes the \
             limit"
        ));
    }
    if args.directory.insecure {
        notes.push("the server's certificate is not verified because of --insecure".to_owned());
    }
    notes
}

#[cfg(test)]
mod tests {
    use super::*;
    use brunt_engine::ThinkTime;
    use brunt_names_driver::By;
    use brunt_run::options::arrivals::Arrival;

    fn args() -> LookupArgs {
        LookupArgs {
            by: vec![(By::Uid, 1), (By::Gid, 1)],
            keys: "100-199".to_owned(),
            load: LookupLoad {
                options: LoadOptions { workers: Some(2), ..LoadOptions::default() }.into(),
                ..LookupLoad::default()
            },
            directory: DirectoryArgs {
                users_filter: "(a=b)".to_owned(),
                groups_filter: "(a=b)".to_owned(),
                ..DirectoryArgs::default()
            },
            ..LookupArgs::default()
        }
    }

    fn settings_of(args: &LookupArgs) -> Result<LookupSettings, LookupError> {
        LookupSettings::new(args, &Network::private())
    }

    fn error(args: &LookupArgs) -> String {
        settings_of(args).err().unwrap().to_string()
    }

    #[test]
    fn rate_defaults_to_the_usual_limit() {
        let wanted = settings_of(&args()).unwrap();
        let Load::Open(schedule) = &wanted.settings.load else { panic!("{:?}", wanted.settings) };
        assert_eq!(schedule.peak_per_second(), Some(USUAL_RATE));
        assert_eq!(wanted.settings.stop.time, Some(USUAL));
        assert!(wanted.notes[0].contains("1000 lookups per second"), "{:?}", wanted.notes);
        let mut unlimited = args();
        unlimited.load.unlimited = true;
        let wanted = settings_of(&unlimited).unwrap();
        assert!(matches!(wanted.settings.load, Load::Closed(_)) && wanted.notes.is_empty());
    }

    #[test]
    fn once_ends_when_every_key_was_looked_up() {
        let once = |lookups, duration| {
            let mut args = args();
            args.distribution = Some(Distribution::Once);
            (args.load.options.count, args.load.options.duration) = (lookups, duration);
            let stop = settings_of(&args).unwrap().settings.stop;
            (stop.count, stop.time)
        };
        assert_eq!(once(None, None), (Some(200), None));
        assert_eq!(once(Some(10), None), (Some(10), None));
        let second = Some(Duration::from_secs(1));
        assert_eq!(once(None, second), (None, second));
    }

    #[test]
    fn load_options_reach_the_engine() {
        let mut given = args();
        let options = LoadOptions {
            backlog: Some(7),
            drain: Some(Duration::from_secs(3)),
            arrival: Some(Arrival::Poisson),
            rate: "90/m".parse().ok(),
            warm_up: Some(Duration::from_secs(2)),
            ..LoadOptions::clone(&given.load.options)
        };
        given.load.options = options.into();
        let Settings { load, sessions, backlog, drain, warm_up, .. } =
            settings_of(&given).unwrap().settings;
        let Load::Open(schedule) = load else { panic!("it has a rate") };
        assert_eq!((schedule.peak_per_second(), sessions), (Some(1.5), 2));
        assert_eq!((backlog, drain), (Some(7), Some(Duration::from_secs(3))));
        assert_eq!(warm_up, Duration::from_secs(2));
        let mut closed = args();
        closed.load.options.think = Some("10ms".to_owned());
        assert!(error(&closed).contains("--unlimited"));
        closed.load.unlimited = true;
        let think = ThinkTime::Constant(Duration::from_millis(10));
        assert_eq!(settings_of(&closed).unwrap().settings.load, Load::Closed(think));
    }

    #[test]
    fn options_of_another_access_path_are_refused() {
        let mut socket = args();
        socket.socket = Some("/x".into());
        assert!(error(&socket).contains("--through nscd"));
        let mut url = args();
        url.directory.url = Some("ldap://h".to_owned());
        assert!(error(&url).contains("--through ldap"));
        let mut source = args();
        (source.source, source.through) = (Some("files".to_owned()), Through::Nscd);
        assert!(error(&source).contains("--through nss"));
        let mut directory = args();
        directory.through = Through::Ldap;
        assert!(error(&directory).contains("--url"));
        directory.directory.url = Some("h".to_owned());
        assert!(error(&directory).contains("ldap://HOST"));
        let mut nameless = args();
        nameless.by = vec![(By::User, 1)];
        assert!(error(&nameless).contains("pattern"));
    }
}
