# SPDX-License-Identifier: GPL-3.0-or-later
"""Layer normalisation over the last axis, in Triton: the kernel to be translated."""
import torch
import triton
import triton.language as tl


@triton.jit
def layernorm_kernel(x_ptr, weight_ptr, bias_ptr, y_ptr, cols, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    x_ptr += row * cols
    y_ptr += row * cols
    offsets = tl.arange(0, BLOCK)

    # Two passes over the row: the variance is taken around the mean.
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, cols, BLOCK):
        mask = start + offsets < cols
        total += tl.load(x_ptr + start + offsets, mask=mask, other=0.0)
    mean = tl.sum(total, axis=0) / cols

    squares = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, cols, BLOCK):
        mask = start + offsets < cols
        value = tl.load(x_ptr + start + offsets, mask=mask, other=0.0)
        centred = tl.where(mask, value - mean, 0.0)
        squares += centred * centred
    scale = 1.0 / tl.sqrt(tl.sum(squares, axis=0) / cols + eps)

    for start in range(0, cols, BLOCK):
        mask = start + offsets < cols
        value = tl.load(x_ptr + start + offsets, mask=mask, other=0.0)
        weight = tl.load(weight_ptr + start + offsets, mask=mask, other=0.0)
        bias = tl.load(bias_ptr + start + offsets, mask=mask, other=0.0)
        tl.store(y_ptr + start + offsets, (value - mean) * scale * weight + bias, mask=mask)


def layernorm(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, eps: float) -> torch.Tensor:
    assert x.dim() == 2 and x.is_contiguous() and x.dtype == torch.float32
    rows, cols = x.shape
    y = torch.empty_like(x)
    block = min(1024, triton.next_power_of_2(cols))
    layernorm_kernel[(rows,)](x, weight, bias, y, cols, eps, BLOCK=block)
    return y
