//! Recorded runs as text: summaries, trees of calls, events and writes.

use super::{Paint, Text, counted, hanging, hanging_at, palette};
use command::trace::MadeChain;
use model::{call_on, short_class_name, short_method_name};
use past::{CallShown, CallTree, EventShown, EventsShown, History, ListedCall, RecordingInfo, StateShown};
use recorded::{ExportResult, FoundEvent, FoundEvents, PackResult, RecordedRun};
use trace::{Level, size_text as bytes, thousands};

/// Width of a line, in columns.
const WIDTH: usize = 80;
/// Number of levels of calls to indent.
const DEEPEST: usize = 20;

impl Text for RecordedRun {
    fn text(&self, color: bool) -> String {
        recorded_run(self, Paint { color })
    }
}

impl Text for RecordingInfo {
    fn text(&self, color: bool) -> String {
        info(self, Paint { color })
    }
}

impl Text for CallTree {
    fn text(&self, color: bool) -> String {
        calls(self, Paint { color })
    }
}

impl Text for EventsShown {
    fn text(&self, color: bool) -> String {
        events(self, Paint { color })
    }
}

impl Text for History {
    fn text(&self, color: bool) -> String {
        writes(self, Paint { color })
    }
}

impl Text for StateShown {
    fn text(&self, color: bool) -> String {
        state(self, Paint { color })
    }
}

impl Text for FoundEvents {
    fn text(&self, color: bool) -> String {
        found_events(self, Paint { color })
    }
}

impl Text for ExportResult {
    fn text(&self, color: bool) -> String {
        exports(self, Paint { color })
    }
}

impl Text for PackResult {
    fn text(&self, color: bool) -> String {
        packed(self, Paint { color })
    }
}

impl Text for MadeChain {
    fn text(&self, _color: bool) -> String {
        made_chain(self)
    }
}

fn found_events(points: &FoundEvents, paint: Paint) -> String {
    let not = |(point, why): &(String, String)| format!("{}  {why}\n", paint.on(palette::FAILED, point));
    let found = points.found.iter().map(|found| found_event(found, paint));
    let lacks = missing(&points.missing, paint);
    found.chain(points.not_found.iter().map(not)).chain([lacks]).collect()
}

/// The text of a chain, or the file it is in.
pub(super) fn made_chain(made: &MadeChain) -> String {
    let mut text = match &made.file {
        Some(file) => format!("the chain is in {}\n", file.display()),
        None => format!("{}\n", made.chain.trim_end()),
    };
    // The text is a chain, so notes become comments.
    let beside = made.note.iter().cloned().chain(made.missing.iter().map(|what| format!("missing: {what}")));
    beside.for_each(|line| text.push_str(&format!("// {line}\n")));
    text
}

/// The missing parts of a recorded run.
pub fn lacks(what: &[String], color: bool) -> String {
    missing(what, Paint { color })
}

/// The same, in colours or not.
pub(super) fn missing(missing: &[String], paint: Paint) -> String {
    let line = |what: &String| format!("{} {what}\n", paint.on(palette::FAILED, "missing:"));
    missing.iter().map(line).collect()
}

/// How a program ended, after "the program".
pub fn ended(how: &str) -> String {
    if how.starts_with("exit code") {
        return format!("ended with {how}");
    }
    if how.starts_with("by ") { format!("was ended {how}") } else { format!("ended: {how}") }
}

