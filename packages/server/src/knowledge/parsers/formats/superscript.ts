/** Units of length, whose second and third power are areas and volumes. */
const LENGTH = /(?:^|[^\p{L}])(?:[kcdmµ]?m|ft|in|yd|mi)$/u;

/**
 * Returns raised text as it must read behind other text on one line: `m²` for `m` and `2`, `10^6` for `10` and `6`. Other raised text, such as
 * the end of an ordinal number, stays as it is.
 *
 * @param before text before the raised text.
 */
export function raisedAfter(before: string, raised: string): string {
  const power = raised.trim();
  if (LENGTH.test(before) && power === '2') return '²';
  if (LENGTH.test(before) && power === '3') return '³';
  return /\d$/.test(before) && /^[-+\u2212]?\d{1,3}$/.test(power) ? `^${power}` : raised;
}
