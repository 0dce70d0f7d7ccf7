//! What the agent does at a site.

use bytecode::{Code, Op};
use query::{CopySite, CopyWhat, StoreSite};
use wire::{CopyEvent, LocalStore, SiteEvent};

/// What happens at a place that a value can pass.
pub fn copied(place: &CopySite) -> SiteEvent {
    SiteEvent::Copied(match &place.what {
        CopyWhat::Entered { slot, descriptor, .. } => {
            CopyEvent::Entered(LocalStore { slot: *slot, kind: kind_of(descriptor) })
        }
        CopyWhat::Stored { kind, .. } | CopyWhat::Returned { kind } => CopyEvent::Top { kind: *kind },
        CopyWhat::Increased { slot, by } => CopyEvent::Increased { slot: *slot, by: *by },
        CopyWhat::Put { constructed: Some(behind), .. } => CopyEvent::Constructed { behind: *behind },
        CopyWhat::Put { descriptor, is_static, .. } => {
            CopyEvent::Put { kind: kind_of(descriptor), is_static: *is_static }
        }
        CopyWhat::ElementPut { kind } => CopyEvent::ElementPut { kind: *kind },
        CopyWhat::Got { kind, is_static } => CopyEvent::Got { kind: *kind, is_static: *is_static },
        CopyWhat::GotElement => CopyEvent::GotElement,
        CopyWhat::Called { .. } | CopyWhat::Chosen => CopyEvent::Here,
        CopyWhat::Back => CopyEvent::Behind,
    })
}

/// The first letter of a descriptor; `L` for every reference.
pub fn kind_of(descriptor: &str) -> char {
    descriptor.chars().next().filter(|letter| *letter != '[').unwrap_or('L')
}

/// What happens at a store; without the code this is known only for parameters.
pub fn assigned(store: &StoreSite, code: Option<&Code>) -> Option<SiteEvent> {
    let local = LocalStore { slot: store.slot, kind: kind_of(&store.descriptor) };
    if store.value_at == store.site.bci {
        return Some(SiteEvent::Passed(local));
    }
    match code?.at(store.site.bci)?.op {
        Op::Iinc { slot, by } => Some(SiteEvent::Increased { slot, by }),
        _ => Some(SiteEvent::Stored(local)),
    }
}
