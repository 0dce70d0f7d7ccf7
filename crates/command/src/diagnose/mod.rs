//! `qp diagnose`: asks about one call after another until the buggy call is left. This file has the
//! arguments, `answers` the table of answers, `dialogue` the dialogue for any front end, and `open_question`
//! what an answer does; `reply` is what the dialogue says.

mod answers;
mod dialogue;
mod open_question;
mod reply;
mod shown_by_run;

pub use answers::{ANSWER_TABLE, AnswerCommand, AnswerForm, AnswerWord, GivenAnswer};
pub use dialogue::{BuggyCallWalk, DiagnoseDialogue};
pub use reply::{DiagnoseReply, DiagnosisResult, StrategyRow, UnjudgedCall};
pub use shown_by_run::{ShownByRun, runs_code};

use super::CommandError;
use super::program::{LaunchArgs, ProgramArgs, SourceArgs, TestArgs, own_stdin};
use super::secrets::SecretArgs;
use super::trace::{LevelArg, Memory};
use assertions::AssertFile;
use chain::{Chain, Debuggee};
use diagnose::{DiagnoseOptions, Diagnoser, PassingTests, Reference};
use files::TemporaryFolder;
use past::snapshot::Bounds;
use recorded::{RecordOptions, RecordedTrace};
use session::Context;
use session::SessionError;
use std::path::PathBuf;

