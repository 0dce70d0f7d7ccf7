//! An open recording that is asked several times.

use super::index;
use super::saved::rules;
use crate::RecordedTrace;
use files::hex;
use logic::Answer;
use logic::queries::{Asked as AskedQuery, Query};
use logic::rules::{AskOptions, Asked, Rules, SharedSource};
use logic::saved::{
    FORMAT, Keys, SavedAnswer, SavedGoal, SavedQuestion, SavedRecording, SavedReply, SavedRules, Translation,
};
use prolog::Limits;
use session::background::in_background;
use session::{Context, SessionError};
use sha2::{Digest, Sha256};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};
use trace::EventPosition;

/// A goal to ask.
#[derive(Clone, Debug)]
pub struct AskRequest {
    /// The goal.
    pub goal: String,
    /// Files of rules.
    pub rules: Vec<PathBuf>,
    /// Whether the saved rules of the project and the user come before them.
    pub saved_rules: bool,
    /// Maximum number of solutions.
    pub solutions: usize,
    /// Time limit, in seconds.
    pub timeout_s: u64,
    /// Memory limit, in bytes.
    pub memory: usize,
    /// Whether to tell how events were found.
    pub explain: bool,
}

impl AskRequest {
    /// The rules of the goal.
    ///
    /// # Errors
    /// A file cannot be read.
    pub fn read_rules(&self) -> Result<Rules, SessionError> {
        rules(&self.rules, self.saved_rules)
    }

    /// The limits of the goal; `stop` interrupts it.
    pub(super) fn options(&self, stop: Arc<AtomicBool>) -> AskOptions {
        let (time, since) = (Some(Duration::from_secs(self.timeout_s)), Some(Instant::now()));
        let limits = Limits { time, since, memory: self.memory, ..Limits::default() }.interrupted_by(stop);
        AskOptions { solutions: self.solutions, limits, explain: self.explain }
    }
}

/// An answer that can be saved.
#[derive(Clone, Debug)]
pub enum ToSave {
    /// A predefined query.
    Query(Answer),
    /// A goal, with the files of its rules.
    Goal(Asked, Rules),
}

/// An open recording with its log.
#[derive(Clone)]
pub struct OpenLog {
    pub(super) source: SharedSource,
    recording: SavedRecording,
    recorded: Option<SystemTime>,
    missing: Vec<String>,
}

impl OpenLog {
    /// Opens the log of a recording.
    ///
    /// # Errors
    /// The recording cannot be read, or the user interrupted the work.
    pub async fn open(trace: RecordedTrace, context: &Context) -> Result<OpenLog, SessionError> {
        let missing = trace.missing();
        let about = &trace.about;
        let recording = SavedRecording {
            folder: trace.folder.path().display().to_string(),
            command: about.command.clone(),
            level: about.level.to_string(),
            run: digest(&format!("{:?}", trace.calls.stamp())).chars().take(16).collect(),
            is_partial: about.is_whole().is_err() || about.recorded.is_none(),
        };
        let recorded = std::fs::metadata(trace.folder.events()).and_then(|events| events.modified()).ok();
        let source = in_background(context, move |stop| index::open(trace, &stop)).await?;
        Ok(OpenLog { source: Arc::new(Mutex::new(source)), recording, recorded, missing })
    }

    /// Missing parts of the recording.
    pub fn missing(&self) -> &[String] {
        &self.missing
    }

    /// Number of events.
    pub fn count(&self) -> u64 {
        self.source.lock().unwrap_or_else(PoisonError::into_inner).log.index().count()
    }

    /// The level of the recording.
    pub fn level(&self) -> &str {
        &self.recording.level
    }

    /// Answers a predefined query.
    ///
    /// # Errors
    /// The query does not fit the recording, the events cannot be read, or the user interrupted the work.
    pub async fn query(
        &self,
        query: &'static Query,
        asked: &AskedQuery,
        context: &Context,
    ) -> Result<Answer, SessionError> {
        let (source, asked, missing) = (self.source.clone(), asked.clone(), self.notes());
        in_background(context, move |_| {
            let mut source = source.lock().unwrap_or_else(PoisonError::into_inner);
            let mut answer = (query.ask)(&mut source, &asked)?;
            answer.query = asked.text(query.name);
            answer.notes.extend(source.recording.hidden());
            answer.notes.extend(source.recording.unseen_writers());
            answer.notes.extend(missing);
            Ok(answer)
        })
        .await
    }

