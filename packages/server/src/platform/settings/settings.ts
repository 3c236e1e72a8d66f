import { isIPv6 } from 'node:net';
import type { Declaration } from './declaration.ts';
import { declarations } from './declarations.ts';
import { type Environment, givenText, unknownVariables } from './environment.ts';

type SettingName = keyof typeof declarations;
type ValueOf<D> = D extends Declaration<infer T> ? T : never;

/** All settings, checked; one member for each of `declarations.ts`, where each is explained. */
export type Settings = { readonly [N in SettingName]: ValueOf<(typeof declarations)[N]> };

export type SettingsResult =
  | { readonly ok: true; readonly settings: Settings }
  | { readonly ok: false; readonly problems: readonly string[] };

/**
 * Reads every setting from the environment and checks all of them together.
 *
 * @returns the settings, or every problem at once: one line each, beginning with the variable's
 *   name and never repeating a value.
 */
export function readSettings(env: Environment): SettingsResult {
  const read = Object.entries(declarations).map(([name, declaration]) => ({
    name,
    ...readOne(env, declaration),
  }));
  const problems = [
    ...read.flatMap(({ problem }) => problem ?? []),
    ...contradictions(env),
    ...unknownVariables(env),
  ];
  if (problems.length > 0) return { ok: false, problems };
  // Each member was made by the kind that its declaration names.
  const settings = Object.fromEntries(read.map(({ name, value }) => [name, value])) as Settings;
  return { ok: true, settings: Object.freeze(settings) };
}

function readOne(
  env: Environment,
  { variable, kind, default: defaultText }: Declaration<unknown>,
): { value?: unknown; problem?: string } {
  const text = givenText(env, variable) ?? defaultText;
  if (text === null) return { value: null };
  const parsed = kind.parse(text);
  return 'problem' in parsed ? { problem: `${variable}: ${parsed.problem}` } : parsed;
}

/** Settings of which the first means nothing without the second. */
const NEEDS = [
  [declarations.databaseUrl, declarations.secret],
  [declarations.adminPassword, declarations.adminEmail],
  [declarations.adminEmail, declarations.adminPassword],
  [declarations.modelName, declarations.modelUrl],
  [declarations.modelPriceInput, declarations.modelPriceOutput],
  [declarations.modelPriceOutput, declarations.modelPriceInput],
  [declarations.modelPriceInput, declarations.modelUrl],
  [declarations.embeddingModel, declarations.modelUrl],
  [declarations.natsSubject, declarations.natsServers],
  [declarations.natsUser, declarations.natsServers],
  [declarations.natsUser, declarations.natsPassword],
  [declarations.natsPassword, declarations.natsUser],
  [declarations.natsToken, declarations.natsServers],
  [declarations.natsCredentialsFile, declarations.natsServers],
  [declarations.kafkaTopic, declarations.kafkaBrokers],
  [declarations.kafkaKey, declarations.kafkaBrokers],
  [declarations.kafkaTls, declarations.kafkaBrokers],
  [declarations.kafkaSasl, declarations.kafkaBrokers],
  [declarations.kafkaSasl, declarations.kafkaUser],
  [declarations.kafkaUser, declarations.kafkaPassword],
  [declarations.kafkaPassword, declarations.kafkaUser],
  [declarations.kafkaUser, declarations.kafkaSasl],
] as const;

/** Settings of which one at most may be given. */
const ONE_OF = [
  [declarations.natsUser, declarations.natsToken],
  [declarations.natsUser, declarations.natsCredentialsFile],
  [declarations.natsToken, declarations.natsCredentialsFile],
] as const;

/** What is wrong between settings that are each right alone. */
function contradictions(env: Environment): string[] {
  const isGiven = ({ variable }: Pick<Declaration<unknown>, 'variable'>) =>
    givenText(env, variable) !== undefined;
  const missing = NEEDS.filter(([one, other]) => isGiven(one) && !isGiven(other)).map(
    ([one, other]) =>
      `${other.variable}: must be set too, because ${one.variable} is${adviceOn(other)}`,
  );
  const excess = ONE_OF.filter(([one, other]) => isGiven(one) && isGiven(other)).map(
    ([one, other]) => `${other.variable}: must not be set, because ${one.variable} is`,
  );
  return [...new Set(missing), ...excess];
}

function adviceOn({ advice }: Pick<Declaration<unknown>, 'advice'>): string {
  return advice === undefined ? '' : `; ${advice}`;
}

/**
 * The address that clients use, without a slash at its end: the one that is set, or else the one
 * listened on. A host that means "all addresses" becomes `localhost`.
 *
 * @param listeningPort the port listened on, which the settings do not know when theirs is 0.
 */
export function publicBaseUrl(settings: Settings, listeningPort: number): string {
  if (settings.baseUrl !== null) return settings.baseUrl;
  return `http://${hostInUrl(settings.host)}:${listeningPort}`;
}

function hostInUrl(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost';
  return isIPv6(host) ? `[${host}]` : host;
}
