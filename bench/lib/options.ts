import { parseArgs } from 'node:util';

/** Parses positive numbers from the command line, such as `--runs 5 --seconds 8`. */
export function numberOptions<D extends Record<string, number>>(defaults: D): D {
  const { values } = parseArgs({
    options: Object.fromEntries(
      Object.keys(defaults).map((name) => [name, { type: 'string' as const }]),
    ),
  });
  const given = Object.entries(values).map(([name, text]) => {
    const value = Number(text);
    if (!Number.isFinite(value) || value <= 0)
      throw new Error(`--${name} must be a positive number`);
    return [name, value];
  });
  return { ...defaults, ...Object.fromEntries(given) };
}
