import { randomUUIDv7 } from 'node:crypto';
import type { ApiError, ApiKey, CreatedApiKey, NewApiKey } from '@gatehouse/contract';
import { notFound, type Page, toPage } from '../../http/index.ts';
import type { Clock } from '../../lib/scheduling/index.ts';
import type { JoinedWrites } from '../../storage/ports/index.ts';
import { forbidden, roleOnSpace } from '../access/access.errors.ts';
import type { SpaceAccess } from '../access/access.ts';
import { tokenHash } from '../access/credential.rules.ts';
import type { ApiKeyRepository } from './api-key.repository.ts';
import { formatKey, keyPrefix, newKeyText } from './api-key.rules.ts';

interface ApiKeyDeps {
  readonly repository: ApiKeyRepository;
  readonly clock: Clock;
  /** Clears the credential cache after a key was revoked. */
  readonly forget: () => void;
}

export interface ApiKeys {
  /** Creates a key and returns its plain text, which is not stored. */
  create(
    space: SpaceAccess,
    key: NewApiKey,
    joined: JoinedWrites<CreatedApiKey>,
  ): Promise<CreatedApiKey>;
  list(space: SpaceAccess, after: string | null, limit: number): Promise<Page<ApiKey>>;
  /** Throws 404 if the space has no such key, as do `rename` and `revoke`. */
  show(space: SpaceAccess, keyId: string): Promise<ApiKey>;
  rename(space: SpaceAccess, keyId: string, name: string): Promise<ApiKey>;
  /** Revokes a key with immediate effect. */
  revoke(space: SpaceAccess, keyId: string): Promise<void>;
}

export function createApiKeys({ repository, clock, forget }: ApiKeyDeps): ApiKeys {
  async function show(space: SpaceAccess, keyId: string): Promise<ApiKey> {
    const key = await repository.find(space, keyId.toLowerCase());
    if (key === undefined) throw noSuchKey();
    return formatKey(key);
  }

  return {
    show,
    create: async (space, given, joined) => {
      const text = newKeyText();
      const key = {
        id: randomUUIDv7(),
        name: given.name,
        prefix: keyPrefix(text),
        scopes: JSON.stringify(given.scopes),
        expires_at: given.expiresAt == null ? null : Date.parse(given.expiresAt),
        created_at: clock(),
        last_used_at: null,
      };
      const created = { ...formatKey({ ...key, space_id: space.spaceId }), key: text };
      if (!(await repository.insert(space, key, tokenHash(text), joined(created))))
        throw forbidden(roleOnSpace('editor'));
      return created;
    },
    list: async (space, after, limit) => {
      const rows = await repository.list(space, after, limit + 1);
      return toPage(rows, limit, (row) => row.id, formatKey);
    },
    rename: async (space, keyId, name) => {
      await repository.rename(space, keyId.toLowerCase(), name);
      return show(space, keyId);
    },
    revoke: async (space, keyId) => {
      const removed = await repository.remove(space, keyId.toLowerCase());
      forget();
      if (!removed) throw noSuchKey();
    },
  };
}

/** Also the error for a key of another space, so callers cannot probe for IDs. */
function noSuchKey(): ApiError {
  return notFound('access.key-not-found', 'This space has no API key with this ID.');
}
