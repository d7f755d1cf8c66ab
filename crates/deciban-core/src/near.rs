//! Asking the processor for memory before it is needed, and the system for memory that is found sooner.

/// Brings what stands at `place` near, without waiting for it. It changes nothing but the time that a later look takes.
///
/// A load in its place holds up what comes after it as soon as it has to wait for the main memory: with loads, counting
/// the words of 100 MB took 1.2 times as long (medians of six rounds side by side), which is what the exception from
/// `unsafe_code` is for.
#[inline(always)]
#[allow(unsafe_code)]
pub(crate) fn prefetch<T>(place: &T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch reads nothing that the program sees, and faults at no address; the address is that of a reference.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(place).cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = place;
}

/// For so many texts at once it is asked on which pages they stand.
const AT_ONCE: usize = 32;

/// Before a text is read, of so many at their places: brings the first bytes of the next one near, which is read while
/// this one is counted.
///
/// Texts lie scattered over more pages than the processor knows; of others it has to look up where they are, and waits for
/// it even to prefetch. It looks up several at once, if it is asked for several at once: counting the words of 100 MB took
/// 0.96 of the time (medians of four times seven rounds side by side).
#[inline(always)]
pub(crate) fn bring_texts<'a>(place: usize, count: usize, text: impl Fn(usize) -> &'a str) {
    if place.is_multiple_of(AT_ONCE) {
        (place + 1..count.min(place + 1 + AT_ONCE))
            .for_each(|later| text(later).as_bytes().first().into_iter().for_each(prefetch));
    }
    if place + 1 < count {
        text(place + 1).as_bytes().iter().take(512).step_by(64).for_each(prefetch);
    }
}

/// From so many bytes on large pages are asked for: it is what one of them has.
#[cfg(target_os = "linux")]
const LARGE_PAGE: usize = 1 << 21;
#[cfg(target_os = "linux")]
const PAGE: usize = 1 << 12;

/// Room for so many values that will be looked for all over it, in large pages where the system has some to give.
///
/// A processor knows where some thousand pages are; of others it has to ask, and even a prefetch waits for the answer. In
/// large pages counting the words of 100 MB took 0.93 of the time (medians of 15 rounds side by side), which is what the
/// exception from `unsafe_code` is for. What is written from one end to the other gains nothing by it; where a host takes
/// free large pages back, it loses: words and runs of two of 100 MB took 1.6 times as long with all of theirs in such.
#[allow(unsafe_code)]
pub(crate) fn room<T>(values: usize) -> Vec<T> {
    let room: Vec<T> = Vec::with_capacity(values);
    #[cfg(target_os = "linux")]
    {
        let (start, bytes) = (room.as_ptr().cast::<u8>(), values.saturating_mul(size_of::<T>()));
        let before = start as usize % PAGE;
        if bytes >= LARGE_PAGE {
            // SAFETY: it is advice, and changes nothing of what stands in any page. One that is not taken is no harm.
            unsafe {
                let first = start.wrapping_sub(before).cast_mut().cast();
                libc::madvise(first, (before + bytes) / PAGE * PAGE, libc::MADV_HUGEPAGE);
            }
        }
    }
    room
}

/// The same, full of one value.
pub(crate) fn full<T: Clone>(values: usize, of: T) -> Vec<T> {
    let mut room = room(values);
    room.resize(values, of);
    room
}
