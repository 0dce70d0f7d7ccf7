//! `qp omitted`: finds operations on an object that should have been executed and were not.

use super::program::{LaunchArgs, ProgramArgs, TestArgs, own_stdin};
use super::trace::Memory;
use super::{Command, CommandError, Outcome, save_chain};
use crate::line::source_line;
use chain::{Chain, Debuggee, Expect, Kind, Point};
use classes::SourcePaths;
use files::TemporaryFolder;
use omission::{
    Limits as OmissionLimits, OmissionAnswer, OmissionQuestion, Suggestion, TriedSuggestion,
    Wanted as WantedOutcome, WantedOutput, WrongPoint,
};
use past::SourceLine;
use recorded::{RecordOptions, RecordedTrace};
use session::Context;
use std::path::{Path, PathBuf};
use trace::Level;

/// Finds what should have happened to an object and did not, and the jumps at which it was lost
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:\n  qp omitted s --at FileLister:31 -- java -cp classes FileLister\n  \
    qp omitted record.bar --at Shop:40 --when 'record.bar == false' -- java -cp classes Shop\n  \
    qp omitted --object ArrayList@6 --call 5 all.trace\n\ndocs/omissions.md describes what is found.")]
pub struct Omitted {
    /// The expression whose object is wrong: `s`, `this.items`, `record.bar`
    #[arg(value_name = "EXPR", required_unless_present = "object")]
    pub what: Option<String>,
    /// A run that `qp trace record --level all` recorded, instead of a command
    #[arg(value_name = "FOLDER", conflicts_with_all = ["command", "test"])]
    pub folder: Option<PathBuf>,
    /// The object, as recordings show it, instead of an expression
    #[arg(long, value_name = "OBJECT")]
    pub object: Option<String>,
    /// Where it is wrong: an execution of this line, before it runs. With `--test` by default the line of the
    /// test at which it failed, after it ran
    #[arg(
        long,
        value_name = "CLASS:LINE",
        required_unless_present_any = ["object", "test"],
        conflicts_with = "call",
        value_parser = line_at
    )]
    pub at: Option<SourceLine>,
    /// Where it is wrong: the end of this call
    #[arg(long, value_name = "N", requires = "object")]
    pub call: Option<u32>,
    /// What must hold at the line
    #[arg(long, value_name = "CONDITION", requires = "at")]
    pub when: Option<String>,
    /// Which of the executions of the line: 0 is the first, -1 the last
    #[arg(long, value_name = "N", default_value_t = 0, allow_negative_numbers = true, requires = "at")]
    pub index: i64,
    /// Ask for writes to the field that the expression names, and not for changes of its object
    #[arg(long, conflicts_with = "object")]
    pub field: bool,
    /// Most calls between a jump and an operation
    #[arg(long, value_name = "N", default_value_t = omission::WITHIN)]
    pub within: usize,
    /// Show operations that only read the object too
    #[arg(long)]
    pub reads: bool,
    /// Show further turns of loops that ended too
    #[arg(long)]
    pub loops: bool,
    /// Most suggestions to show
    #[arg(long, value_name = "N", default_value_t = omission::SUGGESTIONS)]
    pub limit: usize,
    /// Hide operations that call this method; can be repeated
    #[arg(long, value_name = "METHOD")]
    pub hide: Vec<String>,
    /// What must hold at the line, where the object is right: `s.size() > 0`
    #[arg(long, value_name = "CONDITION", conflicts_with = "object")]
    pub want: Option<String>,
    /// The right exit code of the program. With `--test`, a run is right in which the test passes, unless one
    /// of the `--want` options or `--reference` says what is right
    #[arg(long, value_name = "CODE", requires = "confirm", allow_negative_numbers = true)]
    pub want_exit: Option<i32>,
    /// A text that the program prints when it is right
    #[arg(long, value_name = "TEXT", requires = "confirm", conflicts_with = "want_output_file")]
    pub want_output: Option<String>,
    /// A file with all that the program prints when it is right
    #[arg(long, value_name = "FILE", requires = "confirm")]
    pub want_output_file: Option<PathBuf>,
    /// Class path of a right version of the program, which has the right value at the line
    #[arg(long, value_name = "CLASSPATH", requires = "confirm")]
    pub reference: Option<String>,
    /// Try the suggestions: run the program again with each jump taken the other way. This runs altered code,
    /// in a copy of the working folder (but see `--in-place`); what it does elsewhere is not undone
    #[arg(long, conflicts_with = "object")]
    pub confirm: bool,
    /// Where the system cannot show the copy at the path of the working folder: run altered code in the
    /// folder itself, and put back what it changes there. Change nothing there meanwhile
    #[arg(long, requires = "confirm")]
    pub in_place: bool,
    /// Save the question and the first suggestion as a chain file, which `qp check` and `qp bisect` test
    #[arg(long, value_name = "FILE", requires = "at", conflicts_with_all = ["folder", "field", "within"])]
    pub save: Option<PathBuf>,
    /// Run the recorded program without asking, although it was not recorded here
    #[arg(long, requires = "folder")]
    pub trust_command: bool,
    #[allow(missing_docs)]
    #[command(flatten)]
    pub memory: Memory,
    /// Classes to record; by default your own code, and libraries only if there is none
    #[arg(long, value_name = "PATTERN", value_delimiter = ',', conflicts_with = "folder")]
    pub scope: Vec<String>,
    /// Trusted classes, which are not recorded
    #[arg(long, value_name = "PATTERN", value_delimiter = ',', conflicts_with = "folder")]
    pub trust: Vec<String>,
    /// Time limit of the run in seconds
    #[arg(
        long,
        value_name = "SECONDS",
        value_parser = clap::value_parser!(u64).range(1..),
        conflicts_with = "folder"
    )]
    pub timeout: Option<u64>,
    #[allow(missing_docs)]
    #[command(flatten)]
    pub test: TestArgs,
    #[allow(missing_docs)]
    #[command(flatten)]
    pub launch: LaunchArgs,
    /// The command that starts the program
    #[arg(last = true, value_name = "COMMAND")]
    pub command: Vec<String>,
}

