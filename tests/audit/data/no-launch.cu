// SPDX-License-Identifier: GPL-3.0-or-later
extern "C" void solve(const float* x, float* y, int n)
{
    (void)x; (void)y; (void)n;
}