fn recorded_run(run: &RecordedRun, paint: Paint) -> String {
    let recorded = &run.recorded;
    let mut out = format!(
        "recorded in {}: {} of events, {} on disk; the run took {:.1} s and {}\n",
        run.folder.display(),
        bytes(recorded.bytes),
        bytes(run.stored),
        recorded.seconds,
        ended(&recorded.ended)
    );
    if recorded.waited_s >= 0.05 {
        out.push_str(&format!(
            "its threads waited {:.1} s in total for room in their event buffers\n",
            recorded.waited_s
        ));
    }
    if let Some(shares) = &run.large {
        out.push_str(&super::growth::large(shares, recorded.bytes));
    }
    for place in &recorded.unreached {
        out.push_str(&format!("{place} was not reached\n"));
    }
    if recorded.bytes == 0 && recorded.unreached.is_empty() {
        out.push_str(match recorded.missing.is_empty() {
            true => {
                "nothing was recorded: no method of the classes that --scope and --trust select was called\n"
            }
            false => "nothing was recorded\n",
        });
        if let Some(lines) = &run.output {
            out.push_str(&format!("The program's last output:\n{lines}\n"));
        }
    }
    out.push_str(&overflows(recorded.overflows));
    for vm in &run.vms {
        let main = vm.main.as_deref().unwrap_or("another VM");
        out.push_str(&format!("{main} in {}: {} on disk\n", vm.folder.display(), bytes(vm.stored)));
        out.push_str(&missing(&vm.missing, paint));
    }
    out.push_str(&missing(&recorded.missing, paint));
    for note in &run.notes {
        out.push_str(&format!("note: {note}\n"));
    }
    out
}

/// The warning that a recorded program can overflow its stack where the plain one does not.
fn overflows(count: u64) -> String {
    if count == 0 {
        return String::new();
    }
    let times = if count == 1 { "once".to_owned() } else { format!("{} times", thousands(count)) };
    let text = format!(
        "note: the stack overflowed {times}: a recorded method needs more of it than a plain one, so the \
         plain run may do something else; `java -Xss64m` gives room"
    );
    hanging(&text, 0, WIDTH)
}

fn info(holds: &RecordingInfo, paint: Paint) -> String {
    let mut out = format!("command    {}\n", holds.command.join(" "));
    out.push_str(&format!("level      {}\n", holds.level));
    if let Some(whose) = &holds.whose_code {
        out.push_str(&hanging(whose, 0, WIDTH));
    }
    if let (Some(ended), Some(seconds)) = (&holds.ended, holds.seconds) {
        out.push_str(&format!("ended      {ended}, after {seconds:.1} s\n"));
    }
    if let Some(places) = &holds.places {
        let bound = |word: &str, place: &Option<String>| match place {
            Some(place) if places.unreached.contains(place) => {
                format!(" {word} {place}, which was not reached")
            }
            Some(place) => format!(" {word} {place}"),
            None => String::new(),
        };
        out.push_str(&format!("part      {}{}\n", bound("from", &places.from), bound("to", &places.to)));
    }
    if let Some(steered) = &holds.steered {
        out.push_str(&labelled("steered", steered));
    }
    let events: u64 = holds.events.values().sum();
    let kinds: Vec<String> =
        holds.events.iter().map(|(kind, count)| format!("{} {kind}", thousands(*count))).collect();
    out.push_str(&format!("calls      {}\n", thousands(holds.calls)));
    // A no-break space keeps a count and its kind in one line.
    let kinds: Vec<String> = kinds.iter().map(|kind| kind.replace(' ', "\u{a0}")).collect();
    let kinds = format!("{}: {}", thousands(events), kinds.join(", "));
    out.push_str(&labelled("events", &kinds).replace('\u{a0}', " "));
    out.push_str(&format!("bytes      {}\n", bytes(holds.bytes)));
    out.push_str(&format!("methods    {}\n", thousands(holds.methods)));
    out.push_str(&format!("objects    {}\n", thousands(holds.objects)));
    for thread in &holds.threads {
        let end = match &thread.uncaught {
            Some(exception) => format!(", ended by the uncaught {exception}"),
            None if thread.ended => String::new(),
            None => ", its end was not recorded".to_owned(),
        };
        let calls = if thread.calls == 1 { "call" } else { "calls" };
        let start = thread.started_in.map_or_else(String::new, |node| format!(", started in #{node}"));
        let count = thousands(thread.calls);
        let text = format!("{}: {count} {calls}{start}{end}", thread.name);
        out.push_str(&labelled("thread", &text));
    }
    for vm in &holds.vms {
        out.push_str(&labelled("other VM", &vm.display().to_string()));
    }
    for (method, at) in &holds.lower {
        let text =
            format!("{method} is recorded at level {at}: at a higher level its code would be too long");
        out.push_str(&hanging(&text, 0, WIDTH));
    }
    for (method, why) in &holds.left {
        out.push_str(&hanging(&format!("not recorded: {method}: {why}"), 0, WIDTH));
    }
    out.push_str(&overflows(holds.overflows.unwrap_or(0)));
    out.push_str(&missing(&holds.missing, paint));
    out
}

