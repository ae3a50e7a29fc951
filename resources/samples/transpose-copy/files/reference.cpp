// SPDX-License-Identifier: GPL-3.0-or-later
// Transposing copy out of padded rows, and the largest magnitude of each row.
#include <cmath>

extern "C" void reference(const double* in, double* out, double* amax, int rows, int cols, int ld)
{
    for (long long i = 0; i < rows; ++i) {
        double largest = 0;
        for (long long j = 0; j < cols; ++j) {
            const double value = in[i * ld + j];
            out[j * rows + i] = value;
            largest = std::fmax(largest, std::fabs(value));
        }
        amax[i] = largest;
    }
}