    /// A query about this run, in the names of another run.
    ///
    /// # Errors
    /// The other run has no such event or object, the events cannot be read, or the user interrupted the
    /// work.
    pub async fn translated(
        &self,
        query: &'static Query,
        asked: &AskedQuery,
        other: &OpenLog,
        context: &Context,
    ) -> Result<AskedQuery, SessionError> {
        let (own, other, asked) = (self.clone(), other.clone(), asked.clone());
        in_background(context, move |_| {
            let mut source = own.source.lock().unwrap_or_else(PoisonError::into_inner);
            let translation = Translation::of(query, &asked, &mut source, own.recorded)?;
            drop(source);
            let mut source = other.source.lock().unwrap_or_else(PoisonError::into_inner);
            Ok(translation.for_other(query, &asked, &mut source, other.recorded)?)
        })
        .await
    }

    /// Where the events with these ids are: each with its call, by the number that is shown, and the text of
    /// its place in the thread. `None` for an event outside any call.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn places(&self, ids: &[u64]) -> Result<Vec<Option<(u32, String)>>, SessionError> {
        let mut source = self.source.lock().unwrap_or_else(PoisonError::into_inner);
        let mut places = Vec::with_capacity(ids.len());
        for id in ids {
            let when = source.event(*id)?.map(|(_, event)| event.when);
            let calls = source.calls();
            places.push(when.and_then(|when| {
                let node = calls.call_at(when)?;
                Some((calls.shown(node), EventPosition::new(node, when).text()))
            }));
        }
        Ok(places)
    }

    /// Asks a goal. Returns its answers and its rules.
    ///
    /// # Errors
    /// The rules or the goal are not valid, or the user interrupted the work.
    pub async fn ask(&self, asked: &AskRequest, context: &Context) -> Result<(Asked, Rules), SessionError> {
        let rules = asked.read_rules()?;
        let (source, asked, missing) = (self.source.clone(), asked.clone(), self.notes());
        in_background(context, move |stop| {
            let mut answer = rules.ask(&source, &asked.goal, asked.options(stop))?;
            answer.notes.extend(missing);
            Ok((answer, rules))
        })
        .await
    }

    /// The predicates of the user's rules: `login/0`.
    ///
    /// # Errors
    /// A file of rules cannot be read, or is not valid.
    pub fn predicates(&self, asked: &AskRequest) -> Result<Vec<String>, SessionError> {
        Ok(asked.read_rules()?.predicates()?)
    }

    /// Notes about missing parts of the recording.
    pub(super) fn notes(&self) -> Vec<String> {
        self.missing.iter().map(|what| format!("missing: {what}")).collect()
    }

    /// An answer with what is needed to show and compare it later.
    ///
    /// # Errors
    /// The events cannot be read, or the user interrupted the work.
    pub async fn saved(&self, answered: &ToSave, context: &Context) -> Result<SavedAnswer, SessionError> {
        let (question, reply) = match answered {
            ToSave::Query(answer) => {
                (SavedQuestion::Query(answer.query.clone()), SavedReply::Rows(answer.clone()))
            }
            ToSave::Goal(answer, rules) => {
                let file =
                    |(file, text): &(String, String)| SavedRules { file: file.clone(), digest: digest(text) };
                let rules = rules.files.iter().map(file).collect();
                let question = SavedQuestion::Goal { goal: answer.goal.clone(), rules };
                (question, SavedReply::Goal(SavedGoal::of(answer)))
            }
        };
        let answer = SavedAnswer {
            format: FORMAT,
            saved: now(),
            recording: self.recording.clone(),
            question,
            reply,
            keys: Keys::default(),
            digest: String::new(),
        };
        let (source, recorded) = (self.source.clone(), self.recorded);
        in_background(context, move |stop| {
            let mut source = source.lock().unwrap_or_else(PoisonError::into_inner);
            Ok(answer.with_keys(&mut source, recorded, &|| !stop.load(Ordering::Relaxed))?)
        })
        .await
    }
}

/// The SHA-256 digest of a text.
pub(super) fn digest(text: &str) -> String {
    hex(&Sha256::digest(text))
}

/// The current time: `2026-11-25T18:20:00Z`.
fn now() -> String {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    model::instant_text(i64::try_from(since.as_secs()).unwrap_or(0), 0)
}
