//! How a debuggee is launched: a chain's settings, checked once and launched any number of times.

use super::error::{DebuggeeError, Step};
use super::group::{Group, Spec};
use super::guardian::Guardian;
use super::output::{Forward, Output};
use super::peer::JvmPattern;
use super::ready::Ready;
use super::remote::Remote;
use super::stdin::Stdin;
use super::test_runner::{COMPILER, add_runner, unpack};
use classes::{LaunchCommand, Main, find_program};
use files::TemporaryFolder;
use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use wire::Pins;

/// The debuggee's settings from a chain or a command line (DESIGN §6).
#[derive(Clone, Debug)]
pub struct Settings {
    /// The program and its arguments: `java …`, or any command that starts a JVM. With `remote`, the command
    /// that restarts the remote program.
    pub command: Vec<String>,
    /// The remote program, if the command does not run the program itself.
    pub remote: Option<Remote>,
    /// Working directory of every command.
    pub cwd: PathBuf,
    /// Words before every command, by which it sees a copy in place of `cwd` (`stand_in`).
    pub stand_in: Vec<String>,
    /// Variables added to `qp`'s own environment.
    pub env: Vec<(String, String)>,
    /// The program's input.
    pub stdin: Stdin,
    /// Builds the program before the first launch.
    pub build: Option<Vec<String>>,
    /// Restores the initial state before every launch.
    pub before_run: Option<Vec<String>>,
    /// Operates the program while it runs.
    pub drive: Option<Vec<String>>,
    /// When `drive` may begin; `None` means at once. With it, the program is asked to end after `drive`.
    pub ready: Option<Ready>,
    /// Selects a JVM of the process tree: a main class (binary or simple name), or a regular expression on
    /// the command line.
    pub jvm: Option<String>,
    /// Source folders, relative to `cwd`; if empty, `cwd` itself.
    pub sources: Vec<PathBuf>,
    /// The folder that records successful builds; `None` means `querypoint/builds` in the user's cache
    /// folder.
    pub cache: Option<PathBuf>,
    /// What the program reads in place of what differs from run to run.
    pub pins: Option<Pins>,
    /// Time limit of one run, including the connection.
    pub timeout: Duration,
}

impl Settings {
    /// A command in a folder, without input, with a limit of 60 s.
    pub fn new(command: Vec<String>, cwd: PathBuf) -> Settings {
        Settings {
            command,
            remote: None,
            cwd,
            stand_in: Vec::new(),
            env: Vec::new(),
            stdin: Stdin::Null,
            build: None,
            before_run: None,
            drive: None,
            ready: None,
            jvm: None,
            sources: Vec::new(),
            cache: None,
            pins: None,
            timeout: Duration::from_secs(60),
        }
    }
}

impl Settings {
    /// The chain's name for the command.
    fn own_step(&self) -> Step {
        if self.remote.is_some() { Step::Relaunch } else { Step::Command }
    }
}

/// A debuggee that can be launched. Runs of one template must not overlap, since ending a run ends all
/// processes with the template's mark. Parallel runs need a template each.
#[derive(Debug)]
pub struct Template {
    settings: Settings,
    jvm: Option<JvmPattern>,
    mark: String,
    guardian: Arc<Guardian>,
    /// The class files that run a test, if the command runs one. Removed with the template.
    _runner: Option<TemporaryFolder>,
}

/// Build tools that run programs in a daemon, the options that disable it, and the option to suggest.
const DAEMONS: [(&str, &[&str], &str); 3] = [
    ("gradle", &["--no-daemon", "-Dorg.gradle.daemon=false"], "--no-daemon"),
    ("gradlew", &["--no-daemon", "-Dorg.gradle.daemon=false"], "--no-daemon"),
    ("mvnd", &["-Dmvnd.noDaemon=true"], "-Dmvnd.noDaemon=true"),
];

impl Template {
    /// Checks everything that does not need a build: the folder, the patterns, daemons, empty commands.
    ///
    /// # Errors
    /// [`DebuggeeError`] names the field and the correction.
    pub fn new(mut settings: Settings) -> Result<Template, DebuggeeError> {
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
        // All marks have the same length, so that the size of the environment does not vary.
        let mark = format!("{:08x}{:08x}", std::process::id(), TEMPLATES.fetch_add(1, Ordering::Relaxed));
        let env = settings.env.clone();
        let runner = add_runner(&mut settings.command, |name| variable(&env, name));
        let runner = runner.map_err(DebuggeeError::TemporaryFolder)?;
        Ok(Template { settings, jvm, mark, guardian: Arc::default(), _runner: runner })
    }

