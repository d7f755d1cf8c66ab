//! The same work on several threads: texts in as many parts as there are threads, results in order.
//!
//! Threads are started for the call and gone after it, so that a process that forks is never left without them.

use std::num::NonZero;
use std::thread;

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

/// Runs every job on a thread of its own, the last one on this; results in the order of the jobs.
pub fn run<R: Send>(mut jobs: Vec<impl FnOnce() -> R + Send>) -> Vec<R> {
    let Some(last) = jobs.pop() else { return Vec::new() };
    thread::scope(|scope| {
        let started: Vec<_> = jobs.into_iter().map(|job| scope.spawn(job)).collect();
        let last = last();
        let mut results = Vec::with_capacity(started.len() + 1);
        for thread in started {
            match thread.join() {
                Ok(result) => results.push(result),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        results.push(last);
        results
    })
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
    fn results_keep_the_order_of_the_jobs() {
        let jobs: Vec<_> = (0..7).map(|i| move || i * i).collect();
        assert_eq!(run(jobs), [0, 1, 4, 9, 16, 25, 36]);
    }
}
