"""The service over HTTP: LibreTranslate's interface, our own, and what operators ask."""
