"""What people see: tables, pages, and the way numbers are written in both."""
