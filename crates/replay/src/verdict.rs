//! Decides from an answer whether the chain's bug is present, for `qp check` and `qp bisect`.

use answer::{Answer, Outcome, PointAnswer};
use chain::Chain;
use run::Ended;

/// Whether the chain's bug is present.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The root was reached, and all expectations hold.
    Present,
    /// The root was reached, but these points differ from the expectations.
    OtherCause(Vec<String>),
    /// The scenario ran, but the root was not reached.
    Absent,
    /// Undecided, for this reason.
    Unsure(String),
    /// The user interrupted.
    Interrupted,
}

impl Verdict {
    /// Judges an answer.
    pub fn of(chain: &Chain, answer: &Answer) -> Verdict {
        if answer.outcome == Outcome::Interrupted {
            return Verdict::Interrupted;
        }
        let Some(root) = answer.points.first() else {
            return Verdict::Unsure("the chain has no points".to_owned());
        };
        if root.located { reached(chain, answer) } else { not_reached(chain, answer, root) }
    }
}

fn reached(chain: &Chain, answer: &Answer) -> Verdict {
    let is_alive = |p: &&PointAnswer| chain.alive.as_ref() == Some(&p.id);
    let differs = |p: &&PointAnswer| match &p.expectation {
        Some(expectation) => !expectation.held,
        None => !p.located,
    };
    let others = answer.points.iter().filter(|p| !is_alive(p)).filter(differs);
    let others: Vec<String> = others.map(|p| p.id.clone()).collect();
    if others.is_empty() {
        return Verdict::Present;
    }
    match &answer.ended {
        Some(Ended::TimedOut(limit)) => Verdict::Unsure(format!(
            "the run was ended after {} s, before {} was decided; raise `timeout_s` or --timeout",
            limit.as_secs(),
            others.join(", ")
        )),
        Some(Ended::Lost(why)) => Verdict::Unsure(format!("the connection was lost: {why}")),
        _ => match answer.blind_spots.first() {
            Some(spot) => Verdict::Unsure(spot.clone()),
            None => Verdict::OtherCause(others),
        },
    }
}

fn not_reached(chain: &Chain, answer: &Answer, root: &PointAnswer) -> Verdict {
    if let Some(spot) = answer.blind_spots.first() {
        return Verdict::Unsure(spot.clone());
    }
    let reason = root.reason.as_deref().unwrap_or("not reached");
    let cut = |how: String| Verdict::Unsure(format!("{} was not reached, but {how}", root.id));
    match &answer.ended {
        None => return Verdict::Unsure("the program was not run".to_owned()),
        Some(Ended::TimedOut(limit)) => {
            return cut(format!(
                "the run was ended after {} s; raise `timeout_s` or --timeout",
                limit.as_secs()
            ));
        }
        Some(Ended::Killed(signal)) => return cut(format!("the program was killed by signal {signal}")),
        Some(Ended::Lost(why)) => return cut(format!("the connection was lost: {why}")),
        Some(Ended::Interrupted) => return Verdict::Interrupted,
        Some(Ended::Recorded { how, went_on: true }) => return cut(how.clone()),
        Some(Ended::Stopped | Ended::Driven | Ended::Exited(_) | Ended::Recorded { .. }) => {}
    }
    if let Some(id) = &chain.alive {
        let alive = answer.points.iter().find(|p| p.id == *id);
        return match alive {
            Some(point) if point.located => Verdict::Absent,
            point => {
                let why = point.and_then(|p| p.reason.as_deref()).unwrap_or("never asked");
                Verdict::Unsure(format!(
                    "neither {} nor `alive` ({id}) was reached, so the scenario was not run: {why}",
                    root.id
                ))
            }
        };
    }
    match &answer.ended {
        Some(Ended::Driven | Ended::Exited(Some(0))) => Verdict::Absent,
        Some(Ended::Exited(Some(code))) => cut(format!(
            "the program ended with exit code {code}; name an `alive` point that shows that the scenario ran"
        )),
        _ => cut(format!("it is unknown whether the scenario ran ({reason}); name an `alive` point")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use answer::Expectation;

    const CHAIN: &str = r#"(format: 1, debuggee: (command: ["java", "M"]), alive: "S", points: [
        (id: "A", at: Line("M", 3)), (id: "B", at: LastCondition("A")), (id: "S", at: Line("M", 9))])"#;

    fn chain(alive: bool) -> Chain {
        let mut chain = Chain::parse(CHAIN, "test").expect("a chain");
        chain.alive = chain.alive.filter(|_| alive);
        chain
    }

    fn answer(located: [bool; 3], ended: Ended) -> Answer {
        let point = |(id, located): (&str, bool)| PointAnswer {
            id: id.to_owned(),
            located,
            ..PointAnswer::default()
        };
        Answer {
            chain: "test".to_owned(),
            outcome: Outcome::Unlocated,
            runs: 1,
            recording: None,
            points: ["A", "B", "S"].into_iter().zip(located).map(point).collect(),
            earlier: Vec::new(),
            queries: Vec::new(),
            warnings: Vec::new(),
            last_output: Vec::new(),
            ended: Some(ended),
            blind_spots: Vec::new(),
        }
    }

    fn is_unsure(verdict: &Verdict, word: &str) -> bool {
        matches!(verdict, Verdict::Unsure(why) if why.contains(word))
    }

    #[test]
    fn a_reached_root_is_the_bug_or_another() {
        let (chain, all) = (chain(true), [true, true, false]);
        assert_eq!(Verdict::of(&chain, &answer(all, Ended::Stopped)), Verdict::Present);
        let other = answer([true, false, true], Ended::Exited(Some(0)));
        assert_eq!(Verdict::of(&chain, &other), Verdict::OtherCause(vec!["B".to_owned()]));
        let mut differs = answer(all, Ended::Stopped);
        differs.points[1].expectation = Some(Expectation { held: false, differences: vec![], parts: vec![] });
        assert_eq!(Verdict::of(&chain, &differs), Verdict::OtherCause(vec!["B".to_owned()]));
        let late = answer([true, false, true], Ended::TimedOut(std::time::Duration::from_secs(7)));
        assert!(is_unsure(&Verdict::of(&chain, &late), "7 s"));
    }

    #[test]
    fn an_unreached_root_is_absence_only_where_the_scenario_was_run() {
        let (with, without) = (chain(true), chain(false));
        let alive = [false, false, true];
        assert_eq!(Verdict::of(&with, &answer(alive, Ended::Exited(Some(1)))), Verdict::Absent);
        assert!(is_unsure(&Verdict::of(&with, &answer([false; 3], Ended::Exited(Some(0)))), "alive"));
        assert_eq!(Verdict::of(&without, &answer([false; 3], Ended::Exited(Some(0)))), Verdict::Absent);
        assert!(is_unsure(
            &Verdict::of(&without, &answer([false; 3], Ended::Exited(Some(1)))),
            "exit code 1"
        ));
        assert!(is_unsure(&Verdict::of(&with, &answer(alive, Ended::Killed(9))), "signal 9"));
    }

    #[test]
    fn what_a_run_could_not_see_is_not_absent() {
        let mut blind = answer([false, false, true], Ended::Exited(Some(0)));
        blind.blind_spots.push("the condition of A could not be evaluated at 3 hits: no field x".to_owned());
        assert!(is_unsure(&Verdict::of(&chain(true), &blind), "3 hits"));
    }
}
