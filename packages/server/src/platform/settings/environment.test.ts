import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { declarations } from './declarations.ts';
import { unknownVariables } from './environment.ts';

function hints(...names: string[]): string[] {
  return unknownVariables(Object.fromEntries(names.map((name) => [name, 'x'])));
}

describe('an unknown variable', () => {
  it('is reported with the setting that was probably meant', () => {
    const meant = {
      GATEHOUSE_TRUSTED_PROXY: 'GATEHOUSE_TRUSTED_PROXIES',
      GATEHOUSE_RATE_LIMIT_SIGNIN: 'GATEHOUSE_RATE_LIMIT_SIGN_IN',
      GATEHOUSE_PASSWORD: 'GATEHOUSE_ADMIN_PASSWORD',
      gatehouse_host: 'GATEHOUSE_HOST',
    };
    for (const [given, known] of Object.entries(meant)) {
      const line = `${given}: is not a setting of this release; did you mean ${known}?`;
      assert.deepEqual(hints(given), [line]);
    }
  });

  it('is reported without a guess when nothing is near', () => {
    assert.deepEqual(hints('GATEHOUSE_WEATHER'), [
      'GATEHOUSE_WEATHER: is not a setting of this release',
    ]);
  });

  it('is explained when Kubernetes made it', () => {
    assert.match(hints('GATEHOUSE_SERVICE_HOST').join(), /enableServiceLinks: false/);
    assert.match(hints('GATEHOUSE_PORT_80_TCP_ADDR').join(), /enableServiceLinks: false/);
  });

  it('is no matter when it is for the tests or not ours', () => {
    assert.deepEqual(hints('GATEHOUSE_TEST_CHROMIUM', 'PATH', 'GATEHOUSEKEEPER'), []);
  });
});

describe('the declarations', () => {
  it('have variables of their own and defaults that their kinds accept', () => {
    const all = Object.values(declarations);
    assert.equal(new Set(all.map(({ variable }) => variable)).size, all.length);
    for (const { variable, kind, default: text } of all) {
      if (text !== null) assert.ok('value' in kind.parse(text), variable);
    }
  });
});
