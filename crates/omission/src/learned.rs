//! What the tries of all suggestions have shown together.

use super::asked::OmissionQuestion;
use super::confirm::Verdict;

/// What is said of a number of tries with one of these verdicts.
const SAID: [(&[Verdict], &str); 8] = [
    (&[Verdict::FailsLater], "made the test fail later"),
    (&[Verdict::Changed, Verdict::ChangedNotRight], "changed the value, and not to the right one"),
    (&[Verdict::NoEffect, Verdict::NoChangeSeen], "did not change it"),
    (&[Verdict::FailsEarlier], "made the test fail earlier"),
    (&[Verdict::PointNotReached], "led past the point"),
    (&[Verdict::Crashed], "ended the program before the point"),
    (&[Verdict::DidNotEnd], "did not end"),
    (&[Verdict::NotReached, Verdict::RunPartedEarlier, Verdict::NotTried], "could not be compared"),
];

/// What the failed tries may mean, and what to do.
const NEXT: &str = "Code may be missing that the program does not have, or several jumps went wrong \
                    together. `qp diagnose` finds the call that is wrong";

/// Closes an answer in which no try was right: what was learned, and what to do next. `tried` has the verdict
/// of each jump that was tried. `None` if a try was right, or if nobody said what is right and a try made
/// something else of the value.
pub(super) fn learned(tried: &[Verdict], question: &OmissionQuestion) -> Option<String> {
    if tried.is_empty() || tried.contains(&Verdict::Right) {
        return None;
    }
    if question.wanted.is_empty() && tried.contains(&Verdict::Changed) {
        return None;
    }
    let of = |verdicts: &[Verdict]| tried.iter().filter(|verdict| verdicts.contains(verdict)).count();
    let counted = SAID.iter().map(|(verdicts, what)| (of(verdicts), what)).filter(|(count, _)| *count > 0);
    let said: Vec<String> = counted.map(|(count, what)| format!("{count} {what}")).collect();
    let (jumps, makes) = match tried.len() {
        1 => ("the one jump that was tried", "does not make it right"),
        _ => ("none of the jumps that were tried", "makes it right"),
    };
    Some(format!("{jumps} {makes}: {}. {NEXT}", said.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::point::WrongPoint;
    use crate::wanted::Wanted;

    #[test]
    fn tries_that_failed_are_counted() {
        let condition = Some("list.size() == 1".to_owned());
        let wanted = Wanted { condition, ..Wanted::default() };
        let question = OmissionQuestion { wanted, ..OmissionQuestion::new("list", WrongPoint::End) };
        let of = |tried: &[Verdict]| learned(tried, &question);
        assert_eq!((of(&[]), of(&[Verdict::NoEffect, Verdict::Right])), (None, None));
        let all = [Verdict::NoEffect, Verdict::FailsEarlier, Verdict::NoChangeSeen];
        let told = "makes it right: 2 did not change it, 1 made the test fail earlier";
        assert_eq!(of(&all), Some(format!("none of the jumps that were tried {told}. {NEXT}")));
        let told = "does not make it right: 1 changed the value, and not to the right one";
        let one = of(&[Verdict::ChangedNotRight]);
        assert_eq!(one, Some(format!("the one jump that was tried {told}. {NEXT}")));
        let open = OmissionQuestion::new("list", WrongPoint::End);
        assert_eq!(learned(&[Verdict::Changed], &open), None);
        assert!(learned(&[Verdict::NoEffect], &open).is_some());
    }
}
