//! ELF files: segments, entry point, symbols and source lines.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use addr2line::Context;
use addr2line::gimli::{Dwarf, EndianSlice, Error, LittleEndian, SectionId};
use object::elf;
use object::read::elf::{FileHeader as _, ProgramHeader as _, SectionHeader as _, Sym as _};
use object::{Endianness, FileKind};

use crate::image::{Architecture, Image, ImageError, Segment, Symbol, Target, check_range, sort};

/// Whether a file begins as an ELF file does.
pub(super) fn is_elf(bytes: &[u8]) -> bool {
    bytes.starts_with(&elf::ELFMAG)
}

/// Parses an ELF file for a chip.
pub(super) fn read(bytes: &[u8], target: &Target) -> Result<Image, ImageError> {
    match FileKind::parse(bytes) {
        Ok(FileKind::Elf32) => {}
        Ok(FileKind::Elf64) => return Err(ImageError::WrongClass),
        _ => return Err(ImageError::DamagedElf("unknown class".to_owned())),
    }
    let header = elf::FileHeader32::<Endianness>::parse(bytes).map_err(damaged)?;
    let endian = header.endian().map_err(damaged)?;
    if endian == Endianness::Big {
        return Err(ImageError::WrongEndianness);
    }
    let (built_for, wanted) = (header.e_machine(endian).0, target.architecture.machine());
    if built_for != wanted {
        return Err(ImageError::WrongMachine { built_for, chip: target.chip, wanted });
    }
    if header.e_type(endian) != elf::ET_EXEC {
        return Err(ImageError::NotExecutable(header.e_type(endian).0));
    }
    if let Architecture::Arm(known) = target.architecture
        && let Some(number) = architecture(header, endian, bytes).filter(|number| !known.contains(number))
    {
        return Err(ImageError::WrongArchitecture { built_for: architecture_name(number), chip: target.chip });
    }
    let mut segments = Vec::new();
    let mut total = 0;
    for part in header.program_headers(endian, bytes).map_err(damaged)? {
        if part.p_type(endian) != elf::PT_LOAD || part.p_filesz(endian) == 0 {
            continue;
        }
        let data = part.data(endian, bytes).map_err(|()| ImageError::DamagedElf("a segment is cut off".into()))?;
        let address = part.p_paddr(endian);
        check_range(address, data.len() as u64, target)?;
        // Overlaps are found below; until then, many copies of one large segment must not fill the memory.
        total += data.len();
        if total > target.memories.iter().map(ExactSizeIterator::len).sum() {
            return Err(ImageError::Overlap(address));
        }
        segments.push(Segment { address, bytes: data.to_vec() });
    }
    if segments.is_empty() {
        return Err(ImageError::NothingToLoad);
    }
    sort(&mut segments)?;
    let entry = header.e_entry(endian);
    if !segments.iter().any(|segment| segment.contains(entry & !1)) {
        return Err(ImageError::BadEntry(entry));
    }
    let boot = (target.boot)(&segments, Some(entry));
    let (symbols, lines) = (read_symbols(header, endian, bytes)?, read_lines(header, endian, bytes)?);
    Ok(Image { segments, boot, symbols, lines })
}

/// `Tag_CPU_arch` of the build attributes (Arm's ABI for the Arm architecture, addenda 32, 3.3.5.1); none if the file does not say.
fn architecture(header: &elf::FileHeader32<Endianness>, endian: Endianness, bytes: &[u8]) -> Option<u64> {
    const FILE: u8 = 1;
    const CPU_RAW_NAME: u64 = 4;
    const CPU_NAME: u64 = 5;
    const CPU_ARCH: u64 = 6;
    let sections = header.sections(endian, bytes).ok()?;
    let (_, section) = sections.section_by_name(endian, b".ARM.attributes")?;
    let mut vendors = section.attributes(endian, bytes).ok()?.subsections().ok()?;
    while let Some(vendor) = vendors.next().ok()? {
        let mut parts = vendor.subsubsections();
        while let Some(part) = parts.next().ok()?.filter(|part| part.tag().0 == FILE) {
            let mut attributes = part.attributes();
            while let Some(tag) = attributes.read_tag().ok()? {
                match tag {
                    CPU_ARCH => return attributes.read_integer().ok(),
                    CPU_RAW_NAME | CPU_NAME => _ = attributes.read_string().ok()?,
                    _ => return None, // tags ascend
                }
            }
        }
    }
    None
}

fn architecture_name(number: u64) -> String {
    match number {
        10 => "Armv7".to_owned(),
        11 | 12 => "Armv6-M".to_owned(),
        13 => "Armv7E-M".to_owned(),
        16 | 17 => "Armv8-M, such as the Cortex-M33 of the RP2350".to_owned(),
        21 => "Armv8.1-M".to_owned(),
        _ => format!("another Arm architecture (Tag_CPU_arch {number})"),
    }
}

