//! Explains the TraceQueries of a chain: the columns of the paper's Table 1 with our constraints and sites,
//! and the dependency graph (paper §5). Nothing is run.

use super::chain_query::ChainQuery;
use super::format::Chain;
use super::translate::classes::Classes;
use super::translate::{Need, Translation};
use classes::{ClassPool, SourceRoots};
use comfy_table::{ContentArrangement, Table, presets};
use expr::Type;
use model::Site;
use query::{
    Aspect, BranchSite, Constraint, Event, Field, FrameSelector, Making, PointIndex, Slot, StoreSite,
    TraceQuery,
};
use serde::Serialize;
use std::fmt;

/// Maximum width of the table, in characters.
const WIDTH: u16 = 80;
/// Maximum number of sites of a TraceQuery in the table; `Row::sites` has all of them.
const SITES_SHOWN: usize = 8;

/// A chain explained.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Explanation {
    /// One row per point, in the order of the chain.
    pub rows: Vec<Row>,
    /// The dependences between points, with their causes.
    pub edges: Vec<Edge>,
    /// Facts that a further run may have to learn, although the points can already be asked.
    pub deeper: Vec<String>,
    /// Warnings about the interpretation of the chain.
    pub warnings: Vec<String>,
    /// The queries of the chain, each with how it is asked.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub queries: Vec<String>,
}

/// One point explained.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// Id of the point.
    pub point: String,
    /// The question.
    pub querypoint: String,
    /// The event that interrupts execution; none while something must be learnt.
    pub event: Option<String>,
    /// Its sites, as `Intro.main@31 line 31`.
    pub sites: Vec<String>,
    /// Conditions on the occurrence itself.
    pub conditions: Vec<String>,
    /// Constraints that relate it to other points.
    pub constraints: Vec<String>,
    /// The values that each candidate keeps for other points.
    pub keeps: Vec<String>,
    /// The index of the instance: 0 the first, -1 the last.
    pub index: i64,
    /// What a run must learn before the point can be asked.
    pub needs: Option<String>,
}

/// A dependence of one point on another.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Edge {
    /// The dependent point.
    pub from: String,
    /// The point on which it depends.
    pub to: String,
    /// The constraints, or what must be learnt at `to`.
    pub by: Vec<String>,
}

/// Output formats of the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GraphFormat {
    /// One line per dependence
    Text,
    /// Graphviz
    Dot,
    /// Mermaid flowchart
    Mermaid,
}

impl Explanation {
    /// Explains a translation of a chain.
    pub fn new(
        chain: &Chain,
        translation: &Translation,
        pool: &ClassPool,
        sources: &SourceRoots,
    ) -> Explanation {
        let names = Names { chain, classes: Classes { pool, sources } };
        let mut rows = Vec::new();
        let mut edges: Vec<Edge> = Vec::new();
        for (place, point) in chain.points.iter().enumerate() {
            let is = |index: PointIndex| usize::from(index.0) == place;
            let need = translation.pending.iter().find(|(p, _)| is(*p)).map(|(_, need)| need);
            let mut row = Row {
                point: point.id.clone(),
                querypoint: point.at.to_string(),
                event: None,
                sites: Vec::new(),
                conditions: Vec::new(),
                constraints: Vec::new(),
                keeps: Vec::new(),
                index: point.effective_index(),
                needs: need.map(Need::to_string),
            };
            if let Some(query) = translation.queries.iter().find(|q| is(q.point)) {
                names.fill(&mut row, query, translation);
                for constraint in &query.constraints {
                    add(
                        &mut edges,
                        &point.id,
                        &names.id(constraint.point()),
                        names.constraint(query.point, constraint, translation),
                    );
                }
            }
            if point.at.is_of_recording() {
                row.event = Some("what a recording of the run did not execute".to_owned());
                for id in point.refers_to() {
                    add(&mut edges, &point.id, &id, "the object that it sees".to_owned());
                }
            }
            if let Some(need) = need {
                add(&mut edges, &point.id, &names.id(need.point()), format!("needs {need}"));
            }
            rows.push(row);
        }
        let deeper = translation.deeper.iter().map(|(p, need)| format!("{}: {need}", names.id(*p))).collect();
        let queries = chain.queries.iter().map(|query| explained(chain, query)).collect();
        Explanation { rows, edges, deeper, warnings: translation.warnings.clone(), queries }
    }

