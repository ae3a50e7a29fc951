// SPDX-License-Identifier: GPL-3.0-or-later
__constant__ int base[2] = {4, 9};

__device__ int twice(int value)
{
    return value * 2;
}