fn read_lines(header: &elf::FileHeader32<Endianness>, endian: Endianness, bytes: &[u8]) -> Result<Lines, ImageError> {
    let sections = header.sections(endian, bytes).map_err(damaged)?;
    let mut lines = Lines::default();
    for section in sections.iter() {
        if section.sh_flags(endian).contains(elf::SHF_EXECINSTR | elf::SHF_ALLOC) {
            let begin = section.sh_addr(endian);
            lines.code.push(begin..begin.saturating_add(section.sh_size(endian)));
        }
        // Compressed sections are ignored.
        if section.sh_flags(endian).contains(elf::SHF_COMPRESSED) {
            continue;
        }
        // Damage here loses line information only.
        if let (Ok(name), Ok(contents)) = (sections.section_name(endian, section), section.data(endian, bytes)) {
            lines.keep(name, contents);
        }
    }
    Ok(lines)
}

fn read_symbols(
    header: &elf::FileHeader32<Endianness>,
    endian: Endianness,
    bytes: &[u8],
) -> Result<Vec<Symbol>, ImageError> {
    let sections = header.sections(endian, bytes).map_err(damaged)?;
    let table = sections.symbols(endian, bytes, elf::SHT_SYMTAB).map_err(damaged)?;
    let mut symbols = Vec::new();
    for symbol in table.iter() {
        let kind = symbol.st_type();
        let of_interest = matches!(kind, elf::STT_FUNC | elf::STT_OBJECT | elf::STT_NOTYPE);
        if !of_interest || symbol.st_shndx(endian) == elf::SHN_UNDEF {
            continue;
        }
        let name = symbol.name(endian, table.strings()).map_err(damaged)?;
        // Mapping symbols: $t, $d, $a.
        if name.is_empty() || name.starts_with(b"$") {
            continue;
        }
        let is_function = kind == elf::STT_FUNC;
        symbols.push(Symbol {
            name: String::from_utf8_lossy(name).into_owned(),
            address: symbol.st_value(endian) & if is_function { !1 } else { !0 },
            size: symbol.st_size(endian),
            is_function,
        });
    }
    symbols.sort_by_key(|symbol| symbol.address);
    Ok(symbols)
}

/// A function, compiled or inlined, and the line of it that an instruction belongs to, as far as they are known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFrame {
    /// As in the source.
    pub function: Option<String>,
    /// File and line.
    pub line: Option<(String, u32)>,
}

/// Source lines of addresses: the debug sections (DWARF 2 to 5) of a file, parsed on first use, as most runs need none.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Lines {
    sections: Vec<(SectionId, Vec<u8>)>,
    /// Addresses of what is to run. Of functions that a linker dropped, the line information stays, for address 0.
    code: Vec<Range<u32>>,
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
    fn keep(&mut self, name: &[u8], contents: &[u8]) {
        if let Some(&id) = Self::WANTED.iter().find(|id| id.name().as_bytes() == name) {
            self.sections.push((id, contents.to_vec()));
        }
    }

    /// File and line of the instruction at an address; none if the file has none, or is damaged there.
    pub fn at(&self, address: u32) -> Option<(String, u32)> {
        let context = self.context().ok()?;
        let location = context.find_location(self.known(address)?).ok()??;
        Some((location.file?.to_owned(), location.line?))
    }

    /// The functions that instructions are in: the innermost inlined one first, the one that was compiled last. Empty where the
    /// file does not say.
    pub fn frames(&self, addresses: &[u32]) -> Vec<Vec<SourceFrame>> {
        let context = self.context().ok();
        let at = |&address: &u32| {
            let mut found = Vec::new();
            let mut frames = context.as_ref()?.find_frames(self.known(address)?).skip_all_loads().ok()?;
            while let Ok(Some(frame)) = frames.next() {
                let name = frame.function.and_then(|name| name.raw_name().ok().map(Cow::into_owned));
                let line = frame.location.and_then(|at| Some((at.file?.to_owned(), at.line?)));
                found.push(SourceFrame { function: name, line });
            }
            Some(found)
        };
        addresses.iter().map(|address| at(address).unwrap_or_default()).collect()
    }

    /// An address, if there is code.
    fn known(&self, address: u32) -> Option<u64> {
        self.code.iter().any(|range| range.contains(&address)).then_some(u64::from(address))
    }

    fn context(&self) -> Result<Context<EndianSlice<'_, LittleEndian>>, Error> {
        let section = |id: SectionId| {
            let found = self.sections.iter().find(|(kept, _)| *kept == id);
            Ok::<_, Error>(EndianSlice::new(found.map_or(&[][..], |(_, contents)| contents), LittleEndian))
        };
        Context::from_dwarf(Dwarf::load(section)?)
    }
}

impl fmt::Debug for Lines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.sections.iter().map(|(id, contents)| (id.name(), contents.len()))).finish()
    }
}

fn damaged(why: impl std::fmt::Display) -> ImageError {
    let why = why.to_string();
    ImageError::DamagedElf(match why.as_str() {
        "Invalid ELF program header size or alignment" => "its program headers are not within the file".to_owned(),
        _ => why,
    })
}
