//! The program of a question without a chain file, from the options and the words after `--`.

use super::CommandError;
use chain::{Address, Debuggee, Pins, Ready, SourceEncoding, SourcePaths};
use debuggee::{StdinRecording, test_command};
use project::{FailedTest, TestLaunch, project_of, reports, test_launch};
use session::{Context, SessionError};
use std::io::IsTerminal;
use std::path::{Path, PathBuf};

/// A test to run instead of a command.
#[derive(clap::Args, Clone, Debug, Default)]
pub struct TestArgs {
    /// Run this test instead of a command, by the JUnit (3, 4 or 5) or TestNG of its class path, with
    /// assertions enabled: CLASS#METHOD, or CLASS for all its tests. Without a value: a test that failed when
    /// Maven or Gradle last ran it
    #[arg(
        long,
        value_name = "CLASS#METHOD",
        num_args = 0..=1,
        default_missing_value = "",
        conflicts_with = "command"
    )]
    pub test: Option<String>,
    /// Class path of the test: its classes, the program's, and JUnit. By default Maven or Gradle is asked for
    /// it in the folder of the project
    #[arg(long = "classpath", visible_alias = "class-path", value_name = "CLASSPATH", requires = "test")]
    pub class_path: Option<String>,
    /// How the test is launched, once it is known.
    #[arg(skip)]
    pub launch: Option<TestLaunch>,
}

impl TestArgs {
    /// The same with the launch of the test: by the class path named, or as its build tool runs it.
    ///
    /// # Errors
    /// There is no such test, the build tool fails, no test is chosen, or the user interrupts.
    pub async fn found(&self, context: &Context) -> Result<TestArgs, CommandError> {
        let Some(test) = self.test.as_ref().filter(|_| self.launch.is_none()) else {
            return Ok(self.clone());
        };
        let test = if test.is_empty() { failed_test(context)? } else { test.clone() };
        let launch = match &self.class_path {
            Some(class_path) => {
                TestLaunch { command: test_command(&test, class_path), ..TestLaunch::default() }
            }
            None => launch_in(&std::env::current_dir().map_err(CommandError::Input)?, &test, context).await?,
        };
        Ok(TestArgs { test: Some(test), launch: Some(launch), class_path: self.class_path.clone() })
    }

    /// The test as a program, if one is named and [found](Self::found); else this program.
    pub fn instead_of(&self, program: Debuggee) -> Debuggee {
        match &self.launch {
            Some(launch) => launched(launch, program),
            None => program,
        }
    }
}

/// How a build tool runs a test of the project around a folder.
///
/// # Errors
/// There is no such test, the build tool fails, or the user interrupts.
pub async fn launch_in(here: &Path, test: &str, context: &Context) -> Result<TestLaunch, CommandError> {
    let tell = |text: &str| context.progress().tell(text);
    tokio::select! {
        found = test_launch(test, here, &tell) => Ok(found?),
        () = context.interrupted() => Err(SessionError::Interrupted.into()),
    }
}

/// A program with the command, the folder and the environment of a test. Paths that the user wrote lead from
/// the folder where the user stands.
pub fn launched(launch: &TestLaunch, program: Debuggee) -> Debuggee {
    let mut of_test = Debuggee { command: launch.command.clone(), ..program };
    of_test.env.extend(launch.env.clone());
    let Some(cwd) = &launch.cwd else { return of_test };
    let here = std::env::current_dir().unwrap_or_default();
    for path in of_test.sources.iter_mut().chain(&mut of_test.classes) {
        *path = here.join(&path);
    }
    if of_test.sources.is_empty() {
        let inside =
            |folder: &PathBuf| folder.strip_prefix(cwd).map_or_else(|_| folder.clone(), Path::to_owned);
        of_test.sources = launch.sources.iter().map(inside).collect();
    }
    of_test.cwd = Some(cwd.clone()).filter(|cwd| *cwd != here);
    of_test
}

/// A test of the project that failed when its build tool last ran it. If there are several, the user chooses.
fn failed_test(context: &Context) -> Result<String, CommandError> {
    let wrong = |why: String| CommandError::Usage(format!("--test: {why}"));
    let here = std::env::current_dir().map_err(CommandError::Input)?;
    let project = project_of(&here).ok_or_else(|| {
        wrong("this folder is in no project of Maven or Gradle: name a test, CLASS#METHOD".to_owned())
    })?;
    let reports = reports(&project);
    let failed: Vec<&FailedTest> = reports.iter().flat_map(|report| &report.failed).collect();
    let names: Vec<String> = failed.iter().map(|failed| failed.shown()).collect();
    let chosen = match failed.as_slice() {
        [] if reports.is_empty() => {
            let why = "there are no reports of tests: run them once with the build tool, or name one";
            return Err(wrong(format!("{why}, CLASS#METHOD")));
        }
        [] => return Err(wrong("no test has failed in the last reports: name one, CLASS#METHOD".to_owned())),
        [_] => Some(0),
        _ => context.progress().chooses("Which test?", &names),
    };
    match chosen.and_then(|at| failed.get(at)) {
        Some(FailedTest { test, .. }) => {
            context.progress().tell(&format!("note: the test {test}, which failed last"));
            Ok(test.clone())
        }
        None => {
            let all: String = names.iter().map(|name| format!("\n  {name}")).collect();
            Err(wrong(format!("name one of the tests that failed, the newest first:{all}")))
        }
    }
}

