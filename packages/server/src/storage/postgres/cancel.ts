import { connect } from 'node:net';
import type pg from 'pg';

/** https://www.postgresql.org/docs/current/protocol-message-formats.html#PROTOCOL-MESSAGE-FORMATS-CANCELREQUEST */
const CANCEL_REQUEST = 80_877_102;
const SEND_WITHIN_MS = 5_000;

/** Members of a `pg` client that its types omit. */
interface Connected {
  readonly processID?: number | null;
  readonly secretKey?: number | null;
  readonly host: string;
  readonly port: number;
}

/**
 * Asks the server to cancel the statement that a client is waiting for. Failures are ignored. The request contains no data, so it is
 * not encrypted, as in libpq before version 17.
 */
export function cancelStatement(client: pg.PoolClient): void {
  const { processID, secretKey, host, port } = client as pg.PoolClient & Connected;
  if (typeof processID !== 'number' || typeof secretKey !== 'number') return;
  const request = Buffer.alloc(16);
  for (const [index, word] of [request.length, CANCEL_REQUEST, processID, secretKey].entries())
    request.writeInt32BE(word, index * 4);
  const socket = host.startsWith('/')
    ? connect(`${host}/.s.PGSQL.${port}`)
    : connect({ host, port });
  socket.unref();
  socket.on('error', () => {});
  socket.setTimeout(SEND_WITHIN_MS, () => socket.destroy());
  socket.end(request);
}
