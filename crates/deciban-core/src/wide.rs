//! The same code, compiled twice: for any processor, and for those since 2013, which work on four numbers at a time.

/// Calls `f`. What it calls is compiled for the processor at hand as far as it is inlined: mark it `#[inline(always)]`.
#[inline]
pub(crate) fn run<R>(f: impl FnOnce() -> R) -> R {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has just been asked whether it can do what the function is compiled for.
        #[allow(unsafe_code)]
        return unsafe { with_avx2(f) };
    }
    f()
}

/// Work that is longer than what is inlined of itself: a closure around it would stay a function of its own, compiled for
/// any processor.
pub(crate) trait Work {
    /// What comes of it.
    type Found;
    /// Does it; to be marked `#[inline(always)]`.
    fn done(self) -> Self::Found;
}

/// Does some work, compiled for the processor at hand.
#[inline]
pub(crate) fn done<W: Work>(work: W) -> W::Found {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        // SAFETY: as above.
        #[allow(unsafe_code)]
        return unsafe { done_with_avx2(work) };
    }
    work.done()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn done_with_avx2<W: Work>(work: W) -> W::Found {
    work.done()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn with_avx2<R>(f: impl FnOnce() -> R) -> R {
    f()
}
