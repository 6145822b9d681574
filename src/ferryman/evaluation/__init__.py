"""How good translations are: scores with signatures, comparison of two systems, checks of a test set."""
