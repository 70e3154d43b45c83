//! Files that a run writes: an older one of the same kind is replaced, and no other.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

/// What a file is recognised by.
type Recognizer = fn(&[u8]) -> bool;

/// Bytes of a file that are looked at.
const BEGINNING: u64 = 16;

/// A timeline: its first packet is of our writer, begins its sequence and describes the chip.
pub fn timeline(bytes: &[u8]) -> bool {
    bytes.first() == Some(&0x0a) && bytes.get(2..8) == Some(&[0x50, 0x01, 0x68, 0x01, 0xe2, 0x03])
}

/// Statistics as JSON.
pub fn statistics(bytes: &[u8]) -> bool {
    bytes.starts_with(b"{\n  \"format\": ")
}

/// Opens a file to write, empty, unless something is there that is not of this kind: an image, or a person's work. With
/// `force` whatever is there goes.
pub fn create(path: &Path, kind: Recognizer, force: bool) -> Result<File, String> {
    if !force && !replaceable(path, kind).map_err(|why| unwritable(path, &why))? {
        return Err(format!(
            "{} already exists and was not written by this option, so it is not overwritten: choose another name, or add \
             --force to overwrite it",
            path.display()
        ));
    }
    File::create(path).map_err(|why| unwritable(path, &why))
}

/// Whether there is nothing at a path, or an empty file, or one of a kind; a device and a pipe replace nothing.
fn replaceable(path: &Path, kind: Recognizer) -> io::Result<bool> {
    match std::fs::metadata(path) {
        Ok(found) if found.is_file() && found.len() > 0 => {
            let mut bytes = Vec::new();
            File::open(path)?.take(BEGINNING).read_to_end(&mut bytes)?;
            Ok(kind(&bytes))
        }
        _ => Ok(true),
    }
}

pub fn unwritable(path: &Path, why: &io::Error) -> String {
    format!("cannot write {}: {why}", path.display())
}

/// What the flash held at the end of an earlier run; none if there is no file yet, which is then made, empty.
pub fn flash(path: &Path) -> Result<Option<Vec<u8>>, String> {
    const LEAST: u64 = 2 << 20;
    const MOST: u64 = 16 << 20;
    const SECTOR: u64 = 4096;
    // It is written at the end: whether it can be is known now.
    let file = File::options().read(true).append(true).create(true).open(path).map_err(|why| unwritable(path, &why))?;
    let mut content = Vec::new();
    file.take(MOST + 1).read_to_end(&mut content).map_err(|why| format!("cannot read {}: {why}", path.display()))?;
    match content.len() as u64 {
        0 => Ok(None),
        size if (LEAST..=MOST).contains(&size) && size.is_multiple_of(SECTOR) => Ok(Some(content)),
        size => Err(format!(
            "{} has {size} bytes and is not the content of a flash, which has 2 to 16 MB in whole sectors of 4096 bytes: \
             choose another file for --flash",
            path.display()
        )),
    }
}
