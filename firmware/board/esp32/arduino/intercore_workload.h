/* What a file of yours includes that declares a workload of your own. The sketch adds it before it begins:
 *
 *   #include <intercore_workload.h>
 *   INTERCORE_C const struct intercore_workload intercore_workload_crc;
 *
 *   const char *wrong = intercore_add_workload("crc", &intercore_workload_crc); // NULL if it is added
 *   Intercore.begin(Serial); */
#include "include/intercore_workload.h"
