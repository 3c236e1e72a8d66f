import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { freePort } from '../../services/child-server.ts';
import { ByteReader, ByteWriter } from './bytes.ts';
import { frameReader, toFrame } from './frames.ts';
import { ERRORS, PartitionLog } from './partition-log.ts';
import type { KafkaRecord } from './record-batch.ts';
import { beginExchange, type Exchange, type SignIn } from './sign-in.ts';

export interface KafkaBrokerOptions {
  /** Number of partitions by topic. */
  readonly topics: Readonly<Record<string, number>>;
  readonly signIn?: SignIn;
  /** Certificate and key in PEM format. */
  readonly tls?: { readonly cert: Buffer; readonly key: Buffer };
  readonly maxBatchBytes?: number;
}

/**
 * An incomplete Kafka broker that implements only the APIs that a producer uses: ApiVersions, Metadata, InitProducerId,
 * Produce and SASL. It supports the protocol versions of Kafka 3.7 and later. It checks that requests follow the
 * protocol documentation, and simulates lost connections and responses.
 */
export interface KafkaBroker extends AsyncDisposable {
  readonly address: string;
  records(topic: string): readonly (readonly KafkaRecord[])[];
  start(): Promise<void>;
  /** Closes all connections and retains the stored records. */
  stop(): Promise<void>;
  /**
   * Stores the records of the next `count` requests of the type Produce, but closes the connection instead of
   * responding.
   */
  loseAnswers(count: number): void;
}

const PRODUCE = 0;
const METADATA = 3;
const SASL_HANDSHAKE = 17;
const API_VERSIONS = 18;
const INIT_PRODUCER_ID = 22;
const SASL_AUTHENTICATE = 36;
/**
 * Supported version of each API, and whether it uses the flexible encoding. Version 1 of ApiVersions is also accepted, because some clients
 * start with it.
 */
const VERSIONS = new Map([
  [PRODUCE, { version: 11, flexible: true }],
  [METADATA, { version: 12, flexible: true }],
  [SASL_HANDSHAKE, { version: 1, flexible: false }],
  [API_VERSIONS, { version: 3, flexible: true }],
  [INIT_PRODUCER_ID, { version: 5, flexible: true }],
  [SASL_AUTHENTICATE, { version: 2, flexible: true }],
]);
const NODE_ID = 1;
const ALL_REPLICAS = -1;
const SASL_AUTHENTICATION_FAILED = 58;

