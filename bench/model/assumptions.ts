export interface Figure {
  readonly value: number;
  readonly unit: string;
  readonly label: string;
  /** `assumed`, or the benchmark or document that contains the measurement. */
  readonly source: string;
}

function figure(value: number, unit: string, label: string, source: string): Figure {
  return { value, unit, label, source };
}

const COST = 'bench/ingest/postgres-cost.ts';
const CPU = 'bench/ingest/cpu.ts, benchmarks.md';
const LISTENERS = 'bench/live/listeners.ts, benchmarks.md';
const STREAMS = 'bench/chat/streams.ts, benchmarks.md';
const SEARCH = 'bench/knowledge/search.ts, benchmarks.md';

/** All assumptions of the model. Change them to model other servers. */
export const figures = {
  replicaEventUs: figure(3.6, 'µs', 'main thread of a replica per event, in batches of 100', CPU),
  replicaLinkUs: figure(75, 'µs', '… per link', CPU),
  replicaExchangeUs: figure(66, 'µs', '… per exchange', CPU),
  replicaSessionUs: figure(
    66,
    'µs',
    '… per other request of a session',
    'assumed: like an exchange',
  ),
  replicaPartUs: figure(
    60,
    'µs',
    '… per part of an answer',
    `${STREAMS}: 12,500/s on slightly more than one core`,
  ),
  replicaToldUs: figure(
    10,
    'µs',
    '… per event sent to a listener',
    `${LISTENERS}: 50,000/s on half a thread`,
  ),
  replicaListeners: figure(5000, '', 'listeners per replica', LISTENERS),
  replicaUse: figure(0.6, '', 'maximum use of a main thread at peak load', 'assumed'),
  replicaConnections: figure(
    15,
    '',
    'database connections per replica',
    'GATEHOUSE_DATABASE_CONNECTIONS plus five',
  ),
  databaseEventUs: figure(8.3, 'µs', 'CPU time of the database per event', COST),
  databaseLinkUs: figure(237, 'µs', '… per link', COST),
  databaseReadUs: figure(84, 'µs', '… per link lookup', COST),
  databaseSearchUs: figure(3800, 'µs', '… per search', SEARCH),
  databaseEventWal: figure(
    516,
    'B',
    'write-ahead log per event while the identities fit in memory',
    COST,
  ),
  databaseColdWal: figure(
    8708,
    'B',
    '… if each event touches a page that is unchanged since the checkpoint',
    'assumed: plus a page of 8 KiB',
  ),
  databaseEventKept: figure(429, 'B', 'storage per event of 500 B with its identity', COST),
  identityKept: figure(
    105,
    'B',
    'part of it for the identity, which is never deleted',
    'decision 31',
  ),
  databaseCores: figure(16, '', 'cores per database server', 'assumed'),
  databaseMemory: figure(128, 'GB', 'memory per database server', 'assumed'),
  databaseLogRate: figure(
    400,
    'MB/s',
    'maximum write-ahead log rate of disk and standby',
    'assumed',
  ),
  databaseDisk: figure(8, 'TB', 'disk per database server', 'assumed'),
  databaseConnections: figure(400, '', 'maximum connections per database server', 'assumed'),
  databaseUse: figure(0.6, '', 'maximum use of a database server at peak load', 'assumed'),
} as const;

export type Figures = { readonly [N in keyof typeof figures]: number };

export const VALUES = Object.fromEntries(
  Object.entries(figures).map(([name, { value }]) => [name, value]),
) as Figures;

/** Load of an installation. Rates are per second at peak load. */
export interface Load {
  readonly spaces: number;
  readonly events: number;
  readonly links: number;
  readonly exchanges: number;
  /** Requests of widget sessions, excluding questions. */
  readonly sessionRequests: number;
  readonly questions: number;
  readonly partsOfAnswer: number;
  readonly listeners: number;
  readonly toldToListener: number;
  /** Retention of events in days. */
  readonly keptDays: number;
  /** Ratio of the peak to the daily mean. */
  readonly peak: number;
  readonly years: number;
}

/** A product with about a thousand concurrent users, and the events of its other systems. */
export const LOAD: Load = {
  spaces: 200,
  events: 1000,
  links: 20,
  exchanges: 60,
  sessionRequests: 300,
  questions: 10,
  partsOfAnswer: 100,
  listeners: 500,
  toldToListener: 2,
  keptDays: 30,
  peak: 5,
  years: 1,
};

/** Returns a multiple of a load. The retention and the ratio of the peak to the mean stay the same. */
export function times(load: Load, factor: number): Load {
  return {
    ...load,
    spaces: load.spaces * factor,
    events: load.events * factor,
    links: load.links * factor,
    exchanges: load.exchanges * factor,
    sessionRequests: load.sessionRequests * factor,
    questions: load.questions * factor,
    listeners: load.listeners * factor,
  };
}
