//! Programs: clauses of several files, and linking them with relations.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, OnceLock};

use crate::atoms::{AtomId, Atoms, known};
use crate::builtins;
use crate::compile::compile_clause;
use crate::compile::image::{ClauseSource, Image, PredKind};
use crate::limits::{Allowance, Stopped};
use crate::read::clauses::ClauseReader;
use crate::read::error::{Span, SyntaxError};
use crate::read::parser::ReadTerm;
use crate::relation::Relations;
use crate::term::{Node, NodeId};

/// Most errors, and most warnings, that are told of a program.
const TOLD: usize = 100;
/// About what tokenizing a byte of a clause takes for a while, in bytes.
const PER_BYTE: usize = 100;

/// Why a program cannot be used.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NotRead {
    /// It is not valid: the first hundred errors.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
    Invalid(Vec<SyntaxError>),
    /// A limit was exceeded.
    #[error(transparent)]
    Stopped(#[from] Stopped),
}

impl NotRead {
    /// The errors; none if a limit was exceeded.
    #[must_use]
    pub fn errors(&self) -> &[SyntaxError] {
        match self {
            NotRead::Invalid(errors) => errors,
            NotRead::Stopped(_) => &[],
        }
    }
}

/// A clause of a program.
#[derive(Clone, Debug)]
pub struct Clause {
    /// The whole term with the places of its nodes.
    pub read: ReadTerm,
    /// The head.
    pub head: NodeId,
    /// The body, unless the clause is a fact.
    pub body: Option<NodeId>,
    /// Index of the file.
    pub file: usize,
    /// Line of the first token.
    pub line: u32,
}

impl Clause {
    /// About its memory, in bytes.
    fn size(&self) -> usize {
        const NODE: usize = size_of::<Node>() + size_of::<NodeId>() + size_of::<Span>();
        let term = &self.read.term;
        size_of::<Clause>() + term.nodes.len() * NODE + term.text.len()
    }
}

/// Something that is allowed but rarely meant.
pub type Warning = SyntaxError;

/// A predicate of a program.
#[derive(Clone, Debug, Default)]
struct Defined {
    clauses: Vec<usize>,
}

/// The clauses of some files.
#[derive(Clone)]
pub struct Program {
    atoms: Arc<Atoms>,
    files: Vec<Arc<str>>,
    clauses: Vec<Clause>,
    preds: HashMap<(AtomId, usize), Defined>,
    order: Vec<(AtomId, usize)>,
    warnings: Vec<Warning>,
}

/// A program that is ready to run.
#[derive(Clone)]
pub struct Linked {
    pub(crate) atoms: Arc<Atoms>,
    pub(crate) image: Arc<Image>,
}

impl Linked {
    /// The table of atoms.
    #[must_use]
    pub fn atoms(&self) -> &Arc<Atoms> {
        &self.atoms
    }

    /// Predicates that clauses call and nobody defines, as `name/arity`.
    #[must_use]
    pub fn unknown_predicates(&self) -> Vec<String> {
        let unknown = self.image.preds.iter().filter(|pred| matches!(pred.kind, PredKind::Unknown));
        unknown.map(|pred| format!("{}/{}", self.atoms.text(pred.name), pred.arity)).collect()
    }
}

/// The engine's own predicates, compiled once, and the atoms that they need.
struct Base {
    texts: Vec<String>,
    image: Image,
}

fn base() -> &'static Base {
    static BASE: OnceLock<Base> = OnceLock::new();
    BASE.get_or_init(|| {
        let atoms = Arc::new(Atoms::new());
        let mut image = Image { library: true, ..Image::default() };
        image.files.push(Arc::from(""));
        image.bounds.push(Vec::new());
        builtins::install(&mut image, &atoms);
        let clauses: Vec<Clause> = ClauseReader::new("library", builtins::LIBRARY, &atoms)
            .filter_map(|read| {
                let read = read.ok()?;
                let (head, body) = parts(&read);
                Some(Clause { read, head, body, file: 0, line: 0 })
            })
            .collect();
        let mut groups: Vec<((AtomId, usize), Vec<&Clause>)> = Vec::new();
        for clause in &clauses {
            let Some(key) = clause.read.term.functor(clause.head) else { continue };
            match groups.iter_mut().find(|(k, _)| *k == key) {
                Some((_, list)) => list.push(clause),
                None => groups.push((key, vec![clause])),
            }
        }
        for ((name, arity), list) in &groups {
            let pred = image.pred(*name, *arity);
            // The library is known to compile; a test makes sure.
            let _ = define(&mut image, &atoms, pred, list, 0, None);
        }
        image.library = false;
        let texts = (0..atoms.len()).map(|n| atoms.text(AtomId(u32::try_from(n).unwrap_or(0))).to_owned());
        Base { texts: texts.collect(), image }
    })
}

