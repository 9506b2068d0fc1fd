//! A large graph without what is rarely looked for: locks, fences, creation and joining, and threads that do
//! nothing else. What comes before what stays true, since program order leads past what is left out.

use std::collections::BTreeMap;

use super::{Arrow, EventGraph, EventKind, Relation};

/// Graphs with more events than this are folded.
const LARGE: usize = 40;

impl EventGraph {
    /// The graph without synchronisation, if it is large and there is some. What belongs to the cycle stays.
    pub fn folded(&self) -> Option<EventGraph> {
        let in_cycle = |event: usize| {
            self.arrows.iter().any(|arrow| arrow.in_cycle && (arrow.from == event || arrow.to == event))
        };
        let kept: Vec<usize> = (0..self.events.len())
            .filter(|&event| self.events[event].kind != EventKind::Sync || in_cycle(event))
            .collect();
        if self.events.len() <= LARGE || kept.len() == self.events.len() {
            return None;
        }
        let place: BTreeMap<usize, usize> = kept.iter().enumerate().map(|(new, &old)| (old, new)).collect();
        let mut arrows: Vec<Arrow> = Vec::new();
        for arrow in self.arrows.iter().filter(|arrow| arrow.relation != Relation::Program || arrow.in_cycle)
        {
            if let (Some(&from), Some(&to)) = (place.get(&arrow.from), place.get(&arrow.to)) {
                arrows.push(Arrow { from, to, ..*arrow });
            }
        }
        let mut last: BTreeMap<usize, usize> = BTreeMap::new();
        for (to, &event) in kept.iter().enumerate() {
            if let Some(from) = last.insert(self.events[event].thread, to)
                && !arrows
                    .iter()
                    .any(|arrow| (arrow.from, arrow.to, arrow.relation) == (from, to, Relation::Program))
            {
                arrows.push(Arrow { from, to, relation: Relation::Program, in_cycle: false });
            }
        }
        arrows.sort_unstable();
        let events = kept.iter().map(|&event| self.events[event].clone()).collect();
        Some(EventGraph { events, arrows, threads: self.threads.clone(), ..*self })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::MemoryModel;
    use crate::report::events::GraphEvent;

    #[test]
    fn program_order_leads_past_what_is_left_out() {
        let event = |thread, kind| GraphEvent { thread, kind, text: String::new(), line: 1, told: 0 };
        // A thread that only locks, and one that writes between locking and unlocking.
        let mut events = vec![event(0, EventKind::Sync); 2];
        for _ in 0..LARGE {
            events.extend([EventKind::Sync, EventKind::Write].map(|kind| event(1, kind)));
        }
        let program = |(from, to)| Arrow { from, to, relation: Relation::Program, in_cycle: false };
        let arrows = (3..events.len()).map(|to| program((to - 1, to))).collect();
        let threads = vec!["main".to_owned(), "worker".to_owned()];
        let graph = EventGraph { model: MemoryModel::Sc, threads, events, arrows };
        let folded = graph.folded().expect("it is large");
        assert!(folded.events.iter().all(|event| event.kind == EventKind::Write && event.thread == 1));
        assert_eq!(folded.events.len(), LARGE);
        assert_eq!(folded.arrows, (1..LARGE).map(|to| program((to - 1, to))).collect::<Vec<_>>());
        assert_eq!(folded.folded(), None);
    }
}
