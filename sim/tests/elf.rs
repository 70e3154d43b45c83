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

/// The same file with build attributes that name a processor and its architecture, by `Tag_CPU_arch`.
pub fn for_architecture(mut file: Vec<u8>, number: u8) -> Vec<u8> {
    const NAMES: &[u8] = b"\0.ARM.attributes\0.shstrtab\0";
    let tags = [&b"\x05core\0\x06"[..], &[number]].concat();
    let part = [&[1][..], &(5 + tags.len() as u32).to_le_bytes(), &tags].concat();
    let vendor = [&(10 + part.len() as u32).to_le_bytes()[..], b"aeabi\0", &part].concat();
    let attributes = [b"A", &vendor[..]].concat();
    let place = file.len() as u32;
    let names = place + attributes.len() as u32;
    let table = names + NAMES.len() as u32;
    file.extend(attributes);
    file.extend(NAMES);
    let headers = [
        [0; 10],
        [1, 0x7000_0003, 0, 0, place, names - place, 0, 0, 1, 0],
        [17, 3, 0, 0, names, table - names, 0, 0, 1, 0],
    ];
    headers.iter().flatten().for_each(|field: &u32| file.extend(field.to_le_bytes()));
    file[32..36].copy_from_slice(&table.to_le_bytes());
    (file[48], file[50]) = (3, 2);
    file
}
