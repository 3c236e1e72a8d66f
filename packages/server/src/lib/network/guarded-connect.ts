import { isIP, type LookupFunction, type Socket } from 'node:net';
import type { buildConnector } from 'undici';
import type { MayConnect } from './addresses.ts';
import type { Resolve } from './fair-lookups.ts';

/**
 * Reports that a host has no address that is public or allowed by the operator. Host names that do not exist cause the
 * same error, so that editors of subscriptions cannot probe for names of internal hosts.
 */
export class AddressRefused extends Error {
  override readonly name = 'AddressRefused';

  constructor() {
    super('the host has no public address');
  }
}

export interface GuardOptions {
  /** The function of undici, which is loaded on first use. */
  readonly build: typeof buildConnector;
  readonly mayConnect: MayConnect;
  readonly resolve: Resolve;
  readonly timeoutMs: number;
  /** Minimum time from the start of a lookup to the report of its failure, in milliseconds. */
  readonly refusalMs: number;
}

/**
 * Creates a connector that connects only to permitted addresses. It connects to the same lookup result that it checked,
 * so DNS rebinding cannot bypass the check. A failed lookup and a name with only private addresses cause the same error
 * after the same time.
 */
export function guardedConnect(options: GuardOptions): buildConnector.connector {
  const { build, mayConnect, resolve, timeoutMs, refusalMs } = options;
  const guardedLookup: LookupFunction = (hostname, { all }, callback) => {
    const startedAt = performance.now();
    const refuse = () => {
      const delay = refusalMs - (performance.now() - startedAt);
      setTimeout(() => callback(new AddressRefused(), '', 0), Math.max(0, delay)).unref();
    };
    resolve(hostname).then((found) => {
      const [first, ...others] = found.filter(({ address }) => mayConnect(address));
      if (first === undefined) refuse();
      else if (all === true) callback(null, [first, ...others]);
      else callback(null, first.address, first.family);
    }, refuse);
  };
  const connect = build({ lookup: guardedLookup, timeout: timeoutMs, allowH2: false });
  return (target, callback) => {
    // An IP address is not looked up, so the address must be checked here.
    if (isIP(target.hostname) !== 0 && !mayConnect(target.hostname)) {
      callback(new AddressRefused(), null);
      return;
    }
    connect(target, (...[error, socket]) => {
      if (error !== null) callback(error, null);
      else if (isPermitted(socket, mayConnect)) callback(null, socket);
      else {
        socket.destroy();
        callback(new AddressRefused(), null);
      }
    });
  };
}

/** Checks the remote address of the socket as a second line of defence. */
function isPermitted({ remoteAddress }: Socket, mayConnect: MayConnect): boolean {
  return remoteAddress !== undefined && mayConnect(remoteAddress);
}
