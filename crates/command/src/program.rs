//! The program of a question without a chain file, from the options and the words after `--`.

use super::CommandError;
use super::test_reports::{project_of, reports};
use chain::{Address, Debuggee, Ready, SourceEncoding, SourcePaths};
use debuggee::{StdinRecording, test_command};
use std::io::IsTerminal;
use std::path::PathBuf;

/// A test to run instead of a command.
#[derive(clap::Args, Clone, Debug, Default)]
pub struct TestArgs {
    /// Run this test instead of a command, by the JUnit (3, 4 or 5) of its class path, with assertions
    /// enabled: CLASS#METHOD, or CLASS for all its tests
    #[arg(long, value_name = "CLASS#METHOD", conflicts_with = "command")]
    pub test: Option<String>,
    /// Class path of the test: its classes, the program's, and JUnit. By default that of the last report
    /// that Maven has written of the test in this project
    #[arg(long = "classpath", visible_alias = "class-path", value_name = "CLASSPATH", requires = "test")]
    pub class_path: Option<String>,
}

impl TestArgs {
    /// The command that runs the test; without a test, the command itself.
    ///
    /// # Errors
    /// No class path was named, and no report of the test has one.
    pub fn command(&self, command: &[String]) -> Result<Vec<String>, CommandError> {
        match (&self.test, &self.class_path) {
            (Some(test), Some(class_path)) => Ok(test_command(test, class_path)),
            (Some(test), None) => reported(test),
            _ => Ok(command.to_vec()),
        }
    }
}

/// The command that runs a test with the class path of its last report.
fn reported(test: &str) -> Result<Vec<String>, CommandError> {
    let (class, method) = test.split_once('#').map_or((test, None), |(class, method)| (class, Some(method)));
    let simple = |name: &str| name.rsplit('.').next().map(str::to_owned);
    let here = std::env::current_dir().ok();
    let project = here.as_deref().and_then(project_of);
    let of_class = project.as_deref().map(reports).unwrap_or_default().into_iter().find(|report| {
        report.class == class || !class.contains('.') && simple(&report.class).as_deref() == Some(class)
    });
    let why = match (project, of_class) {
        (None, _) => "name its --classpath: this folder is no project of Maven or Gradle".to_owned(),
        (Some(project), None) => format!(
            "there is no report of {class} in {}: run the test once with the build tool, or name its \
             --classpath",
            project.display()
        ),
        (_, Some(report)) => match &report.class_path {
            Some(class_path) => {
                let test = method.map_or(report.class.clone(), |method| format!("{}#{method}", report.class));
                return Ok(test_command(&test, class_path));
            }
            None => format!("{} has no class path: name it with --classpath", report.file.display()),
        },
    };
    Err(CommandError::Usage(format!("--test {test}: {why}")))
}

/// Which VM of a command is meant, and how a program is operated that runs until somebody ends it.
#[derive(clap::Args, Clone, Debug, Default)]
pub struct LaunchArgs {
    /// Which VM is meant, if the command starts several: its main class, such as `Shop` or
    /// `org.apache.spark.deploy.SparkSubmit`
    #[arg(long, value_name = "MAIN", requires = "command")]
    pub jvm: Option<String>,
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

    /// The debuggee of a command, or of the test.
    ///
    /// # Errors
    /// The class path of the test is not known.
    pub fn debuggee(&self, command: &[String]) -> Result<Debuggee, CommandError> {
        Ok(self.of_command(&self.test.command(command)?))
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
