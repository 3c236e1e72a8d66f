import { isIP, type LookupFunction, type Socket } from 'node:net';
import { buildConnector } from 'undici';
import type { MayConnect } from './addresses.ts';
import type { Resolve } from './lookups.ts';

/** The address of a target is not public, and the operator did not allow it. */
export class AddressRefused extends Error {
  override readonly name = 'AddressRefused';

  constructor() {
    super('its address is not public');
  }
}

export interface GuardOptions {
  readonly mayConnect: MayConnect;
  readonly resolve: Resolve;
  readonly timeoutMs: number;
}

/**
 * Connects to addresses that may be connected to, and to no others. A name is resolved here and its
 * addresses are judged before one of them is used, so that a name which answers differently the next
 * time gains nothing.
 */
export function guardedConnect(options: GuardOptions): buildConnector.connector {
  const { mayConnect, resolve, timeoutMs } = options;
  const lookup: LookupFunction = (hostname, { all }, callback) => {
    resolve(hostname).then(
      (found) => {
        const [first, ...others] = found.filter(({ address }) => mayConnect(address));
        if (first === undefined) callback(new AddressRefused(), '', 0);
        else if (all === true) callback(null, [first, ...others]);
        else callback(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, '', 0),
    );
  };
  const connect = buildConnector({ lookup, timeout: timeoutMs, allowH2: false });
  return (wanted, callback) => {
    // An address is connected to without a lookup.
    if (isIP(wanted.hostname) !== 0 && !mayConnect(wanted.hostname)) {
      callback(new AddressRefused(), null);
      return;
    }
    connect(wanted, (...[error, socket]) => {
      if (error !== null) callback(error, null);
      else if (isWhereItMay(socket, mayConnect)) callback(null, socket);
      else {
        socket.destroy();
        callback(new AddressRefused(), null);
      }
    });
  };
}

/** What was connected to in the end, whatever was asked for. */
function isWhereItMay({ remoteAddress }: Socket, mayConnect: MayConnect): boolean {
  return remoteAddress !== undefined && mayConnect(remoteAddress);
}
