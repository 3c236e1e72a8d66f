import assert from 'node:assert/strict';
import { test } from 'node:test';
import { applyTheme, parseColour, type Theme, textColourOn } from './theme.ts';

/** Applies themes in order and returns the resulting style properties. */
function applied(...themes: Theme[]): Record<string, string> {
  let set: Record<string, string> = {};
  const style = {
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
  for (const theme of themes) applyTheme(theme, style);
  return set;
}

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
