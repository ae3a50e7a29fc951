# SPDX-License-Identifier: GPL-3.0-or-later
import torch
from torch import matmul as mul


def solve(a, b):
    return mul(a, b)
