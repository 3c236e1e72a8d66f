import { nearestName } from '@gatehouse/contract';
import { declarations } from './declarations.ts';

/** The process environment, or a part of it. */
export type Environment = Readonly<Record<string, string | undefined>>;

const PREFIX = 'GATEHOUSE_';
/** Variables for the product's own tests; the service ignores them. */
const TEST_PREFIX = 'GATEHOUSE_TEST_';
const KNOWN: readonly string[] = Object.values(declarations).map(({ variable }) => variable);

/**
 * The text that the environment gives a variable. An empty text counts as not given, as in
 * `GATEHOUSE_PORT=${PORT:-}` of a compose file.
 */
export function givenText(env: Environment, variable: string): string | undefined {
  return env[variable] === '' ? undefined : env[variable];
}

/**
 * One line for each `GATEHOUSE_*` variable that is no setting: one that was misspelt and ignored
 * could leave a limit or a proxy list at its default without anybody noticing.
 */
export function unknownVariables(env: Environment): string[] {
  return Object.keys(env)
    .filter((name) => name.toUpperCase().startsWith(PREFIX) && !name.startsWith(TEST_PREFIX))
    .filter((name) => !KNOWN.includes(name))
    .filter((name) => givenText(env, name) !== undefined)
    .sort()
    .map((name) => `${name}: is not a setting of this release${hint(name)}`);
}

function hint(name: string): string {
  if (/^GATEHOUSE_(SERVICE_(HOST|PORT)|PORT_\d+_)/.test(name)) {
    return '; Kubernetes makes it for a service named "gatehouse": set enableServiceLinks: false in the pod';
  }
  const nearest = nearestName(
    name.toUpperCase().slice(PREFIX.length),
    KNOWN.map((known) => known.slice(PREFIX.length)),
  );
  return nearest === undefined ? '' : `; did you mean ${PREFIX}${nearest}?`;
}
