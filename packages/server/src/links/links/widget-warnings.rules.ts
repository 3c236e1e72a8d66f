import { nameHint } from '@gatehouse/contract';
import { isLogo } from '@gatehouse/contract/logo';
import { isObject } from '../../lib/json/index.ts';

/** Maximum members of `widget` to check, and maximum warnings. */
const MAX_CHECKED = 200;
const MAX_WARNINGS = 20;

interface Expected {
  readonly type: string;
  readonly holds: (value: unknown) => boolean;
}

const TEXT: Expected = { type: 'a string', holds: isText };
const TEXTS: Expected = {
  type: 'an array of strings',
  holds: (value) => Array.isArray(value) && value.every(isText),
};
const LENGTH: Expected = {
  type: 'a number or a string',
  holds: (value) => typeof value === 'number' || isText(value),
};
const LOGO: Expected = {
  type: 'a `data:` URL of a PNG, JPEG, WebP, GIF or SVG image of at most 32 kB',
  holds: isLogo,
};
const COLOUR: Expected = {
  type: 'a colour such as #b05 or #b3005e',
  holds: (value) => isText(value) && /^#([0-9a-f]{3}){1,2}$/i.test(value),
};
const OBJECT: Expected = { type: 'an object', holds: isObject };

const WIDGET: ReadonlyMap<string, Expected> = new Map([
  ['title', TEXT],
  ['greeting', TEXT],
  ['placeholder', TEXT],
  ['suggestions', TEXTS],
  ['theme', OBJECT],
  ['locale', TEXT],
  ['position', oneOf('left', 'right')],
  ['logo', LOGO],
]);
const THEME: ReadonlyMap<string, Expected> = new Map([
  ['mode', oneOf('light', 'dark')],
  ['accent', COLOUR],
  ['radius', LENGTH],
  ['font', TEXT],
]);

/**
 * Returns warnings about members of a link's `widget` that look misspelt or have an invalid value. The widget ignores such members.
 *
 * @example
 * widgetWarnings({ greting: 'Hi' }); // ['widget.greting: is unknown and ignored (did you mean widget.greeting?)']
 */
export function widgetWarnings(widget: unknown): string[] {
  if (!isObject(widget)) return [];
  const theme = isObject(widget['theme']) ? widget['theme'] : {};
  return [
    ...warningsOf('widget', widget, WIDGET),
    ...warningsOf('widget.theme', theme, THEME),
  ].slice(0, MAX_WARNINGS);
}

function warningsOf(
  path: string,
  object: Readonly<Record<string, unknown>>,
  known: ReadonlyMap<string, Expected>,
): string[] {
  const names = [...known.keys()];
  return Object.entries(object)
    .slice(0, MAX_CHECKED)
    .flatMap(([name, value]) => {
      const expected = known.get(name);
      if (expected !== undefined)
        return expected.holds(value)
          ? []
          : [`${path}.${name}: must be ${expected.type}; the value is ignored`];
      const hint = nameHint(name, names, `${path}.`);
      return hint === '' ? [] : [`${path}.${name}: is unknown and ignored${hint}`];
    });
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function oneOf(...names: readonly string[]): Expected {
  return {
    type: names.map((name) => `"${name}"`).join(' or '),
    holds: (value) => isText(value) && names.includes(value),
  };
}
