import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { until } from '../until.ts';
import { ByteReader, ByteWriter } from './bytes.ts';
import { frameReader, toFrame } from './frames.ts';

/** Why tests that need kcat are skipped on this machine; false when they are not. */
export const NO_KCAT: string | false =
  spawnSync('kcat', ['-V']).status === 0 ? false : 'kcat is missing';

export interface ConsumedRecord {
  readonly key: string;
  readonly payload: string;
  /** Names and values by turns. */
  readonly headers: readonly string[];
}

/** The broker that librdkafka has for its own tests, with its consumer behind it: the protocol as others wrote it. */
export interface Librdkafka extends AsyncDisposable {
  readonly address: string;
  /** What the consumer has read so far; it checks each batch's CRC. */
  consumed(): ConsumedRecord[];
}

const API_VERSIONS = 18;
const ASKED_VERSION = 3;
const UNDERSTOOD_VERSION = 2;

export async function startLibrdkafka(topic: string): Promise<Librdkafka> {
  const settings = ['test.mock.num.brokers=1', 'check.crcs=true'].flatMap((one) => ['-X', one]);
  const kcat = spawn(
    'kcat',
    ['-C', '-J', '-u', '-b', 'mock', '-t', topic, '-o', 'beginning', ...settings, '-d', 'mock'],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  const [read, said] = [textOf(kcat.stdout), textOf(kcat.stderr)];
  const brokerPort = () => Number(/bootstrap\.servers=127\.0\.0\.1:(\d+)/.exec(said())?.[1] ?? 0);
  await until('the broker says where it is', () => brokerPort() !== 0);
  const server = createServer((client) => bridge(client, brokerPort())).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('no port');
  return {
    address: `127.0.0.1:${address.port}`,
    consumed: () =>
      read()
        .split('\n')
        .filter((line) => line.endsWith('}'))
        .map((line) => JSON.parse(line) as ConsumedRecord),
    [Symbol.asyncDispose]: async () => {
      server.close();
      await ended(kcat);
    },
  };
}

/**
 * The broker knows a first question (ApiVersions) that is older than the one that our client asks, and the client does
 * not ask again as others do. All else passes as it is.
 */
function bridge(client: Socket, port: number): void {
  const broker = connect(port, '127.0.0.1');
  const translated = new Set<number>();
  client.on(
    'data',
    frameReader((frame) => broker.write(toFrame(asked(frame)))),
  );
  broker.on(
    'data',
    frameReader((frame) => client.write(toFrame(answered(frame)))),
  );
  for (const [one, other] of [
    [client, broker],
    [broker, client],
  ] as const) {
    one.on('error', () => {});
    one.on('close', () => other.destroy());
  }

  function asked(frame: Buffer): Buffer {
    const request = new ByteReader(frame);
    const [api, version, correlationId] = [request.int16(), request.int16(), request.int32()];
    if (api !== API_VERSIONS || version !== ASKED_VERSION) return frame;
    translated.add(correlationId);
    const older = new ByteWriter().int16(API_VERSIONS).int16(UNDERSTOOD_VERSION);
    return older.int32(correlationId).shortString('test').bytes;
  }

  function answered(frame: Buffer): Buffer {
    const answer = new ByteReader(frame);
    const correlationId = answer.int32();
    if (!translated.delete(correlationId)) return frame;
    const newer = new ByteWriter().int32(correlationId).int16(answer.int16());
    const apis = Array.from({ length: answer.int32() }, () => answer.take(6));
    newer.compactArray(apis, (api) => newer.raw(api).tags());
    return newer.int32(answer.int32()).tags().bytes;
  }
}

function textOf(stream: NodeJS.ReadableStream): () => string {
  const chunks: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  return () => Buffer.concat(chunks).toString();
}

async function ended(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}
