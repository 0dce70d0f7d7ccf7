//! `qp diff`: finds the first call in which two runs diverge.

use super::diagnose::TO_PROGRAMS;
use super::program::{LaunchArgs, ProgramArgs, TestArgs, own_stdin};
use super::trace::Memory;
use super::{Command, CommandError, Outcome};
use chain::{Chain, Debuggee};
use classes::DefaultScope;
use debuggee::StdinRecording;
use diagnose::{
    Buggy, DiagnoseOptions, Diagnoser, Divergence, KnownVariation, RightVersionRuns, Varying,
    VersionComparison,
};
use files::TemporaryFolder;
use recorded::{KeptRun, RecordOptions, RecordedTrace, beside, can_run_beside};
use session::{Context, SessionError};
use std::path::{Path, PathBuf};
use trace::Level;

/// Finds the first call with equal input that behaves differently in two runs
#[derive(clap::Args, Clone, Debug)]
#[command(
    after_help = "Examples:\n  qp diff --reference build/right -- java -cp classes MergeSort\n  qp diff wrong.trace right.trace"
)]
pub struct Diff {
    /// The folder that `qp trace record` wrote, at level `writes` or `all`
    #[arg(value_name = "FOLDER", required_unless_present_any = ["command", "test"], requires = "other", conflicts_with = "test")]
    pub folder: Option<PathBuf>,
    /// The folder of the other run
    #[arg(value_name = "OTHER")]
    pub other: Option<PathBuf>,
    /// Class path of a correct version of the program; qp puts it before the command's class path
    #[arg(long, value_name = "CLASSPATH", conflicts_with = "folder")]
    pub reference: Option<String>,
    #[allow(missing_docs)]
    #[command(flatten)]
    pub memory: Memory,
    /// Classes to record; by default your own code, and libraries only if there is none
    #[arg(long, value_name = "PATTERN", value_delimiter = ',', conflicts_with = "folder")]
    pub scope: Vec<String>,
    /// Trusted classes, which are not recorded
    #[arg(long, value_name = "PATTERN", value_delimiter = ',', conflicts_with = "folder")]
    pub trust: Vec<String>,
    /// List every call that differs with the same input, in the order in which they ended
    #[arg(long)]
    pub all: bool,
    /// Time limit of each run in seconds
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..), conflicts_with = "folder")]
    pub timeout: Option<u64>,
    /// Run the recorded programs again without asking, although they were not recorded here: each version is
    /// compared with itself
    #[arg(long, requires = "folder")]
    pub trust_command: bool,
    #[allow(missing_docs)]
    #[command(flatten)]
    pub test: TestArgs,
    #[allow(missing_docs)]
    #[command(flatten)]
    pub launch: LaunchArgs,
    /// The command that starts the program: `java`, with a class path
    #[arg(last = true, value_name = "COMMAND", conflicts_with = "folder", requires = "reference")]
    pub command: Vec<String>,
}

/// The result of a comparison.
#[derive(Clone, Debug, serde::Serialize)]
pub struct Parting {
    /// The first call that differs; none where all calls agree.
    pub parted: Option<Divergence>,
    /// The other calls that differ with the same input, in the order in which they ended; with `--all`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub further: Vec<Buggy>,
    /// Number of those calls.
    #[serde(skip_serializing_if = "is_none")]
    pub further_count: usize,
    /// Fields and methods that only one version has. They are not compared.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub only_in_one: Vec<String>,
    /// What counts as whose code, in one line, if that decided what was recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub whose_code: Option<String>,
    /// What was not compared, because it is not known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub uncompared: Vec<String>,
    /// Number of runs of each version that were compared.
    pub runs: usize,
    /// The places that vary between runs of one version, and were not compared.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub varies: Vec<Varying>,
    /// Number of further places that vary.
    #[serde(skip_serializing_if = "is_none")]
    pub more: usize,
    /// Whether runs of one version end differently.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub ends_vary: bool,
    /// Why a version could not be compared with itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unconfirmed: Option<String>,
    /// Missing parts of the compared runs, with the reason; each text begins with `here` or `reference`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
}

fn is_none(count: &usize) -> bool {
    *count == 0
}

impl Outcome for Parting {
    fn exit_code(&self) -> u8 {
        u8::from(self.parted.is_none())
    }
}

impl Command for Diff {
    type Output = Parting;

    fn trusts(&self) -> bool {
        self.trust_command
    }

