export { canonicalJson, exactNumber, NotCanonical } from './canonical.ts';
export { JsonCursor, textAt } from './cursor.ts';
export { isObject } from './is-object.ts';
export { shownName } from './member-name.ts';
export { parse } from './parse.ts';
export { countMembers, findRepeats } from './repeats.ts';
export { measureJson, TOO_DEEP, TOO_MANY } from './shape.ts';
export { findSyntaxError } from './syntax-error.ts';
