import { JsonCursor, textAt } from '../../lib/json/index.ts';

const PAYLOAD_VERSION = 1;

/** The members of a request that the payload repeats; `spaceId` and `exp` it always has, in its own words. */
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
]);

export interface StoredTexts {
  /** The JWT payload, JSON. */
  readonly payload: string;
  /** `userInformation`, JSON; null when none was given. */
  readonly userInformation: string | null;
}

/**
 * Writes the payload of a link: `v`, the given members, `spaceId`, `exp`. The members are copied as
 * text, so that they are kept as sent: a number longer than a double holds, and a member that is
 * called `__proto__`, stay what they were.
 *
 * @param source the request body, which was checked to be an object of known members, each once.
 * @param exp Unix seconds. A request that gives `exp` keeps its spelling of it.
 */
export function composePayload(source: Uint8Array, spaceId: string, exp: number): StoredTexts {
  let repeated = '';
  let expText = String(exp);
  let userInformation: string | null = null;
  const cursor = new JsonCursor(source);
  cursor.enter();
  while (cursor.nextMember()) {
    const name = cursor.name();
    const start = cursor.at;
    cursor.skip();
    const text = textAt(source, start, cursor.at);
    if (REPEATED.has(name)) repeated += `"${name}":${text},`;
    else if (name === 'exp') expText = text;
    else if (name === 'userInformation') userInformation = text;
  }
  const payload = `{"v":${PAYLOAD_VERSION},${repeated}"spaceId":"${spaceId}","exp":${expText}}`;
  return { payload, userInformation };
}

/**
 * An object as JSON with more members whose values are JSON already, so that what was kept as it
 * was sent also goes out like that. The names need no escaping.
 */
export function jsonWith(
  object: Readonly<Record<string, unknown>>,
  texts: Readonly<Record<string, string>>,
): string {
  const members = Object.entries(texts).map(([name, text]) => `"${name}":${text}`);
  const own = JSON.stringify(object).slice(1, -1);
  return `{${[...(own === '' ? [] : [own]), ...members].join(',')}}`;
}
