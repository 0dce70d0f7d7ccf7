//! Which recorded events may be events of TraceQueries: by method and code index, by field, by class.

use super::asked::Asked;
use super::copy_places::CopyPlaces;
use super::methods::{MethodFound, Methods};
use classes::ClassPool;
use model::MethodName;
use program::lineage;
use query::{Event, Making, TraceQuery};
use std::collections::{BTreeSet, HashMap, HashSet};
use trace::{Calls, Level, Traced, base_class};

/// Why an event at a code index is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Interest {
    /// A pass over a place begins there.
    Pass { query: u16, pass: u16 },
    /// A pass over a place ends there.
    PassEnds { query: u16, pass: u16 },
    /// A local variable is assigned.
    Store { query: u16, store: u16 },
    /// A branch is decided.
    Branch { query: u16, branch: u16 },
    /// An iteration of an endless loop begins that the branch can leave.
    Turn { query: u16, branch: u16 },
}

/// A method by its number in the recording, and a code index in it.
type CodePlace = (u32, u32);

/// The events that TraceQueries ask about.
#[derive(Default)]
pub(super) struct Sought {
    by_place: HashMap<CodePlace, Vec<Interest>>,
    /// Places where the recording has an event for the line that begins there.
    lines: HashSet<CodePlace>,
    entries: HashMap<u32, Vec<Interest>>,
    returns: HashMap<u32, Vec<u16>>,
    /// By declaring class and name.
    fields: HashMap<(String, String), Vec<u16>>,
    /// By site number, as far as it is known.
    fields_of_sites: HashMap<u32, Vec<u16>>,
    /// By the class of the array.
    elements: HashMap<String, Vec<u16>>,
    /// By the class of the collection.
    contents: HashMap<String, Vec<u16>>,
    /// The same for all classes that were looked for.
    contents_of_classes: HashMap<String, Vec<u16>>,
    made: HashMap<String, Vec<u16>>,
    /// The calls whose results are kept.
    results: HashSet<CodePlace>,
    /// The methods with such calls.
    with_results: HashSet<u32>,
    /// The last marked instruction that follows an event's place without a further event.
    marks: HashMap<CodePlace, u32>,
    /// The places through which values flow that queries ask about.
    pub copies: CopyPlaces,
    /// Queries about exceptions: thrown, caught by a handler, or that bypassed a line.
    pub thrown: Vec<u16>,
    pub handlers: Vec<u16>,
    pub skipped: Vec<u16>,
}

impl Sought {
    /// The events of these queries.
    pub fn new(asked: Asked<'_>, calls: &Calls, found: &mut Methods, pool: Option<&ClassPool>) -> Sought {
        let mut methods: HashMap<MethodName, Vec<u32>> = HashMap::new();
        for number in (0..).take(calls.sites.methods().len()) {
            if let Some(name) = calls.sites.method_name(number) {
                methods.entry(name).or_default().push(number);
            }
        }
        let numbers = |method: &MethodName| methods.get(method).cloned().unwrap_or_default();
        let copies = CopyPlaces::new(asked.queries, &numbers);
        let mut sought = Sought { copies, ..Sought::default() };
        for query in asked.queries {
            sought.add(query, &numbers);
        }
        let lines = calls.sites.all().filter(|site| matches!(site.what, Traced::Line(_)));
        sought.lines = lines.map(|site| (site.method, site.bci)).collect();
        for (method, places) in asked.results {
            let numbers = numbers(method);
            sought.results.extend(numbers.iter().flat_map(|method| places.iter().map(|bci| (*method, *bci))));
            sought.with_results.extend(numbers);
        }
        for (method, places) in asked.marks {
            for number in numbers(method) {
                sought.mark(number, places, found.find(number, calls, pool).as_deref());
            }
        }
        sought
    }

