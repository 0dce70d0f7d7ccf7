//! Checks a chain beyond its syntax: ids, references to earlier points, fields that fit the kind, and
//! expressions that parse. Needs no class files.

use super::address::Address;
use super::format::{Chain, Debuggee, FORMAT, Point};
use super::kinds::{Complaint, Kind, SpecialField};
use expr::{Expr, ParseError};
use std::collections::HashMap;

/// Where a problem is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ProblemPlace {
    Whole,
    Format,
    Debuggee(DebuggeeField),
    Alive,
    /// A field of a point; with the position of the point.
    Point(usize, PointField),
    Level,
    /// A field of a query; with the position of the query.
    Query(usize, QueryField),
}

/// A field of a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum QueryField {
    Ask,
    Expect,
}

/// A field of the debuggee.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DebuggeeField {
    Command,
    Attach,
    Relaunch,
    Jvm,
    Stdin,
    Ready,
}

/// A field of a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PointField {
    Whole,
    Id,
    At,
    Text,
    Method,
    Ordinal,
    When,
    Before,
    After,
    Within,
    From,
    Caught,
    /// One entry of `collect`.
    Collect(usize),
    Index,
    Thread,
    Expect,
}

/// A mistake in a chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Problem {
    pub(super) place: ProblemPlace,
    /// A string in the field, and a column in it, in characters from 1.
    pub(super) inside: Option<(String, usize)>,
    pub(super) message: String,
    pub(super) help: Option<String>,
}

impl Problem {
    /// The string that contains the mistake, and the column in it.
    pub(super) fn inside(&self) -> Option<(&str, usize)> {
        self.inside.as_ref().map(|(text, column)| (text.as_str(), *column))
    }
}

impl Problem {
    /// The position of the point concerned.
    pub(super) fn point(&self) -> Option<usize> {
        match self.place {
            ProblemPlace::Point(index, _) => Some(index),
            ProblemPlace::Whole
            | ProblemPlace::Format
            | ProblemPlace::Debuggee(_)
            | ProblemPlace::Alive
            | ProblemPlace::Level
            | ProblemPlace::Query(..) => None,
        }
    }
}

/// All problems, in the order of the chain.
pub(super) fn problems(chain: &Chain) -> Vec<Problem> {
    let mut found = Vec::new();
    let mut add = |place, message: String, help: Option<String>| {
        found.push(Problem { place, inside: None, message, help });
    };
    if chain.format != FORMAT {
        add(
            ProblemPlace::Format,
            format!("format {} is not known; this build reads format {FORMAT}", chain.format),
            Some("write `format: 1`, or use a newer build".to_owned()),
        );
        return found;
    }
    for (field, message, help) in debuggee(&chain.debuggee) {
        add(ProblemPlace::Debuggee(field), message, Some(help.to_owned()));
    }
    if chain.points.is_empty() && chain.queries.is_empty() {
        let help = "add a root to `points`, such as `(id: \"A\", at: Line(\"Intro\", 31))`".to_owned();
        add(ProblemPlace::Whole, "the chain has no points: nothing is asked".to_owned(), Some(help));
    }
    if chain.points.len() > usize::from(u16::MAX) {
        let message = format!("{} points; a chain holds {} at most", chain.points.len(), u16::MAX);
        add(ProblemPlace::Format, message, None);
        return found;
    }
    let mut places = HashMap::new();
    for (index, point) in chain.points.iter().enumerate() {
        places.entry(point.id.as_str()).or_insert(index);
    }
    found.extend(alive(chain, &places));
    found.extend(queries(chain));
    for (index, point) in chain.points.iter().enumerate() {
        let mut check = PointCheck { chain, index, point, places: &places, found: &mut found };
        check.run();
    }
    found
}

