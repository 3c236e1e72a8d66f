import { once } from 'node:events';
import { connect } from 'node:net';

export interface SocketAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

/** Sends bytes unchanged and reads the response until the server closes the connection. */
export async function sendBytes(port: number, bytes: string | Uint8Array): Promise<SocketAnswer> {
  const socket = connect(port, '127.0.0.1');
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  // The connection is reset if the server closes it before reading all data.
  socket.on('error', () => {});
  socket.write(bytes);
  await once(socket, 'close');
  return toAnswer(Buffer.concat(chunks).toString());
}

function toAnswer(text: string): SocketAnswer {
  const end = text.indexOf('\r\n\r\n');
  const [first = '', ...lines] = text.slice(0, end).split('\r\n');
  const headers = new Headers(
    lines.map((line): [string, string] => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon), line.slice(colon + 1).trim()];
    }),
  );
  return { status: Number(first.split(' ')[1]), headers, body: text.slice(end + 4) };
}
