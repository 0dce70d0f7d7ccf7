//! Collectors: what findall, aggregate_all and others gather over the answers of a goal.

use super::{Collector, Engine, Outcome, Raise};
use std::cmp::Ordering;

use crate::arith::{Num, Op, binary};
use crate::store::{Bucket, Cell};

impl Engine {
    /// Opens a collector and returns its number.
    pub(crate) fn open_collector(&mut self, collector: Collector) -> Cell {
        self.collectors.push(collector);
        let index = i64::try_from(self.collectors.len() - 1).unwrap_or(i64::MAX);
        Cell::small(index).unwrap_or_default()
    }

    /// Drops collectors of goals that an error ended.
    pub(crate) fn drop_collectors(&mut self, keep: usize) {
        while self.collectors.len() > keep {
            if let Some(collector) = self.collectors.pop() {
                self.collected = self.collected.saturating_sub(collector.bytes());
            }
        }
    }

    /// Adds a term to a collector.
    pub(crate) fn collect(&mut self, index: Cell, term: Cell) -> Outcome {
        let at = usize::try_from(index.int()).unwrap_or(usize::MAX);
        let room = self.room();
        let value = match self.collectors.get(at) {
            Some(Collector::Sum(_)) => Some(self.evaluate(term)?),
            Some(Collector::Best { .. }) => match self.store.pair(term, crate::atoms::known::MINUS) {
                Some((value, _)) => Some(self.evaluate(value)?),
                None => None,
            },
            _ => None,
        };
        let witness = self.store.pair(term, crate::atoms::known::MINUS).map(|(_, witness)| witness);
        let Some(collector) = self.collectors.get_mut(at) else { return Ok(false) };
        match collector {
            Collector::Terms(bucket) => {
                let before = bucket.bytes();
                let fits = bucket.push(&mut self.store, term, room.saturating_add(before));
                self.collected += bucket.bytes() - before;
                if !fits {
                    let _ = self.budget.exceed(crate::limits::Excess::Memory);
                    return Err(Raise::Stop);
                }
            }
            Collector::Count(count) => *count += 1,
            Collector::Sum(sum) => {
                let value = value.unwrap_or(Num::Int(0));
                match binary(Op::Add, *sum, value) {
                    Ok(value) => *sum = value,
                    Err(fault) => return Err(self.fault(fault, value, value)),
                }
            }
            Collector::Best { max, best, witness: kept } => {
                let Some(value) = value else { return Ok(false) };
                let better = match *best {
                    None => true,
                    Some(best) => {
                        let order = value.compare(best);
                        let wanted = if *max { Ordering::Greater } else { Ordering::Less };
                        // Of equal numbers max/2 and min/2 take the float.
                        let float = matches!((best, value), (Num::Int(_), Num::Float(_)));
                        order == Some(wanted) || order == Some(Ordering::Equal) && float
                    }
                };
                if better {
                    *best = Some(value);
                    *kept = Bucket::default();
                    if let Some(witness) = witness {
                        kept.push(&mut self.store, witness, room);
                    }
                }
            }
        }
        Ok(true)
    }

    /// Closes the newest collector.
    pub(crate) fn close_collector(&mut self, index: Cell) -> Option<Collector> {
        let at = usize::try_from(index.int()).unwrap_or(usize::MAX);
        self.drop_collectors(at.saturating_add(1));
        let collector = self.collectors.pop()?;
        self.collected = self.collected.saturating_sub(collector.bytes());
        Some(collector)
    }
}

impl Collector {
    fn bytes(&self) -> usize {
        match self {
            Collector::Terms(bucket) => bucket.bytes(),
            _ => 0,
        }
    }
}
