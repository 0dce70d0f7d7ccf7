//! `diagnosis`: asks whether calls are right, and takes answers.

use super::bench::{Bench, Start};
use super::board::{KnownRecording, RecordingState};
use super::open_diagnosis::OpenDiagnosis;
use super::{Request, Works, usage};
use command::CommandError;
use command::diagnose::{
    AnswerCommand, AnswerForm, AnswerWord, Diagnose, DiagnoseDialogue, DiagnoseReply, DiagnosisResult,
    GivenAnswer, StartedDiagnosis, StrategyRow,
};
use command::program::ProgramArgs;
use diagnose::{Buggy, Question, Trust, strategies};
use serde::Deserialize;
use session::{Context, SessionError};

/// What to do with the diagnosis.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DiagnosisAction {
    /// Begins one.
    pub start: Option<StartOfDiagnosis>,
    /// Ends it.
    pub end: Option<bool>,
    /// The number of the question that is answered.
    pub question: Option<u32>,
    /// The answer.
    pub answer: Option<AnswerWord>,
    /// The path of the wrong value.
    pub path: Option<String>,
    /// In place of an answer: what all calls of the method must do.
    pub condition: Option<String>,
    /// Which methods are trusted.
    pub of: Option<Trust>,
    /// The call that the answer is about, if it is not that of the question.
    pub node: Option<u32>,
}

/// How a diagnosis begins.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StartOfDiagnosis {
    /// The recording.
    #[serde(default)]
    pub trace: usize,
    /// An invalid call: the search is below it.
    pub call: Option<u32>,
    /// The strategy.
    pub strategy: Option<String>,
}

/// How far a diagnosis is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DiagnosisState {
    /// There is none.
    None,
    /// A question is open.
    Asking,
    /// It has ended.
    Ended,
}

/// Reply to `diagnosis`.
#[derive(Debug)]
pub struct DiagnosisShown {
    /// How far it is.
    pub state: DiagnosisState,
    /// Whether it has just begun.
    pub is_new: bool,
    /// What it said since the last reply.
    pub replies: Vec<DiagnoseReply>,
    /// The open question.
    pub question: Option<Question>,
    /// The buggy call, or the innermost invalid one where some answers were `unknown`.
    pub buggy: Option<Buggy>,
    /// The result.
    pub result: Option<DiagnosisResult>,
    /// The strategy.
    pub strategy: String,
    /// All strategies.
    pub strategies: Vec<StrategyRow>,
}

impl Request for DiagnosisAction {
    type Reply = DiagnosisShown;

    const NAME: &'static str = "diagnosis";
}

impl Works for DiagnosisAction {
    async fn work(self, bench: &mut Bench, context: &Context) -> Result<DiagnosisShown, CommandError> {
        if self.end == Some(true) {
            if let Some(mut open) = bench.diagnosis.take() {
                open.dialogue.terminate();
                drop(Box::pin(open.dialogue.finish(context)).await);
            }
            return Ok(bench.diagnosis_shown(Vec::new(), true));
        }
        if let Some(start) = &self.start {
            let trace = bench.own_trace(start.trace, context).await?;
            let started = StartedDiagnosis::with(trace, start.call, start.strategy.clone())?;
            return Box::pin(bench.led(started, start.strategy.clone(), context)).await;
        }
        let given = GivenAnswer { node: self.node, command: self.command()? };
        let Some(open) = &mut bench.diagnosis else {
            return usage("no diagnosis was begun");
        };
        if open.dialogue.question().is_none() && given.command == AnswerCommand::Undo {
            if !open.dialogue.reopen()? {
                return usage("there is no answer to take back");
            }
            (open.result, open.buggy) = (None, None);
            let replies = Box::pin(open.advance(context)).await;
            not_interrupted(context)?;
            return Ok(bench.diagnosis_shown(replies, false));
        }
        match (self.question, open.dialogue.question()) {
            (_, None) => return usage("the diagnosis has ended"),
            (Some(meant), Some(asked)) if meant != asked => {
                return usage(format!("this answers question {meant}, and question {asked} is open"));
            }
            _ => {}
        }
        let mut replies: Vec<DiagnoseReply> =
            Box::pin(open.dialogue.answer(given, context)).await.into_iter().collect();
        replies.extend(Box::pin(open.advance(context)).await);
        not_interrupted(context)?;
        Ok(bench.diagnosis_shown(replies, false))
    }
}

fn not_interrupted(context: &Context) -> Result<(), CommandError> {
    match context.is_interrupted() {
        true => Err(SessionError::Interrupted.into()),
        false => Ok(()),
    }
}