export async function startKafka(options: KafkaBrokerOptions): Promise<KafkaBroker> {
  const port = await freePort();
  const topics = new Map(
    Object.entries(options.topics).map(([name, partitions]) => [
      name,
      Array.from({ length: partitions }, () => new PartitionLog()),
    ]),
  );
  let producers = 0n;
  let answersToLose = 0;
  let server: Server | null = null;
  const sockets = new Set<Socket>();

  function produce(request: ByteReader, answer: ByteWriter): boolean {
    request.compactString();
    if (request.int16() !== ALL_REPLICAS) throw new Error('acks must be -1 (all replicas)');
    request.int32();
    const responses = request.compactArray(() => {
      const name = request.compactString() ?? '';
      const partitions = request.compactArray(() => {
        const index = request.int32();
        const bytes = request.compactBytes() ?? Buffer.alloc(0);
        request.tags();
        return { index, ...append(name, index, bytes) };
      });
      request.tags();
      return { name, partitions };
    });
    request.tags();
    answer.compactArray(responses, ({ name, partitions }) => {
      answer.compactString(name).compactArray(partitions, ({ index, error, baseOffset }) => {
        answer.int32(index).int16(error).int64(baseOffset).int64(-1n).int64(0n);
        answer
          .compactArray([], () => {})
          .compactString(null)
          .tags();
      });
      answer.tags();
    });
    answer.int32(0).tags();
    answersToLose -= 1;
    return answersToLose < 0;
  }

  function append(topic: string, partition: number, bytes: Buffer) {
    const log = topics.get(topic)?.[partition];
    if (log === undefined) return { error: ERRORS.unknownTopic, baseOffset: -1n };
    if (bytes.length > (options.maxBatchBytes ?? Number.POSITIVE_INFINITY))
      return { error: ERRORS.messageTooLarge, baseOffset: -1n };
    return log.append(bytes, (id) => id >= 0n && id < producers);
  }

  function metadata(request: ByteReader, answer: ByteWriter): void {
    const wanted = request.compactArray(() => {
      request.take(16);
      const name = request.compactString() ?? '';
      request.tags();
      return name;
    });
    answer.int32(0);
    answer.compactArray([NODE_ID], () => {
      answer.int32(NODE_ID).compactString('127.0.0.1').int32(port).compactString(null).tags();
    });
    answer.compactString('test').int32(NODE_ID);
    answer.compactArray(wanted, (name) => {
      const partitions = [...(topics.get(name)?.keys() ?? [])];
      answer.int16(topics.has(name) ? ERRORS.none : ERRORS.unknownTopic).compactString(name);
      answer.raw(Buffer.alloc(16)).int8(0);
      answer.compactArray(partitions, (index) => {
        answer.int16(0).int32(index).int32(NODE_ID).int32(0);
        for (const nodes of [[NODE_ID], [NODE_ID], []])
          answer.compactArray(nodes, (node) => void answer.int32(node));
        answer.tags();
      });
      answer.int32(-2_147_483_648).tags();
    });
    answer.tags();
  }

  /** Reports whether the client is authenticated. */
  function saslAuthenticate(exchange: Exchange, request: ByteReader, answer: ByteWriter): boolean {
    const step = exchange(request.compactBytes()?.toString() ?? '');
    answer.int16(step === null ? SASL_AUTHENTICATION_FAILED : 0);
    answer.compactString(step === null ? 'Authentication failed' : null);
    answer
      .compactString(step?.answer ?? '')
      .int64(0n)
      .tags();
    return step?.done === true;
  }

  /** Reports whether the broker must send the response. */
  function handle(api: number, version: number, request: ByteReader, answer: ByteWriter): boolean {
    if (api === PRODUCE) return produce(request, answer);
    if (api === METADATA) metadata(request, answer);
    if (api === INIT_PRODUCER_ID) {
      request.compactString();
      request.int32();
      if (request.int64() !== -1n || request.int16() !== -1)
        throw new Error('the producer already has an ID');
      answer.int32(0).int16(0).int64(producers).int16(0).tags();
      producers += 1n;
    }
    if (api === API_VERSIONS && version === 1) {
      answer.int16(0).int32(VERSIONS.size);
      for (const [key, { version }] of VERSIONS) answer.int16(key).int16(version).int16(version);
      answer.int32(0);
    } else if (api === API_VERSIONS) {
      answer.int16(0).compactArray([...VERSIONS], ([key, { version }]) => {
        answer.int16(key).int16(version).int16(version).tags();
      });
      answer.int32(0).tags();
    }
    if (api === SASL_HANDSHAKE)
      answer
        .int16(0)
        .int32(1)
        .shortString(options.signIn?.mechanism ?? '');
    return true;
  }

  function serve(socket: Socket): void {
    sockets.add(socket);
    let signedIn = options.signIn === undefined;
    const exchange: Exchange =
      options.signIn === undefined ? () => null : beginExchange(options.signIn);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    const answerTo = (frame: Buffer) => {
      const request = new ByteReader(frame);
      const [api, version, correlationId] = [request.int16(), request.int16(), request.int32()];
      const isInitialRequest = api === API_VERSIONS && version === 1;
      const spoken = VERSIONS.get(api);
      if (spoken?.version !== version && !isInitialRequest)
        throw new Error(`version ${version} of API ${api} is not supported`);
      const isFlexible = spoken?.flexible === true && !isInitialRequest;
      request.shortString();
      if (isFlexible) request.tags();
      const answer = new ByteWriter().int32(correlationId);
      if (isFlexible && api !== API_VERSIONS) answer.tags();
      if (api === SASL_AUTHENTICATE) signedIn = saslAuthenticate(exchange, request, answer);
      else if (!signedIn && (api === METADATA || api === PRODUCE)) return null;
      else if (!handle(api, version, request, answer)) return null;
      return answer.bytes;
    };
    socket.on(
      'data',
      frameReader((frame) => {
        if (socket.destroyed) return;
        const answer = answerTo(frame);
        if (answer === null) socket.destroy();
        else socket.write(toFrame(answer));
      }),
    );
  }

  async function start(): Promise<void> {
    const { tls } = options;
    server = tls === undefined ? createServer(serve) : createTlsServer(tls, serve);
    server.on('tlsClientError', () => {}).listen(port, '127.0.0.1');
    await once(server, 'listening');
  }

  async function stop(): Promise<void> {
    if (server === null) return;
    const closed = once(server, 'close');
    server.close();
    for (const socket of sockets) socket.destroy();
    await closed;
    server = null;
  }

  await start();
  return {
    address: `127.0.0.1:${port}`,
    records: (topic) => (topics.get(topic) ?? []).map(({ records }) => records),
    start,
    stop,
    loseAnswers: (count) => {
      answersToLose = count;
    },
    [Symbol.asyncDispose]: stop,
  };
}