/// The texts of the atoms that the engine itself uses, by their ids.
pub(crate) fn base_texts() -> &'static [String] {
    &base().texts
}

/// Head and body of a clause.
fn parts(read: &ReadTerm) -> (NodeId, Option<NodeId>) {
    let root = read.term.root();
    match read.term.pair(root, known::NECK) {
        Some((head, body)) => {
            let fact = matches!(read.term.node(body), Node::Atom(known::TRUE));
            (head, (!fact).then_some(body))
        }
        None => (root, None),
    }
}

/// Why a predicate cannot be compiled.
enum NotDefined {
    /// The file, the place and the reason.
    Clause(usize, Span, String),
    Stopped(Stopped),
}

impl From<Stopped> for NotDefined {
    fn from(stopped: Stopped) -> NotDefined {
        NotDefined::Stopped(stopped)
    }
}

/// Compiles a predicate: one of the user's program, with an allowance, or of the library.
fn define(
    image: &mut Image,
    atoms: &Arc<Atoms>,
    pred: u32,
    clauses: &[&Clause],
    file_offset: u32,
    allowance: Option<&mut Allowance>,
) -> Result<(), NotDefined> {
    let user = allowance.is_some();
    let mut own = Allowance::default();
    let allowance = allowance.unwrap_or(&mut own);
    let mut codes = Vec::with_capacity(clauses.len());
    for clause in clauses {
        let term = &clause.read.term;
        allowance.take(clause.size(), || "while its program was compiled".to_owned())?;
        let file = u32::try_from(clause.file).unwrap_or(0) + file_offset;
        let source = ClauseSource { file, line: clause.line, pred };
        compile_clause(image, atoms, term, clause.head, clause.body, source)
            .map_err(|(node, message)| NotDefined::Clause(clause.file, clause.read.span_of(node), message))?;
        // Helpers of the clause stand before it in the clause table.
        codes.extend(image.clauses.pop());
    }
    let first = image.clauses.len();
    image.clauses.extend(codes);
    image.define(pred, first, user);
    Ok(())
}

impl Default for Program {
    fn default() -> Self {
        Self::new()
    }
}

impl Program {
    /// A program without clauses.
    #[must_use]
    pub fn new() -> Self {
        let atoms = Atoms::new();
        for text in &base().texts {
            atoms.intern(text);
        }
        Program {
            atoms: Arc::new(atoms),
            files: Vec::new(),
            clauses: Vec::new(),
            preds: HashMap::new(),
            order: Vec::new(),
            warnings: Vec::new(),
        }
    }

    /// The table of atoms.
    #[must_use]
    pub fn atoms(&self) -> &Arc<Atoms> {
        &self.atoms
    }

    /// Adds the clauses of a text. With an error none of them is added.
    ///
    /// # Errors
    /// The errors of the text.
    pub fn consult(&mut self, file: &str, text: &str) -> Result<(), NotRead> {
        self.consult_within(file, text, &mut Allowance::default())
    }

    /// Adds the clauses of a text, as [`Self::consult`] does, within limits.
    ///
    /// # Errors
    /// The errors of the text, or an exceeded limit.
    pub fn consult_within(
        &mut self,
        file: &str,
        text: &str,
        allowance: &mut Allowance,
    ) -> Result<(), NotRead> {
        let clauses = self.clauses_of(file, text, allowance)?;
        self.warn(file, text, &clauses);
        self.add(file, clauses);
        Ok(())
    }

    /// The clauses of a text, checked.
    fn clauses_of(&self, file: &str, text: &str, allowance: &mut Allowance) -> Result<Vec<Clause>, NotRead> {
        let mut errors = Vec::new();
        let mut clauses: Vec<Clause> = Vec::new();
        let atoms = Arc::clone(&self.atoms);
        let (mut line, mut counted) = (1_u32, 0_usize);
        let mut reader = ClauseReader::new(file, text, &atoms);
        loop {
            // The grammar takes a clause as a whole.
            let least = shortest_clause(text.get(reader.offset()..).unwrap_or_default());
            allowance.borrow(least.saturating_mul(PER_BYTE), || format!("while it read {file}"))?;
            let Some(read) = reader.next() else { break };
            if errors.len() == TOLD {
                break;
            }
            let read = match read {
                Ok(read) => read,
                Err(error) => {
                    errors.push(error);
                    continue;
                }
            };
            let start = read.span.start as usize;
            let between = text.as_bytes().get(counted..start).unwrap_or_default();
            line += u32::try_from(between.iter().filter(|&&b| b == b'\n').count()).unwrap_or(0);
            counted = start.max(counted);
            match self.check(&read) {
                Ok(false) => {}
                Ok(true) => {
                    let (head, body) = parts(&read);
                    let clause = Clause { read, head, body, file: self.files.len(), line };
                    allowance.take(clause.size(), || format!("while it read {file}"))?;
                    clauses.push(clause);
                }
                Err((node, message)) => {
                    errors.push(SyntaxError::at(file, text, read.span_of(node), message));
                }
            }
        }
        if !errors.is_empty() {
            return Err(NotRead::Invalid(errors));
        }
        Ok(clauses)
    }

