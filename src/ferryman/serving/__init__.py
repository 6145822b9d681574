"""At work: one translator, many clients. Only ``http/`` and ``server.py`` know HTTP."""
