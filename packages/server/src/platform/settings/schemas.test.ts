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

function refuses(schema: z.ZodType, ...texts: string[]): void {
  for (const text of texts) assert.notEqual(problemOf(schema, text), undefined, text);
}

function problemOf(schema: z.ZodType, text: string): string | undefined {
  return schema.safeParse(text).error?.issues[0]?.message;
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
      assert.equal(problemOf(origin, text), problem);
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
    assert.match(problemOf(port, 'tcp://10.0.0.7:80') ?? '', /enableServiceLinks: false/);
  });
});

describe('NATS servers', () => {
  it('are URLs with a host and no credentials', () => {
    accepts(natsServers, 'nats://127.0.0.1:4222', ['nats://127.0.0.1:4222']);
    accepts(natsServers, 'tls://A.example, tls://[::1]:4222', [
      'tls://a.example',
      'tls://[::1]:4222',
    ]);
    refuses(natsServers, 'a.example:4222', 'http://a.example', 'nats://', 'nats:a.example');
    refuses(
      natsServers,
      'nats://u:p@a.example',
      'nats://a.example/',
      'nats://a.example?x',
      'nats://a,',
    );
  });
});

describe('a subject', () => {
  it('has tokens that NATS takes for a name', () => {
    for (const right of ['a', 'a.b-c_d', 'gatehouse.{spaceId}.x-{type}.{source}'])
      accepts(natsSubject, right, right);
    refuses(natsSubject, '.a', 'a.', 'a..b', 'a.*', 'a.>', 'a b', 'é', 'x'.repeat(201));
    refuses(natsSubject, '{subject}', 'a.{spaceid}', 'a.{', '$SYS.a', '$JS.API', '_INBOX.a');
  });
});

describe('Kafka brokers', () => {
  it('are hosts with ports', () => {
    accepts(kafkaBrokers, 'a.example:9092,[::1]:9093', ['a.example:9092', '[::1]:9093']);
    refuses(
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

describe('a topic', () => {
  it('is a name that Kafka takes, with the id of a space in it or not', () => {
    for (const right of ['events', 'gate.house_1-{spaceId}', 'x'.repeat(249)])
      accepts(kafkaTopic, right, right);
    refuses(
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

describe('a credential at a broker', () => {
  it('is any text that fits on a line', () => {
    accepts(credential, 'pässwörd with spaces', 'pässwörd with spaces');
    refuses(credential, '', 'a\nb', 'a\0b');
  });
});
