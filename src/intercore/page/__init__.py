"""What people read in a browser: one self-contained page."""
