"""The sides of the decoding benchmark: a file each, run in a process of its own, some in an environment of their own.

``protocol`` is what they share; ``copying`` makes the model that all of them run, ``conversion`` its other forms;
``crews`` are the processes, ``measuring`` lets them take turns, ``checking`` compares what they say.
"""
