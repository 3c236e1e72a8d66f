import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';

/** Answers a request that is not HTTP at all, or too slow, in the contract's form, and hangs up. */
export function answerToBrokenHttp(error: Error & { code?: string }, socket: Socket): void {
  if (socket.destroyed || !socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const [status, code, message] = describe(error.code);
  const body = JSON.stringify({ message, code });
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}

function describe(code: string | undefined): [number, string, string] {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return [408, 'http.timeout', 'The request did not arrive in time.'];
    case 'HPE_HEADER_OVERFLOW':
      return [431, 'http.headers-too-large', 'The headers are too large.'];
    default:
      return [400, 'http.bad-request', 'This is not a valid HTTP/1.1 request.'];
  }
}
