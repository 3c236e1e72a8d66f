import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { z } from 'zod';
import {
  credential,
  email,
  host,
  kafkaBrokers,
  kafkaTopic,
  natsServers,
  natsSubject,
  networks,
  origin,
  password,
  port,
  price,
} from './schemas.ts';

function accepts<T>(schema: z.ZodType<T>, text: string, value: T): void {
  assert.deepEqual(schema.parse(text), value, text);
}

function rejects(schema: z.ZodType, ...texts: string[]): void {
  for (const text of texts) assert.notEqual(problemOf(schema, text), undefined, text);
}

function problemOf(schema: z.ZodType, text: string): string | undefined {
  return schema.safeParse(text).error?.issues[0]?.message;
}

describe('host', () => {
  it('accepts only a host name or an address', () => {
    for (const right of ['localhost', 'gate.example.com', '0.0.0.0', '::', '::1', 'gate-1']) {
      accepts(host, right, right);
    }
    rejects(host, 'http://gate', 'gate:80', '[::1]', '10.0.0', '-a', 'a b', '1.2.3.256', 'a..b');
  });
});

describe('origin', () => {
  it('normalises an origin as browsers do', () => {
    accepts(origin, 'https://Gate.Example.com:443', 'https://gate.example.com');
    accepts(origin, 'http://[::1]:8080', 'http://[::1]:8080');
  });

  it('names the parts of a URL that an origin must not have', () => {
    const texts = {
      'https://gate.example.com/': 'must not have a trailing slash',
      'https://gate.example.com/app': 'must not have a path',
      'https://u:p@gate.example.com/?a#b': 'must not have credentials or a query or a fragment',
      'https://gate.example.com?': 'must not have a query',
    };
    for (const [text, problem] of Object.entries(texts)) {
      assert.equal(problemOf(origin, text), problem);
    }
  });

  it('accepts only absolute http and https URLs as an origin', () => {
    rejects(origin, 'gate.example.com', '//gate', 'ftp://gate', 'http:gate', 'http:///gate');
    rejects(origin, 'javascript:alert(1)', 'http://', 'https://a b', 'http://gate:65536');
  });
});

describe('price', () => {
  it('accepts only decimal numbers without a sign, an exponent or a currency symbol as a price', () => {
    accepts(price, '0', 0);
    accepts(price, '2.5', 2.5);
    accepts(price, '0.000001', 0.000001);
    accepts(price, '1000000', 1_000_000);
    rejects(price, '-1', '.5', '1.', '1,5', '1e3', '$1', 'NaN', ' 1', '0.0000001', '1000000.1');
  });
});

describe('networks', () => {
  it('accepts IPv4 and IPv6 addresses and CIDR networks, with optional spaces', () => {
    accepts(networks, '10.0.0.1, fd00::/8,192.168.0.0/16', [
      '10.0.0.1',
      'fd00::/8',
      '192.168.0.0/16',
    ]);
  });

  it('rejects networks whose prefix length is 0 or invalid', () => {
    rejects(networks, '0.0.0.0/0', '::/0', '10.0.0.0/33', 'fd00::/129', '10.0.0.0/08');
    rejects(networks, '10.0.0.0/8/8', '10.0.0.1,', ',', 'fe80::1%eth0', 'loopback');
  });
});

describe('administrator', () => {
  it('accepts only email addresses that can be used to sign in', () => {
    accepts(email, 'ada+1@example.co.uk', 'ada+1@example.co.uk');
    rejects(email, 'ada', 'ada@localhost', 'a b@example.com', '.ada@example.com', 'a@b@c.de');
    rejects(email, `${'a'.repeat(243)}@example.com`);
  });

  it('accepts passwords of 12 to 128 Unicode code points', () => {
    accepts(password, ' 2 4 6 8 10 ', ' 2 4 6 8 10 ');
    accepts(password, 'x'.repeat(128), 'x'.repeat(128));
    rejects(password, 'x'.repeat(11), 'x'.repeat(129), '🔑'.repeat(11));
  });
});

describe('port', () => {
  it('explains a GATEHOUSE_PORT that Kubernetes set because a service is called gatehouse', () => {
    assert.match(problemOf(port, 'tcp://10.0.0.7:80') ?? '', /enableServiceLinks: false/);
  });
});

describe('NATS servers', () => {
  it('accepts only NATS URLs without credentials or a path', () => {
    accepts(natsServers, 'nats://127.0.0.1:4222', ['nats://127.0.0.1:4222']);
    accepts(natsServers, 'tls://A.example, tls://[::1]:4222', [
      'tls://a.example',
      'tls://[::1]:4222',
    ]);
    rejects(natsServers, 'a.example:4222', 'http://a.example', 'nats://', 'nats:a.example');
    rejects(
      natsServers,
      'nats://u:p@a.example',
      'nats://a.example/',
      'nats://a.example?x',
      'nats://a,',
    );
  });
});

describe('NATS subject', () => {
  it('accepts only subjects whose tokens NATS allows', () => {
    for (const right of ['a', 'a.b-c_d', 'gatehouse.{spaceId}.x-{type}.{source}'])
      accepts(natsSubject, right, right);
    rejects(natsSubject, '.a', 'a.', 'a..b', 'a.*', 'a.>', 'a b', 'é', 'x'.repeat(201));
    rejects(natsSubject, '{subject}', 'a.{spaceid}', 'a.{', '$SYS.a', '$JS.API', '_INBOX.a');
  });
});

describe('Kafka brokers', () => {
  it('accepts only Kafka brokers that consist of a host and a port', () => {
    accepts(kafkaBrokers, 'a.example:9092,[::1]:9093', ['a.example:9092', '[::1]:9093']);
    rejects(
      kafkaBrokers,
      'a.example',
      'kafka://a.example:9092',
      'u@a:1',
      'a:1/x',
      'a:65536',
      'a:1,',
    );
  });
});

describe('Kafka topic', () => {
  it('accepts valid Kafka topic names, with or without a placeholder for the space', () => {
    for (const right of ['events', 'gate.house_1-{spaceId}', 'x'.repeat(249)])
      accepts(kafkaTopic, right, right);
    rejects(
      kafkaTopic,
      '.',
      '..',
      'a b',
      'a/b',
      '{type}',
      'x'.repeat(250),
      `${'x'.repeat(214)}{spaceId}`,
    );
  });
});

describe('broker credential', () => {
  it('accepts any string without control characters as a broker credential', () => {
    accepts(credential, 'pässwörd with spaces', 'pässwörd with spaces');
    rejects(credential, '', 'a\nb', 'a\0b');
  });
});
