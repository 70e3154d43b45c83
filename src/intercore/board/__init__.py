"""What the program of a board is built with, and how it gets there."""
