//! The callers of the coroutine of Kotlin that runs: they are suspended, so they are on no stack of the VM.

use super::position::HaltedProgram;
use answer::FrameAnswer;
use bytecode::coroutine::{RESUMES, suspension};
use expr::Expr;
use model::Value;
use session::SessionError;

/// Maximum number of suspended callers. Each costs some requests to the VM.
const MOST: usize = 50;

impl HaltedProgram {
    /// The suspended callers of the coroutine that runs, innermost first.
    pub(super) async fn suspended_callers(&mut self) -> Result<Vec<FrameAnswer>, SessionError> {
        let frames = self.frames().await?;
        let resumes = frames.iter().enumerate().filter_map(|(at, key)| {
            let method = &self.tables().frame(*key)?.site.method;
            (&*method.name == RESUMES).then(|| (at, method.class.clone()))
        });
        let resumed: Vec<_> = resumes.collect();
        let Some((at, _)) = resumed.first() else { return Ok(Vec::new()) };
        let frame = i32::try_from(*at).unwrap_or(0);
        let mut callers = Vec::new();
        let mut path = "this".to_owned();
        while callers.len() < MOST {
            path.push_str(".completion");
            let state = self.read_silently(frame, &path).await?;
            let Some(class) = self.tables().class_name(&state) else { break };
            // A state whose function runs further down is not suspended.
            if resumed.iter().any(|(_, of)| *of == class) {
                break;
            }
            let label = match self.read_silently(frame, &format!("{path}.label")).await? {
                Value::Int(label) => Some(label),
                _ => None,
            };
            let file = self.pool.find(&class).ok().flatten();
            let Some(place) = file.and_then(|found| suspension(&found.file, label)) else { break };
            callers.push(FrameAnswer::suspended(place));
        }
        Ok(callers)
    }

    /// The value of an expression that calls no method.
    async fn read_silently(&mut self, frame: i32, text: &str) -> Result<Value, SessionError> {
        let expr = Expr::parse(text).map_err(|error| SessionError::BadExpression {
            text: text.to_owned(),
            reason: error.to_string(),
        })?;
        Ok(self.halted.evaluate(frame, &expr).await?)
    }
}
