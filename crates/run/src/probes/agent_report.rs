//! Reads the agent's report: the sites by number, and the new code indices of rewritten methods.

use model::{MethodName, Site};
use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use wire::{ClassReport, HiddenClass, LoadedClass, MethodReport, Report, ReportReader, TestedCounts};

/// A site as the agent reports it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NumberedSite {
    /// Its query.
    pub query: u16,
    /// Its place in the original code.
    pub site: Site,
    /// Distinguishes it from other sites at the same place.
    pub way: Option<u32>,
    /// The class by which the code names the field, if that is not the declaring class.
    pub named_by: Option<String>,
    /// The method of the JDK that is called there. Its hits are noticed after it has written.
    pub by: Option<MethodName>,
}

/// A rewritten method. JDWP indices refer to its rewritten code.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RewrittenMethod {
    moved: Vec<(u32, u32)>,
    length: u32,
    code: u64,
    /// The added locals with their slots.
    pub kept: Vec<(String, u16)>,
}

impl RewrittenMethod {
    /// Converts an index of the rewritten code to the original instruction that contains it or that follows
    /// the inserted code. Returns the original length for code behind the last instruction.
    pub fn was(&self, now: u64) -> u64 {
        let at = self.moved.partition_point(|(_, place)| u64::from(*place) < now);
        self.moved.get(at).map_or(self.length, |(was, _)| *was).into()
    }

    /// The slot of an added local.
    pub fn slot(&self, name: &str) -> Option<u16> {
        self.kept.iter().find(|(known, _)| known == name).map(|(_, slot)| *slot)
    }
}

/// The agent's reports so far.
pub struct AgentReport {
    reader: ReportReader,
    sites: HashMap<u32, Arc<NumberedSite>>,
    methods: HashMap<MethodName, Arc<RewrittenMethod>>,
    /// Whether the agent has started.
    pub started: bool,
    /// Reasons why sites are not watched.
    pub problems: Vec<String>,
    /// Hidden classes whose code may contain sites but which have no probes. The agent bounds their number.
    pub hidden: Vec<HiddenClass>,
    /// Classes with sites as they were loaded, if the plan asks for them, by binary name.
    pub loaded: BTreeMap<String, Vec<u8>>,
    /// Hits by site number, if hits were counted and the VM reported them at its end.
    hits: Option<HashMap<u32, u64>>,
    /// Likewise, what became of the hits of tested sites.
    tested: HashMap<u32, TestedCounts>,
    /// CPU time of the VM, reported with the hits.
    pub busy: Option<Duration>,
    /// Whether a class that is recorded was loaded.
    has_recorded: bool,
}

/// Maximum number of problems kept; further ones are similar.
const PROBLEMS: usize = 20;

impl AgentReport {
    /// Opens a report at its beginning.
    pub fn open(path: &Path) -> std::io::Result<AgentReport> {
        let reader = ReportReader::open(path)?;
        let (sites, methods) = (HashMap::new(), HashMap::new());
        Ok(AgentReport {
            reader,
            sites,
            methods,
            started: false,
            problems: Vec::new(),
            hidden: Vec::new(),
            loaded: BTreeMap::new(),
            hits: None,
            tested: HashMap::new(),
            busy: None,
            has_recorded: false,
        })
    }

    /// Reads new reports.
    pub fn catch_up(&mut self) {
        match self.reader.more() {
            Ok(reports) => reports.into_iter().for_each(|report| self.take(report)),
            Err(error) => self.problem(format!("the agent's report cannot be read: {error}")),
        }
    }

    /// Whether code that the plan names was loaded.
    pub fn has_sites(&mut self) -> bool {
        self.catch_up();
        self.has_recorded || !self.sites.is_empty()
    }

    fn problem(&mut self, problem: String) {
        if self.problems.len() < PROBLEMS && !self.problems.contains(&problem) {
            self.problems.push(problem);
        }
    }