/// Asks whether calls are right until it has found the buggy one
#[derive(clap::Args, Clone, Debug)]
#[command(
    after_help = "Examples:\n  qp diagnose -- java -cp classes MergeSort\n  qp diagnose shop.trace --node 12\n  qp diagnose shop.trace --strategy top-down --format json\n  Answers: valid, invalid, wrong PATH, trusted, unknown, inadmissible, undo; help shows all"
)]
pub struct Diagnose {
    /// The folder that `qp trace record` wrote; without it, qp records the command first
    #[arg(value_name = "FOLDER", required_unless_present_any = ["command", "test"], conflicts_with = "test")]
    pub folder: Option<PathBuf>,
    /// The strategy that chooses the next question; `help` at the prompt lists all
    #[arg(long, value_name = "NAME")]
    pub strategy: Option<String>,
    /// Weight of a part of the code after one valid call that covered it, from 0 to 1; for strategies that
    /// use coverage
    #[arg(long, value_name = "P", value_parser = portion)]
    pub p: Option<f64>,
    /// Search only below this call, which is invalid; `qp trace calls` shows its number
    #[arg(long, value_name = "CALL")]
    pub node: Option<u32>,
    /// Judge a recursion by its outermost call; `false`: judge each of its calls. By default the strategy
    /// decides
    #[arg(long, value_name = "WHETHER", num_args = 0..=1, default_missing_value = "true", require_equals = true)]
    pub compress: Option<bool>,
    /// Ask about loops too: a question can be about an execution of a loop, from one iteration to its end
    #[arg(long)]
    pub loops: bool,
    /// Suspect the calls of test classes as much as others; by default qp asks about them last
    #[arg(long, value_enum, value_name = "WHAT")]
    pub suspect: Option<Suspect>,
    /// Class path of a correct version of the program, which qp puts before the command's own; it answers in
    /// your place
    #[arg(long, value_name = "CLASSPATH")]
    pub reference: Option<String>,
    /// How the correct version answers: by its own run, and by calls where the runs do not tell; or by calls
    /// alone, which gives single methods the recorded inputs
    #[arg(long, value_name = "HOW", value_enum, default_value_t = ReferenceBy::Runs, requires = "reference")]
    pub reference_by: ReferenceBy,
    /// A file of assertions about methods, which answer in your place; docs/declarative.md describes it
    #[arg(long = "assert", value_name = "FILE")]
    pub assertions: Option<PathBuf>,
    /// The file that keeps answers, to reuse them for calls that behave alike; at a terminal, by default
    /// `answers.ron` in the folder
    #[arg(long, value_name = "FILE")]
    pub answers: Option<PathBuf>,
    /// The command line of a run that passes; its code becomes less suspicious. Can be repeated
    #[arg(long, value_name = "COMMAND")]
    pub passing: Vec<String>,
    /// Also run other tests than the recorded one: what those that pass cover becomes less suspicious. Those
    /// of its class run by default, with a method in `--test` and without `--reference`
    #[arg(
        long,
        value_name = "WHICH",
        num_args = 0..=1,
        default_missing_value = "class",
        require_equals = true
    )]
    pub passing_tests: Option<OtherTests>,
    /// Ask in the browser: serve a page, and print its address
    #[arg(long, conflicts_with = "unattended")]
    pub web: bool,
    /// Port of 127.0.0.1 for the page; by default a free one
    #[arg(long, value_name = "PORT", default_value_t = 0, requires = "web")]
    pub port: u16,
    /// Only rank the methods of the failed run by how suspicious they are, and ask nothing; prints the first
    /// COUNT, by default 10. With a method in `--test`, qp prints them before the first question too
    #[arg(long, value_name = "COUNT", num_args = 0..=1, default_missing_value = "10", require_equals = true)]
    #[arg(value_parser = clap::value_parser!(u64).range(1..=1000))]
    #[arg(conflicts_with_all = ["web", "unattended", "reference"])]
    pub rank: Option<u64>,
    /// Ask nobody: continue where an answer is needed, and end with the calls that could not be judged
    #[arg(long)]
    pub unattended: bool,
    #[allow(missing_docs)]
    #[command(flatten)]
    pub source: SourceArgs,
    #[allow(missing_docs)]
    #[command(flatten)]
    pub memory: Memory,
    /// Level of detail of the recording
    #[arg(long, value_enum, default_value_t = LevelArg::All, conflicts_with = "folder")]
    pub level: LevelArg,
    /// Classes to record; by default your own code, and libraries only if there is none
    #[arg(long, value_name = "PATTERN", value_delimiter = ',', conflicts_with = "folder")]
    pub scope: Vec<String>,
    /// Trusted classes, which are not recorded
    #[arg(long, value_name = "PATTERN", value_delimiter = ',', conflicts_with = "folder")]
    pub trust: Vec<String>,
    /// Keep the recording in this folder, which must not exist yet
    #[arg(short, long, value_name = "FOLDER", conflicts_with = "folder")]
    pub out: Option<PathBuf>,
    /// Time limit of the run in seconds
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..), conflicts_with = "folder")]
    pub timeout: Option<u64>,
    #[allow(missing_docs)]
    #[command(flatten)]
    pub secrets: SecretArgs,
    /// Run the recorded program again without asking, although it was not recorded here, if a question needs
    /// more detail
    #[arg(long, requires = "folder")]
    pub trust_command: bool,
    #[allow(missing_docs)]
    #[command(flatten)]
    pub test: TestArgs,
    #[allow(missing_docs)]
    #[command(flatten)]
    pub launch: LaunchArgs,
    /// A file that the program reads on its standard input
    #[arg(long, value_name = "FILE", conflicts_with = "folder")]
    pub stdin: Option<PathBuf>,
    /// The command that starts the program
    #[arg(last = true, value_name = "COMMAND", conflicts_with = "folder")]
    pub command: Vec<String>,
}

/// Other tests than the recorded one.
#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum OtherTests {
    /// None
    #[value(alias = "false")]
    None,
    /// Those of its class
    #[value(alias = "true")]
    Class,
    /// Those of its class, then those of the other test classes in the same folder or jar
    Module,
}

/// Classes that are less suspicious by default.
#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Suspect {
    /// Classes that use a test framework
    Tests,
}

fn portion(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number| (0.0..=1.0).contains(number));
    number.ok_or_else(|| "expected a number from 0 to 1".to_owned())
}

/// The words of a command line, split as a shell does.
fn words(line: &str) -> Result<Vec<String>, CommandError> {
    let words = shlex::split(line).filter(|words| !words.is_empty());
    words.ok_or_else(|| {
        CommandError::Usage(format!("--passing `{line}` is no command line: a quote is open, or it is empty"))
    })
}

/// How much of a value a question shows to people.
const TO_PEOPLE: Bounds = Bounds { depth: 6, elements: 64, parts: 400 };
/// How much of a value a question shows to programs.
pub const TO_PROGRAMS: Bounds = Bounds { depth: 24, elements: 256, parts: 4000 };

/// How a correct version of the program answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum ReferenceBy {
    /// By its own run, and by calls where the runs do not tell.
    Runs,
    /// By calls of single methods.
    Calls,
}

