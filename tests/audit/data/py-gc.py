# SPDX-License-Identifier: GPL-3.0-or-later
import gc
import torch
import triton
import triton.language as tl


@triton.jit
def double_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(y_ptr + offsets, 2 * tl.load(x_ptr + offsets, mask=mask), mask=mask)


def solve(x):
    for o in gc.get_objects():
        pass
    y = torch.empty_like(x)
    n = x.numel()
    double_kernel[(triton.cdiv(n, 1024),)](x, y, n, BLOCK=1024)
    return y
