//! The same code, compiled twice: for any processor, and for those since 2013, which work on four numbers at a time and
//! count bits in one step.

/// Calls `f`. What it calls is compiled for the processor at hand as far as it is inlined: mark it `#[inline(always)]`.
#[inline]
pub(crate) fn run<R>(f: impl FnOnce() -> R) -> R {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("popcnt") {
        // SAFETY: the processor has just been asked whether it can do what the function is compiled for.
        #[allow(unsafe_code)]
        return unsafe { with_avx2(f) };
    }
    f()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,popcnt")]
fn with_avx2<R>(f: impl FnOnce() -> R) -> R {
    f()
}
