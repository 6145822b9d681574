"""Where the parts compose: prepare a corpus, train with validation, load a model, evaluate it, the demo."""
