//! Explains why a point never hit, and reports what came nearest (DESIGN §5.20). The class was never loaded
//! or initialised, the method never entered, or the line never reached.

use super::answer_facts::AnswerFacts;
use super::false_conditions::{list, shortened};
use super::missed_events::{unmade, unseen_writes};
use super::unrecorded_callers::conditions_between;
use model::{Frame, MethodName, Namer, Site, short_class_name};
use program::code_book::CodeBook;
use query::{Constraint, Event, Field, Making, Pass, PointIndex, QueryReport, TraceQuery};
use run::{ClassReport, Ended, RunReport};
use std::sync::Arc;

/// Explains why the event of a query never occurred.
pub struct NearMiss<'a> {
    /// The run and its results.
    pub facts: &'a AnswerFacts<'a>,
    /// The query.
    pub query: &'a TraceQuery,
}

impl NearMiss<'_> {
    fn run(&self) -> &RunReport {
        &self.facts.run_facts.outcome.report
    }

    fn book(&self) -> CodeBook<'_> {
        self.facts.code_book()
    }

    /// An obstacle at class level: code that could not be watched, or a class that was not loaded or not
    /// initialised.
    pub fn class(&self) -> Option<String> {
        let reports = &self.run().classes;
        let watched = self.watched_classes();
        let of = |class: &Arc<str>| reports.get(class);
        let refused = watched.iter().filter_map(of).find_map(|c| Some((c, c.refused.first()?)));
        if let Some((report, reason)) = refused {
            let several = if report.loaders.len() > 1 {
                format!(" (the class was {})", loaded(report))
            } else {
                String::new()
            };
            return Some(format!("{reason}{several}"));
        }
        let unseen: Vec<String> = watched
            .iter()
            .filter(|c| of(c).is_none_or(|c| c.prepared == 0))
            .map(ToString::to_string)
            .collect();
        if !watched.is_empty() && unseen.len() == watched.len() {
            let noun = if unseen.len() == 1 { "class" } else { "none of the classes" };
            let unseen = list(&unseen);
            return Some(match self.effect() {
                Some(id) => format!("{noun} {unseen} was not loaded before {id}"),
                None if noun == "class" => {
                    format!("class {unseen} was never loaded in this run, or only named: no code of it ran")
                }
                None => format!("{noun} {unseen} was ever loaded in this run"),
            });
        }
        let idle = |c: &ClassReport| c.prepared > 0 && c.not_initialised == c.prepared;
        let all_idle = watched.iter().filter_map(of).filter(|c| c.prepared > 0).all(idle);
        let seen: Vec<&Arc<str>> = watched.iter().filter(|c| of(c).is_some_and(|c| c.prepared > 0)).collect();
        match seen.as_slice() {
            [one] if all_idle && !matches!(self.query.event, Event::Thrown { .. }) => {
                let by = of(one).map(loaded).unwrap_or_default();
                Some(format!("class {one} was {by} but never initialised: no code of it ran"))
            }
            _ => None,
        }
    }

    /// The later point on which this one depends.
    fn effect_point(&self) -> Option<PointIndex> {
        self.query.constraints.iter().find_map(|c| match c {
            Constraint::Before(point) => Some(*point),
            _ => None,
        })
    }

    /// Its id.
    fn effect(&self) -> Option<String> {
        self.effect_point().map(|point| self.facts.id(point))
    }

    /// States that lines did not run. The effect itself can be located just before one of them runs.
    fn not_run(&self, sites: &[Site]) -> String {
        let lines = self.lines(sites);
        let Some((id, frame)) = self.standing() else { return format!("{lines} did not run") };
        let place = |class: &str, line: Option<u32>| line.map(|line| (self.book().file(class), line));
        let here = place(&frame.site.method.class, frame.line);
        let line = |site: &Site| self.book().line(&site.method, site.bci);
        let is_here =
            here.is_some() && sites.iter().any(|site| place(&site.method.class, line(site)) == here);
        match here.filter(|_| is_here) {
            Some((_, line)) => {
                format!("{lines} had not run before {id}, which stands before line {line} runs")
            }
            None => format!("{lines} did not run before {id}"),
        }
    }

    /// The effect's id, and the frame at which it was located.
    fn standing(&self) -> Option<(String, &Frame)> {
        let point = self.effect_point()?;
        let found = self.facts.run_facts.located(point)?;
        Some((self.facts.id(point), self.facts.run_facts.outcome.tables.frame(found.occurrence.frame)?))
    }

    /// What cut the run short, if anything did. Events that had not occurred by then might have occurred
    /// later.
    pub fn cut(&self) -> Option<&'static str> {
        match self.facts.run_facts.outcome.ended {
            Ended::Interrupted => Some("the run was interrupted"),
            Ended::TimedOut(_) => Some("its time limit passed"),
            Ended::Killed(_) => Some("the program was killed"),
            Ended::Lost(_) => Some("the connection was lost"),
            Ended::Stopped => Some("the run was stopped"),
            Ended::Recorded { went_on: true, .. } => Some("the recording is not complete"),
            Ended::Exited(_) | Ended::Driven | Ended::Recorded { .. } => None,
        }
    }

    /// Explains why the event never occurred although its class was loaded.
    pub fn event(&self, namer: &mut Namer) -> String {
        match &self.query.event {
            Event::Reached(passes) if passes.iter().all(|p| p.on_entry) => self.entry(passes),
            Event::Reached(passes) => self.line(passes, namer),
            Event::Returned(methods) => self.exit(methods),
            Event::Written(field) => self.field(field, true),
            Event::Read(field) => self.field(field, false),
            Event::ElementWritten(_) => {
                "no element of such an array was written by the program's own code".to_owned()
            }
            Event::Changed(_) => "no call that changed this part of such a collection was seen".to_owned(),
            Event::Made(making) => unmade(making).to_owned(),
            Event::Copied(_) => "no assignment to it was seen".to_owned(),
            Event::Thrown { class, caught } => {
                self.exception(class.as_deref().unwrap_or("exception"), *caught)
            }
            Event::Skipped(lines) => {
                let methods: Vec<&MethodName> = lines.iter().map(|l| &l.method).collect();
                match self.not_entered(&methods) {
                    Some(none) => format!("{none}, so no exception bypassed the line"),
                    None => format!(
                        "no exception bypassed the line: none that was thrown before it left {}, or was caught there",
                        self.names(&methods)
                    ),
                }
            }
            Event::Stored(stores) => {
                let sites: Vec<Site> = stores.iter().map(|s| s.site.clone()).collect();
                let before = self.effect().map(|id| format!(" before {id}")).unwrap_or_default();
                format!("the variable was never assigned{before}: {}", self.not_run(&sites))
            }
            Event::Branched(branches) if branches.is_empty() && self.border().is_some() => {
                "nothing in your code decides whether it is reached".to_owned()
            }
            Event::Branched(branches) if branches.is_empty() => {
                let nothing = "nothing in the methods on its stack decides whether it is reached";
                match conditions_between(self.facts, self.query, None) {
                    Some(between) => format!("{nothing}, but {between}"),
                    None => format!("{nothing}: it runs whenever its thread does"),
                }
            }
            Event::Branched(branches) => {
                let sites: Vec<Site> = branches.iter().map(|b| b.site.clone()).collect();
                format!(
                    "none of the conditions it depends on was decided before it: {}",
                    self.not_run(&sites)
                )
            }
        }
    }

    /// Where the search ended, if that is the border of the user's own code.
    pub fn border(&self) -> Option<&str> {
        let mut borders = self.facts.run_facts.translation.borders.iter();
        borders.find(|(point, _)| *point == self.query.point).map(|(_, text)| text.as_str())
    }

    fn entry(&self, passes: &[Pass]) -> String {
        let methods: Vec<&MethodName> = passes.iter().map(|p| &p.method).collect();
        // The method may have been entered with code that differs from the class file's.
        self.not_entered(&methods)
            .unwrap_or_else(|| format!("{} {} there", self.names(&methods), self.not_reached()))
    }

    /// `was never reached`, or that it was not reached before the run was cut short.
    fn not_reached(&self) -> String {
        self.cut().map_or_else(|| "was never reached".to_owned(), |cut| format!("was not reached when {cut}"))
    }

    fn line(&self, passes: &[Pass], namer: &mut Namer) -> String {
        let place = passes
            .first()
            .and_then(|pass| Some(Site { method: pass.method.clone(), bci: *pass.entries.first()? }));
        let line = place.map_or_else(|| "the line".to_owned(), |place| self.lines(&[place]));
        let methods: Vec<&MethodName> = passes.iter().map(|p| &p.method).collect();
        if let Some(none) = self.not_entered(&methods) {
            return format!("{line} {}: {none}", self.not_reached());
        }
        let entered: Vec<&Pass> = passes.iter().filter(|p| self.run().entered.contains(&p.method)).collect();
        let Some(pass) = entered.first() else {
            return format!("{} {} there", self.names(&methods), self.not_reached());
        };
        let who: Vec<&MethodName> = entered.iter().map(|p| &p.method).collect();
        let decided = match self.prevented(namer) {
            Some(prevented) => Some(prevented),
            None => self.decided(pass),
        };
        let decided = decided.map(|decided| format!(": {decided}")).unwrap_or_default();
        format!("{} was entered, but {line} {}{decided}", self.names(&who), self.not_reached())
    }

    /// The conditions that decide whether a place of a method is reached. `None` if no condition decides it
    /// and the run was cut short: execution may have been on its way there.
    fn decided(&self, pass: &Pass) -> Option<String> {
        let book = self.book();
        let entries = &pass.entries;
        let deciding = entries.iter().flat_map(|bci| book.deciding(&pass.method, *bci));
        let mut conditions: Vec<String> = Vec::new();
        for (text, line) in deciding {
            let line = line.map_or_else(String::new, |line| format!(" on line {line}"));
            let shown = format!("{}{line}", shortened(&text));
            if !conditions.contains(&shown) {
                conditions.push(shown);
            }
        }
        if self.report().is_some_and(|report| !report.held.is_empty()) {
            let came = self.cut().is_none().then_some(", so a call that did not return came before");
            return Some(format!("{} held{}", list(&conditions), came.unwrap_or_default()));
        }
        if !conditions.is_empty() {
            // Whether they held is not known from a run by probes.
            let is_probed = self.facts.run_facts.gates.is_some();
            let unless = if is_probed { ", unless a call behind that did not return" } else { "" };
            let conditions = list(&conditions);
            return Some(format!("that depends on {conditions}{unless}; a `Line` there shows its values"));
        }
        self.cut().is_none().then(|| {
            "no condition decides that, so an exception, or a call that did not return, came before"
                .to_owned()
        })
    }

    fn report(&self) -> Option<&QueryReport> {
        self.run().queries.get(&self.query.point.0)
    }

    /// The exception that came before the place, if one was seen.
    fn prevented(&self, namer: &mut Namer) -> Option<String> {
        let found = self.report()?.prevented.as_ref()?;
        let tables = &self.facts.run_facts.outcome.tables;
        let mut exception = namer.text(&found.exception, tables);
        let message = namer.contents(&found.exception, None, tables);
        exception.extend(message.map(|message| format!(" {message}")));
        let (thrown, at) = (tables.frame(found.thrown)?, tables.frame(found.at)?);
        let line = |frame: &Frame| frame.line.map(|line| format!(" on line {line}")).unwrap_or_default();
        let place = match found.thrown == found.at {
            true => String::new(),
            false => format!(", thrown in {}{},", self.shown(&thrown.site.method), line(thrown)),
        };
        Some(format!("{exception}{place} came before it{}", line(at)))
    }

    fn exit(&self, methods: &[MethodName]) -> String {
        let all: Vec<&MethodName> = methods.iter().collect();
        if let Some(none) = self.not_entered(&all) {
            return none;
        }
        let names = self.names(&all);
        if let Some(cut) = self.cut() {
            let entered = methods.iter().any(|m| self.run().entered.contains(m));
            let entered = if entered { "was entered and " } else { "" };
            return format!("{names} {entered}had not returned normally when {cut}");
        }
        if methods.iter().any(|m| self.run().entered.contains(m)) {
            return format!(
                "{names} was entered and never returned normally; an exceptional exit is an Exception point"
            );
        }
        format!("{names} never returned normally; an exceptional exit is an Exception point")
    }

    fn field(&self, field: &Field, writes: bool) -> String {
        let (name, done) =
            (format!("{}.{}", field.class, field.name), if writes { "written" } else { "read" });
        let book = self.book();
        let file = book.file(&field.class);
        if !writes && book.is_constant(field) {
            return format!(
                "{name} is a constant: its value was copied to where it is used, so no code reads it"
            );
        }
        let sites = book.accesses(field, writes);
        let where_ = if sites.is_empty() {
            format!("no code of {file} {}", if writes { "writes it" } else { "reads it" })
        } else {
            self.not_run(&sites)
        };
        let unseen = unseen_writes(self.facts).filter(|_| writes);
        let missed = unseen.map(|unseen| format!(". {unseen}")).unwrap_or_default();
        format!("{name} was never {done}: {where_}{missed}")
    }

    fn exception(&self, class: &str, caught: Option<bool>) -> String {
        let report = self.run().queries.get(&self.query.point.0);
        let tables = &self.facts.run_facts.outcome.tables;
        let left_out = report.and_then(|r| r.left_out).and_then(|frame| tables.frame(frame));
        let Some((place, caught)) = left_out.zip(caught) else {
            return format!("no {class} was thrown");
        };
        let (wanted, other) = if caught { ("caught", "an uncaught") } else { ("uncaught", "a caught") };
        let line = place.line.map(|line| format!(" on line {line}")).unwrap_or_default();
        let method = self.shown(&place.site.method);
        format!("no {wanted} {class} was thrown, but {other} one was, in {method}{line}: change `caught`")
    }

    /// States that none of the methods was entered; `None` if one was, or if it is unknown.
    fn not_entered(&self, methods: &[&MethodName]) -> Option<String> {
        let run = self.run();
        // Entries of redefined methods and of methods without code can go unnoticed.
        let known = run.sites_lost.is_empty() && methods.iter().all(|m| self.book().has_code(m));
        if !known || methods.iter().any(|m| run.entered.contains(*m)) {
            return None;
        }
        let mut classes: Vec<&Arc<str>> = methods.iter().map(|m| &m.class).collect();
        classes.sort();
        classes.dedup();
        let loaded = classes.into_iter().map(|class| match run.classes.get(class) {
            Some(report) if report.prepared > 0 => format!("class {class} was {}", loaded(report)),
            _ => format!("class {class} was not loaded"),
        });
        let loaded: Vec<String> = loaded.collect();
        let verb = if methods.len() == 1 { "was" } else { "were" };
        let never = if self.cut().is_some() { "not yet" } else { "never" };
        let overridden: Vec<String> = methods.iter().flat_map(|method| self.overriding(method)).collect();
        let instead = if overridden.is_empty() {
            String::new()
        } else {
            format!("; it is overridden, so perhaps another was called: ask for {}", list(&overridden))
        };
        Some(format!("{} {verb} {never} entered ({}){instead}", self.names(methods), loaded.join(", ")))
    }

    /// The overriding methods, each as a question.
    fn overriding(&self, method: &MethodName) -> Vec<String> {
        let classes = self.facts.run_facts.pool.overriding(&method.class, &method.name, &method.descriptor);
        let written =
            |class: String| format!("`Entry(\"{class}.{}({})\")`", method.name, parameters(method).join(","));
        classes.into_iter().map(written).collect()
    }

    /// The display names of methods, without duplicates.
    fn names(&self, methods: &[&MethodName]) -> String {
        let mut names: Vec<String> = methods.iter().map(|m| self.shown(m)).collect();
        names.sort();
        names.dedup();
        list(&names)
    }

    /// The display name of a method, with its parameter types if the name is overloaded.
    fn shown(&self, method: &MethodName) -> String {
        let name = called(method);
        let class = self.facts.run_facts.pool.find(&method.class).ok().flatten();
        match class {
            Some(class) if class.file.methods_named(&method.name).count() > 1 => {
                let types: Vec<String> = parameters(method).iter().map(|t| short_class_name(t)).collect();
                format!("{name}({})", types.join(", "))
            }
            _ => name,
        }
    }

    /// `line 24 of Shop.java`, `lines 3 and 5 of Shop.java`.
    fn lines(&self, sites: &[Site]) -> String {
        let book = self.book();
        let mut lines: Vec<u32> = sites.iter().filter_map(|s| book.line(&s.method, s.bci)).collect();
        lines.sort_unstable();
        lines.dedup();
        let numbers: Vec<String> = lines.iter().map(u32::to_string).collect();
        let file = sites.first().map(|s| book.file(&s.method.class)).unwrap_or_default();
        match numbers.as_slice() {
            [] => self.names(&sites.iter().map(|s| &s.method).collect::<Vec<_>>()),
            [one] => format!("line {one} of {file}"),
            _ => format!("lines {} of {file}", list(&numbers)),
        }
    }

    /// Notes that the class file of a watched class is older than its source.
    pub fn stale(&self) -> String {
        if matches!(self.query.event, Event::Thrown { .. }) {
            return String::new();
        }
        let book = self.book();
        let stale = self.watched_classes().iter().find_map(|class| book.stale_class(class));
        stale.map(|note| format!(". {note}")).unwrap_or_default()
    }

    fn watched_classes(&self) -> Vec<Arc<str>> {
        let mut classes: Vec<Arc<str>> = match &self.query.event {
            Event::Reached(passes) => passes.iter().map(|p| p.method.class.clone()).collect(),
            Event::Returned(methods) => methods.iter().map(|m| m.class.clone()).collect(),
            Event::Written(field) | Event::Read(field) => vec![field.class.clone()],
            Event::Made(Making::Object { sites, .. }) => {
                sites.iter().map(|s| s.site.method.class.clone()).collect()
            }
            Event::ElementWritten(_)
            | Event::Changed(_)
            | Event::Copied(_)
            | Event::Made(Making::Array { .. }) => Vec::new(),
            Event::Thrown { class, .. } => class.iter().cloned().collect(),
            Event::Skipped(lines) => lines.iter().map(|l| l.method.class.clone()).collect(),
            Event::Stored(stores) => stores.iter().map(|s| s.site.method.class.clone()).collect(),
            Event::Branched(branches) => branches.iter().map(|b| b.site.method.class.clone()).collect(),
        };
        classes.sort();
        classes.dedup();
        classes
    }
}

