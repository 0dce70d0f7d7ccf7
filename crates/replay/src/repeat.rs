//! Replays a chain several times and counts equal answers, for nondeterministic programs (paper §6). Each
//! answer comes from its own runs; only counts of whole answers are combined, never their data.

use super::{Options, replay};
use answer::{Answer, Outcome, PointAnswer};
use chain::Chain;
use indexmap::IndexMap;
use serde::Serialize;
use session::{Context, SessionError};

/// The answers of several replays, counted.
#[derive(Clone, Debug, Serialize)]
pub struct RepeatedReplay {
    /// The chain's file.
    pub chain: String,
    /// Number of replays.
    pub replays: u32,
    /// Total number of runs.
    pub runs: u32,
    /// Number of replays by outcome.
    pub outcomes: IndexMap<String, u32>,
    /// The points, in the order of the chain.
    pub points: Vec<RepeatedPoint>,
    /// The first point of the chain at which two replays differ.
    pub first_difference: Option<String>,
    /// The exit code.
    #[serde(skip)]
    pub exit_code: u8,
}

/// The results of one point in several replays.
#[derive(Clone, Debug, Default, Serialize)]
pub struct RepeatedPoint {
    /// Its id.
    pub id: String,
    /// Its question.
    pub question: String,
    /// Number of replays that located it.
    pub located: u32,
    /// The places, most frequent first.
    pub places: Vec<RepeatedPlace>,
    /// The reasons why it was not located, with the number of replays.
    pub missing: IndexMap<String, u32>,
}

/// One place of a point.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct RepeatedPlace {
    /// Binary name of the class.
    pub class: String,
    /// Name of the method.
    pub method: String,
    /// Name of the source file.
    pub file: Option<String>,
    /// Source line.
    pub line: Option<u32>,
    /// Bytecode index.
    pub bci: Option<u32>,
    /// The source line, trimmed.
    pub text: Option<String>,
    /// Number of replays.
    pub replays: u32,
    /// The values there, with the number of replays: `new` to `null` to 18.
    pub values: IndexMap<String, IndexMap<String, u32>>,
}

impl RepeatedPoint {
    /// Whether two replays differ here.
    pub fn differs(&self) -> bool {
        let answers = self.places.len() + self.missing.len().min(1);
        answers > 1 || self.places.iter().any(|p| p.values.values().any(|v| v.len() > 1))
    }

    fn add(&mut self, point: &PointAnswer) {
        if !point.located {
            let reason = point.reason.clone().unwrap_or_else(|| "not located".to_owned());
            *self.missing.entry(reason).or_default() += 1;
            return;
        }
        self.located += 1;
        let place = RepeatedPlace {
            class: point.class.clone().unwrap_or_default(),
            method: point.method.clone().unwrap_or_default(),
            file: point.file.clone(),
            line: point.line,
            bci: point.bci,
            text: point.text.clone(),
            ..RepeatedPlace::default()
        };
        let same = |p: &RepeatedPlace| {
            (&p.class, &p.method, p.line, p.bci) == (&place.class, &place.method, place.line, place.bci)
        };
        let known = self.places.iter().position(same).unwrap_or_else(|| {
            self.places.push(place.clone());
            self.places.len() - 1
        });
        let Some(known) = self.places.get_mut(known) else { return };
        known.replays += 1;
        for (name, value) in values(point) {
            *known.values.entry(name).or_default().entry(value).or_default() += 1;
        }
    }
}

/// The values compared at a place. Objects are numbered by their order in the answer, so equal numbers mean
/// the same part.
fn values(point: &PointAnswer) -> IndexMap<String, String> {
    let own = [
        ("thread", &point.thread_base),
        ("old", &point.old),
        ("new", &point.new),
        ("owner", &point.owner),
        ("taken", &point.taken),
        ("result", &point.result),
    ];
    let exception = point.exception.as_ref().map(|e| e.object.clone());
    own.into_iter()
        .map(|(name, value)| (name, value.clone()))
        .chain([("exception", exception)])
        .filter_map(|(name, value)| Some((name.to_owned(), value?)))
        .chain(point.operands.iter().chain(&point.collected).map(|(e, v)| (e.clone(), v.clone())))
        .collect()
}

/// Replays the chain several times.
///
/// # Errors
/// As `replay`.
pub async fn repeat(
    name: &str,
    chain: &Chain,
    options: &Options,
    replays: u32,
    context: &Context,
) -> Result<RepeatedReplay, SessionError> {
    let mut answers = Vec::new();
    for done in 0..replays {
        context.progress().replayed(done, replays);
        let answer = replay(name, chain, options, context).await?;
        let interrupted = answer.outcome == Outcome::Interrupted;
        answers.push(answer);
        if interrupted {
            break;
        }
    }
    Ok(RepeatedReplay::of(name, &answers))
}

