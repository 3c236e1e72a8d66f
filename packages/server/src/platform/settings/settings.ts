import { isIPv6 } from 'node:net';
import { nameHint } from '@gatehouse/contract';
import { z } from 'zod';
import { MAKE_SECRET, Secret } from '../secrets/index.ts';
import { documentSettings } from './documentation.ts';
import { namesOfModels } from './model-schemas.ts';
import { table } from './table.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

type Variable = keyof typeof table;
type CamelCase<S extends string> = S extends `${infer Head}_${infer Tail}`
  ? `${Lowercase<Head>}${Capitalize<CamelCase<Tail>>}`
  : Lowercase<S>;
type PropertyOf<V extends string> = V extends `GATEHOUSE_${infer Name}` ? CamelCase<Name> : never;

/** All settings by name. For example, `rateLimitChat` is the value of `GATEHOUSE_RATE_LIMIT_CHAT`. */
export type Settings = {
  readonly [V in Variable as PropertyOf<V>]: z.output<(typeof table)[V]>;
} & {
  /** The text of each variable that is set. Contains the texts of secrets too. */
  readonly given: Secret<Environment>;
};

export type SettingsResult =
  | { readonly ok: true; readonly settings: Settings }
  | { readonly ok: false; readonly problems: readonly string[] };

const PREFIX = 'GATEHOUSE_';
/** Prefix of variables for Gatehouse's own tests. The service ignores these variables. */
const TEST_PREFIX = 'GATEHOUSE_TEST_';
/** Shorter than the secrets that Gatehouse and most other services generate. */
const MAX_SHOWN_LENGTH = 30;

const REQUIRES: { readonly [V in Variable]?: readonly Variable[] } = {
  GATEHOUSE_DATABASE_URL: ['GATEHOUSE_SECRET'],
  GATEHOUSE_ADMIN_PASSWORD: ['GATEHOUSE_ADMIN_EMAIL'],
  GATEHOUSE_ADMIN_EMAIL: ['GATEHOUSE_ADMIN_PASSWORD'],
  GATEHOUSE_OIDC_ISSUER: ['GATEHOUSE_OIDC_CLIENT_ID', 'GATEHOUSE_OIDC_CLIENT_SECRET'],
  GATEHOUSE_OIDC_CLIENT_ID: ['GATEHOUSE_OIDC_ISSUER'],
  GATEHOUSE_OIDC_CLIENT_SECRET: ['GATEHOUSE_OIDC_ISSUER'],
  GATEHOUSE_OIDC_SCOPES: ['GATEHOUSE_OIDC_ISSUER'],
  GATEHOUSE_OIDC_ALLOWED_DOMAINS: ['GATEHOUSE_OIDC_ISSUER'],
  GATEHOUSE_OIDC_ALLOWED_GROUPS: ['GATEHOUSE_OIDC_ISSUER'],
  GATEHOUSE_OIDC_ADMIN_GROUPS: ['GATEHOUSE_OIDC_ISSUER'],
  GATEHOUSE_OIDC_GROUP_ROLES: ['GATEHOUSE_OIDC_ISSUER'],
  GATEHOUSE_OIDC_GROUPS_CLAIM: ['GATEHOUSE_OIDC_ISSUER'],
  GATEHOUSE_MODEL_PRICE_INPUT: ['GATEHOUSE_MODEL_PRICE_OUTPUT', 'GATEHOUSE_MODEL_URL'],
  GATEHOUSE_MODEL_PRICE_OUTPUT: ['GATEHOUSE_MODEL_PRICE_INPUT'],
  GATEHOUSE_EMBEDDING_MODEL: ['GATEHOUSE_MODEL_URL'],
  GATEHOUSE_TRACES_AUTHORIZATION: ['GATEHOUSE_TRACES_URL'],
  GATEHOUSE_TRACES_RATIO: ['GATEHOUSE_TRACES_URL'],
  GATEHOUSE_NATS_SUBJECT: ['GATEHOUSE_NATS_URL'],
  GATEHOUSE_NATS_USER: ['GATEHOUSE_NATS_URL', 'GATEHOUSE_NATS_PASSWORD'],
  GATEHOUSE_NATS_PASSWORD: ['GATEHOUSE_NATS_USER'],
  GATEHOUSE_NATS_TOKEN: ['GATEHOUSE_NATS_URL'],
  GATEHOUSE_NATS_CREDENTIALS_FILE: ['GATEHOUSE_NATS_URL'],
  GATEHOUSE_KAFKA_TOPIC: ['GATEHOUSE_KAFKA_BROKERS'],
  GATEHOUSE_KAFKA_KEY: ['GATEHOUSE_KAFKA_BROKERS'],
  GATEHOUSE_KAFKA_TLS: ['GATEHOUSE_KAFKA_BROKERS'],
  GATEHOUSE_KAFKA_SASL: ['GATEHOUSE_KAFKA_BROKERS', 'GATEHOUSE_KAFKA_USER'],
  GATEHOUSE_KAFKA_USER: ['GATEHOUSE_KAFKA_PASSWORD', 'GATEHOUSE_KAFKA_SASL'],
  GATEHOUSE_KAFKA_PASSWORD: ['GATEHOUSE_KAFKA_USER'],
};

