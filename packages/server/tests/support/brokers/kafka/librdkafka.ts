import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { until } from '../../until.ts';
import { ByteReader, ByteWriter } from './bytes.ts';
import { frameReader, toFrame } from './frames.ts';

export const NO_KCAT: string | false =
  spawnSync('kcat', ['-V']).status === 0 ? false : 'kcat is missing';

export interface ConsumedRecord {
  readonly key: string;
  readonly payload: string;
  /** Alternating names and values. */
  readonly headers: readonly string[];
}

/** The mock broker and the consumer of librdkafka, which implement the protocol independently of our code. */
export interface Librdkafka extends AsyncDisposable {
  readonly address: string;
  /** Returns the records consumed so far. The consumer checks the CRC of each batch. */
  consumed(): ConsumedRecord[];
}

const API_VERSIONS = 18;
const REQUESTED_VERSION = 3;
const SUPPORTED_VERSION = 2;

export async function startLibrdkafka(topic: string): Promise<Librdkafka> {
  const settings = ['test.mock.num.brokers=1', 'check.crcs=true'].flatMap((one) => ['-X', one]);
  const kcat = spawn(
    'kcat',
    ['-C', '-J', '-u', '-b', 'mock', '-t', topic, '-o', 'beginning', ...settings, '-d', 'mock'],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  const [read, stderr] = [textOf(kcat.stdout), textOf(kcat.stderr)];
  const brokerPort = () => Number(/bootstrap\.servers=127\.0\.0\.1:(\d+)/.exec(stderr())?.[1] ?? 0);
  await until('the broker prints its address', () => brokerPort() !== 0);
  const server = createServer((client) => bridge(client, brokerPort())).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('the server has no port');
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
 * Forwards data between client and broker and translates ApiVersions requests. The translation is necessary because the
 * broker supports only an older version of this request than our client sends, and our client does not fall back to the
 * older version.
 */
function bridge(client: Socket, port: number): void {
  const broker = connect(port, '127.0.0.1');
  const translated = new Set<number>();
  client.on(
    'data',
    frameReader((frame) => broker.write(toFrame(translateRequest(frame)))),
  );
  broker.on(
    'data',
    frameReader((frame) => client.write(toFrame(translateResponse(frame)))),
  );
  for (const [one, other] of [
    [client, broker],
    [broker, client],
  ] as const) {
    one.on('error', () => {});
    one.on('close', () => other.destroy());
  }

  function translateRequest(frame: Buffer): Buffer {
    const request = new ByteReader(frame);
    const [api, version, correlationId] = [request.int16(), request.int16(), request.int32()];
    if (api !== API_VERSIONS || version !== REQUESTED_VERSION) return frame;
    translated.add(correlationId);
    const older = new ByteWriter().int16(API_VERSIONS).int16(SUPPORTED_VERSION);
    return older.int32(correlationId).shortString('test').bytes;
  }

  function translateResponse(frame: Buffer): Buffer {
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
