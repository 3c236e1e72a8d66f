import { textOf } from './files.ts';

const VARIABLE = /\$\{(\w+)(?::[-?]([^}]*))?\}/g;

/** Returns the variables of a compose file with their defaults, or `null` if a variable has no default. */
export function variablesOf(text: string): ReadonlyMap<string, string | null> {
  const found = [...text.matchAll(VARIABLE)].map(
    ([whole, name = '', rest]) => [name, whole.includes(':-') ? (rest ?? '') : null] as const,
  );
  return new Map(found);
}

/** Replaces the variables in a text as Compose does. */
export function filledIn(text: string, values: ReadonlyMap<string, string>): string {
  return text.replaceAll(
    VARIABLE,
    (_, name: string, otherwise: string) => values.get(name) ?? otherwise ?? '',
  );
}

/** Returns the variables of `.env.example` with their values. */
export function exampleVariables(): ReadonlyMap<string, string> {
  const lines = textOf('.env.example').split('\n');
  const given = lines.filter((line) => /^\w+=/.test(line));
  return new Map(given.map((line) => [line.slice(0, line.indexOf('=')), line.split('=')[1] ?? '']));
}

/** Returns the seconds of a duration such as `145s` or `1m30s`. */
export function seconds(duration: unknown): number {
  const [, minutes = '0', rest = '0'] = /^(?:(\d+)m)?(?:(\d+)s)?$/.exec(String(duration)) ?? [];
  return Number(minutes) * 60 + Number(rest);
}
