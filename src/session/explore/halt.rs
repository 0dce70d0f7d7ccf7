//! Looks at the program where it stands: values, scopes, frames.

use super::Explorer;
use super::place::{Standing, frame_at};
use crate::expr::Expr;
use crate::model::Value;
use crate::session::FrameAnswer;
use crate::session::assemble::frame_answer;
use crate::session::error::SessionError;
use serde::Serialize;

/// A value with its name.
#[derive(Clone, Debug, Serialize)]
pub struct NamedValue {
    /// The expression.
    pub name: String,
    /// Its value, as in Java.
    pub value: String,
    /// The fields or first elements of an object.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub members: Vec<Member>,
    /// Whether reading it called methods of the program, which can change what it does from here on.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub called_methods: bool,
}

/// A field or an element.
#[derive(Clone, Debug, Serialize)]
pub struct Member {
    /// The field, or `[3]`.
    pub name: String,
    /// Its value, as in Java.
    pub value: String,
}

/// What a frame has in scope.
#[derive(Clone, Debug, Serialize)]
pub struct Scope {
    /// The frame.
    pub frame: FrameAnswer,
    /// `this`, arguments and locals.
    pub values: Vec<NamedValue>,
    /// Whether the class tells the names of its variables.
    pub has_names: bool,
}

impl Explorer {
    /// The value of a Java expression in the frame that is looked at.
    ///
    /// # Errors
    /// No program stands still, or the expression cannot be read. What cannot be evaluated is a value that says why.
    pub async fn evaluate(&mut self, text: &str) -> Result<NamedValue, SessionError> {
        let standing = self.standing()?;
        let expr = Expr::parse(text).map_err(|error| SessionError::BadExpression {
            text: text.to_owned(),
            reason: error.to_string(),
        })?;
        let read = async {
            let value = standing.halted.evaluate(standing.frame, &expr).await?;
            let members = standing.halted.members(&value).await?;
            Ok::<_, SessionError>((value, members))
        };
        match read.await {
            Ok((value, members)) => {
                let mut named = standing.named(text, &value);
                named.members = members.iter().map(|(name, value)| standing.member(name, value)).collect();
                named.called_methods = expr.has_calls();
                Ok(named)
            }
            Err(error) => Err(self.lost(error).await),
        }
    }

    /// What is in scope in a frame; none: the one that is looked at.
    ///
    /// # Errors
    /// No program stands still, or it has no such frame.
    pub async fn locals(&mut self, frame: Option<i32>) -> Result<Scope, SessionError> {
        let standing = self.standing()?;
        let frame = frame.unwrap_or(standing.frame);
        match standing.scope(frame).await {
            Err(error @ SessionError::Run(_)) => Err(self.lost(error).await),
            read => read,
        }
    }

    /// The frames of the thread, newest first, and the one that is looked at.
    ///
    /// # Errors
    /// No program stands still.
    pub async fn frames(&mut self) -> Result<(Vec<FrameAnswer>, usize), SessionError> {
        let standing = self.standing()?;
        let frames = match standing.frames().await {
            Ok(frames) => frames,
            Err(error) => return Err(self.lost(error).await),
        };
        let shown = frames.iter().filter_map(|key| standing.tables().frame(*key)).map(frame_answer);
        Ok((shown.collect(), usize::try_from(standing.frame).unwrap_or(0)))
    }

    /// Looks at another frame: 0 the newest.
    ///
    /// # Errors
    /// No program stands still, or it has no such frame.
    pub async fn select_frame(&mut self, frame: u32) -> Result<(), SessionError> {
        let standing = self.standing()?;
        let frames = standing.frames().await?;
        let wanted = i32::try_from(frame).unwrap_or(i32::MAX);
        frame_at(&frames, wanted).ok_or(SessionError::NoSuchFrame { frame: wanted, frames: frames.len() })?;
        standing.frame = wanted;
        Ok(())
    }

    /// The frame that is looked at; 0 where no program stands still.
    pub fn frame(&self) -> i32 {
        match &self.place {
            super::place::Place::Halted(standing) => standing.frame,
            _ => 0,
        }
    }

    /// The point where the program stands.
    pub fn point(&self) -> Option<&str> {
        match &self.place {
            super::place::Place::Halted(standing) => standing.point.as_deref(),
            _ => None,
        }
    }
}

impl Standing {
    fn named(&mut self, name: &str, value: &Value) -> NamedValue {
        let Member { name, value } = self.member(name, value);
        NamedValue { name, value, members: Vec::new(), called_methods: false }
    }

    fn member(&mut self, name: &str, value: &Value) -> Member {
        let Standing { halted, namer, .. } = self;
        Member { name: name.to_owned(), value: namer.text(value, halted.tables()) }
    }

    async fn scope(&mut self, frame: i32) -> Result<Scope, SessionError> {
        let frames = self.frames().await?;
        let none = || SessionError::NoSuchFrame { frame, frames: frames.len() };
        let shown = frame_at(&frames, frame).and_then(|key| self.tables().frame(key)).map(frame_answer);
        let shown = shown.ok_or_else(none)?;
        let (names, has_names) = self.halted.scope(frame).await?.ok_or_else(none)?;
        let mut values = Vec::with_capacity(names.len());
        for name in names {
            let Ok(expr) = Expr::parse(&name) else { continue };
            let value = self.halted.evaluate(frame, &expr).await?;
            values.push(self.named(&name, &value));
        }
        Ok(Scope { frame: shown, values, has_names })
    }
}
