"""What the experiments share: toy tasks, a short training loop, the guide's translator, figures.

One thread, fixed seeds. Everything measured is the package's own model, training and search; here is only what sets
them up.
"""

import torch

torch.set_num_threads(1)
