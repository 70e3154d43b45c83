//! ELF files made by hand.

/// One with these parts to load: physical addresses and contents.
pub fn file(entry: u32, parts: &[(u32, &[u8])]) -> Vec<u8> {
    let mut file = vec![0x7f, b'E', b'L', b'F', 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    file.extend([2, 0, 40, 0]);
    for field in [1, entry, 52, 0, 0x0500_0200] {
        file.extend(u32::to_le_bytes(field));
    }
    for field in [52, 32, parts.len() as u16, 40, 0, 0] {
        file.extend(field.to_le_bytes());
    }
    let mut offset = 52 + 32 * parts.len() as u32;
    for (address, contents) in parts {
        let size = contents.len() as u32;
        for field in [1, offset, *address, *address, size, size, 5, 4] {
            file.extend(u32::to_le_bytes(field));
        }
        offset += size;
    }
    for (_, contents) in parts {
        file.extend(*contents);
    }
    file
}
