"""What the tasks of a measurement did, on one clock: from events of the firmware's recorder to sentences and files."""
