//! No file makes the loaders panic, or hand on what does not fit into the chip.
#![no_main]

use intercore_sim::core::names::Names as _;
use intercore_sim::image::Image;
use intercore_sim::rp2040::boot::IMAGES;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    for base in [None, Some(0x2000_0000)] {
        let Ok(image) = Image::parse(bytes, base, &IMAGES) else { continue };
        let mut free = 0_u64;
        for segment in &image.segments {
            let end = u64::from(segment.address) + segment.bytes.len() as u64;
            assert!(u64::from(segment.address) >= free && !segment.bytes.is_empty());
            assert!(IMAGES.memories.iter().any(|m| m.contains(&segment.address) && end <= u64::from(m.end)));
            free = end;
            let _ = image.function_at(segment.address);
        }
    }
});
