/* Stands for the sources of ESP-IDF's kernel, of which a digest is taken. */
