//! What a query says about its hits: whether the VM can determine the last one by itself, and number them.

use query::{Constraint, Event, FrameSelector, PointIndex, Slot, TraceQuery};

/// The effect of a query whose last hit the VM can determine by itself: the query asks for the last hit, and
/// its constraints depend only on values kept per object or per activation.
pub(crate) fn effect(query: &TraceQuery) -> Option<PointIndex> {
    let local = &query.local;
    let is_narrowed =
        local.when.is_some() || local.thread.is_some() || local.from.is_some() || local.site.is_some();
    if query.index != -1 || is_narrowed {
        return None;
    }
    let mut befores = query.constraints.iter().filter_map(|c| match c {
        Constraint::Before(point) => Some(*point),
        _ => None,
    });
    let (Some(effect), None) = (befores.next(), befores.next()) else { return None };
    let mut by_owner = false;
    for constraint in &query.constraints {
        match constraint {
            Constraint::Before(_) => {}
            Constraint::Sameness { mine: Slot::Owner, point, .. } if *point == effect => by_owner = true,
            // The index of the array element.
            Constraint::Sameness { mine: Slot::Kept(_), point, .. } if *point == effect && by_owner => {}
            Constraint::MayAffect { point, frame: FrameSelector::Nth(_) | FrameSelector::Any }
            | Constraint::SameThread(point)
            | Constraint::StoresFor { point, .. }
            | Constraint::Controls(point)
                if *point == effect => {}
            _ => return None,
        }
    }
    let kept = match &query.event {
        Event::Written(field) | Event::Read(field) => field.is_static || by_owner,
        Event::ElementWritten(_) | Event::Made(_) | Event::Changed(_) => by_owner,
        Event::Stored(_) => true,
        // The entry of a handler is not a branch edge.
        Event::Branched(branches) => !branches.iter().any(query::BranchSite::is_handler),
        _ => false,
    };
    kept.then_some(effect)
}

/// Whether the hits of a query can be numbered over all threads: they are kept per owner, not per activation.
pub(crate) fn numbers(query: &TraceQuery) -> bool {
    !matches!(query.event, Event::Stored(_) | Event::Branched(_) | Event::Copied(_))
}

/// Whether the JDK itself makes most hits of a query.
pub(crate) fn is_common(query: &TraceQuery) -> bool {
    matches!(&query.event, Event::Changed(contents) if contents.is_common())
}

/// Whether a query is asked from a point, directly or through other points.
pub(crate) fn depends(queries: &[TraceQuery], query: &TraceQuery, point: PointIndex) -> bool {
    let mut of = effect(query);
    // A point depends on earlier points of the chain.
    for _ in 0..queries.len() {
        match of {
            Some(effect) if effect == point => return true,
            Some(above) => of = queries.iter().find(|query| query.point == above).and_then(effect),
            None => return false,
        }
    }
    false
}

/// Whether the recorder keeps enough of a last hit to make it a candidate. It does not keep the frame values
/// that other points need.
pub(crate) fn is_kept_whole(query: &TraceQuery) -> bool {
    let is_known = |text: &str| [".index", ".new", ".old"].contains(&text);
    matches!(query.event, Event::Written(_) | Event::ElementWritten(_))
        && query.keep.iter().all(|keep| is_known(keep.expr.text()))
}
