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
 * @param defaultExp Unix seconds, where the request gives no `exp`.
 */
export function composePayload(
  source: Uint8Array,
  spaceId: string,
  defaultExp: number,
): StoredTexts {
  let repeated = '';
  let exp = String(defaultExp);
  let userInformation: string | null = null;
  const cursor = new JsonCursor(source);
  cursor.enter();
  while (cursor.nextMember()) {
    const name = cursor.name();
    const start = cursor.at;
    cursor.skip();
    const text = textAt(source, start, cursor.at);
    if (REPEATED.has(name)) repeated += `"${name}":${text},`;
    else if (name === 'exp') exp = text;
    else if (name === 'userInformation') userInformation = text;
  }
  const payload = `{"v":${PAYLOAD_VERSION},${repeated}"spaceId":"${spaceId}","exp":${exp}}`;
  return { payload, userInformation };
}