/// A labelled row of the summary.
fn labelled(label: &str, text: &str) -> String {
    let label = format!("{label:<10}").replace(' ', "\u{a0}");
    hanging_at(&format!("{label} {text}"), 0, 11, WIDTH).replace('\u{a0}', " ")
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
    out.push_str(&missing(&tree.missing, paint));
    out
}

fn one(out: &mut String, shown: &ListedCall, depth: usize, paint: Paint) {
    // Deeper calls have no room left in a line.
    let indent = 2 * depth.min(DEEPEST);
    match shown {
        ListedCall::Fold(fold) => {
            let below = match fold.below {
                0 => String::new(),
                below => format!(", {} below them", counted(below, "call")),
            };
            let text = format!("… {} more of {}{below}", thousands(fold.folded), fold.method);
            out.push_str(&hanging(&paint.on(palette::DIM, text), indent, WIDTH));
        }
        ListedCall::Call(call) => {
            out.push_str(&hanging(&line(call, paint), indent, WIDTH));
            for below in &call.calls {
                one(out, below, depth + 1, paint);
            }
        }
    }
}

/// A call as a line.
pub fn line(call: &CallShown, paint: Paint) -> String {
    let class = short_class_name(&call.class);
    let name = match &call.this {
        _ if call.method == "<init>" => format!("new {class}"),
        Some(this) => call_on(&call.class, &call.method, this),
        None => short_method_name(&call.class, &call.method),
    };
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
        text.push_str(&paint.on(palette::DIM, format!(" … {} below", counted(call.below.into(), "call"))));
    }
    text
}

fn events(shown: &EventsShown, paint: Paint) -> String {
    let mut out = format!("thread {}\n", shown.thread);
    out.push_str(&hanging(&line(&shown.call, paint), 2, WIDTH));
    let file = shown.source.as_deref().unwrap_or("line");
    for (event, next) in shown.events.iter().zip(shown.events.iter().skip(1).map(Some).chain([None])) {
        // An event in the line already shows that the line began.
        if event.event == "line" && next.is_some_and(|next| next.event != "line" && next.line == event.line) {
            continue;
        }
        let at = match &event.call {
            Some(_) => String::new(),
            None => event.line.map_or_else(String::new, |line| format!("{file}:{line}")),
        };
        let text = match &event.call {
            Some(call) => line(call, paint),
            None => format!("{}{}", happening(event, paint), arms(event)),
        };
        // A no-break space keeps the place and its columns in one word.
        let place = format!("{at:<20}").replace(' ', "\u{a0}");
        out.push_str(&hanging_at(&format!("{place} {text}"), 4, 29, WIDTH).replace('\u{a0}', " "));
    }
    if shown.level < Level::All {
        let less =
            format!("recorded at level {}: --level all runs the program again for this call", shown.level);
        out.push_str(&format!("    {}\n", paint.on(palette::DIM, less)));
    }
    if shown.more {
        let more = "… there are more: --limit shows them";
        out.push_str(&format!("    {}\n", paint.on(palette::DIM, more)));
    }
    out.push_str(&missing(&shown.missing, paint));
    out
}

/// The text of an event other than a call. It names the method that acted where that is not the call's own.
pub fn happening(event: &EventShown, paint: Paint) -> String {
    let Some(by) = &event.by else { return happens(event, paint) };
    let mut parts = by.rsplit('.');
    let (method, class) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    format!("{}{}", happens(event, paint), paint.on(palette::DIM, format!("   by {class}.{method}")))
}

