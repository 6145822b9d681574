"""LOGITS -> WEIGHTS: loss, schedule, optimiser, one update, and the loop that yields events."""
