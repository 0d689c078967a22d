/* The rest of large numbers, up to the largest, by the digits of 2/pi that matter for them; for one
 * number at a time.  The element type is double here. */

/* x 2/pi modulo 4 in binary fractions: for x = m 2^e the digits of 2/pi before digit e - 1 only
 * give multiples of 4, and the product of m and the next 192 is an integer modulo 2^192. */
static inline THMathRest THMath_(restFar)(double x)
{
  __extension__ typedef unsigned __int128 Wide;
  static const uint64_t digits[] = {/* a word of nothing, and 2/pi */
                                    0,
                                    0xa2f9836e4e441529,
                                    0xfc2757d1f534ddc0,
                                    0xdb6295993c439041,
                                    0xfe5163abdebbc561,
                                    0xb7246e3a424dd2e0,
                                    0x06492eea09d1921c,
                                    0xfe1deb1cb129a73e,
                                    0xe88235f52ebb4484,
                                    0xe99c7026b45f7e41,
                                    0x3991d639835339f4,
                                    0x9c845f8bbdf9283b,
                                    0x1ff897ffde05980f,
                                    0xef2f118b5a0a6d1f,
                                    0x6d367ecf27cb09b7,
                                    0x4f463f669e5fea2d,
                                    0x7527bac7ebe5f17b,
                                    0x3d0739f78a5292ea,
                                    0x6bfb5fb11f8d5d08,
                                    0x56033046fc7b6bab};
  const THMathBits bits = THMath_(bits)(THMath_(abs)(x)), one = (THMathBits)1;
  const THMathBits m = (bits & ((one << TH_FRACTION_BITS) - 1)) | one << TH_FRACTION_BITS;
  const int start = (int)(bits >> TH_FRACTION_BITS) - (TH_BIAS + TH_FRACTION_BITS) + 62;
  const uint64_t *const word = digits + start / 64;
  const int shift = start % 64;
  uint64_t window[3];
  for (int i = 0; i < 3; i++)
    window[i] = word[i] << shift | word[i + 1] >> 1 >> (63 - shift);
  const Wide low = (Wide)m * window[2], middle = (Wide)m * window[1] + (uint64_t)(low >> 64);
  const uint64_t top = m * window[0] + (uint64_t)(middle >> 64);
  /* Two bits of turns, rounded to nearest, and of the fraction 128. */
  const int odd = (int)(top >> 61 & 1);
  const Wide fraction = ((Wide)top << 64 | (uint64_t)middle) << 2 | (uint64_t)low >> 62;
  const Wide rest = odd ? -fraction : fraction;
  const uint64_t head = (uint64_t)(rest >> 64);
  const int zeros = head ? __builtin_clzll(head) : 63;
  const Wide digit = rest << zeros;
  const double large = THMath_(power2)(-53. - zeros), small = THMath_(power2)(-106. - zeros);
  const THMathPair f = {(double)(uint64_t)(digit >> 75) * large,
                        (double)((uint64_t)(digit >> 22) & ((one << 53) - 1)) * small};
  /* By pi/2, with the signs of x and of the fraction. */
  THMathPair r = THMath_(productWith)(f, 0x1.921fb54442d18p+0);
  r.lo += f.hi * 0x1.1a62633145c07p-54;
  r = THMath_(quickSum)(r.hi, r.lo);
  const double n = (double)((top >> 62) + (uint64_t)odd), sign = x < 0 ? -1 : 1;
  const double side = odd ? -sign : sign;
  const THMathRest a = {sign * n, side * r.hi, side * r.lo};
  return a;
}
