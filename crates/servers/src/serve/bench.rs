//! Where the work of the page is done that can run the program: recordings, replays, diagnoses, omissions and
//! logic queries.

use super::board::{Board, KnownRecording, RecordingState};
use super::chain_desk::ChainDesk;
use super::found_omissions::FoundOmissions;
use super::open_diagnosis::OpenDiagnosis;
use super::open_queries::OpenQueries;
use super::reader::opened;
use super::{MEMORY, Serve, usage};
use chain::Chain;
use command::CommandError;
use command::diagnose::Diagnose;
use command::program::ProgramArgs;
use command::trust::{self, TrustArgs};
use files::TemporaryFolder;
use recorded::RecordedTrace;
use session::Context;
use std::path::PathBuf;

/// What a page begins with.
pub enum Start {
    /// A recording.
    Recording(PathBuf),
    /// A chain, which is replayed and whose program is recorded.
    Chain(PathBuf, Box<Chain>),
    /// A program, which is recorded.
    Program(Vec<String>),
    /// A diagnosis.
    Diagnosis(Box<Diagnose>),
}

impl Serve {
    /// The same with the launch of the test, if one is named.
    ///
    /// # Errors
    /// There is no such test, the build tool fails, or the user interrupts.
    pub async fn found(&self, context: &Context) -> Result<Serve, CommandError> {
        Ok(Serve { test: self.test.found(context).await?, ..self.clone() })
    }

    /// What the arguments name; a test must be [found](Self::found) before. Asks whether the chain's commands
    /// may run.
    ///
    /// # Errors
    /// There is no such file, the chain is invalid, or the user does not allow its commands.
    pub fn start(&self, context: &Context) -> Result<Start, CommandError> {
        let Some(target) = &self.target else {
            let command = self.test.instead_of(ProgramArgs::default().of_command(&self.command)).command;
            return match command.is_empty() {
                true => usage("name a recording, a chain, or a command after `--`"),
                false => Ok(Start::Program(command)),
            };
        };
        match target {
            folder if folder.join("about.json").is_file() => Ok(Start::Recording(folder.clone())),
            file if recorded::is_packed(file) => Ok(Start::Recording(file.clone())),
            folder if folder.is_dir() => usage(format!(
                "there is no recording in {}: `qp trace record --level all -o FOLDER -- java …` makes one",
                folder.display()
            )),
            file if file.is_file() => Ok(Start::Chain(file.clone(), Box::new(trust::load(file, context)?))),
            other => usage(format!(
                "there is no {}: name a folder of `qp trace record`, or a chain file",
                other.display()
            )),
        }
    }
}

impl Serve {
    /// The arguments of the page of a diagnosis.
    pub fn of_diagnosis(args: &Diagnose) -> Serve {
        Serve {
            target: args.folder.clone(),
            port: args.port,
            source: args.source.clone(),
            level: args.level,
            scope: args.scope.clone(),
            out: args.out.clone(),
            timeout: args.timeout,
            trust: TrustArgs { trust: args.trust_command },
            test: args.test.clone(),
            launch: args.launch.clone(),
            command: args.command.clone(),
        }
    }
}

impl Start {
    /// The board of a page that begins with this.
    pub fn board(&self) -> Board {
        let board = Board::default();
        {
            let mut shown = board.shown();
            if let Start::Recording(folder) = self {
                shown.recordings.push(KnownRecording {
                    name: folder.display().to_string(),
                    folder: folder.clone(),
                    command: None,
                    state: RecordingState::Ready,
                });
            }
            shown.has_chain = matches!(self, Start::Chain(..));
        }
        board
    }
}

/// Does the work of the page, one request after another.
pub struct Bench {
    /// What is shown.
    pub board: Board,
    /// What the page began with.
    pub(super) start: Start,
    /// The arguments of the command; those of a diagnosis are in `start`.
    pub(super) args: Serve,
    pub(super) chain: Option<ChainDesk>,
    pub(super) diagnosis: Option<OpenDiagnosis>,
    pub(super) omissions: Option<FoundOmissions>,
    pub(super) queries: Option<OpenQueries>,
    /// The folder of the recording, which is deleted with the session.
    folder: Option<TemporaryFolder>,
}

impl Bench {
    /// A bench for a page.
    pub fn new(board: Board, start: Start, args: Serve) -> Bench {
        let chain = match &start {
            Start::Chain(file, chain) => Some(ChainDesk::new(file.display().to_string(), (**chain).clone())),
            _ => None,
        };
        Bench { board, start, args, chain, diagnosis: None, omissions: None, queries: None, folder: None }
    }

    /// The folder for the recording: the one that the user named, or one that is deleted with the session.
    pub(super) fn folder_for_recording(&mut self) -> Result<PathBuf, CommandError> {
        if let Some(out) = &self.args.out {
            return Ok(out.clone());
        }
        let folder = TemporaryFolder::new("qp-serve-");
        let folder = folder.map_err(command::unwritten(&std::env::temp_dir()))?;
        Ok(self.folder.insert(folder).path().join("trace"))
    }

    /// A recording for work that keeps it.
    pub(super) async fn own_trace(
        &self,
        trace: usize,
        context: &Context,
    ) -> Result<RecordedTrace, CommandError> {
        let known = self.board.shown().recordings.get(trace).cloned();
        match known {
            Some(known) if known.state == RecordingState::Ready => {
                let trace = opened(&known, context).await?;
                // The user has trusted the command already.
                let trusts = self.args.trust.trust && !trace.about.redacted;
                let command = trace.about.command.clone();
                Ok(if trusts { trace.of_command(&command) } else { trace })
            }
            Some(_) => usage("the program is being recorded: wait for its end"),
            None => usage(format!("there is no recording {trace}")),
        }
    }

    /// A recording for work that keeps it, with the code of its program.
    pub(super) async fn own_recording(
        &self,
        trace: usize,
        context: &Context,
    ) -> Result<RecordedTrace, CommandError> {
        let opened = self.own_trace(trace, context).await?;
        Ok(opened.with_code(&self.args.source.paths()))
    }

    /// The chain of a command, for a run.
    pub(super) fn program(&self, command: &[String]) -> Chain {
        let program =
            ProgramArgs { source: self.args.source.clone(), ..ProgramArgs::with(&self.args.launch) };
        Chain::new(self.args.test.instead_of(program.of_command(command)), Vec::new())
    }

    /// Memory for sorting events, in bytes.
    pub(super) fn memory() -> usize {
        MEMORY
    }
}
