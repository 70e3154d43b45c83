"""The shape of the JSON document. What analyses say of themselves goes into it: python -m intercore.schema."""
