//! The chain as a small tree from effect to cause.

use super::{Paint, palette, visible};
use answer::PointAnswer;

/// One line per point, below the point it was asked from.
pub fn tree(points: &[PointAnswer], paint: Paint) -> String {
    let mut out = String::new();
    let roots = points.iter().filter(|p| parent(points, p).is_none());
    for root in roots {
        line(&mut out, points, root, "", "", paint);
    }
    out
}

/// The nearest effect: the last point it was asked from.
fn parent<'a>(points: &'a [PointAnswer], point: &PointAnswer) -> Option<&'a PointAnswer> {
    let id = point.asked_from.last()?;
    points.iter().find(|p| p.id == *id)
}

fn line(out: &mut String, all: &[PointAnswer], point: &PointAnswer, lead: &str, below: &str, paint: Paint) {
    let place = match (&point.file, point.line, &point.class) {
        (Some(file), Some(line), _) => format!("{file}:{line}"),
        (_, _, Some(class)) => class.clone(),
        _ => String::new(),
    };
    let what = match (&point.located, &point.text, &point.assigned) {
        (false, _, _) => paint.on(palette::FAILED, "not located"),
        (true, Some(text), _) => text.clone(),
        (true, None, Some(assigned)) => assigned.clone(),
        (true, None, None) => point.method.clone().unwrap_or_default(),
    };
    let head = format!("{lead}{}", paint.on(palette::POINT, &point.id));
    let gap = |text: &str, to: usize| " ".repeat(to.saturating_sub(visible(text)).max(1));
    let mut text = format!("{head}{}{place}", gap(&head, 14));
    text = format!("{text}{}{what}", gap(&text, 38));
    out.push_str(clip(&text, 80).trim_end());
    out.push('\n');
    let children: Vec<_> = all.iter().filter(|p| parent(all, p).is_some_and(|e| e.id == point.id)).collect();
    for (n, child) in children.iter().enumerate() {
        let last = n + 1 == children.len();
        let (branch, trunk) = if last { ("└─ ", "   ") } else { ("├─ ", "│  ") };
        line(out, all, child, &format!("{below}{branch}"), &format!("{below}{trunk}"), paint);
    }
}

/// Clips a text to `width` columns.
fn clip(text: &str, width: usize) -> String {
    if visible(text) <= width {
        return text.to_owned();
    }
    let mut out = String::new();
    for c in text.chars() {
        if visible(&out) + 1 >= width {
            break;
        }
        out.push(c);
    }
    out + "…"
}
