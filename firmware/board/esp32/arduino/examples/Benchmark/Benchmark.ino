// Measures what the second core of this board is good for.
//
// Open the Serial Monitor at 115200 baud and type
//
//   show contention preset=qiita-table
//
// After 80 seconds the board prints how much work two tasks and loop() got done: seven rows, each measured for 10 s. Or
// type `list` for the other benchmarks, or close the Serial Monitor and let the tool on your computer draw the results:
//
//   intercore run esp32 --port /dev/ttyUSB0 suite
#include <Intercore.h>

void setup() {
    Serial.begin(115200);
    Intercore.begin(Serial);
}

void loop() { Intercore.loop(); }