    fn add(&mut self, query: &TraceQuery, numbers: &impl Fn(&MethodName) -> Vec<u32>) {
        let number = query.point.0;
        match &query.event {
            Event::Reached(passes) => {
                for (pass, place) in (0..).zip(passes) {
                    for method in numbers(&place.method) {
                        let begins = Interest::Pass { query: number, pass };
                        if place.on_entry {
                            self.entries.entry(method).or_default().push(begins);
                            continue;
                        }
                        self.at(method, &place.entries, begins);
                        self.at(method, &place.exits, Interest::PassEnds { query: number, pass });
                    }
                }
            }
            Event::Stored(stores) => {
                for (store, site) in (0..).zip(stores) {
                    let stored = Interest::Store { query: number, store };
                    for method in numbers(&site.site.method) {
                        match site.value_at == site.site.bci {
                            true => self.entries.entry(method).or_default().push(stored),
                            false => self.at(method, &[site.site.bci], stored),
                        }
                    }
                }
            }
            Event::Branched(branches) => {
                for (branch, site) in (0..).zip(branches) {
                    for method in numbers(&site.site.method) {
                        let decided = Interest::Branch { query: number, branch };
                        if !site.is_handler() {
                            self.at(method, &[site.site.bci], decided);
                        }
                        let turns: Vec<u32> = site.turns.into_iter().collect();
                        self.at(method, &turns, Interest::Turn { query: number, branch });
                    }
                }
                if branches.iter().any(query::BranchSite::is_handler) {
                    self.handlers.push(number);
                }
            }
            Event::Returned(methods) => {
                for method in methods.iter().flat_map(numbers) {
                    self.returns.entry(method).or_default().push(number);
                }
            }
            Event::Written(field) => {
                let key = (field.class.to_string(), field.name.to_string());
                self.fields.entry(key).or_default().push(number);
            }
            Event::ElementWritten(element) => {
                self.elements.entry(format!("[{}", element.descriptor)).or_default().push(number);
            }
            Event::Changed(contents) => {
                self.contents.entry(contents.class.to_string()).or_default().push(number);
            }
            Event::Made(Making::Object { class, .. }) => {
                self.made.entry(class.to_string()).or_default().push(number);
            }
            Event::Made(Making::Array { descriptor }) => {
                self.made.entry(descriptor.replace('/', ".")).or_default().push(number);
            }
            Event::Thrown { .. } => self.thrown.push(number),
            Event::Skipped(_) => self.skipped.push(number),
            Event::Read(_) | Event::Copied(_) => {}
        }
    }

    /// Marks instructions by the places of the events before them.
    fn mark(&mut self, method: u32, places: &BTreeSet<u32>, found: Option<&MethodFound>) {
        let Some(code) = found.and_then(MethodFound::code) else { return };
        for mark in places {
            let mut at = *mark;
            let begin = loop {
                let before = code.predecessor(at).and_then(|pc| code.at(pc));
                let follows = before.filter(|one| !(one.op.is_branch() || one.op.ends_flow()));
                match follows {
                    Some(one) if !(self.has_line_event(method, at) || code.is_branch_target(at)) => {
                        at = one.pc
                    }
                    _ => break at,
                }
            };
            self.marks.insert((method, begin), *mark);
        }
    }

    fn at(&mut self, method: u32, places: &[u32], interest: Interest) {
        for bci in places {
            self.by_place.entry((method, *bci)).or_default().push(interest);
        }
    }

    /// What is asked about a code index.
    pub fn at_place(&self, method: u32, bci: u32) -> &[Interest] {
        self.by_place.get(&(method, bci)).map_or(&[], Vec::as_slice)
    }

    /// Whether a line begins at a code index with an event of its own.
    pub fn has_line_event(&self, method: u32, bci: u32) -> bool {
        self.lines.contains(&(method, bci))
    }

    /// Whether the results of some calls of a method are kept.
    pub fn keeps_results_of(&self, method: u32) -> bool {
        self.with_results.contains(&method)
    }

    /// Whether the result of a call is kept.
    pub fn keeps_result(&self, method: u32, bci: u32) -> bool {
        self.results.contains(&(method, bci))
    }

    /// The marked instruction that is executed once a code index was reached.
    pub fn marked_from(&self, method: u32, bci: u32) -> Option<u32> {
        self.marks.get(&(method, bci)).copied()
    }

    /// What is asked about the entries of a method.
    pub fn at_entry(&self, method: u32) -> &[Interest] {
        self.entries.get(&method).map_or(&[], Vec::as_slice)
    }

    /// The queries about the returns of a method.
    pub fn at_return(&self, method: u32) -> &[u16] {
        self.returns.get(&method).map_or(&[], Vec::as_slice)
    }