fn no_failed_test() -> CommandError {
    let why = "the test did not fail: name by --at the line at which the object is wrong";
    CommandError::Usage(why.to_owned())
}

fn line_at(text: &str) -> Result<SourceLine, String> {
    source_line(text).ok_or_else(|| "expected a class and a line, such as Shop:12".to_owned())
}

impl Outcome for OmissionAnswer {
    fn exit_code(&self) -> u8 {
        u8::from(self.suggestions.is_empty())
    }
}

impl Command for Omitted {
    type Output = OmissionAnswer;

    fn trusts(&self) -> bool {
        self.trust_command
    }

    /// # Errors
    /// The program cannot be launched, or the recorded run cannot be read.
    async fn execute(&self, context: &Context) -> Result<OmissionAnswer, CommandError> {
        let at = match (&self.at, self.call) {
            (Some(line), _) => {
                WrongPoint::Line { line: line.clone(), when: self.when.clone(), index: self.index }
            }
            (None, Some(call)) => WrongPoint::Call(call),
            (None, None) => WrongPoint::End,
        };
        // With --object, the only word is the folder.
        let folder = self
            .folder
            .clone()
            .or_else(|| self.what.clone().filter(|_| self.object.is_some()).map(PathBuf::from));
        let mut question = OmissionQuestion {
            what: self.object.clone().or_else(|| self.what.clone()).unwrap_or_default(),
            is_object: self.object.is_some(),
            of_field: self.field,
            at,
            limits: OmissionLimits { within: self.within, reads: self.reads, loops: self.loops },
            hide: self.hide.clone(),
            limit: self.limit,
            wanted: self.wanted()?.or_passing(self.confirm && self.test.test.is_some()),
            before_run: self.launch.before_run(),
            confirm: self.confirm,
            in_place: self.in_place,
        };
        if let Some(folder) = folder {
            let trace = RecordedTrace::open(&folder, self.memory.bytes(), context).await?;
            return Ok(Box::pin(omission::ask_omissions(trace, &question, context)).await?);
        }
        let test = self.test.found(context).await?;
        let program = test.instead_of(ProgramArgs::with(&self.launch).of_command(&self.command));
        if program.command.is_empty() {
            let why = "name a recorded run, or a command after `--`";
            return Err(CommandError::Usage(why.to_owned()));
        }
        let work = TemporaryFolder::new("qp-omitted-").map_err(super::unwritten(&std::env::temp_dir()))?;
        let out = work.path().join("trace");
        let options = RecordOptions {
            out: out.clone(),
            level: Level::All,
            by_owner: self.scope.is_empty(),
            scope: self.scope.clone(),
            trust: self.trust.clone(),
            memory: self.memory.bytes(),
            timeout_s: self.timeout,
            stdin: own_stdin()?,
            ..RecordOptions::default()
        };
        let chain = Chain::new(program.clone(), Vec::new());
        omission::record_for(&chain, options, &question, context).await?;
        let trace = RecordedTrace::open(&out, self.memory.bytes(), context).await?;
        let mut trace = trace.of_command(&program.command).with_code(&SourcePaths::default());
        if self.at.is_none() && self.object.is_none() {
            question.at = omission::failure_point(&mut trace)?.ok_or_else(no_failed_test)?;
        }
        let answer = Box::pin(omission::ask_omissions(trace, &question, context)).await?;
        if let Some(file) = &self.save {
            self.save_to(file, program, answer.suggestions.first())?;
        }
        Ok(answer)
    }
}

impl Omitted {
    /// What is right.
    fn wanted(&self) -> Result<WantedOutcome, CommandError> {
        let whole = match &self.want_output_file {
            Some(file) => Some(std::fs::read_to_string(file).map_err(|error| {
                CommandError::Usage(format!("--want-output-file {}: {error}", file.display()))
            })?),
            None => None,
        };
        let part = self.want_output.clone().map(WantedOutput::Part);
        Ok(WantedOutcome {
            condition: self.want.clone(),
            exit_code: self.want_exit,
            test_passes: false,
            output: whole.map(WantedOutput::Whole).or(part),
            reference: self.reference.clone(),
        })
    }

    /// Saves the question, with the suggestion as what is expected.
    fn save_to(
        &self,
        file: &Path,
        program: Debuggee,
        first: Option<&TriedSuggestion>,
    ) -> Result<(), CommandError> {
        let (Some(SourceLine { class, line }), Some(what)) = (&self.at, &self.what) else { return Ok(()) };
        let root = Point {
            when: self.when.clone(),
            index: Some(self.index).filter(|index| *index != 0),
            ..Point::new("A", Kind::Line(class.clone(), *line))
        };
        let expect = match first {
            Some(TriedSuggestion { suggestion: Suggestion { jump, operation, .. }, .. }) => Expect {
                class: Some(jump.place.class.clone()),
                method: Some(jump.place.method.clone()),
                jump: jump.text(),
                operation: Some(operation.text.clone()),
                ..Expect::default()
            },
            None => Expect { located: Some(false), ..Expect::default() },
        };
        let omitted = Point { expect: Some(expect), ..Point::new("B", Kind::Omitted(format!("A:{what}"))) };
        let chain = Chain::new(program, vec![root, omitted]);
        save_chain(&session::portable(&session::remembered(&chain)?, file), file, true)
    }
}
