import type { Clock } from '../ports/clock.ts';
import type { Database } from '../ports/database.ts';
import { createSealer } from '../sealing/index.ts';
import { createRegistry, type Registry } from './registry.service.ts';
import { createSourceRepository } from './source.repository.ts';
import { createSourceService, type SourceService } from './source.service.ts';

export interface SourcesDeps {
  readonly db: Database;
  readonly clock: Clock;
  /** The installation's secret, from which a key is derived; 32 bytes. */
  readonly secret: Buffer;
  /** Hears of a source whose secret cannot be decrypted. */
  readonly onUnreadable: (sourceId: string) => void;
}

/** What this room offers: `registry` to the judge of events, `sources` to its own routes. */
export interface SourcesRoom {
  readonly sources: SourceService;
  readonly registry: Registry;
}

export function createSources({ db, clock, secret, onUnreadable }: SourcesDeps): SourcesRoom {
  const repository = createSourceRepository(db);
  const sealer = createSealer(secret, 'event sources');
  const registry = createRegistry({ repository, sealer, clock, onUnreadable });
  const { forget } = registry;
  return { registry, sources: createSourceService({ repository, sealer, clock, forget }) };
}
