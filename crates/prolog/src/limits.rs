//! What a query may use, and why it was stopped.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Number of steps between two looks at the clock, the memory and the interrupt.
const INTERVAL: u32 = 1024;

/// The largest memory limit: places of texts on the heap have 32 bits.
const MAX_MEMORY: usize = (1 << 32) - 1;

/// A question whether to stop now.
pub type Interrupt = Arc<dyn Fn() -> bool + Send + Sync>;

/// Limits of one query.
#[derive(Clone)]
pub struct Limits {
    /// Calls and answers of relations.
    pub steps: Option<u64>,
    /// Time since the query began, or since `since`.
    pub time: Option<Duration>,
    /// When the time begins to count, if earlier than the query: before its program was read.
    pub since: Option<Instant>,
    /// Bytes of the heap, the trail, the frames, the choice points and collected results; at most 4 GB.
    pub memory: usize,
    /// Asked about every thousand steps; `true` stops the query.
    pub interrupt: Option<Interrupt>,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { steps: None, time: None, since: None, memory: 1 << 30, interrupt: None }
    }
}

impl Limits {
    /// Stops a query when the flag is set.
    #[must_use]
    pub fn interrupted_by(mut self, flag: Arc<AtomicBool>) -> Self {
        self.interrupt = Some(Arc::new(move || flag.load(Ordering::Relaxed)));
        self
    }
}

/// Why a query was stopped. No `catch/3` of a program can prevent it.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Stopped {
    /// The query took too many steps.
    #[error("the query was stopped after {limit} steps, {place}")]
    Steps {
        /// The limit.
        limit: u64,
        /// What was going on, such as: in `p/1`.
        place: String,
    },
    /// The query took too long.
    #[error("the query was stopped after {} ms, {place}", limit.as_millis())]
    Time {
        /// The limit.
        limit: Duration,
        /// What was going on, such as: in `p/1`.
        place: String,
    },
    /// The query needs too much memory.
    #[error("the query needs more than {} MB, {place}", limit / 1_000_000)]
    Memory {
        /// The limit in bytes.
        limit: usize,
        /// What was going on, such as: in `p/1`.
        place: String,
    },
    /// The host asked to stop.
    #[error("the query was interrupted, {place}")]
    Interrupted {
        /// What was going on, such as: in `p/1`.
        place: String,
    },
}

/// Which limit was exceeded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Excess {
    Steps,
    Time,
    Memory,
    Interrupted,
}

/// The limits of a running query with what it used.
pub(crate) struct Budget {
    pub limits: Limits,
    /// Steps until the next look.
    pub fuel: u32,
    /// What `fuel` was at the last look.
    granted: u32,
    used: u64,
    started: Instant,
    /// The limit that was exceeded.
    pub excess: Option<Excess>,
}

impl Budget {
    pub(crate) fn new(mut limits: Limits) -> Self {
        limits.memory = limits.memory.min(MAX_MEMORY);
        let started = limits.since.unwrap_or_else(Instant::now);
        Budget { limits, fuel: 1, granted: 1, used: 0, started, excess: None }
    }

    /// Starts to count for a new query.
    pub(crate) fn restart(&mut self) {
        self.used = 0;
        self.fuel = 1;
        self.granted = 1;
        self.started = self.limits.since.unwrap_or_else(Instant::now);
        self.excess = None;
    }

    /// Takes a step. True if it is time for [`Self::look`].
    #[inline]
    pub(crate) fn step(&mut self) -> bool {
        self.fuel -= 1;
        self.fuel == 0
    }

    /// Looks at all limits.
    pub(crate) fn look(&mut self, bytes: usize) -> Result<(), Excess> {
        self.used += u64::from(self.granted - self.fuel.min(self.granted));
        self.fuel = INTERVAL;
        if let Some(limit) = self.limits.steps {
            if self.used > limit {
                return self.exceed(Excess::Steps);
            }
            self.fuel = INTERVAL.min(u32::try_from(limit - self.used + 1).unwrap_or(INTERVAL));
        }
        self.granted = self.fuel;
        if bytes > self.limits.memory {
            return self.exceed(Excess::Memory);
        }
        if self.limits.time.is_some_and(|limit| self.started.elapsed() > limit) {
            return self.exceed(Excess::Time);
        }
        if self.limits.interrupt.as_ref().is_some_and(|interrupt| interrupt()) {
            return self.exceed(Excess::Interrupted);
        }
        Ok(())
    }

    pub(crate) fn exceed(&mut self, excess: Excess) -> Result<(), Excess> {
        self.fuel = 1;
        self.excess = Some(excess);
        Err(excess)
    }

    /// The error for the exceeded limit in a predicate.
    pub(crate) fn stopped_in(&self, excess: Excess, predicate: &str) -> Stopped {
        let hint = if excess == Excess::Memory { "; a recursion may not end" } else { "" };
        self.stopped(excess, format!("in `{predicate}`{hint}"))
    }

    /// The error for the exceeded limit.
    fn stopped(&self, excess: Excess, place: String) -> Stopped {
        match excess {
            Excess::Steps => Stopped::Steps { limit: self.limits.steps.unwrap_or(0), place },
            Excess::Time => Stopped::Time { limit: self.limits.time.unwrap_or_default(), place },
            Excess::Memory => Stopped::Memory { limit: self.limits.memory, place },
            Excess::Interrupted => Stopped::Interrupted { place },
        }
    }
}

/// What is left of the limits of a query for the work around it: to read its program and to write its
/// answers. That work takes no steps.
pub struct Allowance {
    budget: Budget,
    bytes: usize,
}

impl Default for Allowance {
    /// No limit but that of the largest memory.
    fn default() -> Self {
        Allowance::new(Limits { memory: MAX_MEMORY, ..Limits::default() })
    }
}

impl Allowance {
    /// The whole limits.
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        Allowance { budget: Budget::new(Limits { steps: None, ..limits }), bytes: 0 }
    }

    /// Takes memory for good, and looks at the time and the interrupt. `place` says what was going on.
    ///
    /// # Errors
    /// A limit is exceeded.
    pub fn take(&mut self, bytes: usize, place: impl FnOnce() -> String) -> Result<(), Stopped> {
        self.bytes = self.bytes.saturating_add(bytes);
        self.borrow(0, place)
    }

    /// Looks whether there is memory that is needed for a while, and at the time and the interrupt.
    ///
    /// # Errors
    /// A limit is exceeded.
    pub fn borrow(&mut self, bytes: usize, place: impl FnOnce() -> String) -> Result<(), Stopped> {
        let bytes = self.bytes.saturating_add(bytes);
        self.budget.look(bytes).map_err(|excess| self.budget.stopped(excess, place()))
    }
}
