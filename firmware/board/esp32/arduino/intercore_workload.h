/* Include this in the file that declares your workload. The sketch registers the workload before it calls
 * Intercore.begin():
 *
 *   #include <intercore_workload.h>
 *   INTERCORE_C const struct intercore_workload intercore_workload_crc;
 *
 *   const char *wrong = intercore_add_workload("crc", &intercore_workload_crc); // NULL if it is registered
 *   Intercore.begin(Serial); */
#include "include/intercore_workload.h"
