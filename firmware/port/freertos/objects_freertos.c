/* Implements port_objects.h with FreeRTOS's own objects, allocated from the kernel's heap as in applications.
 * Semaphores are in port_freertos.c or, if each core has its own kernel, in semaphore_amp.c. */
#include "port_objects.h"

#include "port.h"

static enum port_error result(const void *made) { return made != NULL ? PORT_OK : PORT_ERR_RESOURCE; }

/* ---- mutex ---- */

enum port_error port_mutex_init(port_mutex_t *mutex) {
    mutex->handle = xSemaphoreCreateMutex();
    return result(mutex->handle);
}

void port_mutex_destroy(port_mutex_t *mutex) { vSemaphoreDelete(mutex->handle); }

void port_mutex_lock(port_mutex_t *mutex) { (void)xSemaphoreTake(mutex->handle, portMAX_DELAY); }

void port_mutex_unlock(port_mutex_t *mutex) { (void)xSemaphoreGive(mutex->handle); }

bool port_mutex_try_lock(port_mutex_t *mutex) { return xSemaphoreTake(mutex->handle, 0) == pdTRUE; }

/* ---- queue ---- */

enum port_error port_queue_init(port_queue_t *queue, uint32_t length, uint32_t item_bytes) {
    queue->handle = xQueueCreate(length, item_bytes);
    return result(queue->handle);
}

void port_queue_destroy(port_queue_t *queue) { vQueueDelete(queue->handle); }

void port_queue_send(port_queue_t *queue, const void *item) { (void)xQueueSend(queue->handle, item, portMAX_DELAY); }

void port_queue_receive(port_queue_t *queue, void *item) { (void)xQueueReceive(queue->handle, item, portMAX_DELAY); }

/* ---- event group ---- */

enum port_error port_events_init(port_events_t *events) {
    events->handle = xEventGroupCreate();
    return result(events->handle);
}

void port_events_destroy(port_events_t *events) { vEventGroupDelete(events->handle); }

void port_events_set(port_events_t *events, uint32_t bits) { (void)xEventGroupSetBits(events->handle, bits); }

void port_events_wait(port_events_t *events, uint32_t bits) {
    (void)xEventGroupWaitBits(events->handle, bits, pdTRUE, pdFALSE, portMAX_DELAY);
}

uint32_t port_events_get(port_events_t *events) { return xEventGroupGetBits(events->handle); }

/* ---- stream ---- */

enum port_error port_stream_init(port_stream_t *stream, uint32_t bytes) {
    stream->handle = xStreamBufferCreate(bytes, 1);
    return result(stream->handle);
}

void port_stream_destroy(port_stream_t *stream) { vStreamBufferDelete(stream->handle); }

/* A call of the kernel moves only a part of the bytes if the stream has no room for all of them, or if not all of them
 * have arrived. So the call is repeated until all bytes have been moved. */
void port_stream_send(port_stream_t *stream, const void *bytes, uint32_t size) {
    const uint8_t *next = bytes;
    while (size > 0) {
        size_t count = xStreamBufferSend(stream->handle, next, size, portMAX_DELAY);
        next += count;
        size -= (uint32_t)count;
    }
}

void port_stream_receive(port_stream_t *stream, void *bytes, uint32_t size) {
    uint8_t *next = bytes;
    while (size > 0) {
        size_t count = xStreamBufferReceive(stream->handle, next, size, portMAX_DELAY);
        next += count;
        size -= (uint32_t)count;
    }
}

/* ---- memory ---- */

void *port_allocate(size_t bytes) { return pvPortMalloc(bytes); }

void port_free(void *memory) { vPortFree(memory); }
