import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { credsAuthenticator } from '@nats-io/transport-node';
import { makeCertificate, NO_OPENSSL } from '../support/certificate.ts';
import type { ChildServer } from '../support/child-server.ts';
import { clientOf } from '../support/client.ts';
import { ingest, makeEvents } from '../support/events.ts';
import { sinkLines } from '../support/log-lines.ts';
import { makeAccount } from '../support/nats-account.ts';
import { type NatsServerOptions, NO_NATS, startNats } from '../support/nats-server.ts';
import { makeKey, makeSpace, signIn } from '../support/provision.ts';
import { startService, temporaryDirectory } from '../support/service.ts';
import { until } from '../support/until.ts';

const directory = temporaryDirectory();
after(() => directory[Symbol.dispose]());

async function sendEvents(service: ChildServer): Promise<void> {
  const client = clientOf(service.url);
  const session = await signIn(client);
  const key = await makeKey(client, session, (await makeSpace(client, session)).id);
  await ingest(client, { as: key, body: { events: makeEvents(10) } });
}

/** A service that sends to a server of this kind, with these settings, gets its events there. */
async function getsThrough(
  options: NatsServerOptions,
  envOf: (port: string) => Record<string, string>,
): Promise<void> {
  await using nats = await startNats(options);
  await nats.addStream();
  using data = temporaryDirectory();
  const env = envOf(new URL(nats.url).port);
  await using service = await startService(data.path, { env, capture: true });
  await sendEvents(service);
  await until('they are there', async () => (await nats.count()) === 10);
  assert.deepEqual(sinkLines(service, 'nats'), []);
}

describe('signing in to NATS', { skip: NO_NATS }, () => {
  test('by user name and password', () =>
    getsThrough(
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

  test('by token', () =>
    getsThrough(
      { configuration: 'authorization { token: tkn-1 }', connect: { token: 'tkn-1' } },
      (port) => ({
        GATEHOUSE_NATS_URL: `nats://127.0.0.1:${port}`,
        GATEHOUSE_NATS_TOKEN: 'tkn-1',
      }),
    ));

  test('by a credentials file', () => {
    const { configuration, credentials } = makeAccount();
    const file = join(directory.path, 'gatehouse.creds');
    writeFileSync(file, credentials);
    const authenticator = credsAuthenticator(Buffer.from(credentials));
    return getsThrough({ configuration, connect: { authenticator } }, (port) => ({
      GATEHOUSE_NATS_URL: `nats://127.0.0.1:${port}`,
      GATEHOUSE_NATS_CREDENTIALS_FILE: file,
    }));
  });

  test('over TLS, by an authority of the operator', { skip: NO_OPENSSL }, () => {
    const { certificate, key } = makeCertificate(directory.path);
    return getsThrough(
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

  test('not at a server whose certificate nobody vouches for', { skip: NO_OPENSSL }, async () => {
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
    await until('it is said', () => sinkLines(service, 'nats').length > 0);
    assert.match(
      String(sinkLines(service, 'nats')[0]?.['msg']),
      /^events wait for a sink: the NATS server cannot be reached \(DEPTH_ZERO_SELF_SIGNED_CERT\)$/,
    );
  });

  test('not without TLS where TLS is wanted: the password is not sent', async () => {
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
    await until('it is said', () => sinkLines(service, 'nats').length > 0);
    assert.equal(
      sinkLines(service, 'nats')[0]?.['msg'],
      'events wait for a sink: the NATS server has no TLS, on which tls:// insists',
    );
    assert.equal(received, '');
    server.close();
  });
});
