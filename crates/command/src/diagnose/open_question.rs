//! The question of a diagnosis that waits for its answer, and what each answer does.

use super::answers::{ANSWER_TABLE, AnswerCommand, GivenAnswer};
use super::reply::{DiagnoseReply, StrategyRow};
use super::shown_by_run::{runs_code, shown_by_run};
use crate::CommandError;
use crate::recorded_question::RecordedReply;
use crate::trace::StepReply;
use diagnose::{Diagnoser, Question, strategies};
use session::{Context, SessionError};

/// A question that waits for its answer.
pub(super) struct OpenQuestion {
    /// The question that was chosen.
    pub chosen: Question,
    /// The question that an answer is about: the same, or one about another call.
    pub current: Question,
}

/// The effect of an answer on the open question.
pub(super) enum AnswerEffect {
    /// The question stays open.
    Open(DiagnoseReply),
    /// The question is settled.
    Settled(Option<DiagnoseReply>),
    /// The dialogue ends.
    Quit,
}

impl OpenQuestion {
    /// Takes an answer.
    ///
    /// # Errors
    /// The answer cannot be taken, and the dialogue must end.
    pub async fn take(
        &mut self,
        given: GivenAnswer,
        diagnoser: &mut Diagnoser,
        context: &Context,
    ) -> Result<AnswerEffect, CommandError> {
        if let Some(node) = given.node.filter(|node| *node != self.current.node) {
            match diagnoser.at_call(node, context).await {
                Ok(other) => self.current = other,
                Err(error) => return Ok(refused(error)),
            }
        }
        let current = &self.current;
        Ok(match given.command {
            AnswerCommand::Judge(judgement) => {
                diagnoser.answer(current, judgement)?;
                AnswerEffect::Settled(None)
            }
            AnswerCommand::Run => {
                let run = diagnoser.run_of(current, context).await;
                run.map_or_else(refused, |run| AnswerEffect::Open(DiagnoseReply::Run(run)))
            }
            AnswerCommand::JudgeRun(judgement) => {
                let run = diagnoser.run_of(current, context).await?;
                diagnoser.answer_run(&run, judgement)?;
                AnswerEffect::Settled(None)
            }
            AnswerCommand::Wrong(path) => match diagnoser.wrong(current, &path, context).await {
                Ok(why) => {
                    AnswerEffect::Settled(why.map(|why| DiagnoseReply::UnknownInfluence { path, why }))
                }
                Err(error @ SessionError::NoPart { .. }) => refused(error),
                Err(error) => return Err(error.into()),
            },
            AnswerCommand::Ensure { condition, complete } => {
                let kept = diagnoser.ensure(current, &condition, complete);
                kept.map_or_else(refused, |row| AnswerEffect::Settled(Some(DiagnoseReply::Ensured(row))))
            }
            AnswerCommand::Undo => match diagnoser.undo()? {
                Some(_) => AnswerEffect::Settled(None),
                None => {
                    let why = CommandError::Usage("there is no answer to take back".to_owned());
                    AnswerEffect::Open(DiagnoseReply::Error(why))
                }
            },
            AnswerCommand::Retract(number) => {
                let at = number.checked_sub(1).unwrap_or(usize::MAX);
                diagnoser.retract(at).map_or_else(refused, |()| AnswerEffect::Settled(None))
            }
            AnswerCommand::Node(None) => {
                self.current = self.chosen.clone();
                self.shown()
            }
            AnswerCommand::Node(Some(node)) => match diagnoser.at_call(node, context).await {
                Ok(other) => {
                    self.current = other;
                    self.shown()
                }
                Err(error) => refused(error),
            },
            AnswerCommand::Show(name) if runs_code(&name) => {
                let shown = Box::pin(shown_by_run(diagnoser, current, &name, context)).await;
                shown.map_or_else(refused, |shown| AnswerEffect::Open(DiagnoseReply::Called(shown)))
            }
            AnswerCommand::Show(name) => {
                let shown = diagnoser.show(current, &name, context).await;
                shown.map_or_else(refused, |held| {
                    AnswerEffect::Open(DiagnoseReply::Step(StepReply::Show(held)))
                })
            }
            AnswerCommand::History(name) => {
                let history = diagnoser.history(current, &name, context).await;
                history.map_or_else(refused, |history| {
                    AnswerEffect::Open(DiagnoseReply::Step(StepReply::Answer(RecordedReply::History(
                        history,
                    ))))
                })
            }
            AnswerCommand::Events => {
                let events = Box::pin(diagnoser.events(current, context)).await;
                events.map_or_else(refused, |events| {
                    AnswerEffect::Open(DiagnoseReply::Events(Box::new(events)))
                })
            }
            AnswerCommand::Answers => {
                AnswerEffect::Open(DiagnoseReply::Answers(diagnoser.kept().cloned().collect()))
            }
            AnswerCommand::Where => self.shown(),
            AnswerCommand::More => AnswerEffect::Open(DiagnoseReply::More(Box::new(self.current.clone()))),
            AnswerCommand::Help => {
                let strategies = strategies().map(|(name, about)| StrategyRow { name, about }).collect();
                AnswerEffect::Open(DiagnoseReply::Help { answers: ANSWER_TABLE, strategies })
            }
            AnswerCommand::Quit => AnswerEffect::Quit,
        })
    }

    fn shown(&self) -> AnswerEffect {
        AnswerEffect::Open(DiagnoseReply::Question(Box::new(self.current.clone())))
    }
}

/// Reports that the answer cannot be taken. The question stays open.
fn refused(error: SessionError) -> AnswerEffect {
    AnswerEffect::Open(DiagnoseReply::Error(error.into()))
}
