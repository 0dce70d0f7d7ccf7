//! The services for translating one point: sites and types of other points, values that they must keep, and
//! checks of expressions.

use super::classes::Classes;
use super::error::Refusal;
use super::need::Need;
use super::{State, TranslatedPoint, point_index};
use crate::format::Point;
use bytecode::ClassFile;
use bytecode::descriptor::written;
use expr::{self, EventPart, EventTypes, Expr, Scope, TypeError};
use model::{MethodName, Site};
use query::{Constraint, Event, Keep, Key, LocalConditions, PointIndex};
use std::sync::Arc;

/// Why a point gets no TraceQuery now.
pub(crate) enum Stop {
    /// The point has a definite mistake.
    Refuse(Refusal),
    /// A run must first learn something.
    Learn(Need),
}

impl<E: Into<Refusal>> From<E> for Stop {
    fn from(error: E) -> Stop {
        Stop::Refuse(error.into())
    }
}

/// The TraceQuery parts that a kind requests.
pub(crate) struct Ask {
    pub(crate) event: Event,
    pub(crate) constraints: Vec<Constraint>,
    /// The sites of the occurrences in their newest frame, if class files show them.
    pub(crate) sites: Option<Vec<Site>>,
    /// The types of the values that the event provides.
    pub(crate) events: EventTypes,
    pub(crate) compare_at: Option<(PointIndex, usize)>,
    /// Further values of a candidate, which its own constraints compare.
    pub(crate) keep: Vec<Keep>,
    /// The only site whose hits count.
    pub(crate) only_at: Option<Site>,
}

impl Ask {
    /// An event without constraints of its own.
    pub(crate) fn plain(event: Event, sites: Option<Vec<Site>>, events: EventTypes) -> Ask {
        Ask {
            event,
            constraints: Vec::new(),
            sites,
            events,
            compare_at: None,
            keep: Vec::new(),
            only_at: None,
        }
    }
}

/// The point being translated, with the state of the translation.
pub(crate) struct PointContext<'t, 'a> {
    pub(super) index: PointIndex,
    pub(super) point: &'t Point,
    pub(super) state: &'t mut State<'a>,
}

type Checked = (LocalConditions, Option<Vec<Arc<Expr>>>);

