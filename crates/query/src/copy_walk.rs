//! Traces a value flow backwards through the log of one run, whoever has kept it. Pure.

use super::copies::{Copies, CopySite, CopyWhat, SiteSet, Source};
use std::sync::Arc;

/// Maximum number of steps. A value that circulates in a loop can take millions.
const MOST: usize = 1000;

/// A hit of a place that passes a value on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CopyHit {
    /// The place, by its position in [`Copies::sites`].
    pub site: u32,
    /// The number of the hit among those of the place in its thread, from 1.
    pub ordinal: u64,
    /// The number of the thread.
    pub thread: u32,
    /// The number of the activation, unique in its thread; 0 if unknown.
    pub activation: u64,
    /// The number of the object whose field or element was written or read; 0 for none.
    pub owner: u32,
    /// The index of the element; 0 for a field.
    pub index: i32,
}

/// A log of hits, read from a point backwards.
pub trait CopyLog {
    /// Why the log cannot be read.
    type Error;

    /// The next hit backwards; `None` at the beginning of the log.
    ///
    /// # Errors
    /// The log cannot be read.
    fn back(&mut self) -> Result<Option<CopyHit>, Self::Error>;

    /// The object and the index of the part that a hit of [`CopyWhat::Got`] or [`CopyWhat::GotElement`] read,
    /// or why they are unknown.
    ///
    /// # Errors
    /// The log cannot be read.
    fn part_read(&mut self, got: &CopyHit) -> Result<PartRead, Self::Error> {
        Ok(Ok((got.owner, got.index)))
    }
}

/// An object and the index of one of its elements, 0 for a field; or why they are unknown.
pub type PartRead = Result<(u32, i32), Arc<str>>;

/// The variable whose last assignment is searched.
#[derive(Clone, Debug)]
pub enum SoughtVariable {
    /// A local variable.
    Local {
        /// The number of the thread.
        thread: u32,
        /// The number of its activation.
        activation: u64,
        /// The places that can store to it.
        stores: SiteSet,
    },
    /// A field or an array element.
    Heap {
        /// The log's number of the object.
        owner: u32,
        /// The index of the element; 0 for a field.
        index: i32,
        /// The places that can write it.
        puts: SiteSet,
    },
}

/// A step: a hit that copied the value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlowHit {
    /// The hit.
    pub hit: CopyHit,
    /// For a parameter or a result: the place of the call.
    pub caller: Option<u32>,
    /// For a field or an element: the hit that read it.
    pub got: Option<CopyHit>,
}

/// The steps backwards from the point, and why they end; no reason if the last step computed the value.
pub type TracedFlow = (Vec<FlowHit>, Option<Arc<str>>);

/// Traces backwards. The log has the hits before the point. `None` if the variable was never assigned.
///
/// # Errors
/// The log cannot be read.
pub fn walk_back<L: CopyLog>(
    copies: &Copies,
    first: SoughtVariable,
    log: &mut L,
) -> Result<Option<TracedFlow>, L::Error> {
    let mut walk = FlowWalk { copies, log };
    let mut steps: Vec<FlowHit> = Vec::new();
    let mut next = ValueOrigin::Variable(first, None);
    loop {
        let step = match next {
            ValueOrigin::Hit(hit, caller) => FlowHit { hit, caller: Some(caller), got: None },
            ValueOrigin::Variable(look, got) => match walk.find(&look)? {
                Some(hit) => FlowHit { hit, caller: None, got },
                None => return Ok((!steps.is_empty()).then(|| (steps, Some(look.not_found().into())))),
            },
            ValueOrigin::End(call, why) => {
                steps.extend(call.map(|hit| FlowHit { hit, caller: None, got: None }));
                return Ok(Some((steps, why)));
            }
        };
        if steps.len() >= MOST {
            let why = format!("{MOST} steps were followed, and there are more");
            return Ok(Some((steps, Some(why.into()))));
        }
        let hit = step.hit;
        steps.push(step);
        let (caller, before) = walk.before(hit)?;
        if let Some(last) = steps.last_mut().filter(|_| caller.is_some()) {
            last.caller = caller;
        }
        next = before;
    }
}

