"""The pages for a browser, each self-contained."""
