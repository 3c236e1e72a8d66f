import type { Figures, Load } from './assumptions.ts';
import { fullestOf } from './spread.ts';

const DAY_SECONDS = 86_400;
const MICROSECONDS = 1e6;

export type Bound = 'processor' | 'log' | 'disk' | 'connections';

export interface Plan {
  /** Number of database servers, excluding standbys. Each server stores some of the spaces. */
  readonly databases: number;
  readonly bound: Bound;
  /** Load of the fullest database relative to the mean. */
  readonly fullest: number;
  readonly replicas: number;
  readonly connections: number;
  readonly busyCores: number;
  /** Write-ahead log of the fullest database in MB/s. */
  readonly log: number;
  /** Storage of the fullest database in TB. */
  readonly kept: number;
  /** True if the index of identities exceeds the memory of a database. */
  readonly cold: boolean;
  /** Share of the capacity of one database that the largest space needs. If it is above 1, adding servers does not help. */
  readonly largestSpace: number;
}

/**
 * Calculates the databases and replicas for a load. Spaces are distributed over databases by a hash of their ID. Each replica serves one
 * database, so the connections of a database depend on the number of its replicas.
 */
export function plan(load: Load, figures: Figures): Plan {
  const replicas = replicasFor(load, figures);
  for (let databases = 1; ; databases = next(databases)) {
    const { fullest, largest } = fullestOf(load.spaces, databases);
    const share = fullest / databases;
    const need = needOf(load, share, figures);
    const connections = Math.ceil(replicas / databases) * figures.replicaConnections;
    const uses = usesOf(need, connections, figures);
    const [bound, use] = (Object.entries(uses) as [Bound, number][]).reduce((a, b) =>
      a[1] >= b[1] ? a : b,
    );
    // If one space fills a database, more servers do not help.
    const isFinal = use <= figures.databaseUse || share <= largest * 1.01;
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

/** Increases the number by one, or by 5 % if it is large. */
function next(databases: number): number {
  return databases + Math.max(1, Math.floor(databases / 20));
}

/**
 * Calculates the number of replicas from the load of the main thread and from the number of listeners, whichever requires more. Adds one
 * replica for failures and restarts.
 */
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

function needOf(load: Load, share: number, f: Figures): Need {
  const perDay = (load.events * share * DAY_SECONDS) / load.peak;
  const identities = perDay * 365 * load.years * f.identityKept;
  const texts = perDay * load.keptDays * (f.databaseEventKept - f.identityKept);
  const cold = identities / 2 > f.databaseMemory * 1e9 * 0.5;
  const microseconds =
    load.events * f.databaseEventUs +
    load.links * f.databaseLinkUs +
    (load.exchanges + load.sessionRequests + load.questions) * f.databaseReadUs +
    load.questions * f.databaseSearchUs;
  return {
    busyCores: (microseconds * share) / MICROSECONDS,
    log: (load.events * share * (cold ? f.databaseColdWal : f.databaseEventWal)) / 1e6,
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
