import { runInNewContext } from 'node:vm';

/**
 * Reports whether the JSON parser of this version of Node can replace a key that starts with an escape by a key that an earlier text
 * contained (https://github.com/nodejs/node/issues/63785). Uses a new context, whose parser has read nothing before.
 */
export function confusesEscapedKeys(): boolean {
  return (
    keyAfter('{"\\\\":0}', '{"\\"":0}') !== '"' || keyAfter('{"\\\\n":0}', '{"\\na":0}') !== '\na'
  );
}

/** Parses two texts. Returns the key of the second one. */
function keyAfter(before: string, text: string): unknown {
  return runInNewContext('JSON.parse(before), Object.keys(JSON.parse(text))[0]', { before, text });
}
