import { connect } from 'node:net';

export interface Answer {
  readonly status: number;
  readonly body: string;
}

/** Thrown if a request has no response within 20 seconds. */
export class Hang extends Error {
  override readonly name = 'Hang';
}

const PATIENCE_MS = 20_000;

/**
 * Sends pipelined requests over a new connection and returns the responses in order. Returns fewer responses than
 * requests if the server closes the connection. Throws `Hang` if a response takes too long.
 *
 * @param endAfterMs time in milliseconds after which the sending side is closed. Needed for broken requests, which may
 *   be incomplete. Omit it for valid requests, because Node does not respond after the client has closed its side.
 */
export async function exchange(
  port: number,
  requests: readonly Buffer[],
  endAfterMs?: number,
): Promise<Answer[]> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true, allowHalfOpen: true });
  const answers: Answer[] = [];
  let read: Buffer = Buffer.alloc(0);
  return new Promise((resolve, reject) => {
    const finish = (error?: Error) => {
      clearTimeout(patience);
      clearTimeout(ending);
      socket.destroy();
      if (error === undefined) resolve(answers);
      else reject(error);
    };
    const patience = setTimeout(() => finish(new Hang()), PATIENCE_MS);
    const ending =
      endAfterMs === undefined ? undefined : setTimeout(() => socket.end(), endAfterMs);
    socket.on('data', (chunk) => {
      read = Buffer.concat([read, chunk as Buffer]);
      for (let answer = take(read); answer !== null; answer = take(read)) {
        answers.push({ status: answer.status, body: answer.body });
        read = read.subarray(answer.length);
      }
      if (answers.length === requests.length) finish();
    });
    // If the server closes the connection while the client is sending, the connection is reset. The responses that
    // arrived before the reset are valid.
    socket.on('error', () => finish());
    socket.on('end', () => finish());
    for (const request of requests) socket.write(request);
  });
}

/** Returns the first response in the bytes with its length, or `null` if it is incomplete. */
function take(bytes: Buffer): (Answer & { readonly length: number }) | null {
  const end = bytes.indexOf('\r\n\r\n');
  if (end === -1) return null;
  const head = bytes.toString('latin1', 0, end);
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1]);
  const length = end + 4 + Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
  if (bytes.length < length) return null;
  return { status, body: bytes.toString('utf8', end + 4, length), length };
}