/// A mistake in the debuggee, with its remedy.
type Mistake = (DebuggeeField, String, &'static str);

/// Mistakes in the debuggee.
fn debuggee(debuggee: &Debuggee) -> Vec<Mistake> {
    let mut found = match &debuggee.attach {
        None => launched(debuggee).into_iter().collect(),
        Some(address) => attached(debuggee, address),
    };
    if debuggee.ready.is_some() && debuggee.drive.is_empty() {
        found.push((
            DebuggeeField::Ready,
            "`ready` says when `drive` may begin, and there is no `drive`".to_owned(),
            "add `drive`, a command that operates the program",
        ));
    }
    found
}

fn is_blank(command: &[String]) -> bool {
    command.first().is_none_or(|program| program.trim().is_empty())
}

/// The mistake in a debuggee that is launched.
fn launched(debuggee: &Debuggee) -> Option<Mistake> {
    if !debuggee.relaunch.is_empty() {
        return Some((
            DebuggeeField::Relaunch,
            "`relaunch` starts a program that is attached to, and there is no `attach`".to_owned(),
            "add `attach: \"host:port\"`, or name the program in `command`",
        ));
    }
    is_blank(&debuggee.command).then(|| {
        (
            DebuggeeField::Command,
            "the debuggee has no command".to_owned(),
            "name a program that starts a JVM in `command`, or, for one that runs elsewhere, `attach` and \
             `relaunch`",
        )
    })
}

/// Mistakes in a debuggee that is attached to.
fn attached(debuggee: &Debuggee, address: &str) -> Vec<Mistake> {
    use DebuggeeField as F;
    let mut found = Vec::new();
    let mut add = |field, message: &str, help| found.push((field, message.to_owned(), help));
    if let Err(reason) = address.parse::<Address>() {
        add(
            F::Attach,
            &format!("`attach: \"{address}\"` is not HOST:PORT: {reason}"),
            "write the host, `:` and the port of the VM's debug agent, as in `attach: \"localhost:5005\"`",
        );
    }
    if !debuggee.command.is_empty() {
        add(
            F::Command,
            "`command` does not go with `attach`: the program is launched by one or by the other",
            "name the command that starts the remote program anew in `relaunch`, and remove `command`",
        );
    } else if is_blank(&debuggee.relaunch) {
        add(
            F::Attach,
            "`attach` needs `relaunch`: each run is made with a program that has just started",
            "add `relaunch`, a command that ends the old program and starts a new one",
        );
    }
    if debuggee.jvm.is_some() {
        add(F::Jvm, "`jvm` does not go with `attach`: the VM is the one on that port", "remove `jvm`");
    }
    if debuggee.stdin.is_some() {
        add(
            F::Stdin,
            "`stdin` does not go with `attach`: the standard input of a remote program cannot be fed",
            "let `relaunch` feed it, and remove `stdin`",
        );
    }
    found
}

/// A mistake in `alive`, which must name a point that is reached with and without the bug.
fn alive(chain: &Chain, places: &HashMap<&str, usize>) -> Option<Problem> {
    let id = chain.alive.as_deref()?;
    let problem = |message: String, help: &str| {
        Some(Problem { place: ProblemPlace::Alive, inside: None, message, help: Some(help.to_owned()) })
    };
    let help = "name a point of its own, such as a `Line` that the program passes with and without the bug";
    let Some(point) = places.get(id).and_then(|place| chain.points.get(*place)) else {
        return problem(format!("no point has the id `{id}`"), help);
    };
    if places.get(id) == Some(&0) {
        return problem(format!("`{id}` is the root, which is not reached without the bug"), help);
    }
    let asks = point.at.rule().refers_to().is_some();
    if asks || [&point.before, &point.after, &point.within].into_iter().any(Option::is_some) {
        let message = format!("`{id}` is asked from another point, so it is not reached without the bug");
        return problem(message, help);
    }
    None
}

/// Mistakes in the queries.
fn queries(chain: &Chain) -> Vec<Problem> {
    let mut found = Vec::new();
    let mut add = |place, message: &str, help: &str| {
        let (message, help) = (message.to_owned(), Some(help.to_owned()));
        found.push(Problem { place, inside: None, message, help });
    };
    if chain.queries.is_empty() && !chain.level.is_default() {
        add(
            ProblemPlace::Level,
            "`level` is the level of the recording for `queries`, and there are none",
            "add `queries`, or remove `level`",
        );
    }
    for (index, query) in chain.queries.iter().enumerate() {
        if query.ask.trim().is_empty() {
            let help = "write a Prolog goal, as in `ask: \"event(Id, _, exception(_, _, _, uncaught))\"`";
            add(ProblemPlace::Query(index, QueryField::Ask), "`ask` is empty", help);
        }
        let Some(expect) = &query.expect else { continue };
        let place = ProblemPlace::Query(index, QueryField::Expect);
        if expect.is_empty() {
            let help = "write `solutions`, `at_least`, `yes`, `answers` or `first`, or remove `expect`";
            add(place, "`expect` expects nothing", help);
        }
        let has_some = expect.solutions.is_some_and(|count| count > 0)
            || expect.at_least.is_some_and(|count| count > 0)
            || expect.answers.as_ref().is_some_and(|answers| !answers.is_empty())
            || expect.first.is_some();
        if expect.yes == Some(false) && has_some {
            let help = "remove `yes: false`, or what expects a solution";
            add(place, "`yes: false` expects no solution, and another field expects some", help);
        }
    }
    let of_recording = chain.points.iter().find(|point| point.at.is_of_recording());
    if let Some(point) = of_recording.filter(|_| !chain.level.is_default()) {
        let message = format!("`{}` needs the whole run, and `level` records less", point.id);
        add(ProblemPlace::Level, &message, "remove `level`");
    }
    if !chain.queries.is_empty() && chain.debuggee.attach.is_some() {
        add(
            ProblemPlace::Debuggee(DebuggeeField::Attach),
            "`attach` does not go with `queries`: a remote program cannot be recorded",
            "name the program in `command`, or remove `queries`",
        );
    }
    found
}

struct PointCheck<'a> {
    chain: &'a Chain,
    index: usize,
    point: &'a Point,
    places: &'a HashMap<&'a str, usize>,
    found: &'a mut Vec<Problem>,
}

