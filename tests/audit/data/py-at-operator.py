# SPDX-License-Identifier: GPL-3.0-or-later
def solve(a, b):
    return a @ b
