//! What an editor asks to launch: a program to record, or a recording.

use chain::{Chain, Debuggee, Ready, SourceEncoding, SourcePaths};
use command::CommandError;
use command::cursor::Cursor;
use command::program::{launch_in, launched};
use debuggee::{StdinRecording, test_command};
use files::TemporaryFolder;
use recorded::{RecordOptions, RecordedTrace, Secrets};
use session::Context;
use std::path::PathBuf;
use trace::Level;

/// Memory limit for tables, in bytes. The whole process needs some more.
const MEMORY: usize = 96 << 20;

/// What an editor asks to launch.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Launch {
    /// `record` (the default) runs a program and records it; `trace` opens a recording.
    pub mode: LaunchMode,
    /// The command that starts the program.
    pub command: Vec<String>,
    /// A test to run instead, as `Class#method`.
    pub test: Option<String>,
    /// The class path of the test.
    pub class_path: Option<String>,
    /// The main class of the VM that is meant, if the command starts several.
    pub jvm: Option<String>,
    /// The command that resets the environment before the run.
    pub before_run: Vec<String>,
    /// The command that operates the running program.
    pub drive: Vec<String>,
    /// When that begins: a port, or a regular expression for a line that the program prints.
    pub ready: Option<String>,
    /// The folder in which the command runs.
    pub cwd: Option<PathBuf>,
    /// The folder of the recording to open.
    pub trace: Option<PathBuf>,
    /// Folders with sources.
    pub sources: Vec<PathBuf>,
    /// Their encoding; by default their bytes decide.
    pub source_encoding: Option<SourceEncoding>,
    /// Patterns of the classes to record; by default own code.
    pub scope: Vec<String>,
    /// Time limit of the run in seconds.
    pub timeout: Option<u64>,
    /// Where to stop first; by default at the end.
    pub stop_at: Option<FirstStop>,
    /// Whether to stop at the first line instead, as many debuggers name it.
    pub stop_on_entry: bool,
    /// Where the program reads and prints.
    pub console: Console,
    /// The token that `qp dap --port` has printed.
    pub token: Option<String>,
}

/// Where the session stops first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum FirstStop {
    /// At the uncaught exception, or after the last line.
    End,
    /// At the first recorded line.
    Entry,
    /// Where a breakpoint is first hit; at the end if none is.
    Breakpoint,
}

/// Where a program reads its input, and where its output is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Console {
    /// It has no input; the editor shows its output.
    #[default]
    InternalConsole,
    /// In a terminal of the editor.
    IntegratedTerminal,
    /// In a terminal of its own.
    ExternalTerminal,
}

/// What to launch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LaunchMode {
    /// Run a program, and record it.
    #[default]
    Record,
    /// Open a recording.
    Trace,
    /// Halt the program itself, and run it again to go back.
    Rerun,
}

/// A launched session.
pub struct Launched {
    /// The recording, and where the session stands in it.
    pub cursor: Cursor,
    /// How the program ended, if this session ran it: its exit code, unless a signal or `qp` ended it.
    pub exit_code: Option<i32>,
    /// Remarks for the user.
    pub notes: Vec<String>,
    /// The recording's folder, which is deleted with the session.
    _folder: Option<TemporaryFolder>,
}

impl Launch {
    /// Where the session stops first.
    pub fn first_stop(&self) -> FirstStop {
        let by_entry = if self.stop_on_entry { FirstStop::Entry } else { FirstStop::End };
        self.stop_at.unwrap_or(by_entry)
    }

    /// Launches. A program in a terminal reads `stdin`.
    ///
    /// # Errors
    /// The settings are incomplete, the program cannot be launched, there is no such recording, or the user
    /// interrupted.
    pub async fn start(
        &self,
        stdin: Option<StdinRecording>,
        context: &Context,
    ) -> Result<Launched, CommandError> {
        match self.mode {
            LaunchMode::Trace => {
                let wanted = || CommandError::Usage("mode `trace` needs `trace`, a folder".to_owned());
                let folder = self.trace.as_ref().ok_or_else(wanted)?;
                let folder = self.cwd.as_ref().map_or(folder.clone(), |cwd| cwd.join(folder));
                let trace = RecordedTrace::open(&folder, MEMORY, context).await?;
                let cursor = Cursor::new(trace, &self.sources())?;
                Ok(Launched { cursor, exit_code: None, notes: Vec::new(), _folder: None })
            }
            LaunchMode::Record => self.record(stdin, context).await,
            LaunchMode::Rerun => Err(CommandError::Usage("mode `rerun` makes no recording".to_owned())),
        }
    }

