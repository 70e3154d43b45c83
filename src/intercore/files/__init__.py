"""Files: size limits for reading, and safe replacement for writing."""
