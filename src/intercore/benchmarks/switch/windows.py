"""What the mark is high for in `switch`: all repetitions together, each of one wake-up."""

OPERATION = "wake-up"
