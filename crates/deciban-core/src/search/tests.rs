use super::*;

/// Documents as lists of (term, count), their labels; and the same, by terms.
struct Texts {
    rows: Vec<Vec<(usize, f64)>>,
    own: Vec<u32>,
    terms: usize,
    labels: usize,
}

/// Any numbers, the same every time.
fn texts(seed: u64, documents: usize, terms: usize, labels: usize) -> Texts {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = move |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 33) as usize % below
    };
    let own: Vec<u32> = (0..documents).map(|i| if i < labels { i } else { next(labels) } as u32).collect();
    let row = |i: usize, next: &mut dyn FnMut(usize) -> usize| -> Vec<(usize, f64)> {
        let liked = own[i] as usize;
        let has =
            |term: usize, next: &mut dyn FnMut(usize) -> usize| next(if term % labels == liked { 2 } else { 4 }) == 0;
        let terms: Vec<usize> = (0..terms).filter(|&term| has(term, next)).collect();
        terms.into_iter().map(|term| (term, 1.0 + next(3) as f64)).collect()
    };
    let rows = (0..documents).map(|i| row(i, &mut next)).collect();
    Texts { rows, own, terms, labels }
}

impl Texts {
    fn given(&self, rule: Rule) -> Given {
        let (k, is_coin) = (self.labels, matches!(rule, Rule::Coins { .. }));
        let mut having = vec![Vec::new(); self.terms];
        let (mut shown, mut documents) = (vec![0.0; self.terms * k], vec![0.0; k]);
        for (i, row) in self.rows.iter().enumerate() {
            documents[self.own[i] as usize] += 1.0;
            for &(term, count) in row {
                let count = if is_coin { 1.0 } else { count };
                having[term].push((i as u32, count));
                shown[term * k + self.own[i] as usize] += count;
            }
        }
        let mut indptr = vec![0];
        indptr.extend(having.iter().scan(0, |end, some| {
            *end += some.len() as i64;
            Some(*end)
        }));
        let prior = |y: usize, r: usize| (documents[r] - f64::from(u8::from(r == y))).ln();
        Given {
            indptr,
            document: having.iter().flatten().map(|&(i, _)| i).collect(),
            count: having.iter().flatten().map(|&(_, count)| count).collect(),
            shown,
            own: self.own.clone(),
            prior: (0..k * k).map(|place| prior(place / k, place % k)).collect(),
            documents: documents.clone(),
            rule,
        }
    }

    /// How many documents are wrong, each by counts without it: from scratch.
    fn wrong(&self, inside: &[bool], rule: Rule) -> i64 {
        (0..self.rows.len())
            .map(|out| i64::from(margin(&self.scores(out, inside, rule), self.own[out] as usize) <= NEAR))
            .sum()
    }

    fn scores(&self, out: usize, inside: &[bool], rule: Rule) -> Vec<f64> {
        let others = || (0..self.rows.len()).filter(move |&i| i != out);
        let of = |r: usize, term: usize, is_coin: bool| -> f64 {
            let rows = others().filter(|&i| self.own[i] as usize == r).flat_map(|i| &self.rows[i]);
            rows.filter(|&&(j, _)| j == term).map(|&(_, count)| if is_coin { 1.0 } else { count }).sum()
        };
        let has = |term: usize| self.rows[out].iter().find(|&&(j, _)| j == term).map_or(0.0, |&(_, count)| count);
        let seen: Vec<usize> = (0..self.terms).filter(|&term| inside[term]).collect();
        let score = |r: usize| {
            let n = others().filter(|&i| self.own[i] as usize == r).count() as f64;
            let sum: f64 = match rule {
                Rule::Dice { gamma } => {
                    let mass: f64 = seen.iter().map(|&term| of(r, term, false) + gamma).sum();
                    seen.iter()
                        .filter(|&&term| has(term) > 0.0)
                        .map(|&term| has(term) * ((of(r, term, false) + gamma) / mass).ln())
                        .sum()
                }
                Rule::Coins { heads, tails } => seen
                    .iter()
                    .map(|&term| {
                        let m = of(r, term, true);
                        ((if has(term) > 0.0 { m + heads } else { n - m + tails }) / (n + heads + tails)).ln()
                    })
                    .sum(),
            };
            n.ln() + sum
        };
        (0..self.labels).map(score).collect()
    }
}

#[test]
fn errors_are_those_of_counting_anew() {
    for seed in 0..6 {
        let texts = texts(seed, 18, 9, 2 + seed as usize % 3);
        for rule in [Rule::Dice { gamma: 0.5 }, Rule::Dice { gamma: 1e-3 }, Rule::Coins { heads: 1.0, tails: 0.5 }] {
            let mut search = Search::new(texts.given(rule)).unwrap();
            let mut inside = vec![false; 9];
            for turn in [3, 0, 7, 5, 0, 1, 2, 7, 8, 4, 6, 0, 7] {
                assert_eq!(search.wrong(), texts.wrong(&inside, rule), "{rule:?} {inside:?}");
                for come in [true, false] {
                    for (term, found) in search.wrong_with(come, 2).into_iter().enumerate() {
                        let mut after = inside.clone();
                        after[term] = come;
                        let expected = if inside[term] == come { -1 } else { texts.wrong(&after, rule) };
                        assert_eq!(found, expected, "{rule:?} {inside:?} {term}");
                    }
                }
                search.toggle(turn).unwrap();
                inside[turn] = !inside[turn];
            }
        }
    }
}

#[test]
fn threads_never_matter() {
    let search = Search::new(texts(5, 60, 300, 3).given(Rule::Dice { gamma: 1.0 })).unwrap();
    assert_eq!(search.wrong_with(true, 1), search.wrong_with(true, 4));
}

#[test]
fn buffers_that_do_not_fit_are_refused() {
    let given = || texts(1, 10, 4, 2).given(Rule::Dice { gamma: 1.0 });
    assert!(Search::new(Given { shown: vec![1.0], ..given() }).is_err());
    assert!(Search::new(Given { prior: vec![], ..given() }).is_err());
    assert!(Search::new(Given { own: vec![7; 10], ..given() }).is_err());
    assert!(Search::new(Given { count: vec![], ..given() }).is_err());
    assert!(Search::new(Given { indptr: vec![0, 9999], ..given() }).is_err());
    assert!(Search::new(given()).unwrap().toggle(4).is_err());
}
