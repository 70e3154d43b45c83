//! Bit sets.

/// Numbers of the bits that are set, lowest first.
pub(crate) fn set_bits(mut set: u64) -> impl Iterator<Item = u8> {
    std::iter::from_fn(move || {
        let lowest = set.trailing_zeros() as u8;
        set &= set.wrapping_sub(1);
        (lowest < 64).then_some(lowest)
    })
}
