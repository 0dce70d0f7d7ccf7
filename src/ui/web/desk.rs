//! Runs the requests of a page on the thread of a session.

use crate::ui::out::error_text;
use crate::ui::table::Local;
use command::CommandError;
use serde_json::Value;
use session::{Context, Serves, SessionError};

/// Why a request has no reply.
#[derive(Clone, Debug)]
pub enum Unanswered {
    /// It was cancelled.
    Cancelled,
    /// It does not fit what there is, for this reason.
    Refused(String),
    /// The work failed, for this reason.
    Failed(String),
}

/// The work of a request.
pub type Work<S> =
    Box<dyn for<'a> FnOnce(&'a mut S, &'a Context) -> Local<'a, Result<Value, CommandError>> + Send>;

/// A session that takes requests.
pub struct Desk<S>(pub S);

impl<S: 'static> Serves for Desk<S> {
    type Request = Work<S>;
    type Answer = Result<Value, Unanswered>;

    async fn take(&mut self, work: Work<S>, context: &Context) -> Result<Value, Unanswered> {
        if context.is_interrupted() {
            return Err(Unanswered::Cancelled);
        }
        work(&mut self.0, context).await.map_err(|error| match error {
            CommandError::Session(SessionError::Interrupted) => Unanswered::Cancelled,
            CommandError::Usage(why) => Unanswered::Refused(why),
            error => Unanswered::Failed(reason(&error)),
        })
    }
}

/// The text of an error, without the word that a terminal needs.
fn reason(error: &CommandError) -> String {
    let text = error_text(error, false);
    text.strip_prefix("error: ").unwrap_or(&text).trim_end().to_owned()
}