    /// The dependency graph.
    pub fn graph(&self, format: GraphFormat) -> String {
        match format {
            GraphFormat::Text => self.text(),
            GraphFormat::Dot => self.dot(),
            GraphFormat::Mermaid => self.mermaid(),
        }
    }

    fn text(&self) -> String {
        let mut out = String::new();
        for row in &self.rows {
            let edges: Vec<&Edge> = self.edges.iter().filter(|e| e.from == row.point).collect();
            if edges.is_empty() {
                out.push_str(&format!("{} depends on no point\n", row.point));
            }
            for edge in edges {
                out.push_str(&format!("{} depends on {}: {}\n", edge.from, edge.to, edge.by.join(", ")));
            }
        }
        out
    }

    fn dot(&self) -> String {
        let quoted = |text: &str| text.replace('\\', "\\\\").replace('"', "\\\"");
        let mut out = "digraph chain {\n    rankdir=RL;\n    node [shape=box];\n".to_owned();
        for row in &self.rows {
            let (id, question) = (quoted(&row.point), quoted(&row.querypoint));
            out.push_str(&format!("    \"{id}\" [label=\"{id}\\n{question}\"];\n"));
        }
        for edge in &self.edges {
            let by = edge.by.iter().map(|b| quoted(b)).collect::<Vec<_>>().join("\\n");
            out.push_str(&format!(
                "    \"{}\" -> \"{}\" [label=\"{by}\"];\n",
                quoted(&edge.from),
                quoted(&edge.to)
            ));
        }
        out + "}\n"
    }

    fn mermaid(&self) -> String {
        // Mermaid has no escaped quotes and restricts ids, so points are numbered.
        let quoted = |text: &str| text.replace('"', "#quot;");
        let node = |id: &str| {
            self.rows.iter().position(|r| r.point == id).map_or_else(String::new, |n| format!("p{n}"))
        };
        let mut out = "flowchart RL\n".to_owned();
        for row in &self.rows {
            let label = quoted(&format!("{}: {}", row.point, row.querypoint));
            out.push_str(&format!("    {}[\"{label}\"]\n", node(&row.point)));
        }
        for edge in &self.edges {
            let by = edge.by.iter().map(|b| quoted(b)).collect::<Vec<_>>().join("<br>");
            out.push_str(&format!("    {} -->|\"{by}\"| {}\n", node(&edge.from), node(&edge.to)));
        }
        out
    }
}

/// How a query is asked.
fn explained(chain: &Chain, query: &ChainQuery) -> String {
    let files: Vec<String> = query.rules.0.iter().map(|file| file.display().to_string()).collect();
    let rules = if files.is_empty() { String::new() } else { format!("by {}, ", files.join(", ")) };
    let level = chain.level.name();
    format!("asks {}\n  {rules}over a recording of the program at level {level}", query.ask.trim())
}

fn add(edges: &mut Vec<Edge>, from: &str, to: &str, by: String) {
    match edges.iter_mut().find(|e| e.from == from && e.to == to) {
        Some(edge) => edge.by.push(by),
        None => edges.push(Edge { from: from.to_owned(), to: to.to_owned(), by: vec![by] }),
    }
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut table = Table::new();
        table.load_style(presets::ASCII_FULL_CONDENSED);
        table.set_content_arrangement(ContentArrangement::Dynamic).set_width(WIDTH);
        table.set_header(["Point", "Querypoint", "TraceQuery", "Index"]);
        for (place, row) in self.rows.iter().enumerate() {
            if place > 0 {
                table.add_row(["", "", "", ""]);
            }
            table.add_row([
                row.point.clone(),
                row.querypoint.clone(),
                row.trace_query(),
                row.index.to_string(),
            ]);
        }
        if !self.rows.is_empty() {
            writeln!(f, "{table}")?;
            write!(f, "\n{}", self.text())?;
        }
        for (place, query) in self.queries.iter().enumerate() {
            writeln!(f, "query {} {query}", place + 1)?;
        }
        for need in &self.deeper {
            write!(f, "\nmay take another run, {need}")?;
        }
        for warning in &self.warnings {
            write!(f, "\nnote, {warning}")?;
        }
        if self.deeper.is_empty() && self.warnings.is_empty() { Ok(()) } else { writeln!(f) }
    }
}

