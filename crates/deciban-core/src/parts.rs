//! The same work on several threads: texts in as many parts as there are threads, results in order.
//!
//! Threads are started for the call and gone after it, so that a process that forks is never left without them.

use std::num::NonZero;
use std::sync::Mutex;
use std::{iter, thread};

/// Below this many bytes of text a thread costs more than it brings.
const WORTH_A_THREAD: usize = 1 << 16;

/// Cuts `texts` into at most `threads` runs of about as many bytes each (0: as many threads as there are cores).
pub fn cut<T: AsRef<str>>(texts: &[T], threads: usize) -> Vec<&[T]> {
    let bytes = bytes(texts);
    let parts = count(threads, bytes / WORTH_A_THREAD);
    let (mut cuts, mut start, mut passed) = (Vec::with_capacity(parts), 0, 0);
    for (at, text) in texts.iter().enumerate() {
        passed += text.as_ref().len();
        if passed * parts >= bytes * (cuts.len() + 1) && cuts.len() + 1 < parts {
            cuts.push(&texts[start..=at]);
            start = at + 1;
        }
    }
    cuts.push(&texts[start..]);
    cuts
}

/// How long some texts are.
pub fn bytes<T: AsRef<str>>(texts: &[T]) -> usize {
    texts.iter().map(|text| text.as_ref().len()).sum()
}

/// How many threads to start (0: as many as there are cores), where there is work for at most so many.
pub(crate) fn count(threads: usize, most: usize) -> usize {
    match threads {
        _ if most < 2 => 1,
        0 => thread::available_parallelism().map_or(1, NonZero::get).min(most),
        given => given.min(most),
    }
}

/// Runs every job, each on a thread of its own as far as there are threads to be had, the last one on this; results in
/// the order of the jobs.
pub fn run<R: Send, J: FnOnce() -> R + Send>(mut jobs: Vec<J>) -> Vec<R> {
    let Some(last) = jobs.pop() else { return Vec::new() };
    let others = jobs.len();
    let queue = Mutex::new(jobs.into_iter().enumerate());
    let next = || queue.lock().ok().and_then(|mut queue| queue.next());
    let work = || iter::from_fn(next).map(|(place, job)| (place, job())).collect::<Vec<_>>();
    let mut results = thread::scope(|scope| {
        let start = |_| thread::Builder::new().spawn_scoped(scope, work).ok();
        let started: Vec<_> = (0..others).map_while(start).collect();
        let mut results = vec![(others, last())];
        results.extend(work());
        for thread in started {
            match thread.join() {
                Ok(of_thread) => results.extend(of_thread),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        results
    });
    results.sort_unstable_by_key(|&(place, _)| place);
    results.into_iter().map(|(_, result)| result).collect()
}

/// All parts one after the other; a single one stays where it is.
pub(crate) fn joined<T: Clone>(mut parts: Vec<Vec<T>>) -> Vec<T> {
    if parts.len() == 1 { parts.swap_remove(0) } else { parts.concat() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_cover_all_texts_in_order() {
        let texts: Vec<String> = (0..50).map(|i| "x".repeat(i * 300)).collect();
        for threads in 0..9 {
            let parts = cut(&texts, threads);
            assert!(parts.len() <= threads.max(64));
            assert_eq!(parts.concat(), texts);
        }
        assert_eq!(cut::<String>(&[], 3).len(), 1);
    }

    #[test]
    fn parts_are_joined_in_order() {
        assert_eq!(joined(vec![vec![1, 2]]), [1, 2]);
        assert_eq!(joined(vec![vec![1], vec![], vec![3, 2]]), [1, 3, 2]);
        assert_eq!(joined::<u8>(vec![]), []);
    }

    #[test]
    fn results_keep_the_order_of_the_jobs() {
        let jobs: Vec<_> = (0..7).map(|i| move || i * i).collect();
        assert_eq!(run(jobs), [0, 1, 4, 9, 16, 25, 36]);
    }
}
