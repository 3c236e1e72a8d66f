import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { credsAuthenticator } from '@nats-io/transport-node';
import { makeAccount } from '../support/brokers/nats-account.ts';
import { type NatsServerOptions, NO_NATS, startNats } from '../support/brokers/nats-server.ts';
import { ingest, makeEvents } from '../support/events/events.ts';
import { makeCertificate, NO_OPENSSL } from '../support/http/certificate.ts';
import { clientOf } from '../support/http/client.ts';
import { makeKey, makeSpace, signIn } from '../support/provision.ts';
import type { ChildServer } from '../support/services/child-server.ts';
import { sinkLines } from '../support/services/log-lines.ts';
import { startService, temporaryDirectory } from '../support/services/service.ts';
import { until } from '../support/until.ts';

const directory = temporaryDirectory();
after(() => directory[Symbol.dispose]());

async function sendEvents(service: ChildServer): Promise<void> {
  const client = clientOf(service.url);
  const session = await signIn(client);
  const key = await makeKey(client, session, (await makeSpace(client, session)).id);
  await ingest(client, { as: key, body: { events: makeEvents(10) } });
}

/** Asserts that a service with the given settings publishes events to a NATS server with the given options. */
async function assertPublishes(
  options: NatsServerOptions,
  envOf: (port: string) => Record<string, string>,
): Promise<void> {
  await using nats = await startNats(options);
  await nats.addStream();
  using data = temporaryDirectory();
  const env = envOf(new URL(nats.url).port);
  await using service = await startService(data.path, { env, capture: true });
  await sendEvents(service);
  await until('the events are published', async () => (await nats.count()) === 10);
  assert.deepEqual(sinkLines(service, 'nats'), []);
}

describe('authentication with NATS', { skip: NO_NATS }, () => {
  test('supports user name and password', () =>
    assertPublishes(
      {
        configuration: 'authorization { user: gatehouse, password: "pässwörd 1" }',
        connect: { user: 'gatehouse', pass: 'pässwörd 1' },
      },
      (port) => ({
        GATEHOUSE_NATS_URL: `nats://127.0.0.1:${port}`,
        GATEHOUSE_NATS_USER: 'gatehouse',
        GATEHOUSE_NATS_PASSWORD: 'pässwörd 1',
      }),
    ));

  test('supports a token', () =>
    assertPublishes(
      { configuration: 'authorization { token: tkn-1 }', connect: { token: 'tkn-1' } },
      (port) => ({
        GATEHOUSE_NATS_URL: `nats://127.0.0.1:${port}`,
        GATEHOUSE_NATS_TOKEN: 'tkn-1',
      }),
    ));

  test('supports a credentials file', () => {
    const { configuration, credentials } = makeAccount();
    const file = join(directory.path, 'gatehouse.creds');
    writeFileSync(file, credentials);
    const authenticator = credsAuthenticator(Buffer.from(credentials));
    return assertPublishes({ configuration, connect: { authenticator } }, (port) => ({
      GATEHOUSE_NATS_URL: `nats://127.0.0.1:${port}`,
      GATEHOUSE_NATS_CREDENTIALS_FILE: file,
    }));
  });

  test("accepts a server certificate from the operator's certificate authority", {
    skip: NO_OPENSSL,
  }, () => {
    const { certificate, key } = makeCertificate(directory.path);
    return assertPublishes(
      {
        configuration: `tls { cert_file: "${certificate}", key_file: "${key}" }`,
        connect: { tls: { ca: readFileSync(certificate, 'utf8') } },
      },
      (port) => ({
        GATEHOUSE_NATS_URL: `tls://127.0.0.1:${port}`,
        NODE_EXTRA_CA_CERTS: certificate,
      }),
    );
  });

  test('does not connect to a server with an untrusted certificate', {
    skip: NO_OPENSSL,
  }, async () => {
    const { certificate, key } = makeCertificate(directory.path);
    await using nats = await startNats({
      configuration: `tls { cert_file: "${certificate}", key_file: "${key}" }`,
    });
    using data = temporaryDirectory();
    await using service = await startService(data.path, {
      env: { GATEHOUSE_NATS_URL: nats.url },
      capture: true,
    });
    await sendEvents(service);
    await until('the failure is logged', () => sinkLines(service, 'nats').length > 0);
    assert.match(
      String(sinkLines(service, 'nats')[0]?.['msg']),
      /^events for a sink are delayed: the NATS server cannot be reached \(DEPTH_ZERO_SELF_SIGNED_CERT\)$/,
    );
  });

  test('does not send the password to a server without TLS if TLS is required', async () => {
    let received = '';
    const server = createServer((socket) => {
      socket.on('error', () => {});
      socket.on('data', (bytes) => {
        received += bytes;
      });
      const info = { server_id: 'x', version: '2.10.0', proto: 1, headers: true, max_payload: 1e6 };
      socket.write(`INFO ${JSON.stringify(info)}\r\n`);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    assert.ok(typeof address === 'object' && address !== null);
    using data = temporaryDirectory();
    await using service = await startService(data.path, {
      env: {
        GATEHOUSE_NATS_URL: `tls://127.0.0.1:${address.port}`,
        GATEHOUSE_NATS_USER: 'gatehouse',
        GATEHOUSE_NATS_PASSWORD: 'secret',
      },
      capture: true,
    });
    await sendEvents(service);
    await until('the failure is logged', () => sinkLines(service, 'nats').length > 0);
    assert.equal(
      sinkLines(service, 'nats')[0]?.['msg'],
      'events for a sink are delayed: the NATS server does not support TLS, which tls:// requires',
    );
    assert.equal(received, '');
    server.close();
  });
});
