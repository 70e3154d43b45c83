//! Programs on which both engines once differed, as random search found them and made them small.

use super::program::{OWN_DATA, PATCHED, Part, SHARED_DATA, SIO};
use super::setting::{Event, Piece, Setting};

const ANDS: u16 = 0x4000;

fn plain(code: &[u16]) -> Part {
    Part::Plain(code.to_vec())
}

fn access(base: u16, code: &[u16]) -> Part {
    Part::Access { base, code: code.to_vec() }
}

fn again(turns: u8, body: Vec<Part>) -> Part {
    Part::Loop { turns, body }
}

fn call(body: Vec<Part>, pops: bool) -> Part {
    Part::Call { body, pops }
}

fn piece(cycles: u64, before: Event) -> Piece {
    Piece { cycles, before }
}

/// Two programs that meet so that core 1, which leads, loses a cycle to core 0 right before core 0 stops at a breakpoint.
pub fn that_stops_behind_a_lost_cycle() -> Setting {
    let zero = vec![
        again(3, vec![access(OWN_DATA, &[0x2701, 0x51f1]), plain(&[ANDS]), plain(&[ANDS])]),
        again(
            3,
            vec![
                plain(&[0xbf00]),
                plain(&[ANDS]),
                plain(&[0xb084, 0xb004]),
                plain(&[ANDS]),
                plain(&[0xbf00]),
                plain(&[ANDS]),
            ],
        ),
        again(
            4,
            vec![
                plain(&[ANDS]),
                plain(&[ANDS]),
                plain(&[ANDS]),
                plain(&[ANDS]),
                again(
                    22,
                    vec![
                        access(OWN_DATA, &[0xce0b]),
                        plain(&[0xa800, 0x4668]),
                        plain(&[ANDS]),
                        access(OWN_DATA, &[0x2700, 0x51f0]),
                        plain(&[ANDS]),
                        plain(&[0xb403, 0xbc03]),
                    ],
                ),
            ],
        ),
    ];
    let called = [&[0xb419, 0xbc19][..], &[ANDS], &[0xa800, 0x4668], &[ANDS], &[ANDS]].map(plain);
    let one = vec![
        plain(&[0xbf00]),
        again(
            6,
            vec![
                call(called.to_vec(), false),
                access(OWN_DATA, &[0x6170]),
                access(OWN_DATA, &[0xc617]),
                access(OWN_DATA, &[0xce01]),
                plain(&[ANDS]),
                again(24, vec![access(OWN_DATA, &[0xc60b]), plain(&[ANDS]), plain(&[0xe000, 0xbf00])]),
                plain(&[ANDS]),
            ],
        ),
    ];
    Setting {
        programs: [zero, one],
        place: [0, 0],
        apart: 2,
        data: 0x800,
        ticks: [0, 0],
        linear_data: false,
        crossed: false,
        joined: false,
        aliased: false,
        pieces: vec![
            piece(213, Event::Nothing),
            piece(3790, Event::Priority(3)),
            piece(96, Event::Breakpoint { core: 0, half: 51 }),
        ],
        translated_after: 3,
        small_banks: false,
    }
}