/// A diagnosis before its first question.
pub struct StartedDiagnosis {
    diagnoser: Diagnoser,
    /// The recording, if it was made for this diagnosis only. Dropping it removes the files.
    recorded: Option<TemporaryFolder>,
    /// Whether questions that oracles cannot answer stay open.
    is_unattended: bool,
    /// Whether to rank the methods first.
    ranking: Option<WantedRanking>,
}

/// A ranking that is wanted before the first question.
#[derive(Clone, Copy, Debug)]
struct WantedRanking {
    /// The greatest number of methods.
    most: usize,
    /// Whether nothing else is wanted.
    is_all: bool,
}

/// Number of methods that are ranked by default.
const RANKED: usize = 10;

impl StartedDiagnosis {
    /// A diagnosis of a recording, with the default strategy and no stored answers.
    ///
    /// # Errors
    /// The recording has no calls to ask about, or cannot be read.
    pub fn over(trace: RecordedTrace) -> Result<StartedDiagnosis, CommandError> {
        StartedDiagnosis::below(trace, None)
    }

    /// The same, only below a call, which is invalid.
    ///
    /// # Errors
    /// There is no such call, there are no calls to ask about, or the recording cannot be read.
    pub fn below(trace: RecordedTrace, node: Option<u32>) -> Result<StartedDiagnosis, CommandError> {
        StartedDiagnosis::with(trace, node, None)
    }

    /// The same, with a strategy.
    ///
    /// # Errors
    /// As [`StartedDiagnosis::below`], or there is no such strategy.
    pub fn with(
        trace: RecordedTrace,
        node: Option<u32>,
        strategy: Option<String>,
    ) -> Result<StartedDiagnosis, CommandError> {
        let options = DiagnoseOptions {
            strategy,
            p: None,
            node,
            compress: None,
            loops: false,
            suspects_tests: false,
            bounds: TO_PEOPLE,
        };
        let diagnoser = Diagnoser::new(trace, options)?;
        Ok(StartedDiagnosis { diagnoser, recorded: None, is_unattended: false, ranking: None })
    }
}

impl StartedDiagnosis {
    /// The folder of the recording.
    pub fn folder(&self) -> &std::path::Path {
        self.diagnoser.folder()
    }

    /// Whether the recorded program still runs.
    pub fn goes_on(&self) -> bool {
        self.diagnoser.goes_on()
    }
}

impl Diagnose {
    /// Starts the diagnosis; records the program first if no folder is given. Answers in words come from
    /// people, who are shown less of each value. With `stores_answers`, answers are stored in the folder of
    /// the recording unless the arguments name a file.
    ///
    /// # Errors
    /// The program cannot be launched, the recording cannot be read, or the strategy or call does not exist.
    pub async fn start(
        &self,
        form: AnswerForm,
        stores_answers: bool,
        context: &Context,
    ) -> Result<StartedDiagnosis, CommandError> {
        let (folder, recorded) = match (&self.folder, &self.out) {
            (Some(folder), _) => (folder.clone(), None),
            (None, Some(out)) => (out.clone(), None),
            (None, None) => {
                let folder = TemporaryFolder::new("qp-diagnose-");
                let folder = folder.map_err(super::unwritten(&std::env::temp_dir()))?;
                (folder.path().join("trace"), Some(folder))
            }
        };
        let options = self.options(form);
        // A mistake in the file is reported before the program runs.
        let assertions = self.assertions.as_deref().map(AssertFile::load).transpose();
        let assertions = assertions.map_err(SessionError::from)?;
        let passing = self.passing.iter().map(|line| words(line)).collect::<Result<Vec<_>, _>>()?;
        let mut diagnoser = match &self.folder {
            Some(folder) => {
                let trace = RecordedTrace::open(folder, self.memory.bytes(), context).await?;
                Diagnoser::new(trace, options)?
            }
            None => {
                let test = self.test.found(context).await?;
                let program = test.instead_of(ProgramArgs::with(&self.launch).of_command(&self.command));
                let chain = Chain::new(Debuggee { stdin: self.stdin.clone(), ..program }, Vec::new());
                let recording = self.recording(folder.clone())?;
                let to_its_end = self.unattended || self.rank.is_some();
                let diagnoser = Diagnoser::while_it_runs(chain, recording, options, to_its_end, context);
                Box::pin(diagnoser).await?
            }
        };
        let runs_tests = self.runs_passing_tests(&diagnoser);
        if !passing.is_empty() || runs_tests.is_some() {
            if runs_tests.is_some() {
                // The recording may come from somebody else, and its command runs here.
                diagnoser.allow(context)?;
            }
            Box::pin(diagnoser.weigh_by_passing(&passing, runs_tests, self.timeout, context)).await?;
        }
        if let Some(file) = &assertions {
            diagnoser.assert_by(file, self.folder.is_some())?;
        }
        let beside = folder.join("answers.ron");
        // The questions to a script must not depend on the answers of another script.
        let answers =
            self.answers.as_ref().or(Some(&beside).filter(|_| stores_answers && recorded.is_none()));
        if let Some(answers) = answers {
            diagnoser.keep_in(answers)?;
        }
        if let Some(class_path) = &self.reference {
            self.ask_reference(class_path, &mut diagnoser, context)?;
        }
        let ranking = self.ranking();
        Ok(StartedDiagnosis { diagnoser, recorded, is_unattended: self.unattended, ranking })
    }