/// Which VM of a command is meant, and how a program is operated that runs until somebody ends it.
#[derive(clap::Args, Clone, Debug, Default)]
pub struct LaunchArgs {
    /// Which VM is meant, if the command starts several: its main class, such as `Shop` or
    /// `org.apache.spark.deploy.SparkSubmit`
    #[arg(long, value_name = "MAIN", requires = "command")]
    pub jvm: Option<String>,
    /// Pin what differs from run to run: random numbers, the order of immutable sets and maps and of files in
    /// a folder, the start of the clock, and the process id
    #[arg(long)]
    pub pin: bool,
    /// Command that resets the environment before each run
    #[arg(long, value_name = "COMMAND", value_parser = words, requires = "command")]
    pub before_run: Option<Words>,
    /// Command that operates the running program, such as a server; when it has ended, the program is asked
    /// to end
    #[arg(long, value_name = "COMMAND", value_parser = words, requires = "command")]
    pub drive: Option<Words>,
    /// When --drive begins: a port on which the program listens then, or a regular expression for a line that
    /// it prints
    #[arg(long, value_name = "PORT|REGEX", requires = "drive")]
    pub ready: Option<String>,
}

/// The words of a command.
#[derive(Clone, Debug)]
pub struct Words(pub Vec<String>);

fn words(text: &str) -> Result<Words, String> {
    let words = shlex::split(text).filter(|words| !words.is_empty());
    words.map(Words).ok_or_else(|| "expected a command, such as `sh reset.sh`".to_owned())
}

impl LaunchArgs {
    /// The command that resets the environment before each run; empty without one.
    pub fn before_run(&self) -> Vec<String> {
        self.before_run.as_ref().map(|words| words.0.clone()).unwrap_or_default()
    }
}

/// Where the sources are.
#[derive(clap::Args, Clone, Debug, Default)]
pub struct SourceArgs {
    /// Folder or archive with Java sources; can be repeated
    #[arg(long = "source", value_name = "PATH")]
    pub sources: Vec<PathBuf>,
    /// Encoding of the sources, such as `UTF-16` or `windows-1252`; by default their bytes decide
    #[arg(long, value_name = "NAME")]
    pub source_encoding: Option<SourceEncoding>,
}

impl SourceArgs {
    /// The same for a session.
    pub fn paths(&self) -> SourcePaths {
        SourcePaths { paths: self.sources.clone(), encoding: self.source_encoding }
    }
}

/// Facts about the program besides its command.
#[derive(clap::Args, Clone, Debug, Default)]
#[command(group = clap::ArgGroup::new("program").args(["test", "command"]))]
#[command(mut_arg("sources", |arg| arg.requires("program")))]
#[command(mut_arg("source_encoding", |arg| arg.requires("program")))]
#[command(mut_arg("jvm", |arg| arg.conflicts_with("attach")))]
pub struct ProgramArgs {
    #[allow(missing_docs)]
    #[command(flatten)]
    pub test: TestArgs,
    #[allow(missing_docs)]
    #[command(flatten)]
    pub source: SourceArgs,
    /// Folder or jar with classes that the command does not name: classes of a script's VM, of plug-ins, or
    /// copies of a remote program's classes; can be repeated
    #[arg(long = "classes", value_name = "PATH", requires = "program")]
    pub classes: Vec<PathBuf>,
    #[allow(missing_docs)]
    #[command(flatten)]
    pub launch: LaunchArgs,
    /// Connect to the VM of a program that runs elsewhere. That VM listens at this address and waits at its
    /// start. The command restarts the program before each run
    #[arg(long, value_name = "HOST:PORT", requires = "command", conflicts_with = "test")]
    pub attach: Option<Address>,
}

impl ProgramArgs {
    /// A program of which only this is said.
    pub fn with(launch: &LaunchArgs) -> ProgramArgs {
        ProgramArgs { launch: launch.clone(), ..ProgramArgs::default() }
    }

    /// The same with the launch of the test, if one is named.
    ///
    /// # Errors
    /// There is no such test, the build tool fails, or the user interrupts.
    pub async fn found(&self, context: &Context) -> Result<ProgramArgs, CommandError> {
        Ok(ProgramArgs { test: self.test.found(context).await?, ..self.clone() })
    }

    /// The debuggee of a command, or of the test that was found.
    pub fn debuggee(&self, command: &[String]) -> Debuggee {
        self.test.instead_of(self.of_command(command))
    }

    /// The debuggee of a command.
    pub fn of_command(&self, command: &[String]) -> Debuggee {
        let (command, relaunch) = match self.attach {
            Some(_) => (Vec::new(), command.to_vec()),
            None => (command.to_vec(), Vec::new()),
        };
        Debuggee {
            command,
            jvm: self.launch.jvm.clone(),
            pins: self.launch.pin.then(Pins::from_now),
            before_run: self.launch.before_run(),
            drive: self.launch.drive.as_ref().map(|words| words.0.clone()).unwrap_or_default(),
            ready: self.launch.ready.as_deref().map(Ready::of_text),
            attach: self.attach.as_ref().map(ToString::to_string),
            relaunch,
            sources: self.source.sources.clone(),
            source_encoding: self.source.source_encoding,
            classes: self.classes.clone(),
            ..Debuggee::default()
        }
    }

    /// The input of the program, if it gets one. A remote program gets none.
    ///
    /// # Errors
    /// The input cannot be recorded.
    pub fn stdin(&self) -> Result<Option<StdinRecording>, CommandError> {
        if self.attach.is_some() { Ok(None) } else { own_stdin() }
    }
}

/// The input of a program that a command launches. A terminal's input is left to the shell, because the user
/// may type the next command ahead.
///
/// # Errors
/// The input cannot be recorded.
pub fn own_stdin() -> Result<Option<StdinRecording>, CommandError> {
    let feeds = !std::io::stdin().is_terminal();
    feeds.then(StdinRecording::of_own_stdin).transpose().map_err(CommandError::Input)
}
