import type { Clock } from '../../lib/scheduling/index.ts';
import { createSealer } from '../../platform/secrets/index.ts';
import type { Database, Hints } from '../../storage/ports/index.ts';
import { createRegistry, type Registry } from './registry.service.ts';
import { createSourceRepository } from './source.repository.ts';
import { createSourceService, type SourceService } from './source.service.ts';

export interface SourcesDeps {
  readonly db: Database;
  readonly hints: Hints;
  readonly clock: Clock;
  /** The installation's secret, from which a key is derived; 32 bytes. */
  readonly secret: Buffer;
  /** Hears of a source whose secret cannot be decrypted. */
  readonly onUnreadable: (sourceId: string) => void;
}

/** The topic of hints that sources were changed. Who misses one remembers them for a second longer. */
const CHANGED = 'event sources';

/** What this module offers: `registry` to the judge of events, `sources` to its own routes. */
export interface SourcesModule {
  readonly sources: SourceService;
  readonly registry: Registry;
}

export function createSources(deps: SourcesDeps): SourcesModule {
  const { db, hints, clock, secret, onUnreadable } = deps;
  const repository = createSourceRepository(db);
  const sealer = createSealer(secret, 'event sources');
  const own = createRegistry({ repository, sealer, clock, onUnreadable });
  hints.subscribe(CHANGED, own.forget);
  const forget = () => {
    own.forget();
    hints.publish(CHANGED, '');
  };
  const registry = { ...own, forget };
  return { registry, sources: createSourceService({ repository, sealer, clock, forget }) };
}