impl PointCheck<'_> {
    fn run(&mut self) {
        self.id();
        for complaint in self.point.at.rule().complaints() {
            self.complain(PointField::At, complaint);
        }
        if let Some((id, text, column)) = self.point.at.rule().refers_to() {
            self.earlier(PointField::At, &id, Some((text, column)));
        }
        self.fitting();
        self.of_recording();
        self.remembered();
        if let Some(when) = &self.point.when {
            self.parses(PointField::When, when);
        }
        for (entry, text) in self.point.collect.iter().flatten().enumerate() {
            self.parses(PointField::Collect(entry), text);
        }
        for (field, id) in [
            (PointField::Before, &self.point.before),
            (PointField::After, &self.point.after),
            (PointField::Within, &self.point.within),
        ] {
            if let Some(id) = id {
                self.earlier(field, id, None);
            }
        }
        let is_ordered = self.point.after.is_some() || self.point.before.is_some();
        if self.point.at.rule().needs_order() && !is_ordered {
            let name = self.point.at.name();
            self.add(
                PointField::Whole,
                format!(
                    "`{name}` needs `after` or `before`: the line can be skipped many times, so say next to which point"
                ),
                Some("add `after: \"D\"` or `before: \"D\"` with the id of a point above".to_owned()),
            );
        }
        if let Some(from) = &self.point.from
            && !from.split_once('.').is_some_and(|(class, method)| !class.is_empty() && !method.is_empty())
        {
            let message = format!("`from` names a method on the stack, found `{from}`");
            self.add(PointField::From, message, Some("write `Class.method`".to_owned()));
        }
    }

    fn id(&mut self) {
        let id = self.point.id.as_str();
        let mut letters = id.chars();
        let starts = letters.next().is_some_and(|c| c.is_alphabetic() || c == '_');
        if !starts || !letters.all(|c| c.is_alphanumeric() || c == '_' || c == '-') {
            let message =
                format!("`{id}` is no id: it starts with a letter, then come letters, digits, `_` and `-`");
            self.add(PointField::Id, message, None);
        } else if self.places.get(id).is_some_and(|first| *first != self.index) {
            let message = format!("the id `{id}` is taken by a point above");
            self.add(PointField::Id, message, Some("give each point an id of its own".to_owned()));
        }
    }

    /// Checks fields that only some kinds accept.
    fn fitting(&mut self) {
        let (name, takes) = (self.point.at.name(), self.point.at.rule().takes());
        let given = [
            (SpecialField::Text, PointField::Text, self.point.text.is_some(), "text"),
            (SpecialField::Text, PointField::Method, self.point.method.is_some(), "method"),
            (SpecialField::Text, PointField::Ordinal, self.point.ordinal.is_some(), "ordinal"),
            (SpecialField::Caught, PointField::Caught, self.point.caught.is_some(), "caught"),
        ];
        for (special, field, is_given, word) in given {
            if is_given && !takes.contains(&special) {
                let message = format!("`{word}` does not go with `{name}`");
                self.add(field, message, Some(format!("{}; remove it", special.purpose())));
            }
        }
        if self.point.text.as_ref().is_some_and(|t| t.trim().is_empty()) {
            let message = "`text` is empty; it holds the source line".to_owned();
            self.add(PointField::Text, message, None);
        }
    }

    /// Checks points that are asked of a recording. There a point is found again by its line alone.
    fn of_recording(&mut self) {
        let (point, name) = (self.point, self.point.at.name());
        if !point.at.is_of_recording() {
            let expect = point.expect.as_ref();
            if expect.is_some_and(|expect| expect.jump.is_some() || expect.operation.is_some()) {
                let message = format!("`jump` and `operation` do not go with `{name}`");
                let help = "they describe the answer of an `Omitted`; remove them".to_owned();
                self.add(PointField::Expect, message, Some(help));
            }
            return;
        }
        let given = restrictions(point).into_iter().chain([
            (PointField::When, "when", point.when.is_some()),
            (PointField::Index, "index", point.index.is_some()),
            (PointField::Collect(0), "collect", point.collect.is_some()),
        ]);
        for (field, word, _) in given.filter(|(.., is_given)| *is_given) {
            let message = format!("`{word}` does not go with `{name}`");
            let help = "it belongs to the point that sees the object".to_owned();
            self.add(field, message, Some(help));
        }
        if self.chain.debuggee.attach.is_some() {
            let message = format!("`{name}` does not go with `attach`: a remote program cannot be recorded");
            self.add(PointField::At, message, Some("name the program in `command`".to_owned()));
        }
        let Some((id, text, column)) = point.at.rule().refers_to() else { return };
        let Some(from) = self.chain.points.iter().take(self.index).find(|from| from.id == id) else { return };
        let restricted = restrictions(from).into_iter().find(|(.., is_given)| *is_given);
        let message = match (&from.at, restricted) {
            (Kind::Line(..), None) => return,
            (Kind::Line(..), Some((_, word, _))) => {
                format!("`{name}` asks at a `Line` without `{word}`, and `{id}` has it")
            }
            (other, _) => format!("`{name}` asks at a `Line`, and `{id}` is a `{}`", other.name()),
        };
        let inside = Some((text, column));
        let help = "a recording finds a `Line` by its class, line, `when` and `index`".to_owned();
        self.complain(PointField::At, Complaint { message, help: Some(help), inside });
    }

    /// Checks the fields that help to find a line by its text.
    fn remembered(&mut self) {
        let help = || Some("the line is found again by its text; add `text`, or remove it".to_owned());
        if self.point.method.is_some() && self.point.text.is_none() {
            self.add(PointField::Method, "`method` means nothing without `text`".to_owned(), help());
        }
        let Some((ordinal, of)) = self.point.ordinal else { return };
        if self.point.text.is_none() || self.point.method.is_none() {
            let message = "`ordinal` means nothing without `text` and `method`".to_owned();
            self.add(PointField::Ordinal, message, help());
        } else if !(1..=of).contains(&ordinal) {
            let message = format!("`ordinal` is ({ordinal}, {of}): it counts from 1, as in (2, 3)");
            self.add(PointField::Ordinal, message, None);
        }
    }

    fn parses(&mut self, field: PointField, text: &str) {
        if let Err(error) = Expr::parse(text) {
            self.complain(field, Complaint::of_parse(error));
        }
    }

    fn earlier(&mut self, field: PointField, id: &str, inside: Option<(String, usize)>) {
        let of_recording = |place: usize| {
            self.chain
                .points
                .get(place)
                .filter(|point| point.at.is_of_recording())
                .map(|point| point.at.name())
        };
        let (message, help) = match self.places.get(id) {
            Some(place) if *place < self.index => match of_recording(*place) {
                Some(name) => (
                    format!("`{id}` is an `{name}`: no event is its answer, so nothing can be asked from it"),
                    Some("ask from the line of the jump that it names".to_owned()),
                ),
                None => return,
            },
            Some(place) if *place == self.index => (format!("point `{id}` refers to itself"), None),
            Some(_) => (
                format!("point `{id}` is further down: a point refers only to points above it"),
                Some(format!("move `{id}` up")),
            ),
            None => {
                let mut above: Vec<&str> =
                    self.places.iter().filter(|(_, place)| **place < self.index).map(|(id, _)| *id).collect();
                above.sort_unstable();
                let known = if above.is_empty() { "none".to_owned() } else { above.join(", ") };
                (format!("no point has the id `{id}`"), Some(format!("points above: {known}")))
            }
        };
        self.found.push(Problem { place: ProblemPlace::Point(self.index, field), inside, message, help });
    }

    fn complain(&mut self, field: PointField, complaint: Complaint) {
        let Complaint { message, help, inside } = complaint;
        self.found.push(Problem { place: ProblemPlace::Point(self.index, field), inside, message, help });
    }

    fn add(&mut self, field: PointField, message: String, help: Option<String>) {
        self.complain(field, Complaint { message, help, inside: None });
    }
}

/// The fields of a point that restrict its event by other points, threads and callers.
fn restrictions(point: &Point) -> [(PointField, &'static str, bool); 5] {
    [
        (PointField::Before, "before", point.before.is_some()),
        (PointField::After, "after", point.after.is_some()),
        (PointField::Within, "within", point.within.is_some()),
        (PointField::Thread, "thread", point.thread.is_some()),
        (PointField::From, "from", point.from.is_some()),
    ]
}

impl Complaint {
    /// The complaint about a text that does not parse as an expression.
    pub(super) fn of_parse(error: ParseError) -> Complaint {
        let ParseError { text, column, problem } = error;
        Complaint { message: problem, help: None, inside: Some((text, column)) }
    }
}
