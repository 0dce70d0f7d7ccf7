//! The events of a thread, one after the other, each with the call that it is in.

use super::calls::Calls;
use super::decode::{Decoder, Event, Value};
use super::error::TraceError;
use super::objects::Objects;
use super::open::OpenCalls;
use super::sites::Site;
use wire::recording::Traced;

/// An event as it is met.
#[derive(Debug)]
pub struct Seen<'a> {
    /// Where it happens.
    pub site: &'a Site,
    /// Its values.
    pub values: &'a [Value],
    /// The call that it is in; of the entry of a call, that one.
    pub node: Option<u32>,
    /// The call around that.
    pub around: Option<u32>,
    /// The turn of the thread that it is in: events of all threads are ordered by these.
    pub turn: u64,
}

/// What to do after an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Then {
    /// On to the next one.
    Next,
    /// On to the end of the call that it is in, where that is known; else to the next one.
    Over,
    /// That was all.
    Stop,
}

impl Calls {
    /// Goes through the events of a thread, or of one call and what is below it.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn walk(
        &mut self,
        thread: u32,
        node: Option<u32>,
        mut visit: impl FnMut(&Calls, &Seen<'_>) -> Then,
    ) -> Result<(), TraceError> {
        let mut next = node.unwrap_or_else(|| self.of_thread(thread).start);
        let (from, mut at) = match node.map(|node| self.begins(node)) {
            None => (0, 0),
            Some(Some((_, place))) => place,
            Some(None) => return Ok(()),
        };
        let mut open = OpenCalls::default();
        let mut turn = 0;
        let mut known = Objects::default();
        let mut chunks = self.row(thread).into_iter().filter(|chunk| *chunk >= from).peekable();
        while let Some(chunk) = chunks.next() {
            let events = self.chunk(chunk)?;
            let mut over = None;
            let mut decoder = Decoder::from(&self.sites, &events, usize::try_from(at).unwrap_or(usize::MAX));
            at = 0;
            loop {
                let place = decoder.at();
                let broken =
                    |what| TraceError::Broken { thread, at: u64::try_from(place).unwrap_or(0), what };
                let Some(event) = decoder.next(&mut known).map_err(broken)? else { break };
                let (site, values) = match event {
                    Event::Turn(number) => {
                        turn = number;
                        continue;
                    }
                    Event::At { site, values } => (site, values),
                };
                let mut ended = None;
                match site.what {
                    Traced::Enter => {
                        open.enter(next, site.method);
                        next += 1;
                    }
                    Traced::Return | Traced::Leave => {
                        ended = open.leave(site.method).map(|left| left.node);
                    }
                    _ => {}
                }
                let (inside, around) = match ended {
                    Some(node) => (Some(node), open.innermost()),
                    None => (open.innermost(), open.around()),
                };
                let seen = Seen { site, values: &values, node: inside, around, turn };
                match visit(self, &seen) {
                    Then::Stop => return Ok(()),
                    Then::Over if ended.is_none() => {
                        if let Some((node, end)) = inside.and_then(|node| Some((node, self.ends(node)?))) {
                            next = next.max(node + 1 + self.below(node));
                            if end.0 != chunk {
                                over = Some(end);
                                break;
                            }
                            let end = usize::try_from(end.1).unwrap_or(usize::MAX);
                            decoder = Decoder::from(&self.sites, &events, end);
                        }
                    }
                    Then::Over | Then::Next => {}
                }
                if ended.is_some() && ended == node {
                    return Ok(());
                }
            }
            if let Some((chunk, place)) = over {
                while chunks.next_if(|next| *next < chunk).is_some() {}
                at = place;
            }
        }
        Ok(())
    }

    /// The number of the thread of a call; none if there is no such call.
    pub fn thread_number(&self, node: u32) -> Option<u32> {
        self.begins(node).map(|(thread, _)| thread)
    }
}