/// Whether a printed object is of this class, so that its field needs no class name.
fn is_of(object: &str, class: &str) -> bool {
    object.split('@').next() == Some(short_class_name(class).as_str())
}

fn happens(event: &EventShown, paint: Paint) -> String {
    let object = event.object.as_deref().unwrap_or("?");
    let name = event.name.as_deref().unwrap_or("?");
    let value = |text: &Option<String>| paint.on(palette::VALUE, text.as_deref().unwrap_or("?"));
    let change = || match &event.old {
        Some(_) => format!("{} → {}", value(&event.old), value(&event.new)),
        None => value(&event.new),
    };
    match event.event {
        "field" => {
            let class = event.declared_by.as_deref().unwrap_or_default();
            let simple = class.rsplit(['.', '$']).next().unwrap_or_default();
            match &event.object {
                None => format!("{simple}.{name}: {}", change()),
                Some(_) if is_of(object, class) => format!("{object}.{name}: {}", change()),
                Some(_) => format!("{object}.{simple}.{name}: {}", change()),
            }
        }
        "element" => {
            let of = object.split('@').nth(1).map_or_else(String::new, |number| format!("@{number}"));
            let array = object.split('[').next().unwrap_or_default();
            format!("{array}[]{of}[{}]: {}", event.index.unwrap_or_default(), change())
        }
        "local" => format!("{name} = {}", value(&event.new)),
        "array" => format!("new {object}"),
        "throw" => format!("{} {object}", paint.on(palette::FAILED, "throws")),
        "raised" => format!("{} {object}", paint.on(palette::FAILED, "raised")),
        "catch" => format!("{} {object}", paint.on(palette::FAILED, "caught")),
        "branch" => {
            let to = match (event.to_line, event.to) {
                (Some(line), _) => format!("on to line {line}"),
                (None, to) => format!("on to index {}", to.unwrap_or_default()),
            };
            paint.on(palette::DIM, to)
        }
        "contents" => super::contents::change(event, paint),
        "text" => super::contents::text(event, paint),
        "start" => match &event.name {
            Some(name) => format!("starts thread {} ({object})", value(&Some(name.clone()))),
            None => format!("starts a thread ({object})"),
        },
        other => match &event.object {
            Some(object) => format!("{other} {object}"),
            None => paint.on(palette::DIM, other),
        },
    }
}

/// The lines of the possible branches that produced a value, where the branch is unknown.
pub fn arms(event: &EventShown) -> String {
    let Some((last, others)) = event.lines.split_last() else { return String::new() };
    let others: Vec<String> = others.iter().map(ToString::to_string).collect();
    format!(" (by line {} or {last})", others.join(", "))
}

pub(super) fn writes(history: &History, paint: Paint) -> String {
    let mut out = String::new();
    if history.before > 0 {
        let count = counted(u64::try_from(history.before).unwrap_or(u64::MAX), "write");
        let before = format!("… {count} before: --limit shows more");
        out.push_str(&format!("{}\n", paint.on(palette::DIM, before)));
    }
    for written in &history.writes {
        let node = written.node.map_or_else(String::new, |node| paint.on(palette::DIM, format!("#{node} ")));
        let line = written.write.line.map_or_else(String::new, |line| format!(":{line}"));
        let what = happening(&written.write, paint);
        let line = format!("{line}{}", arms(&written.write));
        let run = written.run.as_ref().map_or_else(String::new, |run| format!(", by the later run {run}"));
        // A write outside of recorded calls has no known thread.
        let thread = Some(&written.thread).filter(|thread| !thread.is_empty());
        let thread = thread.map_or_else(String::new, |thread| format!(", thread {thread}"));
        out.push_str(&hanging(&what, 0, WIDTH));
        out.push_str(&hanging(&format!("{node}{}{line}{thread}{run}", written.method), 2, WIDTH));
    }
    if history.writes.is_empty() {
        out.push_str(&format!("no write to {} was recorded\n", history.variable));
    }
    if let Some(only) = history.coverage() {
        out.push_str(&format!("{}\n", paint.on(palette::DIM, only)));
    }
    out.push_str(&missing(&history.missing, paint));
    out
}

