//! What was counted of nodes under labels, in runs: one each time that a label is done.

use crate::table::Node;

/// So many postings are looked through for those of the same node and label; then when there are twice as many as are left.
const MANY: usize = 400_000;

/// What was counted of a node under a label.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Posting {
    pub(super) node: Node,
    pub(super) label: u32,
    pub(super) occurrences: u32,
    pub(super) presences: u32,
}

impl Posting {
    /// Both as one, where they are of the same node and label, and the sum fits.
    fn plus(self, other: Posting) -> Option<Posting> {
        let occurrences = self.occurrences.checked_add(other.occurrences)?;
        let presences = self.presences.checked_add(other.presences)?;
        let are_of_one = (self.node, self.label) == (other.node, other.label);
        are_of_one.then_some(Posting { occurrences, presences, ..self })
    }
}

/// Runs of postings, each of one label. They stay where they were written.
#[derive(Debug)]
pub(super) struct Postings {
    runs: Vec<Vec<Posting>>,
    /// How many there are, and of how many on they are looked through.
    length: usize,
    most: usize,
}

impl Default for Postings {
    fn default() -> Self {
        Postings { runs: Vec::new(), length: 0, most: MANY }
    }
}

impl Postings {
    /// Takes a run of one label.
    pub(super) fn push(&mut self, run: Vec<Posting>) {
        self.length += run.len();
        self.runs.push(run);
        if self.length > self.most {
            self.merge();
        }
    }

    /// Makes one of those of the same node and label.
    fn merge(&mut self) {
        let mut all = self.runs.concat();
        self.runs.clear();
        all.sort_unstable_by_key(|p| (p.label, p.node));
        all.dedup_by(|next, kept| kept.plus(*next).map(|sum| *kept = sum).is_some());
        self.runs.extend(all.chunk_by(|p, q| p.label == q.label).map(<[Posting]>::to_vec));
        self.length = all.len();
        self.most = 2 * self.length.max(MANY / 2);
    }

    /// Takes over those of others, whose nodes are `ours`.
    pub(super) fn absorb(&mut self, others: Postings, ours: &[Node]) {
        for mut run in others.runs {
            run.iter_mut().for_each(|posting| posting.node = ours[posting.node as usize]);
            self.length += run.len();
            self.runs.push(run);
        }
    }

    /// All of them by the place of their node, then by the number of their label; both stand in place of node and label.
    pub(super) fn by_place_and_number(&mut self, place: &[u32], number: &[u32]) -> Vec<Posting> {
        let mut runs = std::mem::take(&mut self.runs);
        runs.retain(|run| !run.is_empty());
        runs.sort_by_key(|run| number[run[0].label as usize]);
        let mut starts = vec![0_usize; place.len() + 1];
        for posting in runs.iter_mut().flatten() {
            posting.node = place[posting.node as usize];
            starts[posting.node as usize + 1] += 1;
        }
        for place in 0..place.len() {
            starts[place + 1] += starts[place];
        }
        let mut dealt = vec![Posting::default(); runs.iter().map(Vec::len).sum()];
        for run in runs {
            let label = number[run[0].label as usize];
            for posting in run {
                let at = &mut starts[posting.node as usize];
                dealt[*at] = Posting { label, ..posting };
                *at += 1;
            }
        }
        dealt
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn posting(node: Node, label: u32, occurrences: u32) -> Posting {
        Posting { node, label, occurrences, presences: 1 }
    }

    #[test]
    fn runs_are_dealt_out_by_place_and_then_by_number() {
        let mut postings = Postings::default();
        postings.push(vec![posting(0, 0, 1), posting(2, 0, 2)]);
        postings.push(vec![]);
        let mut others = Postings::default();
        others.push(vec![posting(0, 1, 3)]);
        postings.absorb(others, &[2]);
        postings.push(vec![posting(1, 0, 4), posting(2, 0, 5)]);
        // Node 2 comes first, and label 1.
        let found = postings.by_place_and_number(&[1, 2, 0], &[1, 0]);
        let expected = [posting(0, 0, 3), posting(0, 1, 2), posting(0, 1, 5), posting(1, 1, 1), posting(2, 1, 4)];
        assert_eq!(found, expected);
    }

    #[test]
    fn many_of_one_node_and_label_become_one_where_the_sum_fits() {
        let mut postings = Postings::default();
        let run =
            |label: u32, occurrences: u32| (0..MANY as u32 / 4).map(|node| posting(node, label, occurrences)).collect();
        [run(1, 1), run(0, 2), run(1, 3), run(0, u32::MAX)].into_iter().for_each(|run| postings.push(run));
        assert_eq!(postings.runs.len(), 4);
        postings.push(run(2, 1));
        let lengths: Vec<_> = postings.runs.iter().map(Vec::len).collect();
        assert_eq!(lengths, [MANY / 2, MANY / 4, MANY / 4]);
        assert_eq!(postings.runs[1][7], Posting { node: 7, label: 1, occurrences: 4, presences: 2 });
    }
}
