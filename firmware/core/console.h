/* The console: receives commands, executes them, and answers (docs/protocol.md). */
#ifndef IC_CONSOLE_H
#define IC_CONSOLE_H

/* Sends `hello` and serves commands until the host closes its end of the console. Runs in the console task. */
void ic_console_serve(void);

#endif