    /// The queries about the field that a site writes.
    pub fn of_field(&mut self, site: &trace::Site, calls: &Calls) -> &[u16] {
        if self.fields.is_empty() {
            return &[];
        }
        let Sought { fields, fields_of_sites, .. } = self;
        fields_of_sites.entry(site.id).or_insert_with(|| {
            let Some(written) = &site.written else { return Vec::new() };
            let declares = calls.sites.declares(written);
            let key = (base_class(&declares).to_owned(), written.name.clone());
            fields.get(&key).cloned().unwrap_or_default()
        })
    }

    /// The queries about the elements of arrays of a class.
    pub fn of_elements(&self, class: &str) -> &[u16] {
        self.elements.get(&class.replace('.', "/")).map_or(&[], Vec::as_slice)
    }

    /// The queries about the contents of objects of a class: of the class itself, or of a superclass.
    pub fn of_contents(&mut self, class: &str, pool: Option<&ClassPool>) -> &[u16] {
        if self.contents.is_empty() {
            return &[];
        }
        let Sought { contents, contents_of_classes, .. } = self;
        contents_of_classes.entry(class.to_owned()).or_insert_with(|| {
            let file = pool.and_then(|pool| Some((pool, pool.find(class).ok()??)));
            let above = file.map(|(pool, file)| lineage(pool, &file.file)).unwrap_or_default();
            let names = above.iter().map(|file| file.name.as_str()).filter(|name| *name != class);
            let all = std::iter::once(class).chain(names);
            all.filter_map(|name| contents.get(name)).flatten().copied().collect()
        })
    }

    /// The queries about the creation of objects of a class.
    pub fn of_made(&self, class: &str) -> &[u16] {
        self.made.get(class).map_or(&[], Vec::as_slice)
    }

    /// Whether any query is about exceptions.
    pub fn has_exceptions(&self) -> bool {
        !(self.thrown.is_empty() && self.handlers.is_empty() && self.skipped.is_empty())
    }
}

/// Why a recording cannot answer a TraceQuery; `None` if it has all of its events.
pub(super) fn unrecorded(query: &TraceQuery, calls: &Calls, level: Level) -> Option<String> {
    let need = match &query.event {
        Event::Read(field) => {
            let what =
                format!("no recording has the reads of a field such as {}.{}", field.class, field.name);
            return Some(format!("{what}: ask a run"));
        }
        Event::Reached(passes) if passes.iter().all(|pass| pass.on_entry) => Level::Calls,
        Event::Reached(_) | Event::Stored(_) | Event::Branched(_) | Event::Copied(_) => Level::All,
        Event::Written(_) | Event::ElementWritten(_) | Event::Changed(_) => Level::Writes,
        Event::Made(Making::Array { .. }) => Level::Writes,
        Event::Skipped(_) => Level::All,
        Event::Made(_) | Event::Returned(_) | Event::Thrown { .. } => Level::Calls,
    };
    if level < need {
        let what = format!("it was recorded at level `{level}`, and this needs `{need}`");
        return Some(format!("{what}: record the program again with `--level {need}`"));
    }
    let methods = calls.sites.methods();
    for class in classes_of(&query.event) {
        let mut of_class = methods.iter().filter(|method| *method.class == *class).peekable();
        if of_class.peek().is_none() && !calls.records(class) {
            let again = "record the program again with a `--scope` that has it";
            return Some(format!("{class} was not recorded: {again}"));
        }
        if let Some(brief) = of_class.find(|method| method.level < need) {
            let what = format!("{class}.{} was recorded at level `{}`", brief.name, brief.level);
            return Some(format!(
                "{what}, and this needs `{need}`: record the program again without `--level-of`"
            ));
        }
    }
    None
}

/// The classes whose code the events are in, if a query names them.
fn classes_of(event: &Event) -> Vec<&str> {
    match event {
        Event::Reached(passes) => passes.iter().map(|pass| &*pass.method.class).collect(),
        Event::Returned(methods) => methods.iter().map(|method| &*method.class).collect(),
        Event::Skipped(lines) => lines.iter().map(|line| &*line.method.class).collect(),
        Event::Stored(stores) => stores.iter().map(|store| &*store.site.method.class).collect(),
        Event::Written(field) => vec![&field.class],
        Event::Made(Making::Object { class, .. }) => vec![class],
        _ => Vec::new(),
    }
}