    fn take(&mut self, report: Report) {
        match report {
            Report::Started => self.started = true,
            Report::Problem(problem) => self.problem(problem),
            Report::Hidden(class) => self.hidden.push(class),
            Report::Loaded(LoadedClass { class, bytes }) => {
                // Later ones are of other loaders, or redefined while the program runs.
                self.loaded.entry(class.replace('/', ".")).or_insert(bytes);
            }
            // The reader of a recording's events handles them.
            Report::Traced(_) | Report::Coverable(_) => self.has_recorded = true,
            Report::Covered(_)
            | Report::Write(_)
            | Report::Loader(_)
            | Report::Ring(_)
            | Report::Wrote(_)
            | Report::Existed(_)
            | Report::Forked
            | Report::Socket
            | Report::Reached { .. } => {}
            Report::Counts { hits, tested, busy_ms } => {
                self.hits = Some(hits.into_iter().collect());
                self.tested = tested.into_iter().collect();
                self.busy = busy_ms.map(Duration::from_millis);
            }
            Report::Class(ClassReport { class, methods, sites, left }) => {
                let class: Arc<str> = class.replace('/', ".").into();
                for MethodReport { name, descriptor, code, length, moved, kept } in methods {
                    let name = MethodName::new(class.clone(), name, descriptor);
                    let moved = RewrittenMethod { moved, length, code, kept };
                    let known = self.methods.insert(name.clone(), Arc::new(moved.clone()));
                    if known.is_some_and(|known| *known != moved) {
                        self.problem(format!("several classes define {name}, each with different code"));
                    }
                }
                for site in sites {
                    let method = MethodName::new(class.clone(), site.method, site.descriptor);
                    let at = Site { method, bci: site.bci };
                    let numbered = NumberedSite {
                        query: site.query,
                        site: at,
                        way: site.way,
                        named_by: site.named_by.map(|class| class.replace('/', ".")),
                        by: site
                            .by
                            .map(|by| MethodName::new(by.class.replace('/', "."), by.name, by.descriptor)),
                    };
                    self.sites.insert(site.id, Arc::new(numbered));
                }
                for left in left {
                    self.problem(format!("{class}.{}{}: {}", left.method, left.descriptor, left.why));
                }
            }
        }
    }

    /// A site by its number.
    pub fn site(&mut self, number: u32) -> Option<Arc<NumberedSite>> {
        if !self.sites.contains_key(&number) {
            self.catch_up();
        }
        self.sites.get(&number).cloned()
    }

    /// The method of the JDK that is called at a site of a query, if its writes are noticed there.
    pub fn called_at(&mut self, query: u16, site: &Site) -> Option<MethodName> {
        let of_query = self.sites_of(query);
        of_query.into_iter().find(|(_, known)| known.site == *site).and_then(|(_, known)| known.by.clone())
    }

    /// The sites of a query reported so far, with their numbers.
    pub fn sites_of(&mut self, query: u16) -> Vec<(u32, Arc<NumberedSite>)> {
        self.catch_up();
        let of = self.sites.iter().filter(|(_, site)| site.query == query);
        of.map(|(number, site)| (*number, site.clone())).collect()
    }

    /// All sites with their hit counts, in the order of site numbers; none if no counts were reported.
    pub fn counted(&self) -> Option<Vec<(Arc<NumberedSite>, u64)>> {
        let hits = self.hits.as_ref()?;
        let mut sites: Vec<_> = self.sites.iter().collect();
        sites.sort_unstable_by_key(|(number, _)| **number);
        let counted = sites.into_iter().map(|(number, site)| {
            let others = self.tested.get(number).map_or(0, |tested| tested.other_thread);
            (site.clone(), hits.get(number).copied().unwrap_or(0) + others)
        });
        Some(counted.collect())
    }

    /// What became of the hits of tested sites, by query.
    pub fn tested(&self) -> BTreeMap<u16, TestedCounts> {
        let mut by_query: BTreeMap<u16, TestedCounts> = BTreeMap::new();
        for (number, counts) in &self.tested {
            let Some(site) = self.sites.get(number) else { continue };
            let all = by_query.entry(site.query).or_default();
            all.other_thread += counts.other_thread;
            all.false_condition += counts.false_condition;
            all.other_caller += counts.other_caller;
            all.asked += counts.asked;
        }
        by_query
    }

    /// How a method was rewritten, if it was.
    pub fn rewritten(&mut self, method: &MethodName) -> Option<Arc<RewrittenMethod>> {
        self.catch_up();
        self.methods.get(method).cloned()
    }
}
