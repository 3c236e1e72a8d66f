/** Alternates two measurements, so that other load on the machine affects both. */
export async function alternate<A, B>(
  runs: number,
  first: () => Promise<A>,
  second: () => Promise<B>,
): Promise<{ first: A; second: B }[]> {
  const pairs: { first: A; second: B }[] = [];
  for (let run = 0; run < runs; run += 1) {
    const a = await first();
    pairs.push({ first: a, second: await second() });
    process.stderr.write(`run ${run + 1} of ${runs}\n`);
  }
  return pairs;
}
