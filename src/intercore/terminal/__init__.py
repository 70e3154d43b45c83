"""What people read on a terminal."""
