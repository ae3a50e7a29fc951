// SPDX-License-Identifier: GPL-3.0-or-later
// Row softmax in fp64.
#include <algorithm>
#include <cmath>

extern "C" void reference(const double* x, double* y, int rows, int cols)
{
    for (long long i = 0; i < rows; ++i) {
        const double* in = x + i * cols;
        double* out = y + i * cols;
        const double largest = *std::max_element(in, in + cols);
        double sum = 0;
        for (int j = 0; j < cols; ++j)
            sum += std::exp(in[j] - largest);
        for (int j = 0; j < cols; ++j)
            out[j] = std::exp(in[j] - largest) / sum;
    }
}
