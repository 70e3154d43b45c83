//! Start-up code as the pico-sdk's, in our own words (`start_up/start_up.c`): it runs unmodified, everything it checks is so, and
//! it meets nothing that is not modelled. Says so and passes where there is no compiler, unless `INTERCORE_NO_SKIP` is set.

use crate::compiler::build;
use intercore_sim::core::stop::Stop;
use intercore_sim::image::Image;
use intercore_sim::rp2040::bootrom;
use intercore_sim::rp2040::machine::Machine;

#[test]
fn ordinary_start_up_code_runs_unmodified() {
    for memory in ["sram", "flash"] {
        // The ROM is at address 0.
        let more = ["--param=min-pagesize=0", "../tests/start_up/start_up.c"];
        let Some(elf) = build("start_up", memory, &more) else { return };
        let image = Image::open(&elf, None, &intercore_sim::rp2040::boot::IMAGES).expect("an image");
        let mut machine = Machine::new();
        machine.boot(&image, &bootrom::ours()).expect("it fits");
        let stop = machine.run_until(50_000_000);
        assert_eq!(machine.bus.fabric.diagnostics.pending(), [""; 0], "{memory}");
        assert_eq!(stop, Stop::Exit { core: 0, code: 0 }, "{memory}: the code is the line of the check that failed");
        assert_eq!(machine.take_uart(0), b"Hello\r\ndone\r\n", "{memory}");
        assert_eq!((machine.bus.clocks.sys(), machine.bus.clocks.peri()), (125_000_000, 125_000_000));
    }
}
