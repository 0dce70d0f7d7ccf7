//! The environment of a chain's runs: the debuggee's template, its class files and its sources.

use crate::class_path::class_path_of_script;
use crate::error::SessionError;
use chain::{self, Chain};
use classes::{ClassPaths, ClassPool, DefaultScope, LaunchCommand, SourceEncoding, SourceRoots, java_agent};
use debuggee::{DebuggeeError, Forward, Ready, Remote, Script, Settings, Stdin, StdinRecording, Template};
use files::TemporaryFolder;
use run::{RunReport, VmFacts};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// Default maximum duration of one run, in seconds.
const TIMEOUT_S: u64 = 300;
/// Ten years. A longer limit means none, since clocks can overflow.
const LONGEST_S: u64 = 10 * 365 * 24 * 60 * 60;

/// The environment of a chain's runs.
pub struct Workspace {
    template: Arc<Template>,
    cwd: PathBuf,
    sources: Vec<PathBuf>,
    source_encoding: Option<SourceEncoding>,
    classes: Vec<PathBuf>,
    /// The classes compiled from `X.java` for `java X.java`, and that file's modification time. Removed with
    /// the workspace.
    compiled: RefCell<Option<(TemporaryFolder, Option<SystemTime>)>>,
    /// Class files as Java agents have rewritten them in a run, by binary name.
    loaded: RefCell<BTreeMap<String, Vec<u8>>>,
    /// The modification time of the script whose classes are known, if that is one.
    script: RefCell<Option<Option<SystemTime>>>,
}

impl Workspace {
    /// Checks the debuggee and reads its standard input. If the chain names no `stdin`, the input is
    /// `recorded`, or empty.
    pub fn open(
        chain: &Chain,
        timeout_s: Option<u64>,
        recorded: Option<StdinRecording>,
    ) -> Result<Workspace, SessionError> {
        let debuggee = &chain.debuggee;
        let cwd = chain.cwd();
        let some = |command: &Vec<String>| (!command.is_empty()).then(|| command.clone());
        let remote = debuggee.address().map(|chain::Address { host, port }| Remote {
            host,
            port,
            classes: debuggee.classes.clone(),
        });
        let command = if remote.is_some() { &debuggee.relaunch } else { &debuggee.command };
        let mut settings = Settings::new(command.clone(), cwd.clone());
        settings.remote = remote;
        settings.stand_in.clone_from(&debuggee.stand_in);
        settings.env = debuggee.env.iter().map(|(k, v)| (k.clone(), v.clone())).collect();
        if let Some(file) = &debuggee.stdin {
            let path = cwd.join(file);
            let bytes = std::fs::read(&path)
                .map_err(|source| SessionError::Stdin { path: path.display().to_string(), source })?;
            settings.stdin = Stdin::Bytes(bytes.into());
        } else if let (Some(recording), None) = (recorded, &settings.remote) {
            settings.stdin = Stdin::Recorded(recording);
        }
        settings.build = some(&debuggee.build);
        settings.before_run = some(&debuggee.before_run);
        settings.drive = some(&debuggee.drive);
        settings.ready = match &debuggee.ready {
            Some(chain::Ready::Port(port)) => Some(Ready::Port(*port)),
            Some(chain::Ready::Output(pattern)) => Some(Ready::output(pattern)?),
            None => None,
        };
        settings.jvm.clone_from(&debuggee.jvm);
        settings.pins.clone_from(&debuggee.pins);
        settings.sources.clone_from(&debuggee.sources);
        let timeout_s = timeout_s.or(debuggee.timeout_s).unwrap_or(TIMEOUT_S);
        settings.timeout = Duration::from_secs(timeout_s.min(LONGEST_S));
        let template = Arc::new(Template::new(settings)?);
        let (sources, classes) = (debuggee.sources.clone(), debuggee.classes.clone());
        let source_encoding = debuggee.source_encoding;
        Ok(Workspace {
            template,
            cwd,
            sources,
            source_encoding,
            classes,
            compiled: RefCell::default(),
            loaded: RefCell::default(),
            script: RefCell::default(),
        })
    }

    /// The debuggee.
    pub fn template(&self) -> &Arc<Template> {
        &self.template
    }

