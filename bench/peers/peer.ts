import type { ChildServer } from '../../packages/server/tests/support/services/child-server.ts';
import { spawnLoad } from '../load/spawn-load.ts';

/** Batches of events. */
export interface Shape {
  readonly events: number;
  readonly eventBytes: number;
  /** Share of events that repeat an earlier event, from 0 to 1. */
  readonly duplicates: number;
  /** Number of batches in flight. */
  readonly connections: number;
}

/** Returns the number of acknowledged events per second. */
export type Measure = (shape: Shape, seconds: number) => Promise<number>;

/** A system in the comparison. */
export interface Peer {
  /** The reason why the system cannot run, or `false`. */
  readonly missing: string | false;
  /** Starts the system with an empty store. */
  start(opened: AsyncDisposableStack): Promise<readonly Form[]>;
}

/** A way of sending events to a system. */
export interface Form {
  readonly name: string;
  /** State of an event when it is acknowledged. */
  readonly acknowledged: string;
  /** Events that the system stores once. */
  readonly deduplicated: string;
  readonly measure: Measure;
}

export const BY_IDENTITY = 'events with the same source and ID';
export const NOTHING = 'none';

/** Sends batches to `POST /events`. */
export function overHttp({ port }: Pick<ChildServer, 'port'>, authorization: string): Measure {
  return async (shape, seconds) => {
    const load = { kind: 'ingest', path: '/events', port, authorization, seconds } as const;
    const done = await spawnLoad({ ...load, ...shape, requests: Number.MAX_SAFE_INTEGER });
    return done.perSecond * shape.events;
  };
}
