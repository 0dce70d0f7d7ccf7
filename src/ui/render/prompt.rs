//! The replies of prompt commands, as text.

use super::answer::{about, place_text, point_in_full};
use super::{Paint, Text, clipped, frame_text, palette, wrap};
use answer::{FrameAnswer, PointAnswer};
use chain::GraphFormat;
use command::debug::{Numbered, ProgramState, Reply, Row, Setting};
use indexmap::IndexMap;
use replay::explore::{
    Arrival, AskedWhen, Certainty, GotoResult, NamedValue, PastRun, PointDifference, RunResult, Scope,
    Standpoint, StepResult,
};
use std::fmt::Write as _;

const WIDTH: usize = 80;
/// Maximum number of frames to show.
const FRAMES: usize = 40;

/// The prompt at which the next command is typed: where the program is halted, or whether it runs.
pub fn prompt(state: &ProgramState) -> String {
    match state {
        ProgramState::NotStarted => "qp> ".to_owned(),
        ProgramState::Running => "running> ".to_owned(),
        ProgramState::Ended => "ended> ".to_owned(),
        ProgramState::Halted(at) => {
            let file = at.place.file.as_deref().unwrap_or(&at.place.class);
            let line = at.place.line.map(|line| format!(":{line}")).unwrap_or_default();
            let frame = match at.frame {
                0 => String::new(),
                frame => format!("({frame})"),
            };
            let unconfirmed = if at.unconfirmed { "?" } else { "" };
            let point = at.point.as_deref().unwrap_or_default();
            format!("{point}{frame}{unconfirmed} {file}{line}> ").trim_start().to_owned()
        }
    }
}

/// The text of a reply; empty if there is nothing to show.
pub fn reply(reply: &Reply, color: bool) -> String {
    let paint = Paint { color };
    match reply {
        Reply::Nothing | Reply::Quit => String::new(),
        Reply::Done(text) => sentence(text),
        Reply::Added { id, question, asked } => {
            let when = match asked {
                AskedWhen::Next => "asked in the next run",
                AskedWhen::AsItBegins => "asked in this run, which is just beginning",
                AskedWhen::Now => "asked from here on, and for the whole run in the next one",
            };
            format!("{}  {question}\n   {}\n", paint.on(palette::POINT, id), paint.on(palette::DIM, when))
        }
        Reply::Ran { ran, about } => ran_text(ran, about.as_deref(), paint),
        Reply::Started => {
            sentence("running in the background: ask more meanwhile; the answer will appear here")
        }
        Reply::Gone(gone) => gone_text(gone, paint),
        Reply::Stepped(stepped) => stepped_text(stepped, paint),
        Reply::Value(value) => value_text(value, paint),
        Reply::Scope(scope) => scope_text(scope, paint),
        Reply::Frames(frames, at) => frames_text(frames, *at, paint),
        Reply::Standing(standing) => standing_text(standing, paint),
        Reply::Source(name, lines, at) => {
            format!("{}\n{}", paint.on(palette::DIM, name), lines_text(lines, Some(*at), paint))
        }
        Reply::Points(points, answer) => {
            let mut out = String::new();
            for (id, question) in points {
                let found = answer.as_ref().and_then(|a| a.points.iter().find(|p| p.id == *id));
                let place = match found {
                    Some(point) if point.located => place_text(point),
                    Some(_) => paint.on(palette::FAILED, "not located"),
                    None => paint.on(palette::DIM, "not asked yet"),
                };
                let words = [format!("{}  {question}:", paint.on(palette::POINT, id)), place];
                out.push_str(&wrap(&words, "", 0, WIDTH));
            }
            if points.is_empty() { "no points yet: `break CLASS:LINE` adds one\n".to_owned() } else { out }
        }
        Reply::Candidates { point, candidates, rejections } => {
            candidates_text(point, candidates, rejections, paint)
        }
        Reply::Omitted { id, omissions } => {
            format!("{}  {}", paint.on(palette::POINT, id), omissions.text(color))
        }
        Reply::Point(point) => point_in_full(point, color),
        Reply::Graph(explanation) => explanation.graph(GraphFormat::Text),
        Reply::Output(lines) if lines.is_empty() => "the program has printed nothing\n".to_owned(),
        Reply::Output(lines) => lines.iter().map(|line| format!("{line}\n")).collect(),
        Reply::Runs(runs) => runs_text(runs, paint),
        Reply::Difference(old, new, points) => difference_text(*old, *new, points, paint),
        Reply::Settings(settings) => settings_text(settings, paint),
        Reply::Help(rows) => help_text(rows, paint),
    }
}

