/** Comparison of paired measurements. */
export interface PairedDifference {
  readonly pairs: number;
  /** Median of the differences (first value minus second value), in the unit of the values. */
  readonly medianDifference: number;
  /** Share of pairs whose first value is larger, where equal values count half. Effect size: 0.5 means no difference. */
  readonly firstLarger: number;
  /** Two-sided p-value of the sign test. */
  readonly signP: number;
  /** Probability that a random first value is larger than a random second value. Effect size: 0.5 means no difference. */
  readonly superiority: number;
  /** Two-sided p-value of the Mann–Whitney U test, with the normal approximation and corrected for ties. */
  readonly mannWhitneyP: number;
}

/** Compares pairs of measurements. The normal approximations require at least 20 pairs. */
export function comparePairs(pairs: readonly (readonly [number, number])[]): PairedDifference {
  const differences = pairs.map(([first, second]) => first - second).toSorted((a, b) => a - b);
  const larger = differences.filter((difference) => difference > 0).length;
  const equal = differences.filter((difference) => difference === 0).length;
  const signs = differences.length - equal;
  const signZ = signs === 0 ? 0 : (larger - signs / 2) / (Math.sqrt(signs) / 2);
  const { superiority, z } = mannWhitney(pairs);
  return {
    pairs: pairs.length,
    medianDifference: differences[differences.length >> 1] ?? 0,
    firstLarger: (larger + equal / 2) / pairs.length,
    signP: twoSided(signZ),
    superiority,
    mannWhitneyP: twoSided(z),
  };
}

function mannWhitney(pairs: readonly (readonly [number, number])[]) {
  const values = pairs
    .flatMap(([first, second]) => [
      { value: first, isFirst: true },
      { value: second, isFirst: false },
    ])
    .toSorted((one, other) => one.value - other.value);
  const count = pairs.length;
  const total = values.length;
  let rankSum = 0;
  let ties = 0;
  for (let from = 0; from < total; ) {
    let end = from;
    while (end < total && values[end]?.value === values[from]?.value) end++;
    // Equal values share the mean of their ranks, which start at 1.
    const rank = (from + 1 + end) / 2;
    rankSum += rank * values.slice(from, end).filter(({ isFirst }) => isFirst).length;
    ties += (end - from) ** 3 - (end - from);
    from = end;
  }
  const u = rankSum - (count * (count + 1)) / 2;
  const variance = ((count * count) / 12) * (total + 1 - ties / (total * (total - 1)));
  const z = variance === 0 ? 0 : (u - (count * count) / 2) / Math.sqrt(variance);
  return { superiority: u / (count * count), z };
}

/** Returns the two-sided p-value of a standard normal variable. Absolute error below 1e-7 (Abramowitz and Stegun 26.2.17). */
function twoSided(z: number): number {
  const t = 1 / (1 + 0.2316419 * Math.abs(z));
  const polynomial =
    t *
    (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  return Math.min(1, (2 * Math.exp((-z * z) / 2) * polynomial) / Math.sqrt(2 * Math.PI));
}
