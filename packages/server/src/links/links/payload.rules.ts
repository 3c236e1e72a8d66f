import { SERVER_ONLY_CLAIMS } from '@gatehouse/contract';
import { JsonCursor, textAt } from '../../lib/json/index.ts';

const PAYLOAD_VERSION = 1;

/**
 * Request members that are copied to the payload. `spaceId` and `exp` are not copied, because the payload always contains them.
 */
const REPEATED: ReadonlySet<string> = new Set([
  'sub',
  'email',
  'botId',
  'loginUrl',
  'aud',
  'iss',
  'context',
  'widget',
  'filter',
  'features',
  'systemPromptInsertion',
  'permissionFilter',
  'budget',
]);

export interface StoredTexts {
  readonly payload: string;
  /** JSON text of `userInformation`, or null. */
  readonly userInformation: string | null;
}

/**
 * Returns the payload of a link: `v`, the given members, `spaceId`, `exp`. Members are copied as text, which preserves
 * numbers beyond double precision and members named `__proto__`.
 *
 * @param source Request body. It must be a valid JSON object of known members without duplicates.
 * @param exp Unix seconds. If the request has an `exp`, its exact text is used instead.
 */
export function composePayload(source: Uint8Array, spaceId: string, exp: number): StoredTexts {
  let repeated = '';
  let expText = String(exp);
  let userInformation: string | null = null;
  for (const { name, text } of membersOf(source)) {
    if (REPEATED.has(name)) repeated += `"${name}":${text},`;
    else if (name === 'exp') expText = text;
    else if (name === 'userInformation') userInformation = text;
  }
  const payload = `{"v":${PAYLOAD_VERSION},${repeated}"spaceId":"${spaceId}","exp":${expText}}`;
  return { payload, userInformation };
}

const SERVER_ONLY: ReadonlySet<string> = new Set(SERVER_ONLY_CLAIMS);

/**
 * Returns the payload of a link without the members that only the server needs. All other members keep their exact text.
 *
 * @param payload JSON text from `composePayload`.
 */
export function browserPayload(payload: string): string {
  const members: string[] = [];
  for (const { name, text } of membersOf(Buffer.from(payload)))
    if (!SERVER_ONLY.has(name)) members.push(`"${name}":${text}`);
  return `{${members.join(',')}}`;
}

/**
 * Serialises an object and appends members whose values are already JSON text. Preserves the exact text of stored JSON.
 * The names in `texts` must not need escaping.
 *
 * @example
 * jsonWith({ token: 'abc' }, { jwtPayload: '{"n":1e400}' }); // '{"token":"abc","jwtPayload":{"n":1e400}}'
 */
export function jsonWith(
  object: Readonly<Record<string, unknown>>,
  texts: Readonly<Record<string, string>>,
): string {
  const members = Object.entries(texts).map(([name, text]) => `"${name}":${text}`);
  const own = JSON.stringify(object).slice(1, -1);
  return `{${[...(own === '' ? [] : [own]), ...members].join(',')}}`;
}

/** Returns the members of a JSON object with their exact text. */
function* membersOf(
  source: Uint8Array,
): Generator<{ readonly name: string; readonly text: string }> {
  const cursor = new JsonCursor(source);
  cursor.enter();
  while (cursor.nextMember()) {
    const name = cursor.name();
    const start = cursor.at;
    cursor.skip();
    yield { name, text: textAt(source, start, cursor.at) };
  }
}
