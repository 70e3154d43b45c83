//! Source lines of addresses, from the debug information of an ELF file (DWARF 2 to 5). Parsed on first
//! use, as most runs need none.

use std::fmt;

use addr2line::Context;
use addr2line::gimli::{Dwarf, EndianSlice, Error, LittleEndian, SectionId};

/// The debug sections of a file, as they stand in it.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Lines {
    sections: Vec<(SectionId, Vec<u8>)>,
}

impl Lines {
    /// Sections with line information.
    const WANTED: [SectionId; 10] = [
        SectionId::DebugAbbrev,
        SectionId::DebugAddr,
        SectionId::DebugAranges,
        SectionId::DebugInfo,
        SectionId::DebugLine,
        SectionId::DebugLineStr,
        SectionId::DebugRanges,
        SectionId::DebugRngLists,
        SectionId::DebugStr,
        SectionId::DebugStrOffsets,
    ];

    /// Keeps a section with line information.
    pub(super) fn keep(&mut self, name: &[u8], contents: &[u8]) {
        if let Some(&id) = Self::WANTED.iter().find(|id| id.name().as_bytes() == name) {
            self.sections.push((id, contents.to_vec()));
        }
    }

    /// File and line of the instruction at an address; none if the file has none, or is damaged there.
    #[must_use]
    pub fn at(&self, address: u32) -> Option<(String, u32)> {
        let section = |id: SectionId| {
            let found = self.sections.iter().find(|(kept, _)| *kept == id);
            Ok::<_, Error>(EndianSlice::new(found.map_or(&[][..], |(_, contents)| contents), LittleEndian))
        };
        let context = Context::from_dwarf(Dwarf::load(section).ok()?).ok()?;
        let location = context.find_location(u64::from(address)).ok()??;
        Some((location.file?.to_owned(), location.line?))
    }
}

impl fmt::Debug for Lines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.sections.iter().map(|(id, contents)| (id.name(), contents.len()))).finish()
    }
}
