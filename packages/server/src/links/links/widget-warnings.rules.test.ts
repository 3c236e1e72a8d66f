import assert from 'node:assert/strict';
import { test } from 'node:test';
import { widgetWarnings } from './widget-warnings.rules.ts';

test('known members of the right type and unknown members that resemble no known member cause no warning', () => {
  const theme = { mode: 'dark', accent: '#00f', radius: '4px', font: 'Inter' };
  const widget = {
    title: 'Shop',
    greeting: 'Hi',
    placeholder: 'Ask',
    suggestions: ['a'],
    theme,
    locale: 'de',
    position: 'left',
    logo: 'data:image/png;base64,AAAA',
    campaign: 7,
  };
  assert.deepEqual(widgetWarnings(widget), []);
  for (const other of [undefined, null, 'x', []]) assert.deepEqual(widgetWarnings(other), []);
});

test('misspelt members and members of the wrong type cause one warning each', () => {
  assert.deepEqual(widgetWarnings({ Title: 'x', theme: 'dark', logo: 3, sugestions: [] }), [
    'widget.Title: is unknown and ignored (did you mean widget.title?)',
    'widget.theme: must be an object; the value is ignored',
    'widget.logo: must be a `data:` URL of a PNG, JPEG, WebP, GIF or SVG image of at most 32 kB; the value is ignored',
    'widget.sugestions: is unknown and ignored (did you mean widget.suggestions?)',
  ]);
  assert.deepEqual(widgetWarnings({ theme: { radius: null } }), [
    'widget.theme.radius: must be a number or a string; the value is ignored',
  ]);
});

test('values that the widget ignores cause one warning each', () => {
  const theme = { mode: 'black', accent: 'red' };
  assert.deepEqual(widgetWarnings({ position: 'top', theme }), [
    'widget.position: must be "left" or "right"; the value is ignored',
    'widget.theme.mode: must be "light" or "dark"; the value is ignored',
    'widget.theme.accent: must be a colour such as #b05 or #b3005e; the value is ignored',
  ]);
});

test('there are at most 20 warnings', () => {
  const widget = Object.fromEntries(
    Array.from({ length: 300 }, (_, index) => [`titel${index % 9}${index}`, 1]),
  );
  assert.equal(widgetWarnings({ ...widget }).length <= 20, true);
  const misspelt = Object.fromEntries(
    Array.from({ length: 40 }, (_, at) => [`title${'_'.repeat(at + 1)}`, 1]),
  );
  assert.equal(widgetWarnings(misspelt).length, 20);
});
