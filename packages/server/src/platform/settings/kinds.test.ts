import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { email, password } from './account-kinds.ts';
import { host, networks, origin } from './address-kinds.ts';
import { type Kind, port } from './kinds.ts';
import { price } from './model-kinds.ts';

function accepts<T>(kind: Kind<T>, text: string, value: T): void {
  assert.deepEqual(kind.parse(text), { value }, text);
}

function refuses(kind: Kind<unknown>, ...texts: string[]): void {
  for (const text of texts) assert.ok('problem' in kind.parse(text), text);
}

describe('a host', () => {
  it('is a name or an address and nothing around it', () => {
    for (const right of ['localhost', 'gate.example.com', '0.0.0.0', '::', '::1', 'gate-1']) {
      accepts(host, right, right);
    }
    refuses(host, 'http://gate', 'gate:80', '[::1]', '10.0.0', '-a', 'a b', '1.2.3.256', 'a..b');
  });
});

describe('an origin', () => {
  it('is normalised as browsers do it', () => {
    accepts(origin, 'https://Gate.Example.com:443', 'https://gate.example.com');
    accepts(origin, 'http://[::1]:8080', 'http://[::1]:8080');
  });

  it('says what it has too much of', () => {
    const texts = {
      'https://gate.example.com/': 'must not have a trailing slash',
      'https://gate.example.com/app': 'must not have a path',
      'https://u:p@gate.example.com/?a#b': 'must not have credentials or a query or a fragment',
      'https://gate.example.com?': 'must not have a query',
    };
    for (const [text, problem] of Object.entries(texts)) {
      assert.deepEqual(origin.parse(text), { problem });
    }
  });

  it('is absolute and http or https', () => {
    refuses(origin, 'gate.example.com', '//gate', 'ftp://gate', 'http:gate', 'http:///gate');
    refuses(origin, 'javascript:alert(1)', 'http://', 'https://a b', 'http://gate:65536');
  });
});

describe('a price', () => {
  it('is a plain decimal number', () => {
    accepts(price, '0', 0);
    accepts(price, '2.5', 2.5);
    accepts(price, '0.000001', 0.000001);
    accepts(price, '1000000', 1_000_000);
    refuses(price, '-1', '.5', '1.', '1,5', '1e3', '$1', 'NaN', ' 1', '0.0000001', '1000000.1');
  });
});

describe('networks', () => {
  it('are addresses and CIDR networks of both versions, with or without spaces between', () => {
    accepts(networks, '10.0.0.1, fd00::/8,192.168.0.0/16', [
      '10.0.0.1',
      'fd00::/8',
      '192.168.0.0/16',
    ]);
  });

  it('name the wrong entry by its place', () => {
    assert.deepEqual(networks.parse('10.0.0.1,proxy'), {
      problem: 'entry 2 must be an IP address or a network such as 10.0.0.0/8',
    });
  });

  it('never include everybody by a length of 0, nor lengths that do not exist', () => {
    refuses(networks, '0.0.0.0/0', '::/0', '10.0.0.0/33', 'fd00::/129', '10.0.0.0/08');
    refuses(networks, '10.0.0.0/8/8', '10.0.0.1,', ',', 'fe80::1%eth0', 'loopback');
  });
});

describe('an administrator', () => {
  it('has an e-mail address that sign-in accepts', () => {
    accepts(email, 'ada+1@example.co.uk', 'ada+1@example.co.uk');
    refuses(email, 'ada', 'ada@localhost', 'a b@example.com', '.ada@example.com', 'a@b@c.de');
    refuses(email, `${'a'.repeat(243)}@example.com`);
  });

  it('has a password of 12 to 128 characters, where one outside the BMP counts once', () => {
    accepts(password, ' 2 4 6 8 10 ', ' 2 4 6 8 10 ');
    accepts(password, 'x'.repeat(128), 'x'.repeat(128));
    refuses(password, 'x'.repeat(11), 'x'.repeat(129), '🔑'.repeat(11));
  });
});

describe('a port', () => {
  it('explains the variable that Kubernetes makes for a service of the same name', () => {
    const parsed = port.parse('tcp://10.0.0.7:80');
    assert.match('problem' in parsed ? parsed.problem : '', /enableServiceLinks: false/);
  });
});
