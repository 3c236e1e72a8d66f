import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';

/** All addresses of a host name. */
export type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>;

/** The system's way, which knows `/etc/hosts` and search domains. */
export const resolveBySystem: Resolve = (hostname) => lookup(hostname, { all: true });

/** Of the four threads that lookups share with the file system, so that slow names leave two. */
const AT_ONCE = 2;

/** Asks for a name once for all who want it at the same moment, and for few names at once. */
export function shareLookups(resolve: Resolve): Resolve {
  const asked = new Map<string, Promise<readonly LookupAddress[]>>();
  const waiting: (() => void)[] = [];
  let running = 0;

  async function inTurn(hostname: string): Promise<readonly LookupAddress[]> {
    if (running >= AT_ONCE) await new Promise<void>((turn) => waiting.push(turn));
    else running += 1;
    try {
      return await resolve(hostname);
    } finally {
      asked.delete(hostname);
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  }

  return (hostname) => {
    const known = asked.get(hostname);
    if (known !== undefined) return known;
    const lookingUp = inTurn(hostname);
    asked.set(hostname, lookingUp);
    return lookingUp;
  };
}