fn sentence(text: &str) -> String {
    let words: Vec<String> = text.split(' ').map(str::to_owned).collect();
    wrap(&words, "", 0, WIDTH)
}

fn candidates_text(
    point: &str,
    candidates: &[Numbered],
    rejections: &IndexMap<String, u64>,
    paint: Paint,
) -> String {
    let all: u64 = rejections.values().sum();
    if candidates.is_empty() {
        return sentence(&format!("no occurrence of {point}'s event was rejected"));
    }
    let mut out = String::new();
    for Numbered { number, rejected } in candidates {
        let owner = rejected.owner.as_ref().map(|o| format!(" of {o}")).unwrap_or_default();
        let name = paint.on(palette::POINT, format!("{point}~{number}"));
        let thread = &rejected.thread;
        let (hit, place, reason) = (rejected.hit, frame_text(&rejected.place), &rejected.reason);
        out.push_str(&sentence(&format!("{name}  hit {hit} {place}{owner}, thread {thread}: {reason}")));
    }
    let shown = candidates.len();
    out.push_str(&sentence(&format!(
        "{shown} of {all} that were rejected; `why EXPR from {point}~1` asks on from one"
    )));
    out
}

fn ran_text(ran: &RunResult, point: Option<&str>, paint: Paint) -> String {
    let is_news = |p: &PointAnswer| match point {
        Some(id) => p.id == id,
        None => !ran.unchanged.contains(&p.id),
    };
    let mut out = about(&ran.answer, is_news, paint.color);
    if point.is_none() && !ran.unchanged.is_empty() {
        let ids = ran.unchanged.join(", ");
        out.push_str(&sentence(&format!("as in the run before: {ids} (`points ID` shows one in full)")));
    }
    if ran.run_again {
        out.push_str(&sentence("the program ended, so it was run again to halt there"));
    }
    match &ran.standing {
        Some(standing) => out.push_str(&sentence(&halted(standing, paint))),
        None => {
            let ended = ran.answer.ended.as_ref().map(|e| format!(" ({e})")).unwrap_or_default();
            out.push_str(&sentence(&format!("the program has ended{ended}")));
        }
    }
    out
}

fn halted(standing: &Standpoint, paint: Paint) -> String {
    let point = standing.point.as_ref().map(|p| format!(" at {}", paint.on(palette::POINT, p)));
    format!(
        "halted{}, {}, thread {}, in run {}",
        point.unwrap_or_default(),
        frame_text(&standing.place),
        &standing.thread,
        standing.run
    )
}

fn standing_text(standing: &Standpoint, paint: Paint) -> String {
    let mut out = match standing.frame {
        0 => sentence(&halted(standing, paint)),
        frame => sentence(&format!("frame {frame}: {}", frame_text(&standing.place))),
    };
    out.push_str(&lines_text(&standing.neighbours, standing.place.line, paint));
    out
}

fn stepped_text(stepped: &StepResult, paint: Paint) -> String {
    let Some(standing) = &stepped.standing else {
        let ended = stepped.ended.as_ref().map(|e| format!(" ({e})")).unwrap_or_default();
        return sentence(&format!("the program has ended{ended}"));
    };
    let passes = stepped.passes.as_ref().map(|id| {
        let id = paint.on(palette::POINT, id);
        sentence(&format!("this is an event that {id} asks for; `points {id}` shows which one is its answer"))
    });
    passes.unwrap_or_default() + &standing_text(standing, paint)
}

