//! What a pass over events has to know of each site, in one small array.

use crate::sites::{Site, Sites};
use wire::recording::{FIRST_SITE, Traced};

/// The meaning of an event for the call tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// No site has this number.
    Unknown,
    /// The event does not change which calls are open.
    Other,
    Enter,
    Return,
    Leave,
    Catch,
    Born,
    Preset,
}

impl Role {
    pub fn of(what: Traced) -> Role {
        match what {
            Traced::Enter => Role::Enter,
            Traced::Return => Role::Return,
            Traced::Leave => Role::Leave,
            Traced::Catch => Role::Catch,
            Traced::Born => Role::Born,
            Traced::Preset => Role::Preset,
            _ => Role::Other,
        }
    }
}

/// What a pass has to know of a site.
#[derive(Clone, Copy, Debug)]
pub struct SiteCode<R> {
    /// Size of the values, in bytes.
    pub length: u16,
    /// The meaning of the event.
    pub role: R,
    /// The number of the method.
    pub method: u32,
}

/// One code per site, by the site's number less [`FIRST_SITE`].
pub fn codes<R: Copy>(sites: &Sites, unknown: R, role: impl Fn(&Site) -> R) -> Vec<SiteCode<R>> {
    let none = SiteCode { length: 0, role: unknown, method: 0 };
    let mut codes = vec![none; sites.numbers()];
    for site in sites.all() {
        let Some(place) = place(site.id) else { continue };
        if let (Some(code), Ok(length)) = (codes.get_mut(place), u16::try_from(site.length)) {
            *code = SiteCode { length, role: role(site), method: site.method };
        }
    }
    codes
}

/// The position of a site's code. Words of events without a site give a position that no code has.
#[inline]
pub fn place(word: u32) -> Option<usize> {
    usize::try_from(word.wrapping_sub(FIRST_SITE)).ok()
}

/// The word at a byte of the events.
#[inline]
pub fn word_at(events: &[u8], at: usize) -> Option<u32> {
    events.get(at..).and_then(|rest| rest.first_chunk::<4>()).map(|bytes| u32::from_le_bytes(*bytes))
}
