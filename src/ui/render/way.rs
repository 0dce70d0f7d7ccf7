//! The steps of a value's flow, one line each: from the point that sees it back to its origin.

use answer::StepAnswer;
use model::short_method_name;
use std::fmt::Write as _;

/// Number of first steps to show, and of last steps; the JSON has all.
const SHOWN: usize = 30;

/// Renders the steps in lines of at most `width` columns.
pub fn way(steps: &[StepAnswer], width: usize, indent: usize) -> String {
    let mut out = String::new();
    if steps.is_empty() {
        return out;
    }
    let margin = " ".repeat(indent);
    let _ = writeln!(out, "{margin}came by, from the last:");
    let hidden = steps.len().saturating_sub(2 * SHOWN);
    let shown = |n: usize| hidden == 0 || n < SHOWN || n >= SHOWN + hidden;
    let rows: Vec<(usize, [String; 2], &str)> = steps
        .iter()
        .enumerate()
        .filter(|(n, _)| shown(*n))
        .map(|(n, step)| (n, [how(step), place(step)], step.text.as_deref().unwrap_or_default()))
        .collect();
    let widest = |column: usize, most: usize| {
        let lengths = rows.iter().filter_map(|(_, cells, _)| cells.get(column)).map(|c| c.chars().count());
        lengths.max().unwrap_or_default().min(most)
    };
    let (first, second) = (widest(0, 22), widest(1, 28));
    for (n, [how, place], text) in rows {
        if hidden > 0 && n == SHOWN + hidden {
            let _ = writeln!(out, "{margin}  … {hidden} more (--format json has them)");
        }
        let line = format!("{margin}  {}  {}  {text}", fitted(&how, first), fitted(&place, second));
        let _ = writeln!(out, "{}", cut(&line, width).trim_end());
    }
    out
}

fn how(step: &StepAnswer) -> String {
    match &step.variable {
        Some(variable) => format!("{} {variable}", step.passed),
        None => step.passed.clone(),
    }
}

fn place(step: &StepAnswer) -> String {
    let line = step.line.map(|line| format!(":{line}")).unwrap_or_default();
    format!("{}{line}", short_method_name(&step.class, &step.method))
}

fn fitted(text: &str, width: usize) -> String {
    format!("{:width$}", cut(text, width))
}

fn cut(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    text.chars().take(width.saturating_sub(1)).collect::<String>() + "…"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(passed: &str, variable: &str, text: &str) -> StepAnswer {
        StepAnswer {
            passed: passed.into(),
            variable: Some(variable.into()),
            class: "shop.Cart$Item".into(),
            method: "add".into(),
            file: Some("Cart.java".into()),
            line: Some(7),
            text: Some(text.into()),
            statement: None,
            thread: "main".into(),
            hit: 1,
        }
    }

    #[test]
    fn columns_stand_below_each_other_and_long_text_is_cut() {
        let long = "int b = somethingVeryLong(with, many, arguments, that, go, on, and, on);";
        let text = way(&[step("assigned", "b", long), step("parameter", "price", "add(3);")], 80, 3);
        insta::assert_snapshot!(text, @r"
        came by, from the last:
          assigned b       Cart.Item.add:7  int b = somethingVeryLong(with, many, ar…
          parameter price  Cart.Item.add:7  add(3);
        ");
        assert!(text.lines().all(|line| line.chars().count() <= 80));
    }

    #[test]
    fn of_very_many_the_first_and_the_last_are_shown() {
        let steps: Vec<StepAnswer> = (0..100).map(|n| step("assigned", &format!("v{n}"), "")).collect();
        let text = way(&steps, 80, 0);
        assert_eq!(text.lines().count(), 2 + 2 * SHOWN);
        assert!(text.contains("… 40 more"), "{text}");
        assert!(text.contains("v29") && !text.contains("v30 ") && text.contains("v70"), "{text}");
    }
}
