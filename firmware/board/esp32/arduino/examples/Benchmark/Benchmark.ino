// What a second core really buys, on this board.
//
// Open the Serial Monitor at 115200 baud and type
//
//   show contention preset=qiita-table
//
// After 80 seconds it prints who of two tasks and loop() got how much done: seven rows, each 10 s. Or type `list` to see
// what else can be measured, or close the Serial Monitor and let the tool at the desk draw it:
//
//   intercore run esp32 --port /dev/ttyUSB0 suite
#include <Intercore.h>

void setup() {
    Serial.begin(115200);
    Intercore.begin(Serial);
}

void loop() { Intercore.loop(); }
