//! The diagnosis of a page.

use command::diagnose::{DiagnoseDialogue, DiagnoseReply, DiagnosisResult};
use diagnose::{Buggy, Question};
use session::Context;

/// A diagnosis that was begun.
pub struct OpenDiagnosis {
    /// Its dialogue.
    pub dialogue: DiagnoseDialogue,
    /// The open question.
    pub question: Option<Question>,
    /// The result.
    pub result: Option<DiagnosisResult>,
    /// The buggy call.
    pub buggy: Option<Buggy>,
    /// The strategy that the user chose.
    pub strategy: Option<String>,
}

impl OpenDiagnosis {
    /// Goes on to the next question or to the result.
    pub async fn advance(&mut self, context: &Context) -> Vec<DiagnoseReply> {
        let mut replies = Box::pin(self.dialogue.advance(context)).await;
        if self.dialogue.has_ended() {
            replies.extend(Box::pin(self.dialogue.finish(context)).await);
            self.question = None;
        }
        for reply in &replies {
            match reply {
                DiagnoseReply::Question(question) => self.question = Some((**question).clone()),
                DiagnoseReply::Result(result) => {
                    self.buggy.clone_from(&result.buggy);
                    self.result = Some((**result).clone());
                }
                DiagnoseReply::Undecided { result, invalid, .. } => {
                    self.buggy.clone_from(invalid);
                    self.result = Some((**result).clone());
                }
                _ => {}
            }
        }
        replies
    }
}
