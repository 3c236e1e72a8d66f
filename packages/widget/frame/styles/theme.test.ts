import assert from 'node:assert/strict';
import { test } from 'node:test';
import { applyTheme, parseColour, type Theme, textColourOn } from './theme.ts';

const UNSPECIFIED = { chosen: null, page: null };

/** A `style` that records its properties in `set`. */
function recorder() {
  let set: Record<string, string> = {};
  return {
    get set() {
      return set;
    },
    set cssText(_: '') {
      set = {};
    },
    set colorScheme(value: string) {
      set['color-scheme'] = value;
    },
    setProperty: (name: string, value: string) => {
      set[name] = value;
    },
  };
}

/** Applies themes in order and returns the resulting style properties. */
function applied(...themes: Theme[]): Record<string, string> {
  const style = recorder();
  for (const theme of themes) applyTheme(theme, style, UNSPECIFIED);
  return style.set;
}

test('setTheme takes precedence over the link, and the link takes precedence over the page', () => {
  const schemeOf = (mode: unknown, fromPage: Parameters<typeof applyTheme>[2]) => {
    const style = recorder();
    applyTheme({ mode }, style, fromPage);
    return style.set['color-scheme'];
  };
  assert.equal(schemeOf('dark', { chosen: 'light', page: null }), 'light');
  assert.equal(schemeOf('dark', { chosen: null, page: 'light' }), 'dark');
  assert.equal(schemeOf('blue', { chosen: null, page: 'light' }), 'light');
  assert.equal(schemeOf(undefined, UNSPECIFIED), undefined);
});

test('applies all valid values of a theme', () => {
  assert.deepEqual(
    applied({ mode: 'dark', accent: '#b05', radius: '6px', font: '"Comic Neue", cursive' }),
    {
      'color-scheme': 'dark',
      '--accent': '#bb0055',
      '--on-accent': '#ffffff',
      '--accent-text': 'light-dark(#bb0055, var(--text))',
      '--radius': '6px',
      '--font': '"Comic Neue", cursive',
    },
  );
});

test('a new theme removes all values of the previous one', () => {
  assert.deepEqual(applied({ mode: 'dark', accent: '#b05' }, { radius: 6 }), { '--radius': '6px' });
});

test('limits the radius of a theme', () => {
  assert.deepEqual(applied({ radius: 1e9 }), { '--radius': '24px' });
});

test('ignores invalid and hostile values of a theme', () => {
  const hostile = ['url(https://evil.example)', 'red;}', 'var(--x)', '', null, {}, [], Number.NaN];
  for (const value of hostile)
    assert.deepEqual(
      applied({
        mode: value,
        accent: value,
        radius: value,
        font: typeof value === 'string' ? `${value};` : value,
      }),
      {},
    );
});

test('text on the accent colour is either dark or light, depending on which has more contrast', () => {
  assert.equal(textColourOn('#ffe000'), '#10131a');
  assert.equal(textColourOn('#1f5fd6'), '#ffffff');
});

test('accepts only colours with three or six hexadecimal digits', () => {
  assert.equal(parseColour('#aBc'), '#aaBBcc');
  assert.equal(parseColour('#abcd'), null);
  assert.equal(parseColour('red'), null);
});
