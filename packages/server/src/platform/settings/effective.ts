import { documentSettings } from './documentation.ts';
import { table } from './table.ts';

/** The value with which the service runs. */
export interface EffectiveSetting {
  readonly name: string;
  /** The configured or default text, without passwords and query strings of URLs. Null for secrets, and for optional settings without a value. */
  readonly value: string | null;
  /** `false`: the default applies. */
  readonly isSet: boolean;
  readonly isSecret: boolean;
}

/**
 * Returns all settings in the order of docs/configuration.md.
 *
 * @param given the variables, without empty ones.
 */
export function effectiveSettings(
  given: Readonly<Record<string, string | undefined>>,
): EffectiveSetting[] {
  return documentSettings().map(({ variable: name, secret: isSecret = false }) => {
    const text = given[name];
    const value = isSecret ? null : (text ?? defaultOf(name));
    return {
      name,
      value: value === null ? null : withoutCredentials(value),
      isSet: text !== undefined,
      isSecret,
    };
  });
}

function defaultOf(name: string): string | null {
  const { defaultValue } = table[name as keyof typeof table]._zod.def as { defaultValue?: unknown };
  return typeof defaultValue === 'string' ? defaultValue : null;
}

/** Removes user names, passwords and query strings from URLs, of which a value may contain several. */
function withoutCredentials(value: string): string {
  return value
    .replaceAll(/(\w+:\/\/)[^\s/,@]*@/g, '$1')
    .replaceAll(/(\w+:\/\/[^\s,?]*)\?[^\s,]*/g, '$1');
}
