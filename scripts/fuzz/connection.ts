import { connect } from 'node:net';

export interface Answer {
  readonly status: number;
  readonly body: string;
}

/** No answer to a request within the time that any may take. */
export class Hang extends Error {
  override readonly name = 'Hang';
}

const PATIENCE_MS = 20_000;

/**
 * Sends requests one behind the other over a connection of its own, without waiting, and gives their
 * answers in order: fewer than there were requests when the server hangs up. Throws `Hang`.
 *
 * @param endAfterMs ends what is sent after this long: a broken request may never be whole, and Node
 *   answers nobody who has ended, so that whole ones must not.
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
    // Whoever is hung up on while it still sends gets a reset; what was answered before counts.
    socket.on('error', () => finish());
    socket.on('end', () => finish());
    for (const request of requests) socket.write(request);
  });
}

/** The first answer in the bytes, with its length; null while it is not whole. */
function take(bytes: Buffer): (Answer & { readonly length: number }) | null {
  const end = bytes.indexOf('\r\n\r\n');
  if (end === -1) return null;
  const head = bytes.toString('latin1', 0, end);
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1]);
  const length = end + 4 + Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
  if (bytes.length < length) return null;
  return { status, body: bytes.toString('utf8', end + 4, length), length };
}