fn lines_text(lines: &[(u32, String)], at: Option<u32>, paint: Paint) -> String {
    let width = lines.last().map_or(1, |(n, _)| n.to_string().len());
    let mut out = String::new();
    for (number, text) in lines {
        let here = Some(*number) == at;
        let mark = if here { paint.on(palette::POINT, "▶") } else { " ".to_owned() };
        let text = clipped(text, WIDTH.saturating_sub(width + 5));
        let _ = writeln!(out, "{}", format!("{mark} {number:>width$} | {text}").trim_end());
    }
    out
}

fn gone_text(gone: &GotoResult, paint: Paint) -> String {
    let mut out = String::new();
    let id = paint.on(palette::POINT, &gone.id);
    for settled in &gone.settled {
        out.push_str(&sentence(&settled_text(settled, paint)));
    }
    match &gone.certainty {
        Certainty::Reached => {}
        Certainty::Expected { change, asked_from } => {
            let change =
                change.as_ref().map(|c| format!(" ({})", paint.on(palette::VALUE, c))).unwrap_or_default();
            let settles = asked_from.as_ref().map(|p| format!(". `goto {p}` confirms or withdraws it"));
            let settles = settles.unwrap_or_default();
            out.push_str(&sentence(&format!(
                "expected {id}{change}, unconfirmed: what the earlier run saw here agrees{settles}"
            )));
        }
        Certainty::Differs { differences } => {
            out.push_str(&sentence(&format!(
                "this run differs: it is at the place of {id}, but in another state"
            )));
            for difference in differences {
                let _ = writeln!(out, "   {difference}");
            }
        }
        Certainty::Missed { nearest } => {
            let instead = match nearest {
                Some(place) => format!("{id} is at {place} in this run: `goto {}` goes there", gone.id),
                None => format!("{id} was not located in this run"),
            };
            out.push_str(&sentence(&format!(
                "this run differs: it did not reach the place where the last run found {id}; {instead}"
            )));
        }
    }
    match (&gone.standing, &gone.ran) {
        (Some(standing), _) => out.push_str(&standing_text(standing, paint)),
        (None, Some(ran)) => out.push_str(&ran_text(ran, Some(&gone.id), paint)),
        (None, None) => {}
    }
    out
}

fn settled_text(settled: &Arrival, paint: Paint) -> String {
    let id = paint.on(palette::POINT, &settled.point);
    match (&settled.instead, settled.confirmed) {
        (_, true) => paint.on(palette::HELD, format!("confirmed: {id} is the answer in this run too")),
        (Some(place), false) => {
            paint.on(palette::FAILED, format!("withdrawn: in this run {id} is at {place}"))
        }
        (None, false) if settled.missed_write => paint.on(
            palette::FAILED,
            format!(
                "not confirmed: {id} is where it was, but a later write was missed (`points {}`)",
                settled.point
            ),
        ),
        (None, false) => paint.on(palette::FAILED, format!("withdrawn: {id} is not located in this run")),
    }
}

fn value_text(value: &NamedValue, paint: Paint) -> String {
    let contents = value.contents.as_ref().map(|contents| format!(" {contents}")).unwrap_or_default();
    let shown = format!("{} = {}{contents}", value.name, paint.on(palette::VALUE, &value.value));
    let mut out = wrap(&[shown], "", 0, WIDTH);
    let members: Vec<String> = value
        .members
        .iter()
        .map(|m| format!("{} = {}", m.name, paint.on(palette::VALUE, &m.value)))
        .collect();
    out.push_str(&wrap(&members, ",", 3, WIDTH));
    if value.more > 0 {
        let _ = writeln!(out, "   … and {} more", value.more);
    }
    if value.called_methods {
        let note = "it called methods of the program, which can change what it does from here on";
        out.push_str(&wrap(&[paint.on(palette::DIM, note)], "", 3, WIDTH));
    }
    out
}