const EXCLUDES: { readonly [V in Variable]?: readonly Variable[] } = {
  GATEHOUSE_NATS_USER: ['GATEHOUSE_NATS_TOKEN', 'GATEHOUSE_NATS_CREDENTIALS_FILE'],
  GATEHOUSE_NATS_TOKEN: ['GATEHOUSE_NATS_CREDENTIALS_FILE'],
};

/**
 * Reads and validates all settings.
 *
 * @returns the settings, or all problems. Each problem is one line that starts with the variable's name. It never contains a value
 *   that may be a secret.
 */
export function readSettings(env: Environment): SettingsResult {
  // An empty variable counts as not set. For example, `GATEHOUSE_PORT=${PORT:-}` in a Compose file sets an empty variable.
  const given = Object.fromEntries(Object.entries(env).filter(([, text]) => text));
  const parsed = z.object(table).safeParse(given);
  const problems = [
    ...invalidValues(parsed.error, given),
    ...contradictions(given),
    ...singleSignOnProblems(given),
    ...modelProblems(given),
    ...unknownVariables(given),
  ];
  if (!parsed.success || problems.length > 0) return { ok: false, problems };
  const properties = Object.entries(parsed.data).map(([name, value]) => [propertyOf(name), value]);
  const settings = { ...Object.fromEntries(properties), given: new Secret(given) };
  return { ok: true, settings: Object.freeze(settings) as unknown as Settings };
}

function propertyOf(variable: string): string {
  const name = variable.slice(PREFIX.length).toLowerCase();
  return name.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase());
}

function invalidValues(error: z.ZodError | undefined, given: Environment): string[] {
  const byVariable = new Map<string, string>();
  for (const { path, message } of error?.issues ?? []) {
    const [name, index] = path;
    const variable = String(name);
    const entry = typeof index === 'number' ? `entry ${index + 1} ` : '';
    if (!byVariable.has(variable)) byVariable.set(variable, `${entry}${message}`);
  }
  return [...byVariable].map(
    ([variable, problem]) => `${variable}: ${problem}${shownValue(variable, given)}`,
  );
}

/**
 * Returns the value of a setting for its error, because the value shows mistakes such as quotation marks or `\r` from an environment file.
 * Only the values of settings with a default are shown, such as numbers and choices. A text without a default, a long value, or a URL with a
 * password or a query may contain a secret.
 */
function shownValue(variable: string, given: Environment): string {
  const text = given[variable] ?? '';
  const setting = documentSettings().find((one) => one.variable === variable);
  const hasDefault = setting?.default.startsWith('`') ?? false;
  return !hasDefault || setting?.secret || text.length > MAX_SHOWN_LENGTH || /[@?]/.test(text)
    ? ''
    : ` (it is ${JSON.stringify(text)})`;
}

