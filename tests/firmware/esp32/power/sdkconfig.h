/* Stands for ESP-IDF's configuration: the compiler's command line has it. */
