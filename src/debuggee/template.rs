//! How a debuggee is launched: everything a chain says about it, checked once and launched any number of
//! times.

use super::agent::{Agent, quoted};
use super::build::{self, BuildOutcome};
use super::error::{DebuggeeError, Step};
use super::group::{Group, Spec};
use super::guardian::Guardian;
use super::output::{Forward, Output};
use super::peer::JvmPattern;
use super::ready::Ready;
use super::remote::Remote;
use super::running::Running;
use super::stdin::Stdin;
use crate::classes::{JavaCommandError, LaunchCommand, Main, find_program};
use crate::files::TemporaryFolder;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// What a chain or a command line says about the debuggee (DESIGN §6).
#[derive(Clone, Debug)]
pub struct Settings {
    /// The program and its arguments: `java …`, or any command that starts a JVM. With `remote`, what has
    /// that program start anew.
    pub command: Vec<String>,
    /// The program, if it is not the command's.
    pub remote: Option<Remote>,
    /// Working directory of every command.
    pub cwd: PathBuf,
    /// Variables added to `qp`'s own environment.
    pub env: Vec<(String, String)>,
    /// What the program reads.
    pub stdin: Stdin,
    /// Builds the program; before the first launch.
    pub build: Option<Vec<String>>,
    /// Resets the world; before every launch.
    pub before_run: Option<Vec<String>>,
    /// Operates the program while it runs.
    pub drive: Option<Vec<String>>,
    /// When `drive` may begin; none: at once. With it the program is asked to end once `drive` has.
    pub ready: Option<Ready>,
    /// Which JVM of the process tree is meant: a main class (binary or simple name), or a regular expression
    /// on the command line.
    pub jvm: Option<String>,
    /// Folders that hold the sources, relative to `cwd`; without any, `cwd` itself.
    pub sources: Vec<PathBuf>,
    /// The folder where successful builds are remembered; `None` for `querypoint/builds` in the user's cache
    /// folder.
    pub cache: Option<PathBuf>,
    /// How long one run may take, connecting included.
    pub timeout: Duration,
}

impl Settings {
    /// A command in a folder, with no input and a minute of time.
    pub fn new(command: Vec<String>, cwd: PathBuf) -> Settings {
        Settings {
            command,
            remote: None,
            cwd,
            env: Vec::new(),
            stdin: Stdin::Null,
            build: None,
            before_run: None,
            drive: None,
            ready: None,
            jvm: None,
            sources: Vec::new(),
            cache: None,
            timeout: Duration::from_secs(60),
        }
    }
}

impl Settings {
    /// What the command is called in a chain.
    fn own_step(&self) -> Step {
        if self.remote.is_some() { Step::Relaunch } else { Step::Command }
    }
}

/// A debuggee that can be launched. Its runs must not overlap: ending one ends what carries the template's
/// mark. For runs side by side make a template each.
#[derive(Debug)]
pub struct Template {
    settings: Settings,
    jvm: Option<JvmPattern>,
    mark: String,
    guardian: Arc<Guardian>,
}

/// Build tools that run programs in a daemon unless told not to, with what tells them.
const DAEMONS: [(&str, &[&str], &str); 3] = [
    ("gradle", &["--no-daemon", "-Dorg.gradle.daemon=false"], "--no-daemon"),
    ("gradlew", &["--no-daemon", "-Dorg.gradle.daemon=false"], "--no-daemon"),
    ("mvnd", &["-Dmvnd.noDaemon=true"], "-Dmvnd.noDaemon=true"),
];

impl Template {
    /// Checks what can be checked before anything is built: the folder, the patterns, daemons, empty
    /// commands.
    ///
    /// # Errors
    /// [`DebuggeeError`] names the field and what to write instead.
    pub fn new(settings: Settings) -> Result<Template, DebuggeeError> {
        static TEMPLATES: AtomicU32 = AtomicU32::new(0);
        if !settings.cwd.is_dir() {
            return Err(DebuggeeError::NoCwd(settings.cwd));
        }
        for (step, command) in [
            (settings.own_step(), Some(&settings.command)),
            (Step::Build, settings.build.as_ref()),
            (Step::BeforeRun, settings.before_run.as_ref()),
            (Step::Drive, settings.drive.as_ref()),
        ] {
            let Some(command) = command else { continue };
            let Some(program) = command.first() else { return Err(DebuggeeError::Empty(step)) };
            let name = Path::new(program).file_stem().and_then(|n| n.to_str()).unwrap_or_default();
            let daemon = DAEMONS
                .iter()
                .find(|(tool, ..)| *tool == name && ![Step::Build, Step::Relaunch].contains(&step));
            if let Some((_, off, flag)) = daemon
                && !command.iter().any(|arg| off.contains(&arg.as_str()))
            {
                return Err(DebuggeeError::Daemon { program: program.clone(), flag });
            }
        }
        let pattern = |text: &String| {
            JvmPattern::parse(text).map_err(|reason| DebuggeeError::BadJvm { pattern: text.clone(), reason })
        };
        let jvm = settings.jvm.as_ref().map(pattern).transpose()?;
        // Of one length for all templates, so that the size of the environment does not differ.
        let mark = format!("{:08x}{:08x}", std::process::id(), TEMPLATES.fetch_add(1, Ordering::Relaxed));
        Ok(Template { settings, jvm, mark, guardian: Arc::default() })
    }

