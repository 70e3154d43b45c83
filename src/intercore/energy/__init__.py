"""From what a power meter saw to energy: where windows are in it, and what each took. It knows no benchmark."""