impl SoughtVariable {
    fn not_found(&self) -> &'static str {
        match self {
            SoughtVariable::Local { .. } => "the store that gave the variable its value was not seen",
            SoughtVariable::Heap { .. } => {
                "no write of the value read there was seen: it is the default value, or what wrote it was \
                 not seen"
            }
        }
    }
}

/// The origin of a step's value.
enum ValueOrigin {
    /// A variable, with the hit that read it if it is a field or an element.
    Variable(SoughtVariable, Option<CopyHit>),
    /// A method that returned it, with the place after the call.
    Hit(CopyHit, u32),
    /// The flow ends here: at a call if the value was its argument.
    End(Option<CopyHit>, Option<Arc<str>>),
}

struct FlowWalk<'a, L> {
    copies: &'a Copies,
    log: &'a mut L,
}

impl<'a, L: CopyLog> FlowWalk<'a, L> {
    /// The next hit backwards that satisfies a test.
    fn until(&mut self, wanted: impl Fn(&CopyHit) -> bool) -> Result<Option<CopyHit>, L::Error> {
        while let Some(hit) = self.log.back()? {
            if wanted(&hit) {
                return Ok(Some(hit));
            }
        }
        Ok(None)
    }

    fn find(&mut self, look: &SoughtVariable) -> Result<Option<CopyHit>, L::Error> {
        match look {
            SoughtVariable::Local { thread, activation, stores } => self.until(|hit| {
                (hit.thread, hit.activation) == (*thread, *activation) && holds(stores, hit.site)
            }),
            SoughtVariable::Heap { owner, index, puts } => {
                self.until(|hit| (hit.owner, hit.index) == (*owner, *index) && holds(puts, hit.site))
            }
        }
    }

    fn site(&self, number: u32) -> Option<&'a CopySite> {
        self.copies.sites.get(usize::try_from(number).ok()?)
    }

    /// The origin of a step's value, and for a parameter the place of the call.
    fn before(&mut self, step: CopyHit) -> Result<(Option<u32>, ValueOrigin), L::Error> {
        let Some(site) = self.site(step.site) else { return Ok((None, ValueOrigin::End(None, None))) };
        let CopyWhat::Entered { callers, .. } = &site.what else {
            return Ok((None, self.source(step, &site.sources, None)?));
        };
        let caller = |hit: &CopyHit| {
            let at = callers.binary_search_by_key(&hit.site, |(site, _)| *site).ok();
            at.and_then(|at| callers.get(at)).map(|(_, argument)| *argument)
        };
        let entered = |hit: &CopyHit| hit.thread == step.thread && caller(hit).is_some();
        let Some(call) = self.until(entered)? else {
            let why = "it came with a call that is not in the program's own code";
            return Ok((None, ValueOrigin::End(None, Some(why.into()))));
        };
        let arguments = match self.site(call.site).map(|site| &site.what) {
            Some(CopyWhat::Called { arguments }) => arguments.as_slice(),
            _ => &[],
        };
        let Some(place) = caller(&call).flatten() else {
            let why = "it was captured by a lambda or a method reference when that was created";
            return Ok((None, ValueOrigin::End(None, Some(why.into()))));
        };
        let sources = arguments.iter().find(|(known, _)| *known == place).map(|(_, of)| of.as_slice());
        Ok((Some(call.site), self.source(call, sources.unwrap_or_default(), Some(call))?))
    }

    /// The origin of the value that a hit used: among the possible sources, the one with the last mark before
    /// the hit.
    fn source(
        &mut self,
        at: CopyHit,
        sources: &'a [Source],
        call: Option<CopyHit>,
    ) -> Result<ValueOrigin, L::Error> {
        let end = |why: Option<Arc<str>>| Ok(ValueOrigin::End(call, why));
        let (source, mark) = match sources {
            [] => return end(Some("the class file does not show where it came from".into())),
            [one] if one.mark().is_none() => (one, None),
            all => {
                let marks = |hit: &CopyHit| {
                    (hit.thread, hit.activation) == (at.thread, at.activation)
                        && all.iter().any(|source| source.mark() == Some(hit.site))
                };
                let mark = self.until(marks)?;
                let source = mark.and_then(|mark| all.iter().find(|s| s.mark() == Some(mark.site)));
                let Some(source) = source else {
                    return end(Some("it is unknown which of several ways it came there".into()));
                };
                (source, mark)
            }
        };
        match source {
            Source::End { why, .. } => end(why.clone()),
            Source::Local { stores, .. } => {
                let (thread, activation) = (at.thread, at.activation);
                Ok(ValueOrigin::Variable(
                    SoughtVariable::Local { thread, activation, stores: stores.clone() },
                    None,
                ))
            }
            Source::Heap { puts, .. } => {
                let part = mark.map(|hit| self.log.part_read(&hit)).transpose()?;
                let (owner, index) = match part.unwrap_or(Ok((0, 0))) {
                    Ok(part) => part,
                    Err(why) => return end(Some(why)),
                };
                Ok(ValueOrigin::Variable(SoughtVariable::Heap { owner, index, puts: puts.clone() }, mark))
            }
            // The thread logs nothing between a return and the place after the call.
            Source::Result { returns, method, back } => match self.until(|hit| hit.thread == at.thread)? {
                Some(hit) if holds(returns, hit.site) => Ok(ValueOrigin::Hit(hit, *back)),
                _ => end(Some(format!("{method} ran code that is not the program's own").into())),
            },
        }
    }
}