    /// The settings of the template.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    pub(super) fn jvm(&self) -> Option<&JvmPattern> {
        self.jvm.as_ref()
    }

    /// A variable of the debuggee's environment.
    pub fn variable(&self, name: &str) -> Option<String> {
        variable(&self.settings.env, name)
    }

    /// Parses the command, for its class path. A `java` command that `jvm` does not select is a wrapper that
    /// starts the selected VM. Call it after [`Template::build`], since it reads the jar of `-jar`.
    ///
    /// # Errors
    /// The program does not exist, or `java` would refuse the command.
    pub fn launch_command(&self) -> Result<LaunchCommand, DebuggeeError> {
        let settings = &self.settings;
        if settings.remote.is_some() {
            // `relaunch` never runs the program itself.
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

    /// Whether the command is a script or build tool that starts the program's VM.
    pub(super) fn is_wrapper(&self) -> bool {
        matches!(self.launch_command(), Ok(LaunchCommand::Wrapper { .. }))
    }

    /// The file of `java X.java`; `None` when `java` runs classes.
    ///
    /// # Errors
    /// As for [`Template::launch_command`].
    pub fn source_file(&self) -> Result<Option<PathBuf>, DebuggeeError> {
        Ok(match self.launch_command()? {
            LaunchCommand::Java(java) => match java.main {
                Main::SourceFile(file) => Some(file),
                _ => None,
            },
            LaunchCommand::Wrapper { .. } => None,
        })
    }

    /// Compiles the file of `java X.java`, since the launcher compiles in memory and leaves no class files.
    /// Returns the folder of the classes, removed on drop; `None` when `java` runs classes.
    ///
    /// # Errors
    /// The file cannot be compiled, or the `java` of the command has no compiler.
    pub async fn compile_source(&self) -> Result<Option<TemporaryFolder>, DebuggeeError> {
        let LaunchCommand::Java(java) = self.launch_command()? else { return Ok(None) };
        let Main::SourceFile(file) = &java.main else { return Ok(None) };
        let folder = TemporaryFolder::new("querypoint-source-");
        let folder = folder.map_err(DebuggeeError::TemporaryFolder)?;
        let compiler = unpack().map_err(DebuggeeError::TemporaryFolder)?;
        let shown = |path: &Path| path.display().to_string();
        // The launcher's own Java has the compiler that the launcher uses.
        let mut command = vec![shown(&java.java)];
        command.extend(java.options.iter().filter(|option| option.starts_with("-Dfile.encoding=")).cloned());
        command.extend(["-cp".to_owned(), shown(compiler.path()), COMPILER.to_owned(), shown(file)]);
        command.extend(["-g", "-nowarn", "-proc:none", "-d"].map(str::to_owned));
        command.push(shown(folder.path()));
        for (option, paths) in [("-cp", &java.class_path), ("--module-path", &java.module_path)] {
            let joined = std::env::join_paths(paths).ok().filter(|_| !paths.is_empty());
            command.extend(
                joined.into_iter().flat_map(|paths| [option.to_owned(), paths.to_string_lossy().into()]),
            );
        }
        let opens: Vec<&String> =
            java.options.iter().filter(|option| option.starts_with("--add-exports=")).collect();
        if let Some(version) = &java.source_version {
            // The compiler does not combine `--release` with access to packages that are not exported.
            let option = if opens.is_empty() { "--release" } else { "--source" };
            command.extend([option.to_owned(), version.clone()]);
        }
        let preview = java.options.iter().filter(|option| *option == "--enable-preview");
        command.extend(preview.chain(opens).cloned());
        self.step(Step::SourceFile, &command, None, Some(self.settings.timeout)).await?;
        Ok(Some(folder))
    }

    /// Runs `before_run`, for at most the debuggee's timeout.
    ///
    /// # Errors
    /// It cannot be started, fails, or does not end in time; another process listens on the port of `ready`;
    /// the host of a remote program has no address.
    pub async fn before_run(&self, forward: Option<Forward>) -> Result<(), DebuggeeError> {
        match (&self.settings.remote, &self.settings.ready) {
            // The old program may still listen; attaching recognises a VM that waits.
            (Some(remote), _) => remote.check(self.settings.timeout).await?,
            (None, Some(ready)) => ready.check().await?,
            (None, None) => {}
        }
        match &self.settings.before_run {
            Some(command) => self.step(Step::BeforeRun, command, forward, Some(self.settings.timeout)).await,
            None => Ok(()),
        }
    }

    pub(super) async fn step(
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

    /// Starts a command of the debuggee in its own process group.
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
        let find = |name: &String| -> Result<PathBuf, DebuggeeError> {
            let program = find_program(name, &settings.cwd, self.variable("PATH").as_deref())
                .ok_or_else(|| DebuggeeError::NoProgram { step, program: name.clone() })?;
            // A relative path would be resolved after the change to `cwd`.
            Ok(std::path::absolute(&program).unwrap_or(program))
        };
        let mut program = find(name)?;
        let mut words = Cow::Borrowed(command);
        if let Some(first) = settings.stand_in.first() {
            let rest = command.iter().skip(1).cloned();
            words = settings
                .stand_in
                .iter()
                .cloned()
                .chain([program.display().to_string()])
                .chain(rest)
                .collect();
            program = find(first)?;
        }
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
        let spec = Spec { program, command: &words, cwd: &settings.cwd, env: &env, stdin, mark };
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

/// A variable of `env`, or else of `qp`'s own environment.
fn variable(env: &[(String, String)], name: &str) -> Option<String> {
    let own = env.iter().rev().find(|(n, _)| n == name).map(|(_, value)| value.clone());
    own.or_else(|| std::env::var(name).ok())
}
