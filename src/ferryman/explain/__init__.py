"""What happened inside one translation, as a value and as a page."""