fn holds(set: &SiteSet, site: u32) -> bool {
    set.binary_search(&site).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::copies::SeenCopy;
    use model::{MethodName, Site};
    use std::convert::Infallible;

    struct Hits(Vec<CopyHit>);

    impl CopyLog for Hits {
        type Error = Infallible;

        fn back(&mut self) -> Result<Option<CopyHit>, Infallible> {
            Ok(self.0.pop())
        }
    }

    fn set(numbers: &[u32]) -> SiteSet {
        numbers.into()
    }

    /// The places of the steps with the positions of their hits in the log, and why the flow ends.
    type Found = (Vec<(u32, u64)>, Option<String>);

    fn copies(places: Vec<(CopyWhat, Vec<Source>)>) -> Copies {
        let site =
            |n: usize| Site { method: MethodName::new("A", "m", "()V"), bci: u32::try_from(n).unwrap() };
        let sites = places.into_iter().enumerate();
        Copies {
            sites: sites.map(|(n, (what, sources))| CopySite { site: site(n), what, sources }).collect(),
            seen: SeenCopy::Field { owner: None, puts: set(&[]) },
        }
    }

    fn stored() -> CopyWhat {
        CopyWhat::Stored { slot: 0, kind: 'I' }
    }

    fn end() -> Source {
        Source::End { mark: None, why: None }
    }

    /// A hit of a place in thread 0 and activation 1; its ordinal becomes its position in the log.
    fn hit(site: u32) -> CopyHit {
        CopyHit { site, ordinal: 0, thread: 0, activation: 1, owner: 0, index: 0 }
    }

    fn walked(copies: &Copies, look: SoughtVariable, log: &[CopyHit]) -> Option<Found> {
        let log = (1..).zip(log).map(|(n, hit)| CopyHit { ordinal: n, ..*hit }).collect();
        let found = walk_back(copies, look, &mut Hits(log)).unwrap();
        found.map(|(steps, why)| {
            let steps = steps.iter().map(|step| (step.hit.site, step.hit.ordinal)).collect();
            (steps, why.map(|why| why.to_string()))
        })
    }

    fn local(stores: &[u32]) -> SoughtVariable {
        SoughtVariable::Local { thread: 0, activation: 1, stores: set(stores) }
    }

    #[test]
    fn the_last_store_of_the_same_activation_counts() {
        let copies = copies(vec![
            (stored(), vec![Source::Local { mark: None, stores: set(&[1]) }]),
            (stored(), vec![end()]),
        ]);
        let other = |site| CopyHit { activation: 2, ..hit(site) };
        let log = [hit(1), hit(1), other(1), hit(0), other(0), hit(1)];
        assert_eq!(walked(&copies, local(&[0]), &log), Some((vec![(0, 4), (1, 2)], None)));
    }

    #[test]
    fn an_arm_of_a_choice_is_the_one_that_ran_last() {
        let arm = |mark, store| Source::Local { mark: Some(mark), stores: set(&[store]) };
        let copies = copies(vec![
            (stored(), vec![arm(1, 3), arm(2, 4)]),
            (CopyWhat::Chosen, Vec::new()),
            (CopyWhat::Chosen, Vec::new()),
            (stored(), vec![end()]),
            (stored(), vec![end()]),
        ]);
        let log = [hit(3), hit(4), hit(2), hit(0), hit(3), hit(1), hit(0)];
        assert_eq!(walked(&copies, local(&[0]), &log), Some((vec![(0, 7), (3, 5)], None)));
    }

    #[test]
    fn a_field_is_that_of_the_object_and_of_when_it_was_read() {
        let copies = copies(vec![
            (stored(), vec![Source::Heap { got: 1, puts: set(&[2]) }]),
            (CopyWhat::Got { kind: 'I', is_static: false }, Vec::new()),
            (
                CopyWhat::Put {
                    name: "f".into(),
                    descriptor: "I".into(),
                    is_static: false,
                    constructed: None,
                },
                vec![end()],
            ),
        ]);
        let of = |owner, thread, site| CopyHit { owner, thread, ..hit(site) };
        let log = [of(7, 5, 2), of(8, 0, 2), of(7, 0, 1), of(7, 0, 2), hit(0)];
        assert_eq!(walked(&copies, local(&[0]), &log), Some((vec![(0, 5), (2, 1)], None)));
        let (steps, why) = walked(&copies, local(&[0]), &log[1..]).unwrap();
        assert_eq!(steps, [(0, 4)]);
        assert!(why.unwrap().contains("default value"));
        assert_eq!(walked(&copies, local(&[0]), &log[..4]), None);
    }

    #[test]
    fn a_parameter_leads_to_the_call_and_a_result_to_the_return() {
        let parameter = CopyWhat::Entered { slot: 0, descriptor: "I".into(), callers: [(3, Some(0))].into() };
        let copies = copies(vec![
            (stored(), vec![Source::Result { back: 1, returns: set(&[2]), method: "A.m".into() }]),
            (CopyWhat::Back, Vec::new()),
            (CopyWhat::Returned { kind: 'I' }, vec![Source::Local { mark: None, stores: set(&[4]) }]),
            (CopyWhat::Called { arguments: vec![(0, vec![end()])] }, Vec::new()),
            (parameter, Vec::new()),
        ]);
        let inner = |site| CopyHit { activation: 9, ..hit(site) };
        let log = [hit(3), inner(4), inner(2), hit(1), hit(0)];
        let way = vec![(0, 5), (2, 3), (4, 2), (3, 1)];
        assert_eq!(walked(&copies, local(&[0]), &log), Some((way, None)));
        // Code outside the program ran in between.
        let log = [hit(3), inner(4), hit(3), hit(1), hit(0)];
        let (steps, why) = walked(&copies, local(&[0]), &log).unwrap();
        assert_eq!(
            (steps, why.unwrap()),
            (vec![(0, 5)], "A.m ran code that is not the program's own".into())
        );
        // No call was logged.
        let (steps, why) = walked(&copies, local(&[0]), &[inner(4), inner(2), hit(1), hit(0)]).unwrap();
        assert_eq!(steps, [(0, 4), (2, 2), (4, 1)]);
        assert!(why.unwrap().contains("not in the program's own code"));
    }

    #[test]
    fn what_goes_round_is_followed_only_so_far() {
        let copies = copies(vec![(stored(), vec![Source::Local { mark: None, stores: set(&[0]) }])]);
        let log = vec![hit(0); MOST + 10];
        let (steps, why) = walked(&copies, local(&[0]), &log).unwrap();
        assert_eq!(
            (steps.len(), why.unwrap()),
            (MOST, "1000 steps were followed, and there are more".to_owned())
        );
    }
}