fn state(shown: &StateShown, paint: Paint) -> String {
    let end = if shown.ended { "its end" } else { "the end of the recording" };
    let mut out = hanging(&line(&shown.call, paint), 0, WIDTH);
    out.push_str(&format!("  {} as it begins, and at {end}:\n", shown.object));
    let simple = |class: &str| class.rsplit(['.', '$']).next().unwrap_or_default().to_owned();
    for part in &shown.parts {
        let name = match (part.index, &part.declared_by, &part.name) {
            (Some(index), ..) => format!("[{index}]"),
            (None, Some(class), Some(name)) if !is_of(&shown.object, class) => {
                format!("{}.{name}", simple(class))
            }
            (None, _, name) => name.clone().unwrap_or_default(),
        };
        let text = |value: &Option<String>| value.as_deref().unwrap_or("?").to_owned();
        let held = match part.entry == part.exit {
            true => text(&part.exit),
            false => format!("{} → {}", text(&part.entry), paint.on(palette::FAILED, text(&part.exit))),
        };
        let writes = match part.writes {
            0 => String::new(),
            1 => paint.on(palette::DIM, " written once"),
            many => paint.on(palette::DIM, format!(" written {many} times")),
        };
        let unrecorded = if part.unrecorded { " (also written by unrecorded code)" } else { "" };
        let name = format!("{name:<16}").replace(' ', "\u{a0}");
        let text = format!("{name} {held}{writes}{unrecorded}");
        out.push_str(&hanging(&text, 4, WIDTH).replace('\u{a0}', " "));
        if let Some(contents) = &part.contents {
            out.push_str(&super::contents::between(contents, true, paint));
        }
    }
    if let Some(contents) = &shown.contents {
        out.push_str(&super::contents::between(contents, false, paint));
    }
    if shown.more {
        out.push_str("    … and more: see --limit\n");
    }
    if shown.parts.is_empty() && shown.contents.is_none() {
        out.push_str("    no part of it is ever written\n");
    }
    out.push_str(&missing(&shown.missing, paint));
    out
}

fn found_event(found: &FoundEvent, paint: Paint) -> String {
    let what = match found.number {
        0 => "its entry".to_owned(),
        number => format!("event {number}: {}", happening(&found.event, paint)),
    };
    let (point, call) = (paint.on(palette::POINT, &found.point), line(&found.call, paint));
    hanging(&format!("{point}  {call}"), 0, WIDTH) + &hanging(&what, 3, WIDTH)
}

fn exports(exported: &ExportResult, paint: Paint) -> String {
    // Print nothing when the export goes to a pipe: the export itself names the missing parts.
    if !exported.file.is_file() {
        return String::new();
    }
    let left = match exported.left.len() {
        0 => String::new(),
        1 => "; one call was recorded again in more detail: --later writes that too".to_owned(),
        many => format!("; {many} calls were recorded again in more detail: --later writes that too"),
    };
    let events = thousands(exported.events);
    format!("{events} events are in {}{left}\n{}", exported.file.display(), missing(&exported.missing, paint))
}

fn packed(packed: &PackResult, paint: Paint) -> String {
    let PackResult { file, bytes: size, sources, classes, without_source, without_class, missing: lost } =
        packed;
    let mut text = format!(
        "{} has the recording, {sources} source files and {classes} class files; {}\n",
        file.display(),
        bytes(*size)
    );
    for (what, without) in [("source", without_source), ("class file", without_class)] {
        if let [first, rest @ ..] = without.as_slice() {
            let others = if rest.is_empty() { String::new() } else { format!(" and {} others", rest.len()) };
            text.push_str(&hanging(&format!("no {what} was found of {first}{others}"), 2, WIDTH));
        }
    }
    text + &missing(lost, paint)
}
