import type { Figures, Load } from './assumptions.ts';
import { fullestOf } from './spread.ts';

const DAY_SECONDS = 86_400;
const MICROSECONDS = 1e6;

/** What limits a database server. */
export type Bound = 'processor' | 'log' | 'disk' | 'connections';

export interface Plan {
  /** Database servers with a part of the spaces each; a standby for each is not counted. */
  readonly databases: number;
  /** Which of its means is used up first. */
  readonly bound: Bound;
  /** Load of the fullest database, as a part of the mean. */
  readonly fullest: number;
  readonly replicas: number;
  /** Connections to the database that has most. */
  readonly connections: number;
  /** Processors of the fullest database that are busy at the peak. */
  readonly busyCores: number;
  /** MB/s */
  readonly log: number;
  /** TB of the fullest database. */
  readonly kept: number;
  /** Whether the index of identities no longer fits into the memory of a database. */
  readonly cold: boolean;
  /** Part of a database that the largest space takes alone. Over 1 it cannot be served by adding servers. */
  readonly largestSpace: number;
}

/**
 * How many databases and replicas a load takes. Spaces are spread over databases by the hash of their id; replicas
 * serve one database each, so that connections grow with the replicas of a database and not with all.
 */
export function plan(load: Load, figures: Figures): Plan {
  const replicas = replicasFor(load, figures);
  for (let databases = 1; ; databases = next(databases)) {
    const { fullest, largest } = fullestOf(load.spaces, databases);
    const part = fullest / databases;
    const need = needOf(load, part, figures);
    const connections = Math.ceil(replicas / databases) * figures.replicaConnections;
    const uses = usesOf(need, connections, figures);
    const [bound, use] = (Object.entries(uses) as [Bound, number][]).reduce((a, b) =>
      a[1] >= b[1] ? a : b,
    );
    // More servers take nothing off one that is filled by one space.
    const isFinal = use <= figures.databaseUse || part <= largest * 1.01;
    if (!isFinal) continue;
    const alone = usesOf(needOf(load, largest, figures), 0, figures);
    return {
      databases,
      bound,
      fullest,
      replicas: Math.max(replicas, databases * 2),
      connections: Math.max(connections, 2 * figures.replicaConnections),
      ...need,
      largestSpace: Math.max(...Object.values(alone)) / figures.databaseUse,
    };
  }
}

/** One more, and of many a twentieth more. */
function next(databases: number): number {
  return databases + Math.max(1, Math.floor(databases / 20));
}

/** By the busiest thread, and by how many listen; one more, so that one may be lost or restarted. */
function replicasFor(load: Load, f: Figures): number {
  const busy =
    (load.events * f.replicaEventUs +
      load.links * f.replicaLinkUs +
      load.exchanges * f.replicaExchangeUs +
      load.sessionRequests * f.replicaSessionUs +
      load.questions * load.partsOfAnswer * f.replicaPartUs +
      load.listeners * load.toldToListener * f.replicaToldUs) /
    MICROSECONDS;
  return 1 + Math.ceil(Math.max(busy / f.replicaUse, load.listeners / f.replicaListeners));
}

type Need = Pick<Plan, 'busyCores' | 'log' | 'kept' | 'cold'>;

/** What a part of the load takes of a database. */
function needOf(load: Load, part: number, f: Figures): Need {
  const perDay = (load.events * part * DAY_SECONDS) / load.peak;
  const identities = perDay * 365 * load.years * f.identityKept;
  const texts = perDay * load.keptDays * (f.databaseEventKept - f.identityKept);
  const cold = identities / 2 > f.databaseMemory * 1e9 * 0.5;
  const microseconds =
    load.events * f.databaseEventUs +
    load.links * f.databaseLinkUs +
    (load.exchanges + load.sessionRequests + load.questions) * f.databaseReadUs +
    load.questions * f.databaseSearchUs;
  return {
    busyCores: (microseconds * part) / MICROSECONDS,
    log: (load.events * part * (cold ? f.databaseColdWal : f.databaseEventWal)) / 1e6,
    kept: (identities + texts) / 1e12,
    cold,
  };
}

function usesOf(
  { busyCores, log, kept }: Need,
  connections: number,
  f: Figures,
): Record<Bound, number> {
  return {
    processor: busyCores / f.databaseCores,
    log: log / f.databaseLogRate,
    disk: kept / f.databaseDisk,
    connections: connections / f.databaseConnections,
  };
}
