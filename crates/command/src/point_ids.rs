//! The ids of points that front ends add to a chain.

use chain::Chain;

/// The id of the next point of a chain: a letter, or `P1` and so on when all letters are taken.
pub fn next_id(chain: &Chain) -> String {
    let letters = ('A'..='Z').map(String::from);
    let numbered = (1..).map(|number| format!("P{number}"));
    let is_free = |id: &String| chain.points.iter().all(|point| point.id != *id);
    // Some number is free.
    letters.chain(numbered).find(is_free).unwrap_or_default()
}
