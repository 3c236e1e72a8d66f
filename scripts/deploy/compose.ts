import { textOf } from './files.ts';

const VARIABLE = /\$\{(\w+)(?::[-?]([^}]*))?\}/g;

/** The variables that a compose file takes from `.env`, with the text of each that it does without. */
export function variablesOf(text: string): ReadonlyMap<string, string | null> {
  const found = [...text.matchAll(VARIABLE)].map(
    ([whole, name = '', rest]) => [name, whole.includes(':-') ? (rest ?? '') : null] as const,
  );
  return new Map(found);
}

/** A text as Compose fills it in. */
export function filledIn(text: string, values: ReadonlyMap<string, string>): string {
  return text.replaceAll(
    VARIABLE,
    (_, name: string, otherwise: string) => values.get(name) ?? otherwise ?? '',
  );
}

/** The variables that `.env.example` names, with their texts. */
export function exampleVariables(): ReadonlyMap<string, string> {
  const lines = textOf('.env.example').split('\n');
  const given = lines.filter((line) => /^\w+=/.test(line));
  return new Map(given.map((line) => [line.slice(0, line.indexOf('=')), line.split('=')[1] ?? '']));
}

/** Seconds of a duration such as `145s` or `1m30s`. */
export function seconds(duration: unknown): number {
  const [, minutes = '0', rest = '0'] = /^(?:(\d+)m)?(?:(\d+)s)?$/.exec(String(duration)) ?? [];
  return Number(minutes) * 60 + Number(rest);
}
