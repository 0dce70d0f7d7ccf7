//! The table of requests.

use super::desk::Work;
use super::shown::Shown;
use axum::body::Bytes;
use axum::extract::Query;
use axum::http::Uri;
use diagnose::strategies;
use serde::de::DeserializeOwned;
use serde_json::Value;
use servers::serve::{
    AskQuery, BeginDiagnosis, Bench, ChainAction, ClearOmissions, DiagnosisAction, Event, Events, Execution,
    FindOmissions, FindOrigin, Forget, History, Lines, Node, Parts, PathTo, Queries, Reader, Reads,
    RecordProgram, Request, Session, Source, Start, Timeline, Tree, TryOmission, Why, Works,
};

/// The arguments of a request, as they were sent.
pub enum Arguments {
    /// In the query of the address.
    Query(Uri),
    /// As a JSON object.
    Body(Bytes),
}

impl Arguments {
    fn parse<T: DeserializeOwned>(&self) -> Result<T, String> {
        match self {
            Arguments::Query(uri) => {
                Query::<T>::try_from_uri(uri).map(|Query(parsed)| parsed).map_err(|error| error.body_text())
            }
            Arguments::Body(body) => serde_json::from_slice(body).map_err(|error| error.to_string()),
        }
    }
}

/// Who answers a request.
pub enum Answers {
    /// The session that reads.
    Reader(fn(&Arguments) -> Result<Work<Reader>, String>),
    /// The session that works.
    Bench(fn(&Arguments) -> Result<Work<Bench>, String>),
}

/// A request.
pub struct Row {
    /// Its name: the last part of its path.
    pub name: &'static str,
    /// Whether it changes something: such a request is a POST.
    pub acts: bool,
    /// The name under which its reply is kept, so that the page can load it again.
    pub keeps: Option<&'static str>,
    /// Who answers it.
    pub answers: Answers,
}

/// The requests.
pub const REQUESTS: &[Row] = &[
    reads::<Session>(),
    reads::<Tree>(),
    reads::<PathTo>(),
    reads::<Events>(),
    reads::<Event>(),
    reads::<Node>(),
    reads::<Parts>(),
    reads::<History>(),
    reads::<Source>(),
    reads::<Lines>(),
    reads::<Execution>(),
    reads::<Timeline>(),
    reads::<Queries>(),
    Row { acts: true, ..reads::<Why>() },
    Row { acts: true, ..reads::<Forget>() },
    works::<DiagnosisAction>(Some("diagnosis")),
    works::<FindOmissions>(Some("omissions")),
    works::<TryOmission>(Some("omissions")),
    works::<ClearOmissions>(Some("omissions")),
    works::<ChainAction>(Some("chain")),
    works::<AskQuery>(None),
    works::<FindOrigin>(None),
];

/// The names under which replies are kept, and what the page gets before there is one.
pub const KEPT: &[&str] = &["diagnosis", "omissions", "chain"];

const fn reads<T: Reads>() -> Row
where
    T::Reply: Shown,
{
    let answers = Answers::Reader(|arguments| {
        let parsed: T = arguments.parse()?;
        Ok(Box::new(move |reader, context| {
            Box::pin(async move { Ok(Box::pin(parsed.read(reader, context)).await?.shown()) })
        }))
    });
    Row { name: T::NAME, acts: false, keeps: None, answers }
}

const fn works<T: Works>(keeps: Option<&'static str>) -> Row
where
    T::Reply: Shown,
{
    let answers = Answers::Bench(|arguments| Ok(work::<T>(arguments.parse()?)));
    Row { name: T::NAME, acts: true, keeps, answers }
}

fn work<T: Works>(parsed: T) -> Work<Bench>
where
    T::Reply: Shown,
{
    Box::new(move |bench, context| {
        Box::pin(async move { Ok(Box::pin(parsed.work(bench, context)).await?.shown()) })
    })
}

/// What a server does before the first request: each piece of work, and the name under which its reply is
/// kept.
pub struct Begins(pub Vec<(Option<&'static str>, Work<Bench>)>);

impl Begins {
    /// What a page begins with.
    pub fn of(start: &Start) -> Begins {
        let record = || (None, work(RecordProgram {}));
        Begins(match start {
            Start::Recording(_) => Vec::new(),
            Start::Program(_) => vec![record()],
            Start::Chain(..) => vec![(Some(ChainAction::NAME), work(ChainAction::Run(true))), record()],
            Start::Diagnosis(_) => vec![(Some(DiagnosisAction::NAME), work(BeginDiagnosis {}))],
        })
    }
}

/// The reply to a request before anything was kept.
pub fn nothing_kept(name: &str) -> Value {
    match name {
        "omissions" => serde_json::json!({ "none": true }),
        "diagnosis" => {
            let rows: Vec<Value> = strategies()
                .map(|(name, about)| serde_json::json!({ "name": name, "about": about }))
                .collect();
            let first = rows.first().map(|row| row["name"].clone()).unwrap_or_default();
            serde_json::json!({ "state": "none", "replies": [], "strategy": first, "strategies": rows })
        }
        _ => serde_json::json!({ "state": "none" }),
    }
}