impl DiagnosisAction {
    fn command(&self) -> Result<AnswerCommand, CommandError> {
        match self.answer {
            None => match &self.condition {
                Some(condition) => {
                    Ok(AnswerCommand::Ensure { condition: condition.clone(), complete: false })
                }
                None => usage("there is no `answer`"),
            },
            Some(_) if self.condition.is_some() => usage("`condition` stands in place of `answer`"),
            Some(word) if self.path.is_some() && word != AnswerWord::Wrong => {
                usage("`path` goes with the answer `wrong`")
            }
            Some(word) => word.command(self.of, self.path.clone()),
        }
    }
}

impl Bench {
    /// Leads a diagnosis to its first question.
    async fn led(
        &mut self,
        started: StartedDiagnosis,
        strategy: Option<String>,
        context: &Context,
    ) -> Result<DiagnosisShown, CommandError> {
        let dialogue = DiagnoseDialogue::with_person(started);
        let mut replies = dialogue.opening();
        let mut open = OpenDiagnosis { dialogue, question: None, result: None, buggy: None, strategy };
        replies.extend(Box::pin(open.advance(context)).await);
        not_interrupted(context)?;
        self.diagnosis = Some(open);
        Ok(self.diagnosis_shown(replies, true))
    }

    /// Begins the diagnosis of `qp diagnose --web`.
    async fn begun(&mut self, context: &Context) -> Result<DiagnosisShown, CommandError> {
        let Start::Diagnosis(args) = &self.start else {
            return usage("the page did not begin with a diagnosis");
        };
        let strategy = args.strategy.clone();
        let args = Diagnose { test: args.test.found(context).await?, ..(**args).clone() };
        let command = args.folder.is_none().then(|| {
            let program = ProgramArgs::default().of_command(&args.command);
            args.test.instead_of(program).command
        });
        // The page cannot take back answers of earlier sessions, so it uses them only if the user names them.
        let started = Box::pin(args.start(AnswerForm::Words, false, context)).await?;
        let known = KnownRecording {
            name: match (&args.test.test, &command) {
                (Some(test), _) => test.clone(),
                (None, Some(command)) => command.join(" "),
                (None, None) => started.folder().display().to_string(),
            },
            folder: started.folder().to_owned(),
            state: if started.goes_on() { RecordingState::Recording } else { RecordingState::Ready },
            command,
        };
        self.board.shown().recordings.push(known);
        self.board.changed(&["session"]);
        Box::pin(self.led(started, strategy, context)).await
    }

    /// The reply to the page. Puts the verdicts on the board.
    fn diagnosis_shown(&mut self, replies: Vec<DiagnoseReply>, is_new: bool) -> DiagnosisShown {
        let open = self.diagnosis.as_ref();
        let mut shown = self.board.shown();
        shown.verdicts.clear();
        if let Some(open) = open {
            shown.verdicts.extend(open.dialogue.verdicts());
            shown.verdicts.extend(open.question.as_ref().map(|question| (question.node, "asked")));
            shown.verdicts.extend(open.buggy.as_ref().map(|buggy| (buggy.node, "buggy")));
            if !open.dialogue.goes_on() {
                let growing = |known: &&mut KnownRecording| known.state == RecordingState::Recording;
                shown
                    .recordings
                    .iter_mut()
                    .filter(growing)
                    .for_each(|known| known.state = RecordingState::Ready);
            }
        }
        drop(shown);
        self.board.changed(&["session"]);
        let rows: Vec<StrategyRow> = strategies().map(|(name, about)| StrategyRow { name, about }).collect();
        let first = rows.first().map_or("", |row| row.name);
        let open = self.diagnosis.as_ref();
        DiagnosisShown {
            state: match open {
                None => DiagnosisState::None,
                Some(open) if open.dialogue.has_ended() => DiagnosisState::Ended,
                Some(_) => DiagnosisState::Asking,
            },
            is_new,
            replies,
            question: open.and_then(|open| open.question.clone()),
            buggy: open.and_then(|open| open.buggy.clone()),
            result: open.and_then(|open| open.result.clone()),
            strategy: open.and_then(|open| open.strategy.clone()).unwrap_or_else(|| first.to_owned()),
            strategies: rows,
        }
    }
}

/// Arguments of the request that begins the diagnosis of `qp diagnose --web`.
#[derive(Debug, Deserialize)]
pub struct BeginDiagnosis {}

impl Request for BeginDiagnosis {
    type Reply = DiagnosisShown;

    const NAME: &'static str = "diagnosis/begin";
}

impl Works for BeginDiagnosis {
    async fn work(self, bench: &mut Bench, context: &Context) -> Result<DiagnosisShown, CommandError> {
        Box::pin(bench.begun(context)).await
    }
}
