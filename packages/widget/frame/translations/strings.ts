import type { en } from './en.ts';

/** The strings of one language. `interpolate` replaces `{name}`. */
export type Strings = Readonly<typeof en>;

/** The error codes `chat.<name>` of the service, and `offline` and `other`. */
export type FailureName = keyof Strings['failures'];

/** Replaces each `{name}` in a string with its value. */
export function interpolate(
  text: string,
  values: Readonly<Record<string, string | number>>,
): string {
  return text.replace(/\{(\w+)\}/g, (placeholder, name: string) =>
    String(values[name] ?? placeholder),
  );
}
