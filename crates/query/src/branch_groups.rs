//! Groups the places in a method about which a condition is asked, by the branch edges that decide them. An
//! activation remembers its last deciding edge for each group separately: the last edge for one place can
//! come before one for another place.

use super::BranchSite;
use model::{MethodName, Site};
use std::collections::BTreeSet;

/// The edges that decide a place: branches by their index, with the targets.
type Deciding = Vec<(u32, Vec<u32>)>;

/// The groups of a method's places, each with its places.
fn groups(branches: &[BranchSite], method: &MethodName) -> Vec<(Deciding, Vec<Site>)> {
    let places: BTreeSet<&Site> =
        branches.iter().flat_map(|branch| branch.controls.keys()).filter(|s| s.method == *method).collect();
    let mut groups: Vec<(Deciding, Vec<Site>)> = Vec::new();
    for place in places {
        let mut deciding: Deciding = branches
            .iter()
            .filter(|branch| branch.site.method == *method)
            .filter_map(|branch| Some((branch.site.bci, branch.controls.get(place)?.clone())))
            .collect();
        deciding.sort_unstable();
        match groups.iter_mut().find(|(known, _)| *known == deciding) {
            Some((_, places)) => places.push(place.clone()),
            None => groups.push((deciding, vec![place.clone()])),
        }
    }
    groups
}

/// The group of a place in its method; `None` if no branch decides it.
pub fn group_of(branches: &[BranchSite], place: &Site) -> Option<u16> {
    let groups = groups(branches, &place.method);
    let found = groups.iter().position(|(deciding, places)| !deciding.is_empty() && places.contains(place));
    found.and_then(|group| u16::try_from(group).ok())
}

/// The groups with places that a branch edge decides.
pub fn groups_of_way(branches: &[BranchSite], branch: &Site, to: u32) -> Vec<u16> {
    let groups = groups(branches, &branch.method);
    let decides = |(deciding, _): &(Deciding, Vec<Site>)| {
        deciding.iter().any(|(bci, ways)| *bci == branch.bci && ways.contains(&to))
    };
    (0..).zip(&groups).filter(|(_, group)| decides(group)).map(|(number, _)| number).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn places_decided_by_the_same_edges_are_one_group() {
        let method = MethodName::new("A", "m", "()V");
        let at = |bci| Site { method: method.clone(), bci };
        let branch = |bci, controls: &[(u32, &[u32])]| BranchSite {
            site: at(bci),
            targets: vec![],
            turns: None,
            controls: controls
                .iter()
                .map(|(here, ways)| (at(*here), ways.to_vec()))
                .collect::<BTreeMap<_, _>>(),
        };
        let branches =
            [branch(10, &[(20, &[12]), (22, &[12])]), branch(30, &[(20, &[5]), (22, &[5]), (30, &[5])])];
        let of = |bci| group_of(&branches, &at(bci));
        assert_eq!((of(20), of(22), of(30), of(40)), (Some(0), Some(0), Some(1), None));
        assert_eq!(groups_of_way(&branches, &at(10), 12), [0]);
        assert_eq!(groups_of_way(&branches, &at(30), 5), [0, 1]);
        assert!(groups_of_way(&branches, &at(30), 33).is_empty());
    }
}