    /// What the template was made from.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    pub(super) fn jvm(&self) -> Option<&JvmPattern> {
        self.jvm.as_ref()
    }

    /// A variable of the environment that the debuggee runs with.
    pub fn variable(&self, name: &str) -> Option<String> {
        let own = self.settings.env.iter().rev().find(|(n, _)| n == name).map(|(_, value)| value.clone());
        own.or_else(|| std::env::var(name).ok())
    }

    /// What the command is, for its class path. A `java` that does not run what `jvm` means is a wrapper: it
    /// starts the VM that is meant. To be asked after [`Template::build`]: the jar of `-jar` is read.
    ///
    /// # Errors
    /// When the program does not exist, or `java` would refuse the command.
    pub fn launch_command(&self) -> Result<LaunchCommand, DebuggeeError> {
        let settings = &self.settings;
        if settings.remote.is_some() {
            // Whatever it is, it is not the program.
            let program = settings.command.first().map(PathBuf::from).unwrap_or_default();
            return Ok(LaunchCommand::Wrapper { program });
        }
        let command = LaunchCommand::parse(&settings.command, &settings.cwd, &|name| self.variable(name))?;
        Ok(match (command, &self.jvm) {
            (LaunchCommand::Java(java), Some(jvm)) if !jvm.is_of(&java.main, &settings.command) => {
                LaunchCommand::Wrapper { program: java.java }
            }
            (command, _) => command,
        })
    }

    /// Runs `build`, unless the command, the sources and what it built are as they were after it last
    /// succeeded. The record of that is in [`Settings::cache`], by default `querypoint/builds` in
    /// `XDG_CACHE_HOME` or `~/.cache`.
    ///
    /// # Errors
    /// When the build cannot be started or fails.
    pub async fn build(&self, forward: Option<Forward>) -> Result<BuildOutcome, DebuggeeError> {
        let Some(command) = &self.settings.build else { return Ok(BuildOutcome::Nothing) };
        let record = build::Record::of(self, command);
        if record.is_current() {
            return Ok(BuildOutcome::Skipped);
        }
        let started = Instant::now();
        self.step(Step::Build, command, forward, None).await?;
        record.keep(self);
        Ok(BuildOutcome::Built(started.elapsed()))
    }

    /// Whether [`Template::build`] would run nothing.
    pub fn is_built(&self) -> bool {
        self.settings.build.as_ref().is_none_or(|command| build::Record::of(self, command).is_current())
    }

    /// The file of `java X.java`; none where `java` runs classes.
    ///
    /// # Errors
    /// As [`Template::launch_command`].
    pub fn source_file(&self) -> Result<Option<PathBuf>, DebuggeeError> {
        Ok(match self.launch_command()? {
            LaunchCommand::Java(java) => match java.main {
                Main::SourceFile(file) => Some(file),
                _ => None,
            },
            LaunchCommand::Wrapper { .. } => None,
        })
    }

    /// Compiles the file of `java X.java` once more: the launcher does it in memory and leaves no class files
    /// to read. Gives the folder of the classes, which goes with the value; none where `java` runs classes.
    ///
    /// # Errors
    /// When it cannot be compiled, or there is no `javac`.
    pub async fn compile_source(&self) -> Result<Option<TemporaryFolder>, DebuggeeError> {
        let LaunchCommand::Java(java) = self.launch_command()? else { return Ok(None) };
        let Main::SourceFile(file) = &java.main else { return Ok(None) };
        let folder = TemporaryFolder::new("querypoint-source-");
        let folder = folder.map_err(DebuggeeError::TemporaryFolder)?;
        // Of the same JDK, or else what the path has.
        let beside =
            java.java_home.as_ref().map(|home| home.join("bin/javac")).filter(|javac| javac.is_file());
        let javac = beside.map_or_else(|| "javac".to_owned(), |javac| javac.display().to_string());
        let mut command = vec![javac, "-g".to_owned(), "-nowarn".to_owned(), "-proc:none".to_owned()];
        if let Ok(class_path) = std::env::join_paths(&java.class_path) {
            command.extend(["-cp".to_owned(), class_path.to_string_lossy().into_owned()]);
        }
        command.extend(["-d".to_owned(), folder.path().display().to_string(), file.display().to_string()]);
        self.step(Step::SourceFile, &command, None, Some(self.settings.timeout)).await?;
        Ok(Some(folder))
    }

    /// Runs `before_run`, for at most the debuggee's timeout.
    ///
    /// # Errors
    /// When it cannot be started, fails, or does not end in time; when the port of `ready` is another's, or
    /// the host of a remote program has no address.
    pub async fn before_run(&self, forward: Option<Forward>) -> Result<(), DebuggeeError> {
        match (&self.settings.remote, &self.settings.ready) {
            // The old program may still listen; a VM that waits at its start is told from it by other means.
            (Some(remote), _) => remote.check(self.settings.timeout).await?,
            (None, Some(ready)) => ready.check().await?,
            (None, None) => {}
        }
        match &self.settings.before_run {
            Some(command) => self.step(Step::BeforeRun, command, forward, Some(self.settings.timeout)).await,
            None => Ok(()),
        }
    }

    async fn step(
        &self,
        step: Step,
        command: &[String],
        forward: Option<Forward>,
        limit: Option<Duration>,
    ) -> Result<(), DebuggeeError> {
        let mut group = self.spawn(step, command, Stdin::Null, &[], forward)?;
        let exit = match limit {
            None => group.wait().await,
            Some(limit) => match tokio::time::timeout(limit, group.wait()).await {
                Ok(exit) => exit,
                Err(_) => {
                    let (command, tail) = (command.join(" "), group.output().tail());
                    return Err(DebuggeeError::TimedOut { step, command, seconds: limit.as_secs(), tail });
                }
            },
        };
        if exit.success() {
            return Ok(());
        }
        Err(DebuggeeError::Failed { step, command: command.join(" "), exit, tail: group.output().tail() })
    }

    /// The agent, for one run.
    ///
    /// # Errors
    /// When it cannot be unpacked.
    pub fn agent(&self) -> Result<Agent, DebuggeeError> {
        let cache = self.settings.cache.clone().or_else(build::cache_folder);
        Agent::new(cache.as_deref().and_then(Path::parent))
    }

    /// Starts the debuggee with a debug agent that connects to `address` and suspends the VM at its start,
    /// and with the agent that places probes, if it is given. Must be called within a tokio runtime.
    ///
    /// # Errors
    /// When the program cannot be started, or has a debug agent of its own.
    pub fn launch(
        self: &Arc<Self>,
        address: SocketAddr,
        agent: Option<&Agent>,
        forward: Option<Forward>,
    ) -> Result<Running, DebuggeeError> {
        // The VM stands still for the debugger before the other agent begins, which finds its plan written
        // then.
        let jdwp = format!("-agentlib:jdwp=transport=dt_socket,server=n,suspend=y,address={address}");
        let mut options = vec![jdwp];
        options.extend(agent.map(Agent::options).unwrap_or_default());
        let mut command = self.settings.command.clone();
        let mut env = Vec::new();
        match self.launch_command()? {
            LaunchCommand::Java(java) => {
                let at = java.options_at.min(command.len());
                command.splice(at..at, options);
            }
            LaunchCommand::Wrapper { .. } => {
                let before = self.variable("JAVA_TOOL_OPTIONS").filter(|o| !o.trim().is_empty());
                if let Some(own) =
                    before.as_ref().filter(|o| o.contains("-agentlib:jdwp") || o.contains("-Xrunjdwp"))
                {
                    return Err(JavaCommandError::DebugAgent(format!("JAVA_TOOL_OPTIONS={own}")).into());
                }
                let options = options.iter().map(|option| quoted(option));
                let options: Vec<String> = before.into_iter().chain(options).collect();
                env.push(("JAVA_TOOL_OPTIONS".to_owned(), options.join(" ")));
            }
        }
        let group = self.spawn(Step::Command, &command, self.settings.stdin.clone(), &env, forward)?;
        Ok(Running::new(self.clone(), group))
    }

    /// Starts what has a remote program start anew. Must be called within a tokio runtime.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn relaunch(self: &Arc<Self>, forward: Option<Forward>) -> Result<Running, DebuggeeError> {
        let group = self.spawn(Step::Relaunch, &self.settings.command, Stdin::Null, &[], forward)?;
        Ok(Running::new(self.clone(), group))
    }

    /// Starts a command of the debuggee in a group of its own.
    pub(super) fn spawn(
        &self,
        step: Step,
        command: &[String],
        stdin: Stdin,
        more_env: &[(String, String)],
        forward: Option<Forward>,
    ) -> Result<Group, DebuggeeError> {
        let settings = &self.settings;
        let name = command.first().ok_or(DebuggeeError::Empty(step))?;
        let program = find_program(name, &settings.cwd, self.variable("PATH").as_deref())
            .ok_or_else(|| DebuggeeError::NoProgram { step, program: name.clone() })?;
        // Relative paths would be looked up after the change to `cwd`.
        let program = std::path::absolute(&program).unwrap_or(program);
        let env = [&settings.env, more_env].concat();
        let letter = match step {
            Step::Build => 'b',
            Step::BeforeRun => 'p',
            Step::Drive => 'd',
            Step::Command => 'c',
            Step::Relaunch => 'r',
            Step::SourceFile => 's',
        };
        let mark = format!("{}{letter}", self.mark);
        let spec = Spec { program, command, cwd: &settings.cwd, env: &env, stdin, mark };
        let output = match (&settings.ready, step) {
            (Some(Ready::Output(pattern)), Step::Command | Step::Relaunch) => {
                Output::new(forward).awaiting(pattern.clone())
            }
            _ => Output::new(forward),
        };
        Group::spawn(spec, output, self.guardian.clone()).map_err(|e| DebuggeeError::Spawn {
            step,
            program: name.clone(),
            reason: e.to_string(),
        })
    }
}
