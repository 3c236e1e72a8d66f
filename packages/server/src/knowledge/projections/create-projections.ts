import type { Clock } from '../../lib/scheduling/index.ts';
import type {
  EventStore,
  KnowledgeEngine,
  Leases,
  WriteAtomically,
} from '../../storage/ports/index.ts';
import type { Consumers } from '../../streams/consumers/index.ts';
import { createEraseRecords, type EraseRecords } from './erase-records.ts';
import { createProjectionRepository } from './projection.repository.ts';
import { createProjections, type Projections } from './projection.service.ts';
import { ProjectionWorker } from './projection-worker.ts';

export interface ProjectionModuleDeps {
  readonly engine: KnowledgeEngine;
  readonly writeAtomically: WriteAtomically;
  readonly events: EventStore;
  readonly consumers: Pick<Consumers, 'register'>;
  /** Leases that ensure that at most one process derives records. */
  readonly leases: Leases;
  readonly clock: Clock;
  /** Maximum number of records per projection. */
  readonly maxRecords: number;
  /** Called when the data of removed documents must be cleaned up. */
  readonly onRemoved: () => void;
  /** Called when background work fails. The module retries the work. */
  readonly onError: (error: unknown) => void;
}

export interface ProjectionModule extends AsyncDisposable {
  readonly projections: Projections;
  readonly eraseRecords: EraseRecords;
  /** Returns the backlog of the slowest projection in events. 0 in a process that does not derive records. */
  readonly lag: () => Promise<number>;
  /** Starts the worker. It resumes the unfinished work of earlier processes. */
  start(): Promise<void>;
}

export function createProjectionModule(deps: ProjectionModuleDeps): ProjectionModule {
  let worker: ProjectionWorker | null = null;
  const job = deps.leases.job('projections', async (term) => {
    worker = await ProjectionWorker.start(deps, term);
    return worker;
  });
  const { position } = createProjectionRepository(deps.engine.db);
  const projections = createProjections({ ...deps, onChanged: (spaceId) => job.notify(spaceId) });
  deps.consumers.register({
    name: 'projections',
    position: projections.position,
    releasedPosition: position,
  });
  return {
    projections,
    eraseRecords: createEraseRecords(deps),
    lag: async () => (await worker?.lag()) ?? 0,
    start: () => job.start(),
    [Symbol.asyncDispose]: async () => job[Symbol.asyncDispose](),
  };
}
