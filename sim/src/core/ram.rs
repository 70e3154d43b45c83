//! Memory without wait states: words by index.

/// Words of RAM that any chip has, at most: a power of two, so that an index needs no check, only a mask.
pub const RAM_ROOM: usize = 1 << 17;

/// Words of zero, made where they stay: too many for a stack.
#[allow(clippy::unnecessary_box_returns)] // see above
pub fn zeroed<const WORDS: usize>() -> Box<[u32; WORDS]> {
    let words = vec![0; WORDS].into_boxed_slice();
    words.try_into().unwrap_or_else(|_| unreachable!("it has as many words as it was made with"))
}
