import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyBaseLogger } from 'fastify';

interface BrokenHttpDeps {
  readonly nextId: () => string;
  readonly log: Pick<FastifyBaseLogger, 'info'>;
}

/**
 * Answers a request that is not HTTP at all, too slow, or too long, in the contract's form, and hangs
 * up. Its line in the log has the status and Node's code, and nothing of what was sent.
 */
export function answerToBrokenHttp({ nextId, log }: BrokenHttpDeps) {
  return (error: Error & { code?: string }, socket: Socket): void => {
    if (socket.destroyed || !socket.writable || error.code === 'ECONNRESET') {
      socket.destroy();
      return;
    }
    const requestId = nextId();
    const [status, code, message] = describe(error.code);
    const body = JSON.stringify({ message, code });
    const head = [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      `X-Request-Id: ${requestId}`,
      'X-Content-Type-Options: nosniff',
      'Cache-Control: no-store',
      'Connection: close',
    ];
    socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
    log.info({ requestId, status, reason: error.code }, 'broken request');
  };
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
