//! A run for people: its output, and when it ends.

use intercore_sim::image::Image;
use intercore_sim::rp2040::boot::IMAGES;
use intercore_sim::rp2040::machine::Machine;
use intercore_sim::session::{End, Session, Text, Until};

/// What nobody takes is dropped, and neither the search for a text nor the hash of the run sees that.
#[test]
fn output_that_nobody_takes_is_dropped_from_its_beginning_and_a_note_says_so() {
    // STRB r0, [r1]; ADDS r0, #1; a delay of r2 turns; back: the bytes 0, 1, 2, … at UART0's data register.
    let code: [u16; 7] = [0x7008, 0x3001, 0x0013, 0x3b01, 0xd1fd, 0xe7f9, 0xbf00];
    let mut sessions = [1 << 20, 8].map(|kept| {
        let vectors = [0x2000_1000_u32, 0x2000_0009].map(u32::to_le_bytes).concat();
        let code = code.iter().flat_map(|half| half.to_le_bytes());
        let image = Image::parse(&vectors.into_iter().chain(code).collect::<Vec<_>>(), Some(0x2000_0000), &IMAGES);
        let image = image.expect("vectors and code");
        let mut session = Session::new(Machine::booted(&image, None, Some(125_000_000)).expect("it fits"));
        let machine = &mut session.chip;
        for (register, value) in
            [(0x4000_f000, 1 << 22), (0x4003_4024, 1), (0x4003_402c, 3 << 5), (0x4003_4030, 1 | 1 << 8 | 1 << 9)]
        {
            assert!(machine.write_register(register, value));
        }
        machine.start_core(0, 0x2000_0009, 0x2000_1000);
        for (register, value) in [(0, 0), (1, 0x4003_4000), (2, 1000)] {
            machine.core_mut(0).set_register(register, value);
        }
        session.kept_characters = kept;
        session
    });
    let text = Text { uart: 0, bytes: &[0xf0, 0xf1] };
    let ends = sessions.each_mut().map(|session| {
        let found = session.run(&Until { limit: 10_000_000, stop_address: None, text: Some(text) }, || true);
        let end = session.run(&Until { limit: 2_000_000, stop_address: None, text: None }, || true);
        (found, end, session.trace_hash())
    });
    assert!(matches!(ends[0].0, End::TextSent { .. }), "{ends:?}");
    assert_eq!(ends[0], ends[1]);
    let [all, few] = sessions.each_mut().map(|session| (session.take_sent(0), session.take_notes()));
    assert!(few.0.len() < 2 * 8 + 100 && all.0.ends_with(&few.0), "{} of {}", few.0.len(), all.0.len());
    assert!(all.1.is_empty() && few.1.iter().any(|note| note.contains("UART0")), "{:?}", few.1);
}