    /// Builds the debuggee, unless it is unchanged.
    pub async fn build(&self, output: Option<Forward>) -> Result<(), SessionError> {
        self.template.build(output).await?;
        let Some(file) = self.template.source_file()? else { return Ok(()) };
        let written = std::fs::metadata(self.cwd.join(file)).and_then(|m| m.modified()).ok();
        let known = self.compiled.borrow().as_ref().is_some_and(|(_, then)| *then == written);
        if !known && let Some(folder) = self.template.compile_source().await? {
            *self.compiled.borrow_mut() = Some((folder, written));
        }
        Ok(())
    }

    /// Whether no build is needed before a run.
    pub fn is_built(&self) -> bool {
        self.template.is_built() && self.template.source_file().is_ok_and(|file| file.is_none())
    }

    /// The class files: those of the `java` command or as reported by a wrapper's VM, then those named in the
    /// chain. For a remote program only the latter, and the runtime image of the `java` on the path.
    pub fn pool(&self, facts: Option<&VmFacts>) -> Result<ClassPool, SessionError> {
        if self.is_remote() {
            return Ok(ClassPool::open(&ClassPaths {
                class_path: self.classes.clone(),
                ..self.local_java()?
            })?
            .with_sources(self.sources()));
        }
        let mut paths = match (self.template.launch_command()?, facts) {
            (LaunchCommand::Java(java), _) => {
                let mut paths = ClassPaths::of(&java, &self.cwd);
                if let (None, Some(facts)) = (&paths.java_home, facts) {
                    paths.java_home.clone_from(&facts.java_home);
                }
                paths
            }
            (LaunchCommand::Wrapper { .. }, Some(facts)) => ClassPaths {
                cwd: facts.base_dir.clone(),
                class_path: facts.class_path.clone(),
                java_home: facts.java_home.clone(),
                ..ClassPaths::default()
            },
            (LaunchCommand::Wrapper { .. }, None) => self.guessed_paths(),
        };
        let of_script = match self.template.launch_command()? {
            LaunchCommand::Wrapper { .. } => {
                class_path_of_script(&self.template.settings().command, &self.cwd)
            }
            LaunchCommand::Java(_) => Vec::new(),
        };
        let more = self.classes.iter().chain(&of_script).map(|path| {
            // The VM of a wrapper may run in another folder.
            if paths.cwd == self.cwd { path.clone() } else { self.cwd.join(path) }
        });
        paths.class_path.extend(more.collect::<Vec<_>>());
        if let Some((folder, _)) = self.compiled.borrow().as_ref() {
            paths.class_path.insert(0, folder.path().to_owned());
        }
        paths.agents.extend(self.template.settings().jvm.iter().filter_map(|option| java_agent(option)));
        let mut pool = ClassPool::open(&paths)?.with_sources(self.sources());
        pool.use_loaded(self.loaded.borrow().iter());
        if facts.is_some() && matches!(self.template.launch_command()?, LaunchCommand::Wrapper { .. }) {
            // A build tool's class path can be a temporary jar that names the real one, and is deleted at the
            // end of the run.
            pool.places();
        }
        Ok(pool)
    }

    /// What is recorded by default, given the class files.
    pub fn default_scope(&self, pool: &ClassPool) -> DefaultScope {
        match self.template.script() {
            Some(script) => pool.code_owners().scope_of_script(script.language.classes, script.summary()),
            None => pool.code_owners().default_scope(),
        }
    }

    /// The script that the command runs, if its classes are not known, or those of an older text. It is
    /// returned once.
    pub fn script_to_learn(&self) -> Option<Script> {
        let script = self.template.script().filter(|_| !self.is_remote())?;
        let file = script.file.as_ref().map(|file| self.cwd.join(file));
        let written = file.and_then(|file| std::fs::metadata(file).ok()?.modified().ok());
        let is_known = self.script.borrow().is_some_and(|known| known == written);
        *self.script.borrow_mut() = Some(written);
        if is_known {
            return None;
        }
        self.loaded.borrow_mut().clear();
        Some(script)
    }

