//! Reads the halted program: values, scopes, frames.

use super::Explorer;
use super::position::{HaltedProgram, frame_at};
use answer::FrameAnswer;
use answer::contents::name_lambdas;
use answer::frames::frame_answer;
use expr::Expr;
use model::{ContentsByObject, ObjectContents, ObjectDescription, Value, quoted};
use program::code_book::CodeBook;
use serde::Serialize;
use session::SessionError;

/// A value with its name.
#[derive(Clone, Debug, Serialize)]
pub struct NamedValue {
    /// The expression.
    pub name: String,
    /// Its value, as in Java.
    pub value: String,
    /// The object's contents as text; `None` if `members` contains them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contents: Option<String>,
    /// The fields or first elements of an object.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub members: Vec<Member>,
    /// Number of further members.
    #[serde(skip_serializing_if = "is_zero")]
    pub more: usize,
    /// Whether reading it called methods of the program, which can change its further behaviour.
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

/// The variables in scope of a frame.
#[derive(Clone, Debug, Serialize)]
pub struct Scope {
    /// The frame.
    pub frame: FrameAnswer,
    /// `this`, arguments and locals.
    pub values: Vec<NamedValue>,
    /// Whether the class file names its local variables.
    pub has_names: bool,
}

fn is_zero(n: &usize) -> bool {
    *n == 0
}

impl Explorer {
    /// Evaluates a Java expression in the selected frame.
    ///
    /// # Errors
    /// No program is halted, or the expression cannot be parsed. If evaluation fails, the value states the
    /// reason.
    pub async fn evaluate(&mut self, text: &str) -> Result<NamedValue, SessionError> {
        let interrupt = self.interrupter.arm();
        let read = async {
            let halted_program = self.halted_program()?;
            let expr = Expr::parse(text).map_err(|error| SessionError::BadExpression {
                text: text.to_owned(),
                reason: error.to_string(),
            })?;
            halted_program.read(text, &expr).await
        };
        let read = tokio::select! {
            read = read => read,
            () = interrupt.wait() => Err(SessionError::CallInterrupted),
        };
        self.interrupter.disarm();
        match read {
            Err(error @ SessionError::CallInterrupted) => {
                self.leave().await;
                Err(error)
            }
            Err(error @ SessionError::Run(_)) => Err(self.lost(error).await),
            read => read,
        }
    }

    /// The variables in scope of a frame; by default the selected one.
    ///
    /// # Errors
    /// No program is halted, or it has no such frame.
    pub async fn locals(&mut self, frame: Option<i32>) -> Result<Scope, SessionError> {
        let halted_program = self.halted_program()?;
        let frame = frame.unwrap_or(halted_program.frame);
        match halted_program.scope(frame).await {
            Err(error @ SessionError::Run(_)) => Err(self.lost(error).await),
            read => read,
        }
    }

    /// The frames of the thread, newest first, then the suspended callers of its coroutine, which cannot be
    /// selected; and the selected frame.
    ///
    /// # Errors
    /// No program is halted.
    pub async fn frames(&mut self) -> Result<(Vec<FrameAnswer>, usize), SessionError> {
        let halted_program = self.halted_program()?;
        let frames = match halted_program.frames().await {
            Ok(frames) => frames,
            Err(error) => return Err(self.lost(error).await),
        };
        let shown = frames.iter().filter_map(|key| halted_program.tables().frame(*key)).map(frame_answer);
        let mut shown: Vec<FrameAnswer> = shown.collect();
        shown.extend(halted_program.suspended_callers().await?);
        Ok((shown, usize::try_from(halted_program.frame).unwrap_or(0)))
    }

    /// Selects a frame: 0 is the newest.
    ///
    /// # Errors
    /// No program is halted, or it has no such frame.
    pub async fn select_frame(&mut self, frame: u32) -> Result<(), SessionError> {
        let halted_program = self.halted_program()?;
        let frames = halted_program.frames().await?;
        let wanted = i32::try_from(frame).unwrap_or(i32::MAX);
        frame_at(&frames, wanted).ok_or(SessionError::NoSuchFrame { frame: wanted, frames: frames.len() })?;
        halted_program.frame = wanted;
        Ok(())
    }

    /// The selected frame; 0 if no program is halted.
    pub fn frame(&self) -> i32 {
        match &self.position {
            super::position::Position::Halted(halted_program) => halted_program.frame,
            _ => 0,
        }
    }

    /// `Intro:31` if the program is halted at a line without a point.
    ///
    /// # Errors
    /// The program has ended meanwhile.
    pub async fn place_without_point(&mut self) -> Result<Option<String>, SessionError> {
        let standing = self.stand().await?.filter(|standing| standing.point.is_none());
        Ok(standing.map(|standing| {
            let line = standing.place.line.map(|line| format!(":{line}"));
            format!("{}{}", standing.place.class, line.unwrap_or_default())
        }))
    }