    /// # Errors
    /// A program cannot be launched, or a recorded run cannot be read.
    async fn execute(&self, context: &Context) -> Result<Parting, CommandError> {
        let work = TemporaryFolder::new("qp-diff-");
        let work = work.map_err(super::unwritten(&std::env::temp_dir()))?;
        let test = self.test.found(context).await?;
        let program = test.instead_of(ProgramArgs::with(&self.launch).of_command(&self.command));
        let VersionFolders { folders, whose_code, kept } =
            self.folders(&program, work.path(), context).await?;
        let mut here = vec![self.open(&folders[0], context).await?];
        if let (Some(reference), Some(here)) = (&self.reference, here.first()) {
            diagnose::check_reference(here, reference)?;
        }
        let mut there = RightVersionRuns::of(self.open(&folders[1], context).await?, kept);
        let unlike = self.record_alike(&mut here, &mut there.runs, work.path(), context).await?;
        let mut known = KnownVariation::default();
        let (mut round, mut unconfirmed) = (0, None);
        loop {
            let has_more = unconfirmed.is_none();
            let found =
                diagnose::find_divergence(&mut here, &mut there.runs, &mut known, has_more, context).await?;
            if there.discards_kept(&mut known) {
                continue;
            }
            let runs = here.len().min(there.runs.len());
            if found.wanted <= runs || !has_more {
                let mut parting = Parting { runs, whose_code, unconfirmed, ..self.parting(found) };
                parting.missing = missing(&here, &there.runs);
                parting.uncompared.extend(unlike);
                there.keep(&known);
                return Ok(parting);
            }
            // A difference counts only where runs of one version agree. Runs of named folders may need the
            // user's permission first.
            let firsts = here.first().zip(there.runs.first()).filter(|_| self.folder.is_none());
            let at_once = firsts.is_some_and(|(one, other)| can_run_beside(one.about(), other.about()));
            round += 1;
            let out = |name: &str| work.path().join(format!("{name}-{round}"));
            let own = self.again(&mut here, out("here"), None, context);
            let other = self.again(&mut there.runs, out("there"), None, context);
            let (own, other) = Box::pin(beside(at_once, own, other)).await;
            match (own, other) {
                (Ok(own), Ok(other)) => {
                    here.push(own);
                    there.runs.push(other);
                }
                (Err(Again::Failed(error)), _) | (_, Err(Again::Failed(error))) => return Err(error),
                (Err(Again::Cannot(why)), _) | (_, Err(Again::Cannot(why))) => unconfirmed = Some(why),
            }
        }
    }
}

/// The folders of the first runs of both versions.
struct VersionFolders {
    folders: [PathBuf; 2],
    /// What counts as whose code, if that decided what was recorded.
    whose_code: Option<String>,
    /// The place for a run of the right version.
    kept: Option<KeptRun>,
}

impl Diff {
    /// The folders that were named, or those of new runs of both versions.
    async fn folders(
        &self,
        program: &Debuggee,
        work: &Path,
        context: &Context,
    ) -> Result<VersionFolders, CommandError> {
        if let (Some(here), Some(there)) = (&self.folder, &self.other) {
            return Ok(VersionFolders {
                folders: [here.clone(), there.clone()],
                whose_code: None,
                kept: None,
            });
        }
        let Some(reference) = &self.reference else {
            let why = "name two recorded runs, or --reference and a command";
            return Err(CommandError::Usage(why.to_owned()));
        };
        // The program may run in another folder.
        let here = std::env::current_dir().map_err(CommandError::Input)?;
        let absolute = program.cwd.as_ref().and_then(|_| session::absolute_class_path(reference, &here));
        let first = absolute.as_ref().unwrap_or(reference);
        let right = session::with_class_path(&program.command, first).ok_or_else(|| {
            let why = "the command has no -cp in which the reference could come first: record both \
                       versions with `qp trace record --level writes`, and name the folders";
            CommandError::Usage(why.to_owned())
        })?;
        let folders = [work.join("here"), work.join("there")];
        let right = Debuggee { command: right, ..program.clone() };
        let scope = self.default_scope(program, &right)?;
        let reads = session::class_path(&program.command);
        let stdin = own_stdin()?;
        let [here, there] = folders;
        let options = self.options(here.clone(), None, stdin.clone(), &scope);
        recorded::record(&Chain::new(program.clone(), Vec::new()), &options, context).await?;
        let right = Chain::new(right, Vec::new());
        let options = self.options(there.clone(), reads, stdin, &scope);
        let kept = KeptRun::of(&right, &options);
        let there = match kept.as_ref().and_then(|kept| kept.found(&here)) {
            Some(kept) => kept.to_owned(),
            None => {
                recorded::record(&right, &options, context).await?;
                there
            }
        };
        Ok(VersionFolders { folders: [here, there], whose_code: scope.summary, kept })
    }

    /// The result of a comparison.
    fn parting(&self, found: VersionComparison) -> Parting {
        let further_count = found.further.len();
        Parting {
            parted: found.divergence,
            further: if self.all { found.further } else { Vec::new() },
            further_count,
            only_in_one: found.only_in_one,
            whose_code: None,
            uncompared: found.uncompared,
            runs: 0,
            varies: found.varies,
            more: found.more,
            ends_vary: found.ends_vary,
            unconfirmed: None,
            missing: Vec::new(),
        }
    }