    /// A folder for a run that tells the classes of a script, and an empty file in it for what it tells.
    ///
    /// # Errors
    /// They cannot be created.
    pub fn script_folder(&self) -> Result<(TemporaryFolder, PathBuf), SessionError> {
        let made = TemporaryFolder::new("querypoint-script-").and_then(|folder| {
            let report = folder.path().join("classes.jsonl");
            std::fs::write(&report, "").map(|()| (folder, report))
        });
        Ok(made.map_err(DebuggeeError::TemporaryFolder)?)
    }

    /// Takes over the classes that Java agents have rewritten in a run. Returns their names, if some are
    /// new.
    pub fn learn_loaded(&self, report: &RunReport) -> Option<String> {
        let mut loaded = self.loaded.borrow_mut();
        let new: Vec<&str> =
            report.loaded.keys().map(String::as_str).filter(|name| !loaded.contains_key(*name)).collect();
        let names = new.join(", ");
        let is_new = !new.is_empty();
        loaded.extend(report.loaded.iter().map(|(name, bytes)| (name.clone(), bytes.clone())));
        is_new.then_some(names)
    }

    /// A guess at the classes of a wrapper's VM before any run: from a `java` command among the wrapper's
    /// arguments, otherwise the runtime image of the `java` on the path.
    fn guessed_paths(&self) -> ClassPaths {
        let variable = |name: &str| self.template.variable(name);
        let command = &self.template.settings().command;
        let is_java = |word: &String| Path::new(word).file_name().is_some_and(|name| name == "java");
        let inner = command.iter().position(is_java).and_then(|at| command.get(at..)).map(<[_]>::to_vec);
        // Without a command, any class name will do: only the launcher's home matters.
        let command = inner.unwrap_or_else(|| vec!["java".to_owned(), "Main".to_owned()]);
        match LaunchCommand::parse(&command, &self.cwd, &variable) {
            Ok(LaunchCommand::Java(java)) => ClassPaths::of(&java, &self.cwd),
            _ => ClassPaths { cwd: self.cwd.clone(), ..ClassPaths::default() },
        }
    }

    /// Only the runtime image of the `java` on the path.
    fn local_java(&self) -> Result<ClassPaths, SessionError> {
        // Any class name will do: only the launcher's home matters.
        let command = ["java".to_owned(), "Main".to_owned()];
        let parsed = LaunchCommand::parse(&command, &self.cwd, &|name| self.template.variable(name));
        let java_home = match parsed.map_err(DebuggeeError::from)? {
            LaunchCommand::Java(java) => java.java_home,
            LaunchCommand::Wrapper { .. } => None,
        };
        Ok(ClassPaths { cwd: self.cwd.clone(), java_home, copies: true, ..ClassPaths::default() })
    }

    fn is_remote(&self) -> bool {
        self.template.settings().remote.is_some()
    }

    /// Whether the classes are known before the first run.
    pub fn knows_classes(&self) -> Result<bool, SessionError> {
        Ok(self.is_remote() || matches!(self.template.launch_command()?, LaunchCommand::Java(_)))
    }

    /// The sources.
    pub fn sources(&self) -> SourceRoots {
        let java_home = match self.template.launch_command() {
            Ok(LaunchCommand::Java(java)) => java.java_home,
            _ if self.is_remote() => self.local_java().ok().and_then(|paths| paths.java_home),
            _ => None,
        };
        let roots = if self.sources.is_empty() { vec![PathBuf::from(".")] } else { self.sources.clone() };
        SourceRoots::open(&roots, &self.cwd, java_home.as_deref()).encoded(self.source_encoding)
    }
}

/// The class files of one run, reused if they cannot change.
#[derive(Clone, Default)]
pub struct Pools {
    /// With the number of its classes that Java agents have rewritten.
    known: Option<(Rc<ClassPool>, usize)>,
}

impl Pools {
    /// The class files of a run.
    pub fn of(&mut self, workspace: &Workspace, facts: &VmFacts) -> Result<Rc<ClassPool>, SessionError> {
        let rewritten = workspace.loaded.borrow().len();
        if let Some((pool, _)) = self.known.as_ref().filter(|(_, known)| *known == rewritten) {
            return Ok(pool.clone());
        }
        let pool = Rc::new(workspace.pool(Some(facts))?);
        if workspace.knows_classes()? {
            self.known = Some((pool.clone(), rewritten));
        }
        Ok(pool)
    }
}
