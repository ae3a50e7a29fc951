// SPDX-License-Identifier: GPL-3.0-or-later
#include <torch/extension.h>
torch::Tensor forward(torch::Tensor a, torch::Tensor b) { return at::matmul(a, b); }
