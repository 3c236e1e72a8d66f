const identifier = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u;
const longestKeyShown = 60;

/** The path of an object's member: `price`, or `["a b"]` when the key is not an identifier. */
export function memberPath(parent: string, key: string): string {
  const shown = clip(key);
  if (!identifier.test(shown)) return `${parent}[${JSON.stringify(shown)}]`;
  return parent === '' ? shown : `${parent}.${shown}`;
}

/** The path of an array's element: `and[2]`. */
export function elementPath(parent: string, index: number): string {
  return `${parent}[${index}]`;
}

function clip(key: string): string {
  return key.length <= longestKeyShown ? key : `${key.slice(0, longestKeyShown)}…`;
}
