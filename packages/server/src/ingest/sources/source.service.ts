import { randomUUIDv7 } from 'node:crypto';
import {
  type EventSource,
  type EventSourceChange,
  type EventSourceWithSecret,
  KEEP_OLD_SECONDS,
  type NewEventSource,
  type SecretRotation,
} from '@gatehouse/contract';
import { type Page, toPage } from '../../http/index.ts';
import { forbidden, roleOnSpace, type SpaceAccess } from '../../identity/index.ts';
import type { Clock } from '../../lib/scheduling/index.ts';
import type { Sealer } from '../../platform/secrets/index.ts';
import type { JoinedWrites } from '../../storage/ports/index.ts';
import { newSecretText } from './secret.rules.ts';
import { noSuchSource, sourceExists, tooManySources } from './source.errors.ts';
import type { SourceRepository } from './source.repository.ts';
import { formatSource, MAX_SOURCES, type StoredSecret } from './source.rules.ts';

export interface SourceServiceDeps {
  readonly repository: SourceRepository;
  readonly sealer: Sealer;
  readonly clock: Clock;
  readonly forget: () => void;
}

export interface SourceService {
  /** Returns the source with its secret, which cannot be read again. Throws 409 for a duplicate or too many sources. */
  create(
    space: SpaceAccess,
    source: NewEventSource,
    joined: JoinedWrites<EventSourceWithSecret>,
  ): Promise<EventSourceWithSecret>;
  list(space: SpaceAccess, after: string | null, limit: number): Promise<Page<EventSource>>;
  /** Throws 404 if the source does not exist. All methods below do the same. */
  show(space: SpaceAccess, sourceId: string): Promise<EventSource>;
  change(space: SpaceAccess, sourceId: string, change: EventSourceChange): Promise<EventSource>;
  /** Returns the new secret, which cannot be read again. The previous secret expires after `keepOldSeconds`. */
  rotate(
    space: SpaceAccess,
    sourceId: string,
    rotation: SecretRotation,
  ): Promise<EventSourceWithSecret>;
  /** Deletes a source. The next request with its signature is rejected. */
  remove(space: SpaceAccess, sourceId: string): Promise<void>;
}

/** Returns the encryption context of a secret. The secret can be decrypted only with the same context. */
export function sealContext(spaceId: string, sourceId: string): string {
  return `${spaceId}/${sourceId}`;
}

export function createSourceService(deps: SourceServiceDeps): SourceService {
  const { repository, sealer, clock, forget } = deps;

  async function show(space: SpaceAccess, givenId: string): Promise<EventSource> {
    const source = await repository.find(space, givenId.toLowerCase());
    if (source === undefined) throw noSuchSource();
    return formatSource(source, await repository.secrets(space, [source.id]), clock());
  }

  function toSecret({ spaceId }: SpaceAccess, sourceId: string, text: string): StoredSecret {
    return {
      id: randomUUIDv7(),
      source_id: sourceId,
      sealed: sealer.seal(text, sealContext(spaceId, sourceId)),
      created_at: clock(),
      ends_at: null,
    };
  }

  return {
    show,
    create: async (
      space,
      { secret: text = newSecretText(), match = 'exact', ...given },
      joined,
    ) => {
      const source = {
        id: randomUUIDv7(),
        name: given.name,
        source: given.source,
        match,
        signature_required: given.signatureRequired ? 1 : 0,
        feeds_knowledge: given.feedsKnowledge ? 1 : 0,
        created_at: clock(),
      };
      const secret = toSecret(space, source.id, text);
      const stored = { ...source, space_id: space.spaceId };
      const created = { ...formatSource(stored, [secret], clock()), secret: text };
      const outcome = await repository.insert(space, source, secret, joined(created));
      if (outcome === 'no-space') throw forbidden(roleOnSpace('editor'));
      if (outcome === 'exists') throw sourceExists();
      if (outcome === 'too-many') throw tooManySources(MAX_SOURCES);
      forget();
      return created;
    },
    list: async (space, after, limit) => {
      const rows = await repository.list(space, after, limit + 1);
      const ids = rows.map(({ id }) => id);
      const secrets = Map.groupBy(await repository.secrets(space, ids), (row) => row.source_id);
      const now = clock();
      const format = (row: (typeof rows)[number]) =>
        formatSource(row, secrets.get(row.id) ?? [], now);
      return toPage(rows, limit, (row) => row.id, format);
    },
    change: async (space, sourceId, change) => {
      await repository.change(space, sourceId.toLowerCase(), change);
      forget();
      return show(space, sourceId);
    },
    rotate: async (space, givenId, rotation) => {
      const { secret: text = newSecretText(), keepOldSeconds = KEEP_OLD_SECONDS } = rotation;
      const secret = toSecret(space, givenId.toLowerCase(), text);
      const found = await repository.rotate(space, secret, clock() + keepOldSeconds * 1000);
      forget();
      if (!found) throw noSuchSource();
      return { ...(await show(space, givenId)), secret: text };
    },
    remove: async (space, sourceId) => {
      const removed = await repository.remove(space, sourceId.toLowerCase());
      forget();
      if (!removed) throw noSuchSource();
    },
  };
}
