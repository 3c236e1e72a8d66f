import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryDirectory } from '../../../../tests/support/services/service.ts';
import { Secret } from '../../../platform/secrets/index.ts';
import {
  createBrokerSinks,
  type SinkSettings,
  UnusableCredentials,
} from './create-broker-sinks.ts';

const NONE: SinkSettings = {
  natsUrl: null,
  natsSubject: 'events',
  natsUser: null,
  natsPassword: null,
  natsToken: null,
  natsCredentialsFile: null,
  kafkaBrokers: null,
  kafkaTopic: 'events',
  kafkaKey: 'subject',
  kafkaTls: 'off',
  kafkaSasl: null,
  kafkaUser: null,
  kafkaPassword: null,
};

test('creates a sink for each configured broker', () => {
  assert.deepEqual([...createBrokerSinks(NONE).keys()], []);
  const nats = { ...NONE, natsUrl: ['nats://127.0.0.1:4222'] };
  assert.deepEqual([...createBrokerSinks(nats).keys()], ['nats']);
  const both = {
    ...nats,
    kafkaBrokers: ['127.0.0.1:9092'],
    kafkaSasl: 'plain',
    kafkaUser: 'gatehouse',
    kafkaPassword: new Secret('secret'),
  } as const;
  assert.deepEqual([...createBrokerSinks(both).keys()], ['nats', 'kafka']);
});

test('reports an unusable credentials file without showing its contents', () => {
  using directory = temporaryDirectory();
  const file = join(directory.path, 'gatehouse.creds');
  const settings = { ...NONE, natsUrl: ['nats://127.0.0.1:4222'], natsCredentialsFile: file };
  assert.throws(
    () => createBrokerSinks(settings),
    new UnusableCredentials('GATEHOUSE_NATS_CREDENTIALS_FILE: cannot be read (ENOENT)'),
  );
  writeFileSync(file, 'hunter2');
  assert.throws(
    () => createBrokerSinks(settings),
    new UnusableCredentials(
      'GATEHOUSE_NATS_CREDENTIALS_FILE: must contain a NATS user JWT and the seed of an nkey',
    ),
  );
});
