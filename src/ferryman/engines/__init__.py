"""What runs a decoder step: PyTorch, the reference that every other engine must equal."""