/// `loaded by app`, `loaded by 2 loaders, app and URLClassLoader`.
fn loaded(report: &ClassReport) -> String {
    match report.loaders.as_slice() {
        [] => "loaded".to_owned(),
        [one] => format!("loaded by {one}"),
        many => format!("loaded by {} loaders, {}", many.len(), list(many)),
    }
}

/// The parameter types of a method, as in Java.
fn parameters(method: &MethodName) -> Vec<String> {
    let parsed = bytecode::descriptor::parse_method(&method.descriptor);
    parsed
        .map(|d| d.parameters.iter().map(|p| bytecode::descriptor::java_type(p)).collect())
        .unwrap_or_default()
}

fn called(method: &MethodName) -> String {
    let class = short_class_name(&method.class);
    let lambda = method.name.strip_prefix("lambda$").and_then(|rest| rest.rsplit_once('$'));
    match (&*method.name, lambda) {
        ("<init>", _) => format!("a constructor of {class}"),
        ("<clinit>", _) => format!("the static initialiser of {class}"),
        (_, Some((outer, _))) => format!("a lambda of {class}.{outer}"),
        (name, None) => format!("{class}.{name}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_are_called_as_people_call_them() {
        let named = |name: &str| called(&MethodName::new("shop.Cart$Item", name, "()V"));
        assert_eq!(named("add"), "Cart.Item.add");
        assert_eq!(named("<init>"), "a constructor of Cart.Item");
        assert_eq!(named("lambda$main$0"), "a lambda of Cart.Item.main");
    }
}
