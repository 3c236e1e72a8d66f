import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import { Semaphore } from 'async-mutex';
import { buildConnector } from 'undici';
import type { MayConnect } from './addresses.ts';

/** Returns all addresses of a host name. */
export type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>;

/** Uses the system's resolver, which honours `/etc/hosts` and search domains. */
export const resolveBySystem: Resolve = (hostname) => lookup(hostname, { all: true });

/** The address of a target is neither public nor allowed by the operator. */
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
 * Connects to permitted addresses only. The addresses of a host name are checked after the lookup whose result is
 * used, so DNS rebinding does not bypass the check.
 */
export function guardedConnect(options: GuardOptions): buildConnector.connector {
  const { mayConnect, resolve, timeoutMs } = options;
  const guardedLookup: LookupFunction = (hostname, { all }, callback) => {
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
  const connect = buildConnector({ lookup: guardedLookup, timeout: timeoutMs, allowH2: false });
  return (wanted, callback) => {
    // An IP address needs no lookup.
    if (isIP(wanted.hostname) !== 0 && !mayConnect(wanted.hostname)) {
      callback(new AddressRefused(), null);
      return;
    }
    connect(wanted, (...[error, socket]) => {
      if (error !== null) callback(error, null);
      else if (isPermitted(socket, mayConnect)) callback(null, socket);
      else {
        socket.destroy();
        callback(new AddressRefused(), null);
      }
    });
  };
}

/** Checks the address that the socket is connected to, as a second line of defence. */
function isPermitted({ remoteAddress }: Socket, mayConnect: MayConnect): boolean {
  return remoteAddress !== undefined && mayConnect(remoteAddress);
}

/** Concurrent lookups. Four threads serve lookups and the file system, so slow names leave two of them. */
const MAX_LOOKUPS = 2;

/** Limits concurrent lookups and shares one lookup of a name among concurrent callers. */
export function shareLookups(resolve: Resolve): Resolve {
  const pending = new Map<string, ReturnType<Resolve>>();
  const semaphore = new Semaphore(MAX_LOOKUPS);
  return (hostname) => {
    const known = pending.get(hostname);
    if (known !== undefined) return known;
    const started = semaphore
      .runExclusive(() => resolve(hostname))
      .finally(() => pending.delete(hostname));
    pending.set(hostname, started);
    return started;
  };
}
