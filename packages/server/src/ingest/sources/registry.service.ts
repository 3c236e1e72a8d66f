import type { KeyObject } from 'node:crypto';
import { ShortCache } from '../../lib/caching/index.ts';
import type { Clock } from '../../lib/scheduling/index.ts';
import type { Sealer } from '../../platform/secrets/index.ts';
import { prefixesOf } from './covering.rules.ts';
import { toKey } from './secret.rules.ts';
import type { SourceRepository } from './source.repository.ts';
import { isLive, type StoredSecret, type StoredSource } from './source.rules.ts';
import { sealContext } from './source.service.ts';

/** Maximum number of spaces to search for the source of a signed request without `?spaceId=`. */
export const MAX_SPACES = 8;
const CACHE = { maxAge: 1000, maxSize: 10_000 };

export interface KnownSource {
  readonly signatureRequired: boolean;
  /** `true` if signed events of this source may change documents. */
  readonly feedsKnowledge: boolean;
  /** Returns the currently valid keys. There are two during a key rotation. */
  keys(): readonly KeyObject[];
}

export interface SpaceSources {
  readonly spaceId: string;
  readonly anyRequiresSignature: boolean;
  /** Returns the registered source with the longest match. */
  covering(source: string): KnownSource | null;
}

export interface Registry {
  inSpace(spaceId: string): Promise<SpaceSources>;
  /**
   * Returns the spaces with a registered source that covers `source`, or an empty array if more than `MAX_SPACES`
   * spaces match.
   */
  spacesCovering(source: string): Promise<readonly SpaceSources[]>;
  /** Clears the cache. Callers must call this after sources change, including sources of a deleted space. */
  forget(): void;
}

export interface RegistryDeps {
  readonly repository: SourceRepository;
  readonly sealer: Sealer;
  readonly clock: Clock;
  /** Called for a source whose secret cannot be decrypted, once per unreadable secret. */
  readonly onUnreadable: (sourceId: string) => void;
}

export function createRegistry(deps: RegistryDeps): Registry {
  const { repository } = deps;
  const spaces = new ShortCache<SpaceSources>(CACHE);
  const opened: OpenDeps = { ...deps, reported: new Set() };

  async function inSpace(givenId: string): Promise<SpaceSources> {
    const spaceId = givenId.toLowerCase();
    const read = async () => toSpaceSources(spaceId, await repository.ofSpace(spaceId), opened);
    return (await spaces.get(spaceId, read)) as SpaceSources;
  }

  return {
    inSpace,
    spacesCovering: async (source) => {
      const names = prefixesOf(source);
      if (names.length === 0) return [];
      // Each name occurs at most twice per space: as an exact source and as a prefix.
      const limit = 2 * names.length * MAX_SPACES + 1;
      const rows = await repository.named(names, limit);
      if (rows.length === limit) return [];
      const covering = rows.filter((row) => row.match === 'prefix' || row.source === source);
      const ids = new Set(covering.map((row) => row.space_id));
      return ids.size > MAX_SPACES ? [] : Promise.all([...ids].map(inSpace));
    },
    forget: () => spaces.forget(),
  };
}

interface OpenDeps extends RegistryDeps {
  readonly reported: Set<string>;
}

function toSpaceSources(
  spaceId: string,
  rows: { sources: readonly StoredSource[]; secrets: readonly StoredSecret[] },
  deps: OpenDeps,
): SpaceSources {
  const secrets = Map.groupBy(rows.secrets, (row) => row.source_id);
  const exact = new Map<string, KnownSource>();
  const prefixes = new Map<string, KnownSource>();
  for (const row of rows.sources) {
    const known = toKnown(row, secrets.get(row.id) ?? [], deps);
    (row.match === 'exact' ? exact : prefixes).set(row.source, known);
  }
  return {
    spaceId,
    anyRequiresSignature: rows.sources.some((row) => row.signature_required === 1),
    covering: (source) => {
      const found = exact.get(source);
      if (found !== undefined || prefixes.size === 0) return found ?? null;
      for (const name of prefixesOf(source)) {
        const known = prefixes.get(name);
        if (known !== undefined) return known;
      }
      return null;
    },
  };
}

/** Decrypts the secrets on first use. Requests with an API key never need them. */
function toKnown(
  row: StoredSource,
  secrets: readonly StoredSecret[],
  { sealer, clock, onUnreadable, reported }: OpenDeps,
): KnownSource {
  let opened: { secret: StoredSecret; key: KeyObject }[] | undefined;
  const open = () => {
    const unreadable: string[] = [];
    const readable = secrets.flatMap((secret) => {
      const text = sealer.open(secret.sealed, sealContext(row.space_id, row.id));
      if (text !== null) return [{ secret, key: toKey(text) }];
      unreadable.push(secret.id);
      return [];
    });
    if (unreadable.some((id) => !reported.has(id))) onUnreadable(row.id);
    for (const id of unreadable) reported.add(id);
    return readable;
  };
  return {
    signatureRequired: row.signature_required === 1,
    feedsKnowledge: row.feeds_knowledge === 1,
    keys: () => {
      opened ??= open();
      const now = clock();
      return opened.filter(({ secret }) => isLive(secret, now)).map(({ key }) => key);
    },
  };
}
