/* Core 1's image, placed at the address where it runs. The build makes that image first. */
    .section .core_1, "a"
    .global board_core_1_image
board_core_1_image:
    .incbin IC_CORE_1_IMAGE

    .section .core_1_clock, "a"
    .incbin IC_CORE_1_CLOCK
