//! The dependency graph of a chain (paper §5): nodes are points, an edge leads from a point to each point
//! that its constraints name. It may use `query` and petgraph.

use super::error::LocateError;
use petgraph::Direction;
use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::visit::{Dfs, Reversed};
use query::{Constraint, PointIndex, TraceQuery};

/// The dependencies between points. A point depends only on earlier ones, so the graph has no cycle.
#[derive(Clone, Debug)]
pub struct Graph {
    // Node i is point i: nodes are added in the chain's order and never removed.
    graph: DiGraph<PointIndex, Vec<Constraint>>,
}

fn node(point: PointIndex) -> NodeIndex {
    NodeIndex::new(usize::from(point.0))
}

impl Graph {
    /// Builds the graph from TraceQueries in the chain's order.
    ///
    /// # Errors
    /// [`LocateError::Misplaced`] when a TraceQuery's point is not its index,
    /// [`LocateError::ForwardReference`] when a constraint names a point that is not earlier.
    pub fn new(queries: &[TraceQuery]) -> Result<Graph, LocateError> {
        let mut graph: DiGraph<PointIndex, Vec<Constraint>> = DiGraph::new();
        for (place, query) in queries.iter().enumerate() {
            if usize::from(query.point.0) != place {
                return Err(LocateError::Misplaced { point: query.point, id: query.id.clone(), place });
            }
            let from = graph.add_node(query.point);
            for constraint in &query.constraints {
                let names = constraint.point();
                if names >= query.point {
                    return Err(LocateError::ForwardReference {
                        point: query.point,
                        id: query.id.clone(),
                        names,
                    });
                }
                match graph.find_edge(from, node(names)).and_then(|e| graph.edge_weight_mut(e)) {
                    Some(constraints) => constraints.push(constraint.clone()),
                    None => {
                        graph.add_edge(from, node(names), vec![constraint.clone()]);
                    }
                }
            }
        }
        Ok(Graph { graph })
    }

    /// Number of points.
    pub fn len(&self) -> usize {
        self.graph.node_count()
    }

    /// Whether the chain has no points.
    pub fn is_empty(&self) -> bool {
        self.graph.node_count() == 0
    }

    /// The points without dependencies, in the chain's order.
    pub fn roots(&self) -> impl Iterator<Item = PointIndex> {
        self.order().filter(|p| self.depends_on(*p).next().is_none())
    }

    /// All points, each after its dependencies: from effect to cause. This is the chain's own order.
    pub fn order(&self) -> impl Iterator<Item = PointIndex> + use<> {
        (0..u16::try_from(self.len()).unwrap_or(u16::MAX)).map(PointIndex)
    }

    /// The constraints through which `from` depends on `to`.
    pub fn constraints_between(&self, from: PointIndex, to: PointIndex) -> &[Constraint] {
        let edge = self.graph.find_edge(node(from), node(to));
        edge.and_then(|e| self.graph.edge_weight(e)).map_or(&[], Vec::as_slice)
    }

    /// The points that the constraints of `point` name, in the chain's order.
    pub fn depends_on(&self, point: PointIndex) -> impl Iterator<Item = PointIndex> {
        self.neighbours(point, Direction::Outgoing)
    }

    /// The points whose constraints name `point`, in the chain's order.
    pub fn dependents(&self, point: PointIndex) -> impl Iterator<Item = PointIndex> {
        self.neighbours(point, Direction::Incoming)
    }

    fn neighbours(&self, point: PointIndex, direction: Direction) -> impl Iterator<Item = PointIndex> {
        let known = node(point).index() < self.graph.node_count();
        let mut found: Vec<PointIndex> = Vec::new();
        if known {
            found.extend(
                self.graph
                    .neighbors_directed(node(point), direction)
                    .filter_map(|n| self.graph.node_weight(n).copied()),
            );
        }
        found.sort_unstable();
        found.into_iter()
    }

    /// `point` and every point that depends on it, directly or through others, in the chain's order.
    pub fn reach(&self, point: PointIndex) -> Vec<PointIndex> {
        let mut found = Vec::new();
        if node(point).index() < self.graph.node_count() {
            let reversed = Reversed(&self.graph);
            let mut dfs = Dfs::new(reversed, node(point));
            while let Some(next) = dfs.next(reversed) {
                found.extend(self.graph.node_weight(next).copied());
            }
        }
        found.sort_unstable();
        found
    }
}
