"""A text that follows its document: what changed is written anew, the rest is kept."""
