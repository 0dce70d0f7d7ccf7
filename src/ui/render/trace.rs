//! Recorded runs as text: what was recorded, and calls as a tree.

use super::cost::thousands;
use super::{Paint, palette};
use crate::command::trace::Traced;
use crate::session::{CallShown, CallTree, Holds, RecordedRun, Shown};

/// What a command about recorded runs gives.
pub fn traced(traced: &Traced, color: bool) -> String {
    let paint = Paint { color };
    match traced {
        Traced::Record(recorded) => recorded_run(recorded, paint),
        Traced::Info(holds) => info(holds, paint),
        Traced::Calls(tree) => calls(tree, paint),
    }
}

fn missing(out: &mut String, missing: &[String], paint: Paint) {
    for what in missing {
        out.push_str(&format!("{} {what}\n", paint.on(palette::FAILED, "missing:")));
    }
}

fn recorded_run(run: &RecordedRun, paint: Paint) -> String {
    let recorded = &run.recorded;
    let mut out = format!(
        "recorded in {}: {} of events, {} on disk; the run took {:.1} s and ended with {}\n",
        run.folder.display(),
        bytes(recorded.bytes),
        bytes(run.stored),
        recorded.seconds,
        recorded.ended
    );
    if recorded.waited_s >= 0.05 {
        out.push_str(&format!(
            "its threads waited {:.1} s in all until events were taken out\n",
            recorded.waited_s
        ));
    }
    if recorded.bytes == 0 {
        out.push_str(
            "nothing was recorded: no method of a class that --scope and --trust leave was called\n",
        );
    }
    missing(&mut out, &recorded.missing, paint);
    out
}

fn info(holds: &Holds, paint: Paint) -> String {
    let mut out = format!("command    {}\n", holds.command.join(" "));
    if let (Some(ended), Some(seconds)) = (&holds.ended, holds.seconds) {
        out.push_str(&format!("ended      {ended}, after {seconds:.1} s\n"));
    }
    let events: u64 = holds.events.values().sum();
    let kinds: Vec<String> =
        holds.events.iter().map(|(kind, count)| format!("{} {kind}", thousands(*count))).collect();
    out.push_str(&format!("calls      {}\n", thousands(holds.calls)));
    out.push_str(&format!("events     {}: {}\n", thousands(events), kinds.join(", ")));
    out.push_str(&format!("bytes      {}\n", bytes(holds.bytes)));
    out.push_str(&format!("methods    {}\n", thousands(holds.methods)));
    out.push_str(&format!("objects    {}\n", thousands(holds.objects)));
    for (thread, calls) in &holds.threads {
        out.push_str(&format!("thread     {thread}: {} calls\n", thousands(*calls)));
    }
    for (method, why) in &holds.left {
        out.push_str(&format!("not recorded: {method}: {why}\n"));
    }
    missing(&mut out, &holds.missing, paint);
    out
}

fn calls(tree: &CallTree, paint: Paint) -> String {
    let mut out = String::new();
    for thread in &tree.threads {
        out.push_str(&format!("thread {}\n", thread.thread));
        for shown in &thread.calls {
            one(&mut out, shown, 1, paint);
        }
    }
    if tree.threads.is_empty() {
        out.push_str("no such call was recorded\n");
    }
    out
}

fn one(out: &mut String, shown: &Shown, depth: usize, paint: Paint) {
    let indent = "  ".repeat(depth);
    match shown {
        Shown::Fold(fold) => {
            let below = match fold.below {
                0 => String::new(),
                below => format!(", {} calls below them", thousands(below)),
            };
            let text = format!("… {} more of {}{below}", thousands(fold.folded), fold.method);
            out.push_str(&format!("{indent}{}\n", paint.on(palette::DIM, text)));
        }
        Shown::Call(call) => {
            out.push_str(&format!("{indent}{}\n", line(call, paint)));
            for below in &call.calls {
                one(out, below, depth + 1, paint);
            }
        }
    }
}

fn line(call: &CallShown, paint: Paint) -> String {
    let class = call.class.rsplit('.').next().unwrap_or_default();
    let on = call.this.as_deref().unwrap_or(class);
    let name = if call.method == "<init>" { format!("new {class}") } else { format!("{on}.{}", call.method) };
    let number = paint.on(palette::DIM, format!("#{}", call.node));
    let mut text = format!("{number} {name}({})", call.arguments.join(", "));
    let value = |text: &str| paint.on(palette::VALUE, text);
    if call.method == "<init>"
        && let Some(this) = &call.this
    {
        text.push_str(&format!(" = {}", value(this)));
    }
    if let Some(result) = &call.result {
        text.push_str(&format!(" = {}", value(result)));
    }
    if let Some(exception) = &call.exception {
        text.push_str(&format!(" {} {exception}", paint.on(palette::FAILED, "threw")));
    }
    if let Some(open) = call.open {
        text.push_str(&format!(" {}", paint.on(palette::FAILED, open)));
    }
    if call.below > 0 && call.calls.is_empty() {
        text.push_str(&paint.on(palette::DIM, format!(" … {} calls below", thousands(call.below))));
    }
    text
}

fn bytes(count: u64) -> String {
    match count {
        0..1_000 => format!("{count} bytes"),
        1_000..1_000_000 => format!("{:.1} kB", ratio(count, 1_000)),
        1_000_000..1_000_000_000 => format!("{:.1} MB", ratio(count, 1_000_000)),
        _ => format!("{:.1} GB", ratio(count, 1_000_000_000)),
    }
}

#[allow(clippy::cast_precision_loss, reason = "one decimal is shown")]
fn ratio(count: u64, of: u64) -> f64 {
    count as f64 / of as f64
}
