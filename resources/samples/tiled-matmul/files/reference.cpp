// SPDX-License-Identifier: GPL-3.0-or-later
// Matrix product with sums in fp64.

extern "C" void reference(const double* a, const double* b, double* c, int m, int n, int k)
{
    for (long long i = 0; i < m; ++i) {
        double* row = c + i * n;
        for (int j = 0; j < n; ++j)
            row[j] = 0;
        for (int l = 0; l < k; ++l) {
            const double scale = a[i * k + l];
            const double* other = b + (long long)l * n;
            for (int j = 0; j < n; ++j)
                row[j] += scale * other[j];
        }
    }
}
