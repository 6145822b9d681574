"""PAIRS -> BATCHES: tokens on disk, drawn in batches of similar length, padded into tensors."""
