import { FairScheduler } from '../../lib/scheduling/index.ts';
import {
  type EventStore,
  type JobWork,
  LeaseLost,
  type ProjectionRow,
  type Term,
} from '../../storage/ports/index.ts';
import { type AdvanceDeps, ProjectionSteps } from './advance.ts';
import { createProjectionRepository, type ProjectionRepository } from './projection.repository.ts';

export interface ProjectionWorkerDeps extends AdvanceDeps {
  readonly events: Pick<EventStore, 'read' | 'onAppended' | 'heads'>;
  /** Called after documents were removed. */
  readonly onRemoved: () => void;
  /** Called after a failed step. The step is retried with backoff. */
  readonly onError: (error: unknown) => void;
}

const PROJECTIONS_AT_ONCE = 4;
const MIN_DELAY_MS = 250;
const MAX_DELAY_MS = 60_000;
/** Interval at which all projections are woken, because notifications may be lost. Records past retention are then removed. */
const WAKE_ALL_MS = 60_000;
/** Minimum time between two reloads of the projections without a reported change. */
const RELOAD_MS = 5000;

interface Skipped {
  readonly revision: number;
  readonly position: number;
}

/**
 * Advances all projections during one term of the job. Reads only committed events; an append only wakes the projections
 * of its space.
 */
export class ProjectionWorker implements JobWork {
  readonly #deps: ProjectionWorkerDeps;
  readonly #term: Term;
  readonly #steps: ProjectionSteps;
  readonly #projections: ProjectionRepository;
  readonly #resources = new AsyncDisposableStack();
  /** Known projections by space. A key is `<space id> <projection id>`. */
  #keys: ReadonlyMap<string, readonly string[]> = new Map();
  #loadedAt = 0;
  /** Positions up to which no unread event matches a live projection. Stored from time to time. */
  readonly #skipped = new Map<string, Skipped>();
  readonly #unsaved = new Set<string>();
  #isStopped = false;
  readonly #scheduler = new FairScheduler({
    atOnce: PROJECTIONS_AT_ONCE,
    step: (key, signal) => this.#step(key, signal),
    onFailure: (error, _, failures) => {
      if (!(error instanceof LeaseLost)) this.#deps.onError(error);
      return Math.min(MAX_DELAY_MS, MIN_DELAY_MS * 2 ** (failures - 1));
    },
  });

  static async start(deps: ProjectionWorkerDeps, term: Term): Promise<ProjectionWorker> {
    await using starting = new AsyncDisposableStack();
    const worker = starting.adopt(new ProjectionWorker(deps, term), (started) => started.stop());
    await worker.#reload();
    starting.move();
    return worker;
  }

  private constructor(deps: ProjectionWorkerDeps, term: Term) {
    this.#deps = deps;
    this.#term = term;
    this.#steps = new ProjectionSteps(deps, term);
    this.#projections = createProjectionRepository(deps.engine.db);
    this.#resources.defer(() => this.#scheduler.close());
    const timer = setInterval(() => this.#wakeAll(), WAKE_ALL_MS).unref();
    this.#resources.defer(() => clearInterval(timer));
    this.#resources.defer(
      deps.events.onAppended((spaceId) => {
        for (const key of this.#keys.get(spaceId) ?? []) this.#scheduler.wake(key);
      }),
    );
  }

  /** @param hint not empty if a projection has changed. */
  onHint(hint: string): void {
    if (hint === '' && performance.now() < this.#loadedAt + RELOAD_MS) return;
    this.#reload().catch(this.#deps.onError);
  }

  /**
   * Returns the number of events, of any type, that the projection with the largest backlog has not examined. 0 after the end of the
   * term.
   */
  async lag(): Promise<number> {
    const heads = await this.#deps.events.heads();
    let largest = 0;
    for (const { space_id, id, state, revision, position } of await this.#projections.all()) {
      if (state === 'deleting') continue;
      const skipped = this.#skipped.get(`${space_id} ${id}`);
      const examined = skipped?.revision === revision ? skipped.position : 0;
      largest = Math.max(largest, (heads.get(space_id) ?? 0) - Math.max(position, examined));
    }
    return this.#isStopped ? 0 : largest;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#resources.disposeAsync();
  }

  async #reload(): Promise<void> {
    this.#loadedAt = performance.now();
    const rows = await this.#projections.all();
    this.#keys = new Map(
      [...Map.groupBy(rows, (row) => row.space_id)].map(([spaceId, ofSpace]) => [
        spaceId,
        ofSpace.map(({ id }) => `${spaceId} ${id}`),
      ]),
    );
    for (const keys of this.#keys.values()) for (const key of keys) this.#scheduler.wake(key);
  }

  #wakeAll(): void {
    for (const keys of this.#keys.values()) for (const key of keys) this.#unsaved.add(key);
    this.#reload().catch(this.#deps.onError);
  }

  /** Performs the next step of a projection and reports whether more steps may follow. */
  async #step(key: string, signal: AbortSignal): Promise<boolean> {
    const [spaceId = '', id = ''] = key.split(' ');
    const row = await this.#projections.row(spaceId, id);
    if (row === undefined || signal.aborted || !this.#term.isHeld()) {
      if (row === undefined) this.#skipped.delete(key);
      return false;
    }
    try {
      return await this.#advance(key, row);
    } catch (error) {
      // The step stored nothing, because the definition changed or a person was erased. It is retried with the new row.
      if (await this.#hasChanged(row)) return true;
      throw error;
    }
  }

  async #advance(key: string, row: ProjectionRow): Promise<boolean> {
    const skipped = this.#skipped.get(key);
    const isSkipped = row.state === 'live' && skipped?.revision === row.revision;
    const after = isSkipped ? Math.max(row.position, skipped.position) : row.position;
    if (row.state === 'live' && this.#unsaved.delete(key)) {
      if (after > row.position) return this.#save(key, row, after);
      if ((await this.#steps.removeExpired(row)) > 0) {
        this.#unsaved.add(key);
        this.#deps.onRemoved();
        return true;
      }
    }
    const { more, removed, skippedTo } = await this.#steps.advance(row, after);
    if (skippedTo === undefined) this.#skipped.delete(key);
    else this.#skipped.set(key, { revision: row.revision, position: skippedTo });
    if (removed) this.#deps.onRemoved();
    return more;
  }

  async #save(key: string, row: ProjectionRow, position: number): Promise<boolean> {
    await this.#steps.skipTo(row, position);
    this.#skipped.delete(key);
    this.#unsaved.add(key);
    return true;
  }

  async #hasChanged({ space_id, id, revision, position, state }: ProjectionRow): Promise<boolean> {
    const now = await this.#projections.row(space_id, id);
    return (
      now === undefined ||
      now.revision !== revision ||
      now.position !== position ||
      now.state !== state
    );
  }
}