    fn options(&self, form: AnswerForm) -> DiagnoseOptions {
        DiagnoseOptions {
            strategy: self.strategy.clone(),
            p: self.p,
            node: self.node,
            compress: self.compress,
            loops: self.loops,
            suspects_tests: self.suspect == Some(Suspect::Tests),
            bounds: match form {
                AnswerForm::Words => TO_PEOPLE,
                AnswerForm::Json => TO_PROGRAMS,
            },
        }
    }

    /// Lets a right version on this class path answer what it can.
    fn ask_reference(
        &self,
        class_path: &str,
        diagnoser: &mut Diagnoser,
        context: &Context,
    ) -> Result<(), CommandError> {
        // The recording may come from somebody else, and its `java` and options run here.
        diagnoser.allow(context)?;
        diagnose::check_reference(diagnoser, class_path)?;
        let here = std::env::current_dir().map_err(super::unwritten(std::path::Path::new(".")))?;
        let reference = Reference::new(diagnoser.launcher(), class_path, &here)?;
        // The program may run in another folder.
        let absolute = session::absolute_class_path(class_path, &here);
        let runs = absolute.filter(|_| self.reference_by == ReferenceBy::Runs);
        diagnoser.ask_first(reference, runs);
        Ok(())
    }

    /// The ranking that is wanted before the first question.
    fn ranking(&self) -> Option<WantedRanking> {
        let alone = self.rank.map(|most| usize::try_from(most).unwrap_or(RANKED));
        let is_compared = self.test.test.is_some() || !self.passing.is_empty();
        let is_test = is_compared && self.reference.is_none() && !self.unattended;
        match alone {
            Some(most) => Some(WantedRanking { most, is_all: true }),
            None => is_test.then_some(WantedRanking { most: RANKED, is_all: false }),
        }
    }

    /// Which other tests are to run.
    fn runs_passing_tests(&self, diagnoser: &Diagnoser) -> Option<PassingTests> {
        let by_default = self.test.test.is_some() && self.reference.is_none() && diagnoser.weighs_branches();
        match self.passing_tests {
            Some(OtherTests::None) => None,
            Some(OtherTests::Class) => Some(PassingTests::Class),
            Some(OtherTests::Module) => Some(PassingTests::Module),
            None => by_default.then_some(PassingTests::Class),
        }
    }

    fn recording(&self, out: PathBuf) -> Result<RecordOptions, CommandError> {
        Ok(RecordOptions {
            listener: None,
            brief: None,
            // Otherwise the answers may come from there.
            stdin: if self.unattended || self.web { own_stdin()? } else { None },
            out,
            level: self.level.into(),
            by_owner: self.scope.is_empty(),
            scope: self.scope.clone(),
            trust: self.trust.clone(),
            window: None,
            places: None,
            class_path_property: None,
            chosen: None,
            steering: None,
            max_size: None,
            memory: self.memory.bytes(),
            timeout_s: self.timeout,
            show_output: false,
            secrets: self.secrets.secrets()?,
            all_jvms: false,
        })
    }
}
