"""OpenNMT-py's checkpoints and the folders of its successor Eole: one network under two sets of names. Read only."""