/// Two programs that overwrite each other's code until core 1 locks up, for a fault that comes after a slow access. Core 0
/// must go no further than to the end of that cycle.
pub fn that_locks_up() -> Setting {
    let zero = vec![
        call(
            vec![
                again(17, vec![plain(&[ANDS]), access(OWN_DATA, &[0x6030]), plain(&[ANDS]), plain(&[0xa800, 0x4668])]),
                plain(&[0xa800, 0x4668]),
                plain(&[ANDS]),
            ],
            false,
        ),
        again(29, vec![access(OWN_DATA, &[0x6030])]),
        call(
            vec![
                plain(&[ANDS]),
                access(PATCHED, &[0x20bf, 0x200, 0x8030]),
                plain(&[ANDS]),
                access(OWN_DATA, &[0xc60b]),
            ],
            true,
        ),
        again(4, vec![plain(&[ANDS]), access(OWN_DATA, &[0x2701, 0x59f1]), access(OWN_DATA, &[0xce43])]),
        plain(&[ANDS]),
        access(OWN_DATA, &[0xce5f]),
        call(
            vec![
                plain(&[ANDS]),
                call(
                    vec![
                        access(PATCHED, &[0x20bf, 0x200, 0x85b0]),
                        plain(&[0xb401, 0xbc01]),
                        access(OWN_DATA, &[0x6030]),
                        access(OWN_DATA, &[0x6030]),
                        plain(&[ANDS]),
                        plain(&[ANDS]),
                    ],
                    false,
                ),
                call(vec![access(OWN_DATA, &[0xce01]), access(OWN_DATA, &[0x6030])], false),
                access(OWN_DATA, &[0xce01]),
            ],
            false,
        ),
    ];
    let called = vec![access(SHARED_DATA, &[0x2700, 0x51f0]), access(OWN_DATA, &[0x62f0]), access(OWN_DATA, &[0x7430])];
    let one = vec![
        again(
            11,
            vec![
                call(called, true),
                plain(&[0xb084, 0xb004]),
                plain(&[ANDS]),
                plain(&[ANDS]),
                plain(&[0xb084, 0xb004]),
                plain(&[ANDS]),
                plain(&[ANDS]),
            ],
        ),
        access(OWN_DATA, &[0x2704, 0x51f4]),
    ];
    Setting {
        programs: [zero, one],
        place: [0, 1],
        apart: 0,
        data: 0,
        ticks: [0, 0],
        linear_data: false,
        crossed: true,
        joined: false,
        aliased: false,
        pieces: vec![piece(962, Event::Nothing)],
        translated_after: 1,
        small_banks: true,
    }
}

/// Core 1 overwrites code of core 0 again and again: what follows a branch that is not taken, and that was translated. Core 0
/// must not have fetched what core 1, which leads, writes there later.
pub fn that_overwrite_what_follows_a_branch() -> Setting {
    let own = |code: &[u16]| access(OWN_DATA, code);
    let zero =
        vec![again(3, vec![again(13, vec![plain(&[ANDS]), own(&[0x6070]), own(&[0xce07]), plain(&[0xb401, 0xbc01])])])];
    let one = vec![
        plain(&[ANDS]),
        call(vec![plain(&[0x2640, 0x236, 0x3605, 0x436, 0x8930, 0x68b1]), plain(&[ANDS])], false),
        again(3, vec![access(SIO, &[0x36ff, 0x3601, 0x6830, 0x6030])]),
        again(35, vec![plain(&[0xa800, 0x4668])]),
        call(vec![plain(&[0xb401, 0xbc01]), own(&[0x6030])], true),
        again(1, vec![again(7, vec![own(&[0xce5b]), own(&[0x6070])])]),
        again(24, vec![plain(&[0x4800])]),
        again(
            15,
            vec![
                own(&[0x61f0]),
                own(&[0x2702, 0x53f2]),
                own(&[0x2704, 0x51f4]),
                plain(&[0xb401, 0xbc01]),
                own(&[0x6230]),
                plain(&[0xb084, 0xb004]),
            ],
        ),
        again(
            6,
            vec![plain(&[ANDS]), plain(&[0xa800, 0x4668]), plain(&[0xbf00]), plain(&[0xa800, 0x4668]), own(&[0xce7f])],
        ),
        call(vec![plain(&[0xb403, 0xbc03]), call(vec![own(&[0xce0f])], true)], true),
        plain(&[0xb403, 0xbc03]),
        again(17, vec![access(PATCHED, &[0x20bf, 0x200, 0x85b0]), plain(&[0xb403, 0xbc03])]),
        call(vec![access(PATCHED, &[0x20bf, 0x200, 0x85f0])], false),
    ];
    Setting {
        programs: [zero, one],
        place: [0, 1],
        apart: 2,
        data: 2048,
        ticks: [0, 1277],
        linear_data: false,
        crossed: true,
        joined: false,
        aliased: true,
        pieces: vec![piece(3269, Event::Nothing)],
        translated_after: 1,
        small_banks: false,
    }
}

