"""The ESP32 from the desk, without a board: fakes stand for idf.py, esptool and QEMU, and say what those say."""
