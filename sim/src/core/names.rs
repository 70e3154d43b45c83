//! Names for addresses, as far as whoever looks at a chip has them.

/// Who knows which function and line an address is in.
pub trait Names {
    /// The function an address is in, and how many bytes from its beginning.
    fn function_at(&self, address: u32) -> Option<(&str, u32)>;

    /// File and line of the instruction at an address.
    fn line_at(&self, address: u32) -> Option<(String, u32)>;

    /// An address with its function and line; none if neither is known.
    fn place(&self, address: u32) -> Option<String> {
        let function = self.function_at(address).map(|(name, offset)| format!("{name} + {offset}"));
        let line = self.line_at(address).map(|(file, line)| format!("{file}:{line}"));
        let words: Vec<_> = function.into_iter().chain(line).collect();
        (!words.is_empty()).then(|| format!("{address:#010x} ({})", words.join(", ")))
    }
}

/// Nobody does.
impl Names for () {
    fn function_at(&self, _: u32) -> Option<(&str, u32)> {
        None
    }

    fn line_at(&self, _: u32) -> Option<(String, u32)> {
        None
    }
}