impl Row {
    /// The TraceQuery column: event, sites, conditions and constraints, one per line.
    fn trace_query(&self) -> String {
        let Some(event) = &self.event else {
            let needs = self.needs.as_deref().unwrap_or("an earlier point");
            return format!("not asked yet: a run must tell {needs}");
        };
        let mut lines = vec![event.clone()];
        lines.extend(self.sites.iter().take(SITES_SHOWN).map(|s| format!("  {s}")));
        if let Some(more) = self.sites.len().checked_sub(SITES_SHOWN).filter(|n| *n > 0) {
            lines.push(format!("  and {more} more"));
        }
        lines.extend(self.conditions.iter().chain(&self.constraints).cloned());
        lines.extend(self.keeps.iter().map(|k| format!("keep {k}")));
        lines.join("\n")
    }
}

/// Names for the numbers of a translation.
struct Names<'a> {
    chain: &'a Chain,
    classes: Classes<'a>,
}

impl Names<'_> {
    fn id(&self, point: PointIndex) -> String {
        self.chain.points.get(usize::from(point.0)).map_or_else(|| "?".to_owned(), |p| p.id.clone())
    }

    fn fill(&self, row: &mut Row, query: &TraceQuery, translation: &Translation) {
        let (event, sites) = self.event(&query.event);
        row.event = Some(event);
        row.sites = sites;
        if matches!(&query.event, Event::Skipped(lines) if lines.iter().any(|l| !l.left_from.is_empty())) {
            row.conditions.push("or leaving its method".to_owned());
        }
        let local = &query.local;
        row.conditions.extend(local.site.iter().map(|s| format!("only at {}", self.classes.place(s))));
        row.conditions.extend(local.when.iter().map(|w| format!("when {w}")));
        row.conditions.extend(local.thread.iter().map(|t| format!("in thread {t}")));
        row.conditions.extend(local.from.iter().map(|m| format!("from {m}")));
        row.constraints =
            query.constraints.iter().map(|c| self.constraint(query.point, c, translation)).collect();
        row.keeps = query.keep.iter().map(|k| format!("({}):{}", k.frame, k.expr)).collect();
    }

    fn event(&self, event: &Event) -> (String, Vec<String>) {
        let site = |method, bci| self.classes.place(&Site { method, bci });
        match event {
            Event::Reached(passes) => {
                let on_entry = passes.iter().all(|p| p.on_entry);
                let sites =
                    passes.iter().flat_map(|p| p.entries.iter().map(|bci| site(p.method.clone(), *bci)));
                let event = if on_entry { "interrupt at the entry of" } else { "interrupt on" };
                (event.to_owned(), sites.collect())
            }
            Event::Returned(methods) => (
                "interrupt at the normal exit of".to_owned(),
                methods.iter().map(ToString::to_string).collect(),
            ),
            Event::Written(field) => (format!("field written: {}", field_text(field)), Vec::new()),
            Event::Read(field) => (format!("field read: {}", field_text(field)), Vec::new()),
            Event::ElementWritten(element) => {
                (format!("array element written: {}[]", Type::of_descriptor(&element.descriptor)), Vec::new())
            }
            Event::Changed(contents) => {
                let what = match &contents.aspect {
                    Aspect::All => "contents changed".to_owned(),
                    Aspect::Element(index) => format!("element {index} changed"),
                    Aspect::Key(key) => format!("value of the key {key} changed"),
                };
                (format!("{what}: {}, by {} methods", contents.class, contents.calls.len()), Vec::new())
            }
            Event::Made(Making::Object { class, sites }) => {
                let sites = sites.iter().map(|s| self.classes.place(&s.site));
                (format!("object of class {class} made, at"), sites.collect())
            }
            Event::Made(Making::Array { descriptor }) => {
                (format!("array made: {}", Type::of_descriptor(descriptor)), Vec::new())
            }
            Event::Copied(copies) => {
                let mut sites: Vec<&Site> = copies.sites.iter().map(|place| &place.site).collect();
                sites.sort_by_key(|site| (&site.method, site.bci));
                sites.dedup();
                let sites = sites.into_iter().map(|site| self.classes.place(site)).collect();
                ("log how values are copied, at".to_owned(), sites)
            }
            Event::Thrown { class, caught } => {
                let how = match caught {
                    Some(true) => "caught exception",
                    Some(false) => "uncaught exception",
                    None => "exception",
                };
                (format!("{how} thrown: {}", class.as_deref().unwrap_or("any")), Vec::new())
            }
            Event::Skipped(lines) => {
                let from = |l: &query::SkippedLine| {
                    let mut from: Vec<u32> = l.bypassed_from.values().flatten().copied().collect();
                    from.sort_unstable();
                    from.dedup();
                    from.into_iter().map(|bci| site(l.method.clone(), bci)).collect::<Vec<_>>()
                };
                ("exception caught that skips the line, at".to_owned(), lines.iter().flat_map(from).collect())
            }
            Event::Stored(stores) => {
                let text = |s: &StoreSite| {
                    let entry = s.site.bci == 0 && s.value_at == 0;
                    self.classes.place(&s.site) + if entry { " (parameter)" } else { "" }
                };
                ("interrupt on the stores".to_owned(), stores.iter().map(text).collect())
            }
            Event::Branched(branches) => {
                ("interrupt on the branches".to_owned(), branches.iter().map(|b| self.branch(b)).collect())
            }
        }
    }

    fn branch(&self, branch: &BranchSite) -> String {
        let place = self.classes.place(&branch.site);
        if branch.is_handler() {
            return format!("{place} (handler)");
        }
        let mut ways: Vec<u32> = branch.controls.values().flatten().copied().collect();
        ways.sort_unstable();
        ways.dedup();
        let ways: Vec<String> = ways.iter().map(u32::to_string).collect();
        format!("{place} to @{}", ways.join(", @"))
    }

    fn constraint(&self, own: PointIndex, constraint: &Constraint, translation: &Translation) -> String {
        let id = self.id(constraint.point());
        match constraint {
            Constraint::Before(_) => format!("before({id})"),
            Constraint::After(_) => format!("after({id})"),
            Constraint::SameThread(_) => format!("sameThread({id})"),
            Constraint::Sameness { mine, point, theirs } | Constraint::SameValue { mine, point, theirs } => {
                let of = |slot: &Slot, owner: PointIndex| match slot {
                    Slot::Owner => ".owner".to_owned(),
                    Slot::Kept(at) => {
                        let query = translation.queries.iter().find(|q| q.point == owner);
                        let kept = query.and_then(|q| q.keep.get(*at));
                        kept.map_or_else(|| "?".to_owned(), |k| format!("({}):{}", k.frame, k.expr))
                    }
                };
                let name = match constraint {
                    Constraint::Sameness { .. } => "sameness",
                    _ => "sameValue",
                };
                format!("{name}({}, {id}{})", of(mine, own), of(theirs, *point))
            }
            Constraint::MayAffect { frame: FrameSelector::Any, .. } => format!("mayAffect({id})"),
            Constraint::MayAffect { frame: FrameSelector::Nth(n), .. } => format!("mayAffect({id}({n}))"),
            Constraint::StoresFor { frame, .. } => format!("storesFor({id}({frame}))"),
            Constraint::Controls(_) => format!("controls({id})"),
            Constraint::Within(_) => format!("within({id})"),
            Constraint::CaughtIn(_) => format!("caughtIn({id})"),
        }
    }
}

fn field_text(field: &Field) -> String {
    let kind = if field.is_static { " (static)" } else { "" };
    format!("{}.{}{kind}", field.class, field.name)
}
