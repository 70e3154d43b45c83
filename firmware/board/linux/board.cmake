find_package(Threads REQUIRED)
list(JOIN IC_CODE_FLAGS " " flags)

target_sources(intercore PRIVATE bench/registry.c port/samples_static.c)
target_include_directories(intercore PUBLIC port/posix)
# port_types.h names types that strict C11 hides, such as pthread_spinlock_t.
target_compile_definitions(intercore PUBLIC _POSIX_C_SOURCE=200809L)
# Room for 1,048,576 samples of 8 bytes.
target_compile_definitions(intercore PUBLIC IC_SAMPLES_CAPACITY=1048576U)

ic_transports(transports posix)
add_library(linux STATIC
  port/posix/control_posix.c port/posix/counter_posix.c port/posix/interrupt_posix.c port/posix/lock_posix.c
  port/posix/objects_posix.c port/launch_none.c port/loop_none.c port/pin_none.c port/posix/period_posix.c port/posix/port_posix.c port/posix/storage_posix.c
  port/posix/turns_posix.c
  board/linux/linux_conditions.c board/linux/linux_region.c board/linux/transports.c
  ${transports})
target_include_directories(linux PUBLIC board/linux transport/posix)
# Linux functions that the board needs beyond POSIX: affinity, sched_getcpu, sem_clockwait, MAP_ANONYMOUS.
target_compile_definitions(linux PRIVATE _GNU_SOURCE)
target_compile_definitions(linux PRIVATE
  IC_FLAGS="-std=c11 ${flags}" IC_COMPILER="${CMAKE_C_COMPILER_ID} ${CMAKE_C_COMPILER_VERSION}")
# A sanitizer takes locks without priority inheritance: its own locks, and, when a thread starts, the kernel's lock of
# the address space. If the owner of such a lock is on the same core, a real-time task that spins for it would keep the
# owner off the core for ever. So a program with a sanitizer does not request real-time scheduling.
set(realtime 1)
if(IC_SANITIZE MATCHES "thread|address")
  set(realtime 0)
endif()
target_compile_definitions(linux PRIVATE IC_REALTIME=${realtime})
ic_trace(linux port/posix/trace_calls_posix.c port/posix/trace_cost_posix.c port/posix/trace_points_posix.c
  port/posix/trace_posix.c port/posix/trace_scheduler_posix.c)
if(IC_TRACE)
  foreach(call core_id doorbell_open doorbell_ring events_set events_wait mutex_lock mutex_try_lock mutex_unlock notify
      notify_take queue_receive queue_send sem_give sem_take sleep_ticks sleep_until stream_receive stream_send task_join
      timer_open)
    target_link_options(linux PUBLIC -Wl,--wrap=port_${call})
  endforeach()
  target_link_options(linux PUBLIC -Wl,--wrap=ic_trace_begin,--wrap=ic_trace_end)
endif()
target_link_libraries(linux PUBLIC intercore Threads::Threads m rt)
target_link_libraries(intercore PUBLIC linux) # the portable code and its platform call each other

add_executable(intercore-target board/linux/main.c)
target_link_libraries(intercore-target PRIVATE intercore)
# Without a build ID, the same sources always give the same loaded program. A build ID would depend on the folder of the
# build, which the debugging information names.
target_link_options(intercore-target PRIVATE -Wl,--build-id=none)

add_executable(intercore-port-test EXCLUDE_FROM_ALL board/linux/test/port_test_main.c ${IC_PORT_TEST})
target_link_libraries(intercore-port-test PRIVATE intercore)

add_executable(intercore-stress EXCLUDE_FROM_ALL board/linux/test/stress_main.c port/stress.c port/posix/stress_posix.c)
target_compile_definitions(intercore-stress PRIVATE _GNU_SOURCE)
target_link_libraries(intercore-stress PRIVATE intercore)

# For tests of the benchmark `message`: this program has only transports with faults.
add_executable(intercore-faulty EXCLUDE_FROM_ALL board/linux/main.c transport/test/faulty.c)
target_link_libraries(intercore-faulty PRIVATE intercore)

add_executable(intercore-transport-stress EXCLUDE_FROM_ALL
  board/linux/test/transport_stress_main.c transport/test/transport_stress.c)
target_link_libraries(intercore-transport-stress PRIVATE intercore)
