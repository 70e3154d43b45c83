"""Parts of what people see: sections, tables, plots, and how numbers are written."""