    /// The point at which the program is halted.
    pub fn point(&self) -> Option<&str> {
        match &self.position {
            super::position::Position::Halted(halted_program) => halted_program.point.as_deref(),
            _ => None,
        }
    }
}

/// Maximum length of a displayed value, in characters.
const LONGEST: usize = 2000;

impl HaltedProgram {
    async fn read(&mut self, text: &str, expr: &Expr) -> Result<NamedValue, SessionError> {
        let (value, called_methods) = self.halted.evaluate_and_tell(self.frame, expr).await?;
        let contents = self.halted.describe(std::slice::from_ref(&value)).await?;
        self.name_lambdas();
        let mut named = self.named(text, &value);
        (named.members, named.more) = self.members(&value, contents).await?;
        if named.members.is_empty() {
            named.contents = self.namer.contents(&value, None, self.halted.tables());
        }
        named.called_methods = called_methods;
        Ok(named)
    }

    /// The members of a value: elements of a collection, pairs of a map, otherwise its fields; and the number
    /// of further ones.
    async fn members(
        &mut self,
        value: &Value,
        contents: ContentsByObject,
    ) -> Result<(Vec<Member>, usize), SessionError> {
        let description = value.object_id().and_then(|id| self.halted.tables().description(id));
        if description.is_some_and(|description| !matches!(description, ObjectDescription::Exception { .. }))
        {
            // Its text shows everything.
            return Ok((Vec::new(), 0));
        }
        let is_array = self.halted.tables().class_name(value).is_some_and(|class| class.ends_with("[]"));
        match contents.into_iter().next().map(|(_, contents)| contents).filter(|_| !is_array) {
            Some(ObjectContents::Elements { first, size }) => {
                let more = size.saturating_sub(first.len());
                let member = |(at, value): (usize, &Value)| self.item(&format!("[{at}]"), value);
                Ok((first.iter().enumerate().map(member).collect(), more))
            }
            Some(ObjectContents::Pairs { first, size }) => {
                let more = size.saturating_sub(first.len());
                let pair = |(key, value): &(Value, Value)| {
                    let key = self.item("", key).value;
                    self.item(&key, value)
                };
                Ok((first.iter().map(pair).collect(), more))
            }
            Some(ObjectContents::Text(text)) => {
                Ok((vec![Member { name: "text".to_owned(), value: quoted(&text, '"') }], 0))
            }
            Some(ObjectContents::Value(inside)) => Ok((vec![self.item("value", &inside)], 0)),
            Some(ObjectContents::Fields { .. }) | None => {
                let (members, more) = self.halted.members(value).await?;
                let values: Vec<Value> = members.iter().map(|(_, value)| value.clone()).collect();
                self.halted.describe(&values).await?;
                self.name_lambdas();
                Ok((members.iter().map(|(name, value)| self.member(name, value)).collect(), more))
            }
        }
    }

    fn name_lambdas(&mut self) {
        let book = CodeBook { pool: &self.pool, sources: &self.sources };
        name_lambdas(&mut self.namer, self.halted.tables(), &book);
    }

    fn named(&mut self, name: &str, value: &Value) -> NamedValue {
        let Member { name, value } = self.member(name, value);
        NamedValue { name, value, contents: None, members: Vec::new(), more: 0, called_methods: false }
    }

    fn member(&mut self, name: &str, value: &Value) -> Member {
        let text = self.namer.text(value, self.halted.tables());
        Member { name: name.to_owned(), value: bounded(text) }
    }

    fn item(&mut self, name: &str, value: &Value) -> Member {
        let text = self.namer.item(value, self.halted.tables());
        Member { name: name.to_owned(), value: bounded(text) }
    }

    async fn scope(&mut self, frame: i32) -> Result<Scope, SessionError> {
        let frames = self.frames().await?;
        let none = || SessionError::NoSuchFrame { frame, frames: frames.len() };
        let shown = frame_at(&frames, frame).and_then(|key| self.tables().frame(key)).map(frame_answer);
        let shown = shown.ok_or_else(none)?;
        let (names, has_names) = self.halted.scope(frame).await?.ok_or_else(none)?;
        let (mut named, mut values) = (Vec::with_capacity(names.len()), Vec::with_capacity(names.len()));
        for name in names {
            let Ok(expr) = Expr::parse(&name) else { continue };
            values.push(self.halted.evaluate(frame, &expr).await?);
            named.push(name);
        }
        let contents = self.halted.describe(&values).await?;
        self.name_lambdas();
        let mut scope: Vec<NamedValue> =
            named.iter().zip(&values).map(|(name, value)| self.named(name, value)).collect();
        // Number all objects first, so that the contents of one do not number the next.
        for (named, value) in scope.iter_mut().zip(&values) {
            let of =
                contents.iter().find(|(id, _)| Some(*id) == value.object_id()).map(|(_, contents)| contents);
            named.contents = self.namer.contents(value, of, self.halted.tables());
        }
        Ok(Scope { frame: shown, values: scope, has_names })
    }
}

fn bounded(mut text: String) -> String {
    let length = text.chars().count();
    if length > LONGEST {
        text = text.chars().take(LONGEST).collect();
        text.push_str(&format!("… ({} characters more)", length - LONGEST));
    }
    text
}
