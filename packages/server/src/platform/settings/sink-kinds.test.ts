import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Kind } from './kinds.ts';
import {
  brokerCredential,
  kafkaBrokers,
  kafkaTopic,
  natsServers,
  natsSubject,
} from './sink-kinds.ts';

function accepts<T>(kind: Kind<T>, text: string, value: T): void {
  assert.deepEqual(kind.parse(text), { value }, text);
}

function refuses(kind: Kind<unknown>, ...texts: string[]): void {
  for (const text of texts) assert.ok('problem' in kind.parse(text), text);
}

describe('NATS servers', () => {
  it('are URLs with a host and no credentials', () => {
    accepts(natsServers, 'nats://127.0.0.1:4222', ['nats://127.0.0.1:4222']);
    accepts(natsServers, 'tls://A.example, tls://[::1]:4222', [
      'tls://a.example',
      'tls://[::1]:4222',
    ]);
    refuses(natsServers, '', 'a.example:4222', 'http://a.example', 'nats://', 'nats:a.example');
    refuses(
      natsServers,
      'nats://u:p@a.example',
      'nats://a.example/',
      'nats://a.example?x',
      'nats://a,',
    );
  });

  it('are told apart by place when one is wrong', () => {
    assert.deepEqual(natsServers.parse('nats://a,tcp://b'), {
      problem: 'entry 2 must be a URL such as nats://127.0.0.1:4222, without credentials and path',
    });
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
      '',
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
    accepts(brokerCredential, 'pässwörd with spaces', 'pässwörd with spaces');
    refuses(brokerCredential, '', 'a\nb', 'a\0b');
  });
});
