/* The console: receives commands, executes them, and answers (docs/protocol.md). */
#ifndef IC_CONSOLE_H
#define IC_CONSOLE_H

/* Sends `hello` and serves commands until the console's other end has gone. Runs in the console task. */
void ic_console_serve(void);

#endif
