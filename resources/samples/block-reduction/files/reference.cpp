// SPDX-License-Identifier: GPL-3.0-or-later
// Sum in fp64.

extern "C" void reference(const double* x, double* total, int n)
{
    double sum = 0;
    for (int i = 0; i < n; ++i)
        sum += x[i];
    total[0] = sum;
}