    /// If the runs were recorded at different levels, replaces one of them by a run at the level of the
    /// other: identity hash codes, and with them the order of hash tables, depend on the level. Returns why
    /// that is impossible, if it is.
    async fn record_alike(
        &self,
        here: &mut [Diagnoser],
        there: &mut [Diagnoser],
        work: &Path,
        context: &Context,
    ) -> Result<Option<String>, CommandError> {
        let [one, other] = [&*here, &*there].map(|runs| runs.first().map(Diagnoser::level));
        let (Some(one), Some(other)) = (one, other) else { return Ok(None) };
        if one == other {
            return Ok(None);
        }
        let mut whys = Vec::new();
        for (version, level) in [(there, one), (here, other)] {
            match self.again(version, work.join(format!("alike-{level}")), Some(level), context).await {
                Ok(run) => {
                    if let Some(first) = version.first_mut() {
                        *first = run;
                    }
                    return Ok(None);
                }
                Err(Again::Failed(error)) => return Err(error),
                Err(Again::Cannot(why)) => whys.push(why),
            }
        }
        let text =
            "what depends on the level of recording, such as identity hash codes: the runs were recorded at";
        Ok(Some(format!("{text} {one} and {other}, and not again ({})", whys.join("; "))))
    }

    /// Records another run of a version, at its level unless another one is named, and opens it.
    async fn again(
        &self,
        version: &mut [Diagnoser],
        out: PathBuf,
        level: Option<Level>,
        context: &Context,
    ) -> Result<Diagnoser, Again> {
        let Some(first) = version.first_mut() else {
            return Err(Again::Cannot("nothing was recorded".to_owned()));
        };
        // A recording from elsewhere is compared in any case; running its program needs the user's
        // permission.
        first.allow(context).map_err(|error| Again::Cannot(error.to_string()))?;
        let (chain, options) = first.again(out.clone()).map_err(Again::Cannot)?;
        let level = level.unwrap_or(options.level);
        let options = RecordOptions { timeout_s: self.timeout, level, ..options };
        match recorded::record(&chain, &options, context).await {
            Ok(_) => self.open(&out, context).await.map_err(Again::Failed),
            Err(SessionError::Interrupted) => Err(Again::Failed(SessionError::Interrupted.into())),
            // The recorded program may exist only on another machine.
            Err(error) if self.folder.is_some() => Err(Again::Cannot(error.to_string())),
            Err(error) => Err(Again::Failed(error.into())),
        }
    }

    async fn open(&self, folder: &Path, context: &Context) -> Result<Diagnoser, CommandError> {
        let trace = RecordedTrace::open(folder, self.memory.bytes(), context).await?;
        if trace.calls.count() == 0 {
            let why = "no call of one version was recorded, so there is nothing to compare: its program \
                       ended before its own code ran, or --scope names none of its classes";
            return Err(CommandError::Usage(why.to_owned()));
        }
        let strategy = Some("top-down".to_owned());
        let options = DiagnoseOptions {
            strategy,
            p: None,
            node: None,
            compress: None,
            loops: false,
            suspects_tests: false,
            bounds: TO_PROGRAMS,
        };
        Ok(Diagnoser::new(trace, options)?)
    }

    /// The scope of both versions: the user's, or what is recorded of either by default.
    fn default_scope(&self, program: &Debuggee, right: &Debuggee) -> Result<DefaultScope, CommandError> {
        if !self.scope.is_empty() {
            return Ok(DefaultScope { scope: self.scope.clone(), ..DefaultScope::default() });
        }
        let of = |program: &Debuggee| recorded::default_scope(&Chain::new(program.clone(), Vec::new()));
        let (here, there) = (of(program)?.unwrap_or_default(), of(right)?.unwrap_or_default());
        Ok(here.union(there))
    }

    fn options(
        &self,
        out: PathBuf,
        class_path: Option<String>,
        stdin: Option<StdinRecording>,
        scope: &DefaultScope,
    ) -> RecordOptions {
        RecordOptions {
            out,
            level: Level::Writes,
            scope: scope.scope.clone(),
            trust: self.trust.iter().chain(&scope.trust).cloned().collect(),
            class_path_property: class_path,
            memory: self.memory.bytes(),
            timeout_s: self.timeout,
            stdin,
            ..RecordOptions::default()
        }
    }
}

/// The missing parts of the runs of both versions.
fn missing(here: &[Diagnoser], there: &[Diagnoser]) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for (version, runs) in [("here", here), ("reference", there)] {
        for what in runs.iter().flat_map(Diagnoser::missing) {
            let what = format!("{version}: {what}");
            if !all.contains(&what) {
                all.push(what);
            }
        }
    }
    all
}

/// Why a version has no further run.
enum Again {
    /// It cannot be recorded, for this reason.
    Cannot(String),
    /// An unexpected failure.
    Failed(CommandError),
}
