/** A figure that the model goes by, and where it is from. */
export interface Figure {
  readonly value: number;
  readonly unit: string;
  readonly words: string;
  /** `assumed`, or the program or page that it was measured by. */
  readonly from: string;
}

function figure(value: number, unit: string, words: string, from: string): Figure {
  return { value, unit, words, from };
}

const COST = 'bench/ingest/postgres-cost.ts';
const CPU = 'bench/ingest/cpu.ts, benchmarks.md';
const LISTENERS = 'bench/live/listeners.ts, benchmarks.md';
const STREAMS = 'bench/chat/streams.ts, benchmarks.md';
const SEARCH = 'benchmarks.md, Search on PostgreSQL: p50 under other work';

/** All that the model knows. Whoever has other servers or better figures changes them here. */
export const figures = {
  replicaEventUs: figure(3.6, 'µs', 'main thread of a replica, an event in batches of 100', CPU),
  replicaLinkUs: figure(75, 'µs', '… a link', CPU),
  replicaExchangeUs: figure(66, 'µs', '… an exchange', CPU),
  replicaSessionUs: figure(66, 'µs', '… another request of a session', 'assumed, as an exchange'),
  replicaPartUs: figure(
    60,
    'µs',
    '… a part of an answer',
    `${STREAMS}: 12,500/s on a core and some`,
  ),
  replicaToldUs: figure(
    10,
    'µs',
    '… an event told to a listener',
    `${LISTENERS}: 50,000/s on half a thread`,
  ),
  replicaListeners: figure(5000, '', 'listeners of a replica', LISTENERS),
  replicaUse: figure(0.6, '', 'part of a main thread that is used at the peak', 'assumed'),
  replicaConnections: figure(
    13,
    '',
    'connections of a replica to its database',
    'GATEHOUSE_DATABASE_CONNECTIONS and three',
  ),
  databaseEventUs: figure(8.3, 'µs', 'processor of the database, an event', COST),
  databaseLinkUs: figure(237, 'µs', '… a link', COST),
  databaseReadUs: figure(84, 'µs', '… a look-up of a link', COST),
  databaseSearchUs: figure(20_000, 'µs', '… a search of 300,000 passages', SEARCH),
  databaseEventWal: figure(
    516,
    'B',
    'log of the database, an event, while the identities are in memory',
    COST,
  ),
  databaseColdWal: figure(
    8708,
    'B',
    '… when each touches a page that was not changed since the checkpoint',
    'assumed: and a page of 8 KiB',
  ),
  databaseEventKept: figure(429, 'B', 'kept, an event of 500 B with its identity', COST),
  identityKept: figure(105, 'B', 'of it, the identity, which is kept for good', '0031'),
  databaseCores: figure(16, '', 'cores of a database server', 'assumed'),
  databaseMemory: figure(128, 'GB', 'memory of it', 'assumed'),
  databaseLogRate: figure(400, 'MB/s', 'log that its disk and its standby take', 'assumed'),
  databaseDisk: figure(8, 'TB', 'its disk', 'assumed'),
  databaseConnections: figure(400, '', 'connections that it serves well', 'assumed'),
  databaseUse: figure(0.6, '', 'part of all that is used at the peak', 'assumed'),
} as const;

export type Figures = { readonly [N in keyof typeof figures]: number };

export const VALUES = Object.fromEntries(
  Object.entries(figures).map(([name, { value }]) => [name, value]),
) as Figures;

/** What people and programs do in a second, at the peak. */
export interface Load {
  readonly spaces: number;
  readonly events: number;
  readonly links: number;
  readonly exchanges: number;
  /** Of widget sessions, besides questions. */
  readonly sessionRequests: number;
  readonly questions: number;
  /** Parts that an answer is streamed in. */
  readonly partsOfAnswer: number;
  readonly listeners: number;
  /** Events that a listener is told. */
  readonly toldToListener: number;
  /** Days that events are kept. */
  readonly keptDays: number;
  /** Of the mean over a day, the peak is so many times. */
  readonly peak: number;
  /** Years of identities. */
  readonly years: number;
}

/** A product with some thousand people who use it at once, and what its other systems report. */
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

/** So many times as much of everything that people and programs do; not longer, and not at another rhythm. */
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