    /// Adds the clauses of a library, except those of predicates that are replaced: names and arities.
    ///
    /// # Errors
    /// The errors of the text.
    pub fn consult_library(
        &mut self,
        file: &str,
        text: &str,
        replaced: &[(String, usize)],
    ) -> Result<(), NotRead> {
        let mut library = self.clauses_of(file, text, &mut Allowance::default())?;
        let replaced: HashSet<_> =
            replaced.iter().filter_map(|(name, arity)| Some((self.atoms.find(name)?, *arity))).collect();
        library.retain(|clause| {
            clause.read.term.functor(clause.head).is_none_or(|defined| !replaced.contains(&defined))
        });
        self.add(file, library);
        Ok(())
    }

    fn add(&mut self, file: &str, clauses: Vec<Clause>) {
        self.files.push(Arc::from(file));
        for clause in clauses {
            let Some(key) = clause.read.term.functor(clause.head) else { continue };
            let index = self.clauses.len();
            self.preds
                .entry(key)
                .or_insert_with(|| {
                    self.order.push(key);
                    Defined::default()
                })
                .clauses
                .push(index);
            self.clauses.push(clause);
        }
    }

    /// Checks one clause. False if it is a directive that is ignored.
    fn check(&self, read: &ReadTerm) -> Result<bool, (NodeId, String)> {
        let term = &read.term;
        let root = term.root();
        let refuse = |node, message: String| Err((node, message));
        if let (Some((known::NECK | known::QUERY, 1)), &[directive]) = (term.functor(root), term.args(root)) {
            return match (term.functor(directive), term.args(directive)) {
                (Some((known::DYNAMIC | known::DISCONTIGUOUS, 1)), _) => Ok(false),
                (Some((known::USE_MODULE, _)), &[module, ..])
                    if matches!(term.functor(module), Some((known::LIBRARY, 1))) =>
                {
                    Ok(false)
                }
                (Some((name, _)), _) if self.atoms.text(name) == "op" => {
                    refuse(directive, "the operators are fixed; `op/3` is left out".to_owned())
                }
                _ => refuse(
                    directive,
                    "directives are left out, except `dynamic`, `discontiguous` and `use_module(library(…))`"
                        .to_owned(),
                ),
            };
        }
        if let Some((known::NECK_DCG, 2)) = term.functor(root) {
            return refuse(root, "grammar rules (`-->`) are left out".to_owned());
        }
        let (head, body) = parts(read);
        let Some((name, arity)) = term.functor(head) else {
            return refuse(head, "the head of a clause must be an atom or a compound".to_owned());
        };
        let text = self.atoms.text(name);
        if builtins::is_protected(&base().image, name, arity) {
            return refuse(head, format!("`{text}/{arity}` is built in; a program cannot define it"));
        }
        if let Some(body) = body {
            check_body(term, body)?;
        }
        Ok(true)
    }

    fn warn(&mut self, file: &str, text: &str, clauses: &[Clause]) {
        let mut last: Option<(AtomId, usize)> = None;
        let mut seen: HashSet<(AtomId, usize)> = HashSet::new();
        for clause in clauses {
            if self.warnings.len() >= TOLD {
                return;
            }
            let read = &clause.read;
            let single: Vec<&str> = read
                .variables
                .iter()
                .zip(&read.occurrences)
                .filter(|(name, count)| **count == 1 && !name.starts_with('_'))
                .map(|(name, _)| name.as_str())
                .collect();
            if !single.is_empty() {
                let span = read.spans_of_variable(single.first().copied().unwrap_or_default());
                let verb = if single.len() == 1 { "occurs" } else { "occur" };
                let message =
                    format!("`{}` {verb} only once; write `_` if that is meant", single.join("`, `"));
                self.warnings.push(SyntaxError::at(file, text, span, message));
            }
            let key = read.term.functor(clause.head);
            if key != last
                && let Some(key) = key
            {
                if !seen.insert(key) {
                    let name = self.atoms.text(key.0);
                    let message = format!("the clauses of `{name}/{}` do not stand together", key.1);
                    self.warnings.push(SyntaxError::at(file, text, read.span_of(clause.head), message));
                }
                last = Some(key);
            }
        }
    }

