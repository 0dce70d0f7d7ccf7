//! Plans a recording for a goal: what the goal can touch, found by unfolding it without data.
//!
//! - `terms` has abstract terms and their unification.
//! - `unfold` goes through the goals that a goal can call.
//! - `needed` collects the methods and fields whose events the goal asks for, or the level that it needs.

mod needed;
mod terms;
mod unfold;

pub use needed::Needed;
pub use unfold::plan;
