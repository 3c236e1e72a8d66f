import assert from 'node:assert/strict';
import { test } from 'node:test';
import { applyTheme, parseColour, type Theme, textColourOn } from './theme.ts';

/** What is set after some themes in turn, by the names of properties. */
function dressed(...themes: Theme[]): Record<string, string> {
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

test('a theme of known values dresses the page', () => {
  assert.deepEqual(
    dressed({ mode: 'dark', accent: '#b05', radius: '6px', font: '"Comic Neue", cursive' }),
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

test('another theme leaves nothing of the one before', () => {
  assert.deepEqual(dressed({ mode: 'dark', accent: '#b05' }, { radius: 6 }), { '--radius': '6px' });
});

test('a radius has an upper bound', () => {
  assert.deepEqual(dressed({ radius: 1e9 }), { '--radius': '24px' });
});

test('whatever is none of the known values changes nothing', () => {
  const hostile = ['url(https://evil.example)', 'red;}', 'var(--x)', '', null, {}, [], Number.NaN];
  for (const value of hostile)
    assert.deepEqual(
      dressed({
        mode: value,
        accent: value,
        radius: value,
        font: typeof value === 'string' ? `${value};` : value,
      }),
      {},
    );
});

test('text on an accent is the darker or the lighter ink, whichever has more contrast', () => {
  assert.equal(textColourOn('#ffe000'), '#10131a');
  assert.equal(textColourOn('#1f5fd6'), '#ffffff');
});

test('a colour is three or six hexadecimal digits', () => {
  assert.equal(parseColour('#aBc'), '#aaBBcc');
  assert.equal(parseColour('#abcd'), null);
  assert.equal(parseColour('red'), null);
});
