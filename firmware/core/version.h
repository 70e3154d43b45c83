/* The version of the firmware, which is the version of the whole project. */
#ifndef IC_VERSION_H
#define IC_VERSION_H

#ifndef IC_VERSION
#define IC_VERSION "0.1.0"
#endif

#endif