/// Core 1 loads a list of no registers from the timer's.
pub fn that_loads_nothing_from_a_peripheral() -> Setting {
    let timer = [0x2640, 0x0236, 0x3605, 0x0136, 0x3604, 0x0336];
    let one = vec![call(vec![again(9, vec![plain(&timer), plain(&[0x6ab0, ANDS, 0xce00])])], true)];
    Setting {
        programs: [vec![plain(&[ANDS])], one],
        place: [0, 0],
        apart: 0,
        data: 0x800,
        ticks: [0, 0],
        linear_data: false,
        crossed: false,
        joined: false,
        aliased: false,
        pieces: vec![piece(112, Event::Nothing), piece(3000, Event::Nothing)],
        translated_after: 1,
        small_banks: false,
    }
}

/// Core 1 comes to a breakpoint right behind a step that it holds itself, not its pipeline, while it replays. Core 0, which
/// comes first in that cycle, has begun its instruction.
pub fn that_stop_behind_a_deferred_step() -> Setting {
    let ands = || plain(&[ANDS]);
    let own = |code: u16| access(OWN_DATA, &[code]);
    let zero = vec![
        plain(&[0xa800, 0x4668]),
        again(16, vec![own(0xce05), ands(), ands(), ands()]),
        again(19, vec![ands(), ands()]),
        call(vec![again(3, vec![ands()]), ands()], false),
        ands(),
        again(4, vec![own(0xc619)]),
        own(0x6030),
        call(vec![ands()], true),
        call(vec![ands()], true),
        ands(),
        again(17, vec![ands(), own(0xc61b), ands()]),
        call(
            vec![
                ands(),
                plain(&[0xb672, 0xf3ef, 0x8310, 0x2400, 0xf384, 0x8810]),
                call(vec![ands(), ands(), ands()], false),
            ],
            false,
        ),
    ];
    let one = vec![
        call(vec![plain(&[0xbf00]), ands(), plain(&[0xb401, 0xbc01]), ands()], false),
        again(
            24,
            vec![
                ands(),
                plain(&[0xbf40]),
                ands(),
                plain(&[0xa800, 0x4668]),
                own(0xce47),
                again(13, vec![own(0x86b0)]),
                plain(&[0xa800, 0x4668]),
            ],
        ),
        call(
            vec![own(0xce01), plain(&[0x2640, 0x236, 0x3605, 0x436, 0x8930, 0x68b1]), plain(&[0xa800, 0x4668])],
            false,
        ),
    ];
    Setting {
        programs: [zero, one],
        place: [3, 0],
        apart: 2,
        data: 0,
        ticks: [0, 0],
        linear_data: true,
        crossed: false,
        joined: false,
        aliased: true,
        pieces: vec![
            piece(39, Event::Interrupt { core: 1, number: 12 }),
            piece(3140, Event::Nothing),
            piece(2543, Event::Breakpoint { core: 1, half: 54 }),
            piece(790, Event::Nothing),
        ],
        translated_after: 2,
        small_banks: false,
    }
}

/// Two programs in banks of their own that overwrite each other's code, among it an instruction that core 1 has fetched.
pub fn that_overwrite_what_was_fetched() -> Setting {
    let patch = |d: u16, at: u16| access(PATCHED, &[0x20bf | d << 8, 0x0200, at]);
    let zero = vec![call(vec![patch(0, 0x8030), call(vec![patch(0, 0x8370)], false)], false)];
    let one = vec![call(
        vec![patch(0, 0x8470), access(SHARED_DATA, &[0xc603]), plain(&[0xbf00]), plain(&[0xb403, 0xbc03])],
        true,
    )];
    Setting {
        programs: [zero, one],
        place: [1, 1],
        apart: 2,
        data: 0x800,
        ticks: [0, 452],
        linear_data: true,
        crossed: true,
        joined: false,
        aliased: false,
        pieces: vec![piece(3901, Event::Nothing)],
        translated_after: 1,
        small_banks: true,
    }
}
