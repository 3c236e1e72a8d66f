import { parseArgs } from 'node:util';

/**
 * Parses positive numbers from the command line, such as `--runs 5 --seconds 8`. Ends the process with status 2 if an option is unknown or
 * not a positive number.
 */
export function numberOptions<D extends Record<string, number>>(defaults: D): D {
  try {
    return readNumbers(process.argv.slice(2), defaults);
  } catch (error) {
    const known = Object.entries(defaults).map(([name, value]) => `--${name} ${value}`);
    console.error(error instanceof Error ? error.message : error);
    console.error(`Options with their defaults: ${known.join(' ')}`);
    process.exit(2);
  }
}

/** Like `numberOptions`, but throws an error whose message names the wrong argument. */
export function readNumbers<D extends Record<string, number>>(
  args: readonly string[],
  defaults: D,
): D {
  const { values } = parseArgs({
    args: [...args],
    options: Object.fromEntries(
      Object.keys(defaults).map((name) => [name, { type: 'string' as const }]),
    ),
  });
  const given = Object.entries(values).map(([name, text]) => {
    const value = Number(text);
    if (!Number.isFinite(value) || value <= 0)
      throw new Error(`--${name} must be a positive number, not '${text}'`);
    return [name, value];
  });
  return { ...defaults, ...Object.fromEntries(given) };
}
