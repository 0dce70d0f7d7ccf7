//! Results as JSON for the page: that of `--format json`, and where people read it, the text.

use crate::ui::render::{Paint, cause_text, diagnosed, happening, recorded_reply, shown_row};
use command::diagnose::DiagnoseReply;
use command::query::QueryReply;
use command::recorded_question::RecordedReply;
use diagnose::NodeView;
use logic::rules::AskItem;
use logic::{Answer as Answered, AnswerRow as AnsweredRow};
use past::{CauseKind, EventShown, EventShownAt, EventsPart, LinesShown, PartsShown, WritesShown};
use serde::Serialize;
use serde_json::{Value, json};
use servers::serve::{
    ChainShown, DiagnosisShown, DiagnosisState, OmissionsShown, OriginShown, QueryShown, WhyShown,
};

/// The page colours texts itself.
const PLAIN: Paint = Paint { color: false };

/// A result that a page shows.
pub trait Shown {
    /// Its JSON.
    fn shown(&self) -> Value;
}

/// The JSON of data.
fn data(of: &impl Serialize) -> Value {
    serde_json::to_value(of).unwrap_or_else(|error| json!({ "error": error.to_string() }))
}

macro_rules! shown_as_data {
    ($($name:ty),* $(,)?) => {
        $(impl Shown for $name {
            fn shown(&self) -> Value {
                data(self)
            }
        })*
    };
}

shown_as_data!(
    (),
    ChainShown,
    EventShownAt,
    LinesShown,
    NodeView,
    OmissionsShown,
    PartsShown,
    servers::serve::ExecutionShown,
    servers::serve::PathShown,
    servers::serve::QueriesShown,
    servers::serve::SessionShown,
    servers::serve::SourceShown,
    servers::serve::TimelineShown,
    servers::serve::TreeShown,
);

/// The JSON of rows, each with the text of its event as `text`.
fn with_texts<'e>(of: &impl Serialize, rows: &str, events: impl Iterator<Item = &'e EventShown>) -> Value {
    let mut shown = data(of);
    let rows = shown.get_mut(rows).and_then(Value::as_array_mut);
    for (row, event) in rows.into_iter().flatten().zip(events) {
        if let Value::Object(row) = row {
            row.insert("text".to_owned(), happening(event, PLAIN).into());
        }
    }
    shown
}

impl Shown for EventsPart {
    fn shown(&self) -> Value {
        with_texts(self, "rows", self.rows.iter().map(|row| &row.shown))
    }
}

impl Shown for WritesShown {
    fn shown(&self) -> Value {
        with_texts(self, "writes", self.writes.iter().map(|row| &row.shown.write))
    }
}

impl Shown for WhyShown {
    fn shown(&self) -> Value {
        let cause = &self.cause.cause;
        let mut shown = json!({
            "asked": self.asked,
            "text": cause_text(cause),
            "method": cause.method,
            "selection": data(&self.cause.selection),
        });
        if let Value::Object(shown) = &mut shown {
            let mut add = |name: &str, value: Option<Value>| {
                if let Some(value) = value {
                    shown.insert(name.to_owned(), value);
                }
            };
            add("file", cause.source.as_ref().map(|source| source.name.clone().into()));
            add("line", cause.line.map(Into::into));
            add("source", cause.text.clone().map(Into::into));
            let kind = match &cause.kind {
                CauseKind::Written(event) => {
                    add("event", Some(data(&**event)));
                    "written"
                }
                CauseKind::Decided { condition, outcome, .. } => {
                    add("condition", Some(condition.clone().into()));
                    add("outcome", Some(outcome.clone().into()));
                    "decided"
                }
                CauseKind::Caught { .. } => "caught",
                CauseKind::Given { argument, .. } => {
                    add("argument", argument.clone().map(Into::into));
                    "given"
                }
                CauseKind::Called => "called",
            };
            add("kind", Some(kind.into()));
        }
        shown
    }
}

impl Shown for OriginShown {
    fn shown(&self) -> Value {
        let OriginShown(reply) = self;
        let selection = match reply {
            RecordedReply::Origin(found) => found.selection,
            _ => None,
        };
        json!({ "text": recorded_reply(reply, false), "selection": data(&selection) })
    }
}

impl Shown for DiagnosisShown {
    fn shown(&self) -> Value {
        let reply = |reply: &DiagnoseReply| {
            let mut shown = match data(reply) {
                Value::Object(shown) => shown,
                other => [("content".to_owned(), other)].into_iter().collect(),
            };
            shown.insert("text".to_owned(), diagnosed(reply, false).into());
            Value::Object(shown)
        };
        let mut shown = json!({
            "state": match self.state {
                DiagnosisState::None => "none",
                DiagnosisState::Asking => "asking",
                DiagnosisState::Ended => "ended",
            },
            "new": self.is_new,
            "replies": self.replies.iter().map(reply).collect::<Vec<_>>(),
            "strategy": self.strategy,
            "strategies": data(&self.strategies),
        });
        if let Value::Object(shown) = &mut shown {
            if let Some(question) = &self.question {
                shown.insert("question".to_owned(), data(question));
                shown.insert("suspicious".to_owned(), question.remaining.into());
                shown.insert("selection".to_owned(), json!({ "call": question.node }));
            }
            if let Some(result) = &self.result {
                shown.insert("result".to_owned(), data(result));
            }
            if let Some(buggy) = &self.buggy {
                shown.insert("selection".to_owned(), json!({ "call": buggy.node }));
            }
        }
        shown
    }
}

impl Shown for QueryShown {
    fn shown(&self) -> Value {
        let mut shown = data(&self.exchange);
        let rows = match &self.exchange.reply {
            Ok(QueryReply::Answer(answer)) => rows(answer, &self.places),
            Ok(QueryReply::Goal(goal)) => goal.items.iter().map(item).collect(),
            _ => Vec::new(),
        };
        if let Value::Object(shown) = &mut shown {
            shown.insert("rows".to_owned(), rows.into());
            shown.insert("waits".to_owned(), self.waits.into());
        }
        shown
    }
}

/// The rows of an answer, each with the call and the place of its event.
fn rows(answer: &Answered, places: &[Option<(u32, String)>]) -> Vec<Value> {
    let row = |(row, place): (&AnsweredRow, &Option<(u32, String)>)| {
        let text = shown_row(row, PLAIN);
        match place {
            Some((call, place)) => {
                json!({ "text": text.trim_end(), "selection": { "call": call }, "place": place })
            }
            None => json!({ "text": text.trim_end() }),
        }
    };
    let yes = answer.yes.map(|yes| json!({ "text": if yes { "yes" } else { "no" } }));
    yes.into_iter().chain(answer.rows.iter().zip(places).map(row)).collect()
}

fn item(item: &AskItem) -> Value {
    match item {
        AskItem::Output(text) => json!({ "text": text }),
        AskItem::Solution(solution) => {
            let bindings = solution.bindings.iter().map(|(name, value)| format!("{name} = {value}"));
            let text = bindings.collect::<Vec<_>>().join(", ");
            json!({ "text": if text.is_empty() { "true".to_owned() } else { text } })
        }
    }
}