fn scope_text(scope: &Scope, paint: Paint) -> String {
    let mut out = format!("{}\n", paint.on(palette::DIM, frame_text(&scope.frame)));
    for value in &scope.values {
        let shown = paint.on(palette::VALUE, &value.value);
        let contents = value.contents.as_ref().map(|contents| format!(" {contents}")).unwrap_or_default();
        out.push_str(&wrap(&[format!("{} = {shown}{contents}", value.name)], "", 3, WIDTH));
    }
    if !scope.has_names {
        out.push_str("   no names of variables are known: a class compiled with -g has them\n");
    } else if scope.values.is_empty() {
        out.push_str("   nothing is in scope\n");
    }
    out
}

fn frames_text(frames: &[FrameAnswer], at: usize, paint: Paint) -> String {
    let mut out = String::new();
    let hidden = frames.len().saturating_sub(FRAMES);
    for (n, frame) in frames.iter().enumerate() {
        if hidden > 0 && n == FRAMES / 2 {
            let _ = writeln!(out, "       … {hidden} more …");
        }
        if hidden > 0 && n != at && (FRAMES / 2..FRAMES / 2 + hidden).contains(&n) {
            continue;
        }
        let mark = if n == at { paint.on(palette::POINT, "▶") } else { " ".to_owned() };
        let _ = writeln!(out, "{mark} {n:>3}  {}", frame_text(frame));
    }
    out
}

fn runs_text(runs: &[PastRun], paint: Paint) -> String {
    if runs.is_empty() {
        return "no runs yet\n".to_owned();
    }
    let mut out = String::new();
    for run in runs {
        let located = format!("{} of {} located", run.located, run.points);
        let style = if run.outcome.exit_code() == 0 { palette::HELD } else { palette::FAILED };
        let _ = writeln!(
            out,
            "{:>4}  {:>7.2} s  {}  {}",
            run.run,
            run.seconds,
            paint.on(style, located),
            run.why
        );
    }
    out
}

fn difference_text(old: u32, new: u32, points: &[PointDifference], paint: Paint) -> String {
    if points.is_empty() {
        return format!("runs {old} and {new} answer the same\n");
    }
    let mut out = String::new();
    for point in points {
        let _ = writeln!(out, "{}  {}", paint.on(palette::POINT, &point.id), point.question);
        for part in &point.parts {
            let _ = writeln!(
                out,
                "{}",
                paint.on(palette::FAILED, format!("   - {}: {}", part.what, part.expected))
            );
            let found = part.found.as_deref().unwrap_or("nothing");
            let _ = writeln!(out, "{}", paint.on(palette::HELD, format!("   + {}: {found}", part.what)));
        }
    }
    out
}

fn settings_text(settings: &[Setting], paint: Paint) -> String {
    let mut out = String::new();
    for setting in settings {
        let _ = writeln!(out, "{:<11} {}", setting.name, paint.on(palette::VALUE, &setting.value));
        let about: Vec<String> = setting.about.split(' ').map(str::to_owned).collect();
        out.push_str(&wrap(&about, "", 12, WIDTH));
    }
    out
}

fn help_text(rows: &[Row], paint: Paint) -> String {
    let mut out = String::new();
    for row in rows {
        let _ = writeln!(out, "{}", paint.on(palette::POINT, row.usage));
        let mut about = row.about.to_owned();
        if !row.aliases.is_empty() {
            let _ = write!(about, " (short: {})", row.aliases.join(", "));
        }
        let words: Vec<String> = about.split(' ').map(str::to_owned).collect();
        out.push_str(&wrap(&words, "", 4, WIDTH));
    }
    let adds = |row: &&Row| row.usage.contains("[CLAUSES]");
    if rows.iter().any(|row| adds(&row)) {
        out.push_str(
            "\nCLAUSES narrow a point: as ID, index N, before POINT, after POINT,\nwithin POINT, thread NAME, \
             from CLASS.METHOD, and last: when CONDITION\n",
        );
    }
    out
}
