# The version that the stand-in for ESP-IDF takes itself for.
set(IDF_VERSION_MAJOR 5)
set(IDF_VERSION_MINOR 5)
set(IDF_VERSION_PATCH 1)
