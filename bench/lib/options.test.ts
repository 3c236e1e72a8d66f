import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readNumbers } from './options.ts';

const DEFAULTS = { runs: 5, seconds: 8 };

test('numbers on the command line replace the defaults', () => {
  assert.deepEqual(readNumbers(['--runs', '2'], DEFAULTS), { runs: 2, seconds: 8 });
  assert.deepEqual(readNumbers(['--seconds=0.5'], DEFAULTS), { runs: 5, seconds: 0.5 });
});

test('the error of an unknown or invalid option names the option', () => {
  assert.throws(() => readNumbers(['--rnus', '2'], DEFAULTS), /--rnus/);
  assert.throws(() => readNumbers(['--runs', 'two'], DEFAULTS), /--runs must be .*'two'/);
  assert.throws(() => readNumbers(['--runs', '0'], DEFAULTS), /--runs must be a positive number/);
  assert.throws(() => readNumbers(['links'], DEFAULTS), /links/);
});