impl RepeatedReplay {
    fn of(name: &str, answers: &[Answer]) -> RepeatedReplay {
        // An interrupted replay says nothing about the program.
        let whole: Vec<&Answer> = answers.iter().filter(|a| a.outcome != Outcome::Interrupted).collect();
        let mut points: Vec<RepeatedPoint> = Vec::new();
        let mut outcomes: IndexMap<String, u32> = IndexMap::new();
        for answer in &whole {
            *outcomes.entry(answer.outcome.name().to_owned()).or_default() += 1;
            for (place, point) in answer.points.iter().enumerate() {
                if points.len() <= place {
                    points.push(RepeatedPoint {
                        id: point.id.clone(),
                        question: point.question.clone(),
                        ..RepeatedPoint::default()
                    });
                }
                if let Some(known) = points.get_mut(place) {
                    known.add(point);
                }
            }
        }
        for point in &mut points {
            point.places.sort_by_key(|p| std::cmp::Reverse(p.replays));
        }
        let codes: Vec<u8> = answers.iter().map(|a| a.outcome.exit_code()).collect();
        let exit_code = match codes.as_slice() {
            _ if whole.len() < answers.len() => Outcome::Interrupted.exit_code(),
            [first, rest @ ..] if rest.iter().all(|code| code == first) => *first,
            _ => Outcome::Unlocated.exit_code(),
        };
        RepeatedReplay {
            chain: name.to_owned(),
            replays: u32::try_from(whole.len()).unwrap_or(u32::MAX),
            runs: answers.iter().map(|a| a.runs).sum(),
            outcomes,
            first_difference: points.iter().find(|p| p.differs()).map(|p| p.id.clone()),
            points,
            exit_code,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(outcome: Outcome, points: &[Option<(u32, &str)>]) -> Answer {
        let point = |(number, found): (usize, &Option<(u32, &str)>)| PointAnswer {
            id: format!("P{number}"),
            located: found.is_some(),
            class: found.map(|_| "Intro".to_owned()),
            line: found.map(|f| f.0),
            new: found.map(|f| f.1.to_owned()),
            reason: found.is_none().then(|| "it never happened".to_owned()),
            ..PointAnswer::default()
        };
        Answer {
            chain: "test".to_owned(),
            outcome,
            runs: 2,
            recording: None,
            points: points.iter().enumerate().map(point).collect(),
            earlier: Vec::new(),
            queries: Vec::new(),
            warnings: Vec::new(),
            last_output: Vec::new(),
            ended: None,
            blind_spots: Vec::new(),
        }
    }

    #[test]
    fn answers_are_counted_by_place_and_value() {
        let common = [Some((31, "1")), Some((17, "null"))];
        let answers = [
            answer(Outcome::Held, &[Some((31, "1")), Some((19, "2"))]),
            answer(Outcome::Held, &common),
            answer(Outcome::Unlocated, &[Some((31, "1")), None]),
            answer(Outcome::Held, &common),
        ];
        let repeated = RepeatedReplay::of("test", &answers);
        assert_eq!((repeated.replays, repeated.runs, repeated.exit_code), (4, 8, 1));
        assert_eq!(repeated.first_difference.as_deref(), Some("P1"));
        let [same, differs] = repeated.points.as_slice() else { panic!("{repeated:?}") };
        assert!(!same.differs() && same.located == 4 && same.places[0].values["new"]["1"] == 4);
        let places: Vec<_> = differs.places.iter().map(|p| (p.line, p.replays)).collect();
        assert_eq!(places, [(Some(17), 2), (Some(19), 1)], "the most frequent first");
        assert_eq!((differs.located, differs.missing["it never happened"]), (3, 1));
    }

    #[test]
    fn an_interrupted_replay_counts_for_nothing() {
        let answers = [answer(Outcome::Held, &[Some((3, "1"))]), answer(Outcome::Interrupted, &[None])];
        let repeated = RepeatedReplay::of("test", &answers);
        assert_eq!((repeated.replays, repeated.exit_code), (1, 130));
        assert_eq!(repeated.first_difference, None);
    }

    #[test]
    fn a_value_that_varies_is_a_difference() {
        let answers = ["1", "2"].map(|new| answer(Outcome::Held, &[Some((3, new))]));
        assert_eq!(RepeatedReplay::of("test", &answers).first_difference.as_deref(), Some("P0"));
    }
}
