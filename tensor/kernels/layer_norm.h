#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>

namespace lectern::kernels {

/// A dense array of rows that are normalised one by one.
struct Rows {
  std::int64_t count, width;
};

/// y = (x - mean) * rstd * gamma + beta along each row, rstd = 1 / sqrt(variance + eps).
///
/// The variance is the population's. Mean and rstd are computed and saved in double: in float,
/// [70000, 70001] would lose its variance.
/// Shapes: x, y [count, width]; gamma, beta [width], either may be null; mean, rstd [count].
/// Ref:    Ba, Kiros, Hinton (2016), "Layer normalization", arXiv:1607.06450; Chan, Golub, LeVeque
///         (1983), "Algorithms for computing the sample variance", The American Statistician 37(3),
///         for the shift by an element.
template <std::floating_point T>
void layer_norm(const T* x, const T* gamma, const T* beta, double eps, T* y, double* mean,
                double* rstd, Rows rows, int threads);

/// Bytes of scratch for layer_norm_vjp and rms_norm_vjp.
std::int64_t norm_scratch_bytes(Rows rows);

/// Gradients of layer_norm; any of dx, dgamma, dbeta may be null, and is then not computed.
///
///   x̂ = (x - mean) * rstd        h = g * gamma
///   dx = rstd * (h - average(h) - x̂ * average(h * x̂))        dgamma = sum of g * x̂ over rows
///   dbeta = sum of g over rows
///
/// gamma may be null (all ones). `scratch` holds norm_scratch_bytes(rows), 64-byte aligned.
template <std::floating_point T>
void layer_norm_vjp(const T* x, const T* gamma, const double* mean, const double* rstd, const T* g,
                    T* dx, T* dgamma, T* dbeta, Rows rows, std::byte* scratch, int threads);

/// y = x * rstd * gamma along each row, rstd = 1 / sqrt(average(x²) + eps).
///
/// Shapes: as layer_norm.
/// Ref:    Zhang, Sennrich (2019), "Root mean square layer normalization", arXiv:1910.07467.
template <std::floating_point T>
void rms_norm(const T* x, const T* gamma, double eps, T* y, double* rstd, Rows rows, int threads);

/// Gradients of rms_norm; dx or dgamma may be null, and is then not computed.
///
///   x̂ = x * rstd        h = g * gamma
///   dx = rstd * (h - x̂ * average(h * x̂))        dgamma = sum of g * x̂ over rows
template <std::floating_point T>
void rms_norm_vjp(const T* x, const T* gamma, const double* rstd, const T* g, T* dx, T* dgamma,
                  Rows rows, std::byte* scratch, int threads);

}  // namespace lectern::kernels
