"""From what a user asks for to measurements in the store."""
