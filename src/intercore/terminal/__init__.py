"""What people read on a terminal, and what programs and spreadsheets read in its place."""
