// SPDX-License-Identifier: GPL-3.0-or-later
// Layer normalisation in fp64, variance around the mean.
#include <cmath>

extern "C" void reference(const double* x, const double* weight, const double* bias, double* y,
                          int rows, int cols, double eps)
{
    for (long long i = 0; i < rows; ++i) {
        const double* in = x + i * cols;
        double* out = y + i * cols;
        double mean = 0;
        for (int j = 0; j < cols; ++j)
            mean += in[j];
        mean /= cols;
        double variance = 0;
        for (int j = 0; j < cols; ++j)
            variance += (in[j] - mean) * (in[j] - mean);
        variance /= cols;
        const double scale = 1 / std::sqrt(variance + eps);
        for (int j = 0; j < cols; ++j)
            out[j] = (in[j] - mean) * scale * weight[j] + bias[j];
    }
}
