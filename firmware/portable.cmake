# The portable code: knows port.h and nothing else of the platform. For every board, also as a component of ESP-IDF. The
# board adds the list of its benchmarks.
set(IC_PORTABLE
  core/align.c core/answer.c core/benchmark.c core/busy.c core/command.c core/console.c core/crc32.c core/error.c
  core/histogram.c core/line.c core/looking.c core/parameter.c core/random.c core/run.c core/samples.c core/settings.c
  core/text.c
  bench/api.c bench/clock.c bench/contention.c bench/irq.c bench/jitter.c bench/lock.c
  bench/memory.c bench/message.c bench/rhealstone.c bench/speedup.c bench/switch.c bench/threadmetric.c
  transport/ring.c transport/rpmsg.c transport/spsc.c transport/vring.c transport/waiting.c
  workload/fp.c workload/hanoi.c workload/integer.c workload/memory.c workload/workload.c)
set(IC_PORTABLE_FOLDERS core bench workload transport port)
set(IC_WARNINGS -Wall -Wextra -Wconversion -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wundef -Werror)
