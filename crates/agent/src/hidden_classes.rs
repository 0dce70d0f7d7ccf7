//! Tracks which hidden classes were already reported.

use std::collections::HashSet;
use wire::{HiddenClass, Report};

/// Maximum number of named hidden classes; a framework can define one for each object.
const NAMED: usize = 1000;

/// The reported hidden classes, by the names in their class files.
#[derive(Debug, Default)]
pub(crate) struct HiddenClasses {
    named: HashSet<HiddenClass>,
    has_more: bool,
}

impl HiddenClasses {
    /// The report for a class: each class once, and one problem when there are too many.
    pub(crate) fn line(&mut self, class: HiddenClass) -> Option<Report> {
        if self.named.contains(&class) || self.has_more {
            return None;
        }
        if self.named.len() < NAMED {
            self.named.insert(class.clone());
            return Some(Report::Hidden(class));
        }
        self.has_more = true;
        Some(Report::Problem(format!("there are more than {NAMED} hidden classes: not all are named")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_reported_once_and_not_without_bound() {
        let mut hidden = HiddenClasses::default();
        let class = |n: usize| HiddenClass { class: format!("C{n}"), queries: vec![0] };
        assert_eq!(hidden.line(class(0)), Some(Report::Hidden(class(0))));
        assert_eq!(hidden.line(class(0)), None);
        let more: Vec<Report> = (1..2 * NAMED).filter_map(|n| hidden.line(class(n))).collect();
        assert_eq!(more.len(), NAMED);
        assert!(matches!(more.last(), Some(Report::Problem(_))));
    }
}
