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
            "{} is there and was not written by this option: it was left as it is; choose another name, or add --force to \
             replace it",
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
