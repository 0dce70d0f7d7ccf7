//! Calls that took too long for one answer, and the rests of answers.

use super::answer::Answered;
use super::tools::Unanswered;
use session::Pending;
use std::collections::{BTreeMap, VecDeque};
use tokio::time::Instant;

/// Most jobs that are kept.
const JOBS: usize = 50;
/// Most rests that are kept.
const RESTS: usize = 20;

/// A call that a session has.
pub struct Job {
    /// The name of its tool.
    pub tool: &'static str,
    /// Its answer.
    pub pending: Pending<Result<Answered, Unanswered>>,
    /// When it was called.
    pub began: Instant,
    /// Most tokens of its answer.
    pub limit: usize,
}

/// The jobs and rests of a server.
#[derive(Default)]
pub struct Jobs {
    /// `None` while a call waits for the job.
    jobs: BTreeMap<u64, Option<Job>>,
    rests: VecDeque<(u64, Answered)>,
    last: u64,
}

/// Why there is no job to wait for.
pub enum NoJob {
    /// There is none of this number.
    Unknown,
    /// Another call waits for it.
    Awaited,
}

impl Jobs {
    /// Adds a job, and returns its number. Ends the oldest if there are too many.
    pub fn add(&mut self, job: Job) -> u64 {
        self.last += 1;
        self.jobs.insert(self.last, Some(job));
        if self.jobs.len() > JOBS
            && let Some((_, Some(oldest))) = self.jobs.pop_first()
        {
            oldest.pending.cancel();
        }
        self.last
    }

    /// Takes a job to wait for it.
    ///
    /// # Errors
    /// There is no such job.
    pub fn take(&mut self, number: u64) -> Result<Job, NoJob> {
        match self.jobs.get_mut(&number) {
            None => Err(NoJob::Unknown),
            Some(place) => place.take().ok_or(NoJob::Awaited),
        }
    }

    /// Puts a job back that goes on.
    pub fn put_back(&mut self, number: u64, job: Job) {
        if let Some(place) = self.jobs.get_mut(&number) {
            *place = Some(job);
        }
    }

    /// Forgets a job that is done.
    pub fn remove(&mut self, number: u64) {
        self.jobs.remove(&number);
    }

    /// Ends all jobs.
    pub fn cancel_all(&mut self) {
        self.jobs.values().flatten().for_each(|job| job.pending.cancel());
        self.jobs.clear();
    }

    /// The number of the next rest.
    pub fn next_rest(&mut self) -> u64 {
        self.last += 1;
        self.last
    }

    /// Keeps the rest of an answer.
    pub fn keep_rest(&mut self, number: u64, rest: Answered) {
        if self.rests.len() == RESTS {
            self.rests.pop_front();
        }
        self.rests.push_back((number, rest));
    }

    /// The rest of an answer. It stays, so that a client can ask again.
    pub fn rest(&self, number: u64) -> Option<Answered> {
        self.rests.iter().find(|(of, _)| *of == number).map(|(_, rest)| rest.clone())
    }
}