impl<'a> PointContext<'_, 'a> {
    /// The point as the user wrote it.
    pub(crate) fn point(&self) -> &Point {
        self.point
    }

    /// Class files and sources.
    pub(crate) fn classes(&self) -> &Classes<'a> {
        &self.state.classes
    }

    /// Adds a warning for the user.
    pub(crate) fn warn(&mut self, warning: impl AsRef<str>) {
        let warning = format!("{}: {}", self.point.id, warning.as_ref());
        if !self.state.result.warnings.contains(&warning) {
            self.state.result.warnings.push(warning);
        }
    }

    /// Whether conditions of libraries and of the test framework count.
    pub(crate) fn goes_into_libraries(&self) -> bool {
        self.state.chain.into_libraries
    }

    /// Records that the search ended where other code calls the user's own.
    pub(crate) fn end_at_border(&mut self, own: &Site, caller: &Site) {
        let name = |site: &Site| format!("{}.{}", site.method.class, site.method.name);
        let text = format!(
            "the search ended at {}, where {} calls your code; --into-libraries goes on",
            name(own),
            name(caller)
        );
        self.state.result.borders.push((self.index, text));
    }

    /// Records that the point may stay unlocated while this need is open.
    pub(crate) fn deeper(&mut self, need: Need) {
        self.state.result.deeper.push((self.index, need));
    }

    /// An earlier point by its id. That point must already have a TraceQuery.
    pub(crate) fn earlier(&self, id: &str) -> Result<PointIndex, Stop> {
        let Some(place) = self.state.chain.position(id) else {
            return Err(Stop::Refuse(Refusal::Chain(format!("no point has the id `{id}`"))));
        };
        match self.state.translated.get(place) {
            Some(Some(_)) => Ok(point_index(place)),
            Some(None) => Err(Stop::Learn(Need::Site { point: point_index(place), id: id.into() })),
            None => Err(Stop::Refuse(Refusal::Chain(format!("point `{id}` is further down")))),
        }
    }

    fn translated(&self, point: PointIndex) -> Option<&TranslatedPoint> {
        self.state.translated.get(usize::from(point.0))?.as_ref()
    }

    fn id_of(&self, point: PointIndex) -> Arc<str> {
        self.translated(point).map_or_else(|| "?".into(), |a| a.query.id.clone())
    }

    /// The types of the values that an earlier point's event provides.
    pub(crate) fn events_of(&self, point: PointIndex) -> EventTypes {
        self.translated(point).map(|a| a.events.clone()).unwrap_or_default()
    }

    /// The request of an earlier point without its constraints: its event, the event's sites if class files
    /// show them, and the types of its values.
    pub(crate) fn event_of(&self, point: PointIndex) -> Result<(Event, Option<Vec<Site>>, EventTypes), Stop> {
        let asked = self.translated(point).ok_or_else(|| Stop::Learn(self.frame_need(point, 0)))?;
        Ok((asked.query.event.clone(), asked.sites.clone(), asked.events.clone()))
    }

    /// The question of an earlier point.
    pub(crate) fn kind_of(&self, point: PointIndex) -> String {
        let point = self.state.chain.points.get(usize::from(point.0));
        point.map_or_else(|| "?".to_owned(), |p| p.at.to_string())
    }

    /// Whether an earlier point reaches this site only when its method is entered.
    pub(crate) fn is_entry(&self, point: PointIndex, site: &Site) -> bool {
        let is_entry: Vec<bool> = match self.translated(point).map(|a| &a.query.event) {
            Some(Event::Reached(passes)) => {
                passes.iter().filter(|p| p.method == site.method).map(|p| p.on_entry).collect()
            }
            Some(Event::Stored(stores)) => {
                stores.iter().filter(|s| s.site == *site).map(|s| s.value_at == s.site.bci).collect()
            }
            _ => Vec::new(),
        };
        !is_entry.is_empty() && is_entry.into_iter().all(|entry| entry)
    }

    /// Whether an earlier point is where a value is stored or returned. A parameter is given by the caller.
    pub(crate) fn gives_value(&self, point: PointIndex, site: &Site) -> bool {
        self.translated(point).is_some_and(|a| a.query.event.gives()) && !self.is_entry(point, site)
    }

    /// The stack where an earlier point was last located, newest frame first; empty if it was not.
    pub(crate) fn stack_of(&self, point: PointIndex) -> &[Site] {
        self.state.learned.frames(point)
    }

    /// The possible sites of a frame of an earlier point. For the newest frame, these come from class files
    /// and earlier runs; for older frames, from earlier runs only.
    pub(crate) fn sites_of(&self, point: PointIndex, frame: i32) -> Result<Vec<Site>, Stop> {
        let stack = self.stack_of(point);
        let known = if frame == 0 { self.translated(point).and_then(|a| a.sites.clone()) } else { None };
        let offset = usize::try_from(frame.unsigned_abs()).unwrap_or(usize::MAX);
        let position = if frame < 0 { stack.len().checked_sub(offset) } else { Some(offset) };
        let learned = position.and_then(|at| stack.get(at)).cloned();
        match (known, learned) {
            (Some(mut sites), learned) => {
                sites.extend(learned.filter(|l| !sites.contains(l)).into_iter().collect::<Vec<_>>());
                Ok(sites)
            }
            (None, Some(site)) => Ok(vec![site]),
            (None, None) if !stack.is_empty() => {
                let point = self.id_of(point).to_string();
                Err(Refusal::NoSuchFrame { point, frame, depth: stack.len() }.into())
            }
            (None, None) => Err(Stop::Learn(self.frame_need(point, frame))),
        }
    }

    /// The possible sites of the newest frame of an earlier point, with those of all earlier runs.
    pub(crate) fn all_sites_of(&self, point: PointIndex) -> Result<Vec<Site>, Stop> {
        let mut sites = self.sites_of(point, 0)?;
        sites.extend(self.state.learned.places(point).cloned());
        Ok(sites)
    }

    /// The sites that led to this site of an earlier point's newest frame. For the start of a handler, these
    /// are the instructions that may have thrown; otherwise, the site itself.
    pub(crate) fn led_from(&self, point: PointIndex, site: Site) -> Vec<Site> {
        match self.translated(point) {
            Some(asked) => asked.query.event.led_from(site),
            None => vec![site],
        }
    }

    /// The site of a frame of an earlier point when it was last located.
    pub(crate) fn learned_site(&self, point: PointIndex, frame: i32) -> Result<Vec<Site>, Stop> {
        let site = if frame == 0 { self.stack_of(point).first().cloned() } else { None };
        match site {
            Some(site) => Ok(vec![site]),
            None => Err(Stop::Learn(self.frame_need(point, frame))),
        }
    }

    /// The need for a frame of an earlier point.
    pub(crate) fn frame_need(&self, point: PointIndex, frame: i32) -> Need {
        let id = self.id_of(point);
        if frame == 0 { Need::Site { point, id } } else { Need::Frame { point, id, frame } }
    }

    /// The runtime class of an expression at an earlier point, or the need to learn it. Makes the point keep
    /// the value.
    pub(crate) fn class_of(&mut self, point: PointIndex, frame: i32, expr: &Expr) -> Result<Arc<str>, Stop> {
        self.keep(point, frame, expr);
        self.state.learned.class_of(point, frame, expr.text()).ok_or_else(|| {
            let id = self.id_of(point);
            Stop::Learn(Need::ClassOf { point, id, frame, expr: expr.text().into() })
        })
    }

    /// The value of an expression at an earlier point, or the need to learn it. None for an object known only
    /// by its identity. Makes the point keep the value.
    pub(crate) fn value_of(
        &mut self,
        point: PointIndex,
        frame: i32,
        expr: &Expr,
    ) -> Result<Option<Key>, Stop> {
        self.keep(point, frame, expr);
        self.state.learned.value_of(point, frame, expr.text()).ok_or_else(|| {
            let id = self.id_of(point);
            Stop::Learn(Need::ValueOf { point, id, frame, expr: expr.text().into() })
        })
    }

    /// Makes an earlier point keep a value. Returns its position among the kept values.
    pub(crate) fn keep(&mut self, point: PointIndex, frame: i32, expr: &Expr) -> usize {
        let keep = Keep { frame, expr: Arc::new(expr.clone()) };
        let Some(Some(asked)) = self.state.translated.get_mut(usize::from(point.0)) else { return 0 };
        let kept = &mut asked.query.keep;
        kept.iter().position(|k| *k == keep).unwrap_or_else(|| {
            kept.push(keep);
            kept.len() - 1
        })
    }

    /// Restricts an earlier point to the methods in which a question about it makes sense. A line can have
    /// code in several methods, such as a lambda and the method around it, which have different names.
    pub(crate) fn only_where_known<T>(&mut self, point: PointIndex, known: &[(Site, T)]) {
        let Some(Some(asked)) = self.state.translated.get_mut(usize::from(point.0)) else { return };
        if let Some(sites) = &mut asked.sites {
            only_passes_where_known(&mut asked.query.event, sites, known);
        }
    }

    /// Checks an expression at each site where it is valid. It is refused if it is invalid at every site.
    pub(crate) fn at_sites<T>(
        &self,
        sites: &[Site],
        mut check: impl FnMut(&Site, &Scope, &Classes<'a>) -> Result<T, TypeError>,
    ) -> Result<Vec<(Site, T)>, Refusal> {
        let mut fine = Vec::new();
        let mut wrong: Option<Refusal> = None;
        let mut told: Vec<&MethodName> = Vec::new();
        for site in sites {
            let Some(scope) = self.state.classes.scope(site) else { continue };
            match check(site, &scope, &self.state.classes) {
                Ok(found) => fine.push((site.clone(), found)),
                Err(error) => {
                    let note = || self.state.classes.scope_note(site, &error.text);
                    let scope = if error.is_unknown_name() { note() } else { String::new() };
                    let place = self.state.classes.place(site);
                    let is_other = !told.contains(&&site.method);
                    told.push(&site.method);
                    match &mut wrong {
                        None => wrong = Some(Refusal::Type { error, place, scope }),
                        // Each method that has code there has its own names.
                        Some(Refusal::Type { scope: all, .. }) if is_other && !scope.is_empty() => {
                            all.push_str(&format!("; at {place}{scope}"));
                        }
                        Some(_) => {}
                    }
                }
            }
        }
        match wrong {
            Some(wrong) if fine.is_empty() => Err(wrong),
            _ => Ok(fine),
        }
    }

    /// The constraints from the point's own fields.
    pub(super) fn others(&mut self) -> Result<Vec<Constraint>, Stop> {
        let mut constraints = Vec::new();
        if let Some(id) = &self.point.before {
            constraints.push(Constraint::Before(self.earlier(id)?));
        }
        if let Some(id) = &self.point.after {
            constraints.push(Constraint::After(self.earlier(id)?));
        }
        if let Some(id) = &self.point.within {
            let within = self.earlier(id)?;
            let methods: Vec<MethodName> = self.sites_of(within, 0)?.into_iter().map(|s| s.method).collect();
            self.state.result.tracked.extend(methods);
            constraints.push(Constraint::Within(within));
        }
        Ok(constraints)
    }

    /// The conditions on the occurrence itself and the values to collect, checked against class files.
    pub(super) fn local(&mut self, ask: &mut Ask) -> Result<Checked, Stop> {
        let events = ask.events.clone();
        let when = match &self.point.when {
            None => None,
            Some(text) => {
                let when = Expr::parse(text).map_err(Refusal::from)?;
                self.check(ask, &when, true, |scope, classes| {
                    expr::check_condition(&when, scope, classes, &events)
                })?;
                Some(Arc::new(when))
            }
        };
        let collect = match &self.point.collect {
            None => None,
            Some(texts) => {
                let mut list = Vec::new();
                for text in texts {
                    let expr = Expr::parse(text).map_err(Refusal::from)?;
                    self.check(ask, &expr, false, |scope, classes| {
                        expr::check(&expr, scope, classes, &events).map(drop)
                    })?;
                    list.push(Arc::new(expr));
                }
                Some(list)
            }
        };
        let from = match &self.point.from {
            None => None,
            Some(written) => {
                let (class, method) = written.rsplit_once('.').unwrap_or(("", written));
                let file = self.classes().named(class)?.file.clone();
                if !file.methods.iter().any(|declared| written::is_member(&declared.name, method)) {
                    return Err(self.no_caller(&file, method).into());
                }
                Some(format!("{}.{method}", file.name).into())
            }
        };
        let thread = self.point.thread.as_deref().map(Arc::from);
        let site = ask.only_at.clone();
        Ok((LocalConditions { when, thread, from, site }, collect))
    }

    /// The refusal of a `from` method that its class does not declare; frames name the declaring class.
    fn no_caller(&self, class: &Arc<ClassFile>, method: &str) -> Refusal {
        let line = self.classes().lineage(class);
        match line.iter().find(|file| file.methods_named(method).next().is_some()) {
            Some(file) => Refusal::NoSuchMethod {
                class: class.name.clone(),
                method: method.to_owned(),
                near: vec![format!("{}.{method}", file.name)],
                note: Some("it is inherited, and a frame is in the class that declares it".to_owned()),
            },
            None => self.classes().no_such_method(class, method, false),
        }
    }

    fn check(
        &mut self,
        ask: &mut Ask,
        expr: &Expr,
        decides: bool,
        check: impl Fn(&Scope, &Classes<'a>) -> Result<(), TypeError>,
    ) -> Result<(), Refusal> {
        if let Some(sites) = &mut ask.sites {
            let known = self.at_sites(sites, |_, scope, classes| check(scope, classes))?;
            // Passes where the names do not exist are no passes of the question.
            if decides {
                only_passes_where_known(&mut ask.event, sites, &known);
            }
            let fine = known.len();
            if fine < sites.len() {
                let (all, wrong) = (sites.len(), sites.len() - fine);
                self.warn(format!("`{expr}` is invalid at {wrong} of {all} sites, where it cannot be read"));
            }
            return Ok(());
        }
        // The sites are unknown, but the values that the event provides are known.
        let missing =
            EventPart::ALL.into_iter().find(|part| expr.uses(*part) && ask.events.of(*part).is_none());
        missing.map_or(Ok(()), |part| {
            let problem = "this event has no such part".to_owned();
            let error = TypeError { text: part.to_string(), problem };
            Err(Refusal::Type { error, place: self.point.at.to_string(), scope: String::new() })
        })
    }
}

/// Restricts the passes of a point to the methods in which an expression is known, unless there is none.
fn only_passes_where_known<T>(event: &mut Event, sites: &mut Vec<Site>, known: &[(Site, T)]) {
    let Event::Reached(passes) = event else { return };
    let is_known = |method: &MethodName| known.iter().any(|(site, _)| site.method == *method);
    if passes.iter().any(|pass| is_known(&pass.method)) {
        passes.retain(|pass| is_known(&pass.method));
        sites.retain(|site| is_known(&site.method));
    }
}