function contradictions(given: Environment): string[] {
  const isGiven = (variable: string) => given[variable] !== undefined;
  const pairs = (relation: typeof REQUIRES) =>
    Object.entries(relation)
      .filter(([one]) => isGiven(one))
      .flatMap(([one, others]) => others.map((other) => [one, other] as const));
  return [
    ...pairs(REQUIRES)
      .filter(([, other]) => !isGiven(other))
      .map(([one, other]) => `${other}: must be set too, because ${one} is set${adviceOn(other)}`),
    ...pairs(EXCLUDES)
      .filter(([, other]) => isGiven(other))
      .map(([one, other]) => `${other}: must not be set, because ${one} is set`),
  ];
}

/** Returns the problems that involve values, or a choice between settings. */
function singleSignOnProblems(given: Environment): string[] {
  const isOn = given['GATEHOUSE_OIDC_ISSUER'] !== undefined;
  const isRestricted =
    given['GATEHOUSE_OIDC_ALLOWED_DOMAINS'] !== undefined ||
    given['GATEHOUSE_OIDC_ALLOWED_GROUPS'] !== undefined;
  return [
    isOn && !isRestricted
      ? 'GATEHOUSE_OIDC_ALLOWED_DOMAINS: must be set too, or GATEHOUSE_OIDC_ALLOWED_GROUPS, because GATEHOUSE_OIDC_ISSUER is set; otherwise every user of the provider could sign in'
      : [],
    given['GATEHOUSE_PASSWORD_SIGN_IN'] === 'off' && !isOn
      ? 'GATEHOUSE_PASSWORD_SIGN_IN: must be on, because GATEHOUSE_OIDC_ISSUER is not set; otherwise nobody could sign in'
      : [],
  ].flat();
}

/** Returns the problems of names of models that no API has. */
function modelProblems(given: Environment): string[] {
  if (given['GATEHOUSE_MODEL_URL'] !== undefined) return [];
  const named = namesOfModels(given['GATEHOUSE_MODELS']);
  return ['GATEHOUSE_MODEL_NAME', 'GATEHOUSE_MODEL_FALLBACK'].flatMap((variable) => {
    const name = given[variable];
    if (name === undefined || named.has(name)) return [];
    const orNamed = named.size > 0 ? ' to a name that is not in GATEHOUSE_MODELS' : '';
    return [`GATEHOUSE_MODEL_URL: must be set too, because ${variable} is set${orNamed}`];
  });
}

function adviceOn(variable: Variable): string {
  return variable === 'GATEHOUSE_SECRET'
    ? `; generate one with: ${MAKE_SECRET}, and use the same for all replicas`
    : '';
}

/** Returns a problem for each unknown setting. Otherwise a misspelt name would silently leave a limit at its default. */
function unknownVariables(given: Environment): string[] {
  return Object.keys(given)
    .filter((name) => name.toUpperCase().startsWith(PREFIX) && !name.startsWith(TEST_PREFIX))
    .filter((name) => !Object.hasOwn(table, name))
    .sort()
    .map((name) => `${name}: is not a setting of this release${hintOn(name)}`);
}

function hintOn(name: string): string {
  if (/^GATEHOUSE_(SERVICE_(HOST|PORT)|PORT_\d+_)/.test(name))
    return '; Kubernetes sets this variable for a service named "gatehouse": set enableServiceLinks: false in the pod';
  if (/^GATEHOUSE_(URL|KEY|SPACE|LINK|LISTEN_SECRET)$/.test(name))
    return '; it is a variable of the command line: unset it for the service';
  const known = Object.keys(table).map((variable) => variable.slice(PREFIX.length));
  return nameHint(name.toUpperCase().slice(PREFIX.length), known, PREFIX);
}

/**
 * Returns the URL that clients use, without a trailing slash. This is `GATEHOUSE_BASE_URL`, or the listening address if that
 * setting is not set. A host that means "all addresses" becomes `localhost`.
 *
 * @param listeningPort the actual port. It differs from the configured port if the configured port is 0.
 */
export function publicBaseUrl(settings: Settings, listeningPort: number): string {
  if (settings.baseUrl !== null) return settings.baseUrl;
  return `http://${hostInUrl(settings.host)}:${listeningPort}`;
}

function hostInUrl(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost';
  return isIPv6(host) ? `[${host}]` : host;
}
