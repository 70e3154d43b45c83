"""Power meters, beside the target that they measure: how each is named, opened and read. It knows no benchmark."""