    async fn record(
        &self,
        stdin: Option<StdinRecording>,
        context: &Context,
    ) -> Result<Launched, CommandError> {
        let debuggee = self.program(context).await?;
        let command = debuggee.command.clone();
        let folder =
            TemporaryFolder::new("qp-dap-").map_err(|error| CommandError::Usage(error.to_string()))?;
        let out = folder.path().join("trace");
        let options = RecordOptions {
            out: out.clone(),
            level: Level::All,
            by_owner: self.scope.is_empty(),
            scope: self.scope.clone(),
            trust: Vec::new(),
            window: None,
            places: None,
            chosen: None,
            brief: None,
            steering: None,
            class_path_property: None,
            max_size: recorded::default_max_size(&debuggee),
            memory: MEMORY,
            timeout_s: self.timeout,
            show_output: true,
            listener: None,
            secrets: Secrets::default(),
            stdin,
            all_jvms: false,
        };
        let run = recorded::record(&Chain::new(debuggee, Vec::new()), &options, context).await?;
        let trace = RecordedTrace::open(&out, MEMORY, context).await?.of_command(&command);
        let mut notes = run.notes.clone();
        if run.exit_code.is_none() {
            notes.push(format!("how the program ended: {}", run.recorded.ended));
        }
        notes.extend(trace.missing().into_iter().map(|missing| format!("missing: {missing}")));
        let cursor = Cursor::new(trace, &self.sources())?;
        Ok(Launched { cursor, exit_code: run.exit_code, notes, _folder: Some(folder) })
    }

    /// The program of a command.
    fn debuggee(&self, command: Vec<String>) -> Debuggee {
        Debuggee {
            command,
            cwd: self.cwd.clone(),
            jvm: self.jvm.clone(),
            before_run: self.before_run.clone(),
            drive: self.drive.clone(),
            ready: self.ready.as_deref().map(Ready::of_text),
            ..Debuggee::default()
        }
    }

    /// The program, or the test.
    ///
    /// # Errors
    /// No command is named, there is no such test, its build tool fails, or the user interrupted.
    pub async fn program(&self, context: &Context) -> Result<Debuggee, CommandError> {
        let program = self.debuggee(self.command.clone());
        let program = match (&self.test, &self.class_path) {
            (Some(test), Some(class_path)) => Debuggee { command: test_command(test, class_path), ..program },
            (Some(test), None) => {
                let here = match &self.cwd {
                    Some(cwd) => cwd.clone(),
                    None => std::env::current_dir().map_err(CommandError::Input)?,
                };
                launched(&launch_in(&here, test, context).await?, program)
            }
            (None, _) => program,
        };
        let wanted =
            "the launch configuration needs `command`, a list such as [\"java\", \"Main\"], or `test`";
        if program.command.is_empty() { Err(CommandError::Usage(wanted.to_owned())) } else { Ok(program) }
    }

    /// Where the sources are.
    pub fn sources(&self) -> SourcePaths {
        let under = |path: &PathBuf| self.cwd.as_ref().map_or_else(|| path.clone(), |cwd| cwd.join(path));
        SourcePaths { paths: self.sources.iter().map(under).collect(), encoding: self.source_encoding }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_looked_for_in_the_folder_of_the_program() {
        let asked = r#"{"cwd": "/shop", "sources": ["src"], "sourceEncoding": "windows-1252"}"#;
        let launch: Launch = serde_json::from_str(asked).unwrap();
        let SourcePaths { paths, encoding } = launch.sources();
        assert_eq!(paths, [PathBuf::from("/shop/src")]);
        assert_eq!(encoding, Some(SourceEncoding::Windows1252));
    }
}