    /// What is allowed but rarely meant, so far.
    #[must_use]
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// Name of a file.
    #[must_use]
    pub fn file(&self, index: usize) -> &str {
        self.files.get(index).map_or("", |name| name)
    }

    /// The predicates in the order of their first clauses.
    pub fn predicates(&self) -> impl Iterator<Item = (&str, usize)> {
        self.order.iter().map(|&(name, arity)| (self.atoms.text(name), arity))
    }

    /// The clauses of a predicate.
    pub fn clauses(&self, name: &str, arity: usize) -> impl Iterator<Item = &Clause> {
        let defined = self.atoms.find(name).and_then(|name| self.preds.get(&(name, arity)));
        defined.into_iter().flat_map(|defined| &defined.clauses).filter_map(|&index| self.clauses.get(index))
    }

    /// Links the program with relations.
    ///
    /// # Errors
    /// Clauses that define a relation of the host which is not overridable, or that cannot be compiled.
    pub fn link(&self, relations: &Relations) -> Result<Linked, NotRead> {
        self.link_within(relations, &mut Allowance::default())
    }

    /// Links the program, as [`Self::link`] does, within limits.
    ///
    /// # Errors
    /// As [`Self::link`], or an exceeded limit.
    pub fn link_within(&self, relations: &Relations, allowance: &mut Allowance) -> Result<Linked, NotRead> {
        let mut image = base().image.clone();
        let mut errors = Vec::new();
        image.files.extend(self.files.iter().cloned());
        for relation in relations.iter() {
            let name = self.atoms.intern(relation.name());
            image.replace(name, relation.arity(), PredKind::Relation(Arc::clone(relation)));
        }
        for &(name, arity) in &self.order {
            let text = self.atoms.text(name);
            if relations.get(text, arity).is_some_and(|relation| !relation.overridable()) {
                if let Some(clause) = self.clauses(text, arity).next() {
                    let message = format!("the host answers `{text}/{arity}`; a program cannot define it");
                    errors.push(self.link_error(clause.file, clause.line, clause.read.span, message));
                }
                continue;
            }
            image.replace(name, arity, PredKind::Clauses { first: 0, count: 0, index: None });
        }
        for &(name, arity) in &self.order {
            let clauses: Vec<&Clause> = self.clauses(self.atoms.text(name), arity).collect();
            let Some(pred) = image.find(name, arity) else { continue };
            match define(&mut image, &self.atoms, pred, &clauses, 1, Some(allowance)) {
                Ok(()) => {}
                Err(NotDefined::Stopped(stopped)) => return Err(stopped.into()),
                Err(NotDefined::Clause(file, span, message)) => {
                    errors.push(self.link_error(file, clauses.first().map_or(0, |c| c.line), span, message));
                }
            }
        }
        if errors.is_empty() {
            Ok(Linked { atoms: Arc::clone(&self.atoms), image: Arc::new(image) })
        } else {
            Err(NotRead::Invalid(errors))
        }
    }

    fn link_error(&self, file: usize, line: u32, span: Span, message: String) -> SyntaxError {
        SyntaxError { file: self.file(file).to_owned(), line, column: 1, span, message }
    }
}

/// The number of bytes up to the first place where the first clause of a text can end. A quoted text can
/// contain such a place.
fn shortest_clause(text: &str) -> usize {
    let bytes = text.as_bytes();
    let ends = |pair: &[u8]| matches!(pair, [b'.', next] if next.is_ascii_whitespace());
    bytes.windows(2).position(ends).unwrap_or(bytes.len())
}

/// Refuses goals that are numbers or strings.
fn check_body(term: &crate::term::Term, body: NodeId) -> Result<(), (NodeId, String)> {
    let mut work = vec![body];
    while let Some(goal) = work.pop() {
        match (term.functor(goal), term.args(goal)) {
            (Some((known::COMMA | known::SEMICOLON | known::ARROW | known::SOFT, 2)), &[a, b]) => {
                work.extend([b, a]);
            }
            (Some((known::NOT, 1)), &[a]) => work.push(a),
            (None, _) if !matches!(term.node(goal), Node::Var(_)) => {
                return Err((
                    goal,
                    "a goal must be an atom or a compound, not a number or string".to_owned(),
                ));
            }
            _ => {}
        }
    }
    Ok(())
}
