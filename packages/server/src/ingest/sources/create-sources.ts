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
  /** Installation secret of 32 bytes, from which the encryption key is derived. */
  readonly secret: Buffer;
  /** Called for a source whose secret cannot be decrypted. */
  readonly onUnreadable: (sourceId: string) => void;
}

/**
 * Topic for hints that sources have changed. A replica that misses a hint uses outdated sources for up to one second.
 */
const CHANGED = 'event sources';

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
