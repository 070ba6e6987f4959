#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "tensor/kernels/simd.h"

namespace lectern::kernels {

// exp, tanh, erf and the logistic function on whole registers. In float they are polynomials and
// a reduction of the argument, written once for every instruction set; in double, which serves
// gradient checks, each lane calls the standard library.
//
// Largest errors in float, in units in the last place of the result (ulp), measured by the tests
// over the whole range: exp 1.0, tanh 1.3, erf 1.2, sigmoid 2.4. NaN stays NaN; infinities give
// their limits exactly; results below the smallest normal number are rounded to denormals.
// The polynomials are minimax fits (Remez exchange) of relative error below 5e-9 before rounding.

/// c[0] + c[1] x + c[2] x² + … by Horner's rule.
template <std::size_t N>
inline Vector<float> polynomial(Vector<float> x, const float (&c)[N]) {
  Vector<float> sum = broadcast(c[N - 1]);
  for (std::size_t i = N - 1; i-- > 0;) sum = sum * x + c[i];
  return sum;
}

/// |x|, lane by lane.
inline Vector<float> vabs(Vector<float> x) {
  return std::bit_cast<Vector<float>>(std::bit_cast<Vector<std::int32_t>>(x) & 0x7fffffff);
}

/// The magnitude of x with the sign of `sign`.
inline Vector<float> vcopysign(Vector<float> x, Vector<float> sign) {
  const auto sign_bit = std::bit_cast<Vector<std::int32_t>>(sign) & INT32_MIN;
  const auto magnitude = std::bit_cast<Vector<std::int32_t>>(x) & INT32_MAX;
  return std::bit_cast<Vector<float>>(magnitude | sign_bit);
}

/// x 2^n, rounded once, for whole numbers n from -150 to 128.
inline Vector<float> times_power_of_two(Vector<float> x, Vector<float> n) {
#if defined(__AVX512F__)
  constexpr __mmask16 all = 0xFFFF;  // without a mask, GCC 12 warns of its own header
  return _mm512_maskz_scalef_ps(all, x, n);
#else
  // In two factors, since an exponent holds -126..127.
  const auto exponent = __builtin_convertvector(n, Vector<std::int32_t>);
  const auto half = exponent >> 1;
  const auto first = std::bit_cast<Vector<float>>((half + 127) << 23);
  const auto second = std::bit_cast<Vector<float>>((exponent - half + 127) << 23);
  return x * first * second;
#endif
}

/// e^x = 2^n e^r with n the integer nearest to x / log 2, so that |r| <= log(2) / 2.
inline Vector<float> vexp(Vector<float> x) {
  constexpr float to_zero = -104;  // e^-104 is below half the smallest denormal
  constexpr float to_infinity = 89;
  constexpr float round = 0x1.8p23F;  // adding it leaves an integer in the low bits
  constexpr float log2_e = 0x1.715476p0F;
  constexpr float ln2_high = 0x1.62e4p-1F;  // 15 bits: its products with n are exact
  constexpr float ln2_low = 0x1.7f7d1cp-20F;
  const auto is_zero = x < to_zero;  // set aside: where a result underflows, a core stops for long
  x = is_zero ? Vector<float>{} : x;
  x = x > to_infinity ? broadcast(to_infinity) : x;
  const Vector<float> shifted = x * log2_e + round;
  const Vector<float> n = shifted - round;
  const Vector<float> r = (x - n * ln2_high) - n * ln2_low;
  const Vector<float> tail = polynomial(
      r, {0.49999993432F, 0.16666520400F, 0.04166839074F, 0.00836874504F, 0.00138145425F});
  const Vector<float> e_r = (r * r * tail + r) + 1.0F;
  return is_zero ? Vector<float>{} : times_power_of_two(e_r, n);
}

/// tanh |x| = 1 - 2 / (e^(2|x|) + 1), and x + x³ P(x²) near 0 where that would cancel.
inline Vector<float> vtanh(Vector<float> x) {
  const Vector<float> size = vabs(x);
  const Vector<float> square = x * x;
  const Vector<float> near_zero =
      size + size * square *
                 polynomial(square, {-0.33333281942F, 0.13331442197F, -0.05373971505F,
                                     0.02063908719F, -0.00570498696F});
  const Vector<float> far = 1.0F - 2.0F / (vexp(size + size) + 1.0F);
  return vcopysign(size < 0.625F ? near_zero : far, x);
}

/// erf |x| = 1 - e^-P(|x|) with P a fit of -log(erfc |x|), and x + x P(x²) below 1.
inline Vector<float> verf(Vector<float> x) {
  constexpr float to_one = 4;  // erfc(4) is below half a unit in the last place of 1
  const Vector<float> size = vabs(x);
  const Vector<float> bounded = size > to_one ? broadcast(to_one) : size;
  const Vector<float> square = bounded * bounded;
  const Vector<float> near_zero =
      bounded + bounded * polynomial(square, {0.12837916573F, -0.37612625824F, 0.11283585148F,
                                              -0.02685381193F, 0.00518832767F, -0.00080101935F,
                                              0.00007853861F});
  const Vector<float> far =
      1.0F - vexp(-polynomial(bounded,
                              {-0.00018846844F, 1.12958031389F, 0.63321639284F, 0.10842210326F,
                               -0.02521034178F, 0.00420528542F, -0.00044147277F, 0.00002169762F}));
  return vcopysign(size < 1.0F ? near_zero : far, x);
}

/// 1 / (1 + e^-x), by the exponential that does not overflow.
inline Vector<float> vsigmoid(Vector<float> x) {
  const Vector<float> e = vexp(-vabs(x));
  return (x < 0.0F ? e : broadcast(1.0F)) / (1.0F + e);
}

/// Applies a scalar function to each lane.
template <class Function>
inline Vector<double> each_lane(Vector<double> x, Function function) {
  for (std::int64_t i = 0; i < lanes<double>; ++i) x[i] = function(x[i]);
  return x;
}

inline Vector<double> vexp(Vector<double> x) {
  return each_lane(x, [](double value) { return std::exp(value); });
}
inline Vector<double> vtanh(Vector<double> x) {
  return each_lane(x, [](double value) { return std::tanh(value); });
}
inline Vector<double> verf(Vector<double> x) {
  return each_lane(x, [](double value) { return std::erf(value); });
}
inline Vector<double> vsigmoid(Vector<double> x) {
  return each_lane(x, [](double value) {
    const double e = std::exp(-std::abs(value));
    return (value < 0 ? e : 1) / (1 + e);
  });
}

/// y[i] = function(x[i]) for i < n, a register at a time; y may be x.
///
/// The last elements run through the same code on a padded register, so an element's bits do not
/// depend on its place.
template <class T, class Function>
inline void map_vectors(const T* x, T* y, std::int64_t n, const Function& function) {
  std::int64_t i = 0;
  for (; i + lanes<T> <= n; i += lanes<T>) store(y + i, function(load(x + i)));
  if (i < n) store(y + i, function(load(x + i, n - i, T{0})), n - i);
}

}  // namespace lectern::kernels
