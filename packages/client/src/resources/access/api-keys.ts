import type { List } from '../../http/list.ts';
import type { CreateOptions, RequestOptions } from '../../options.ts';
import type {
  ApiKey,
  ApiKeyChange,
  ApiKeyPage,
  CreatedApiKey,
  ListQuery,
  NewApiKey,
} from '../../types.ts';
import { Resource } from '../resource.ts';

/** API keys of a space. Requires a session. */
export class ApiKeys extends Resource {
  /**
   * Creates an API key. Only the result contains the key.
   *
   * @example
   * const { key } = await gatehouse.apiKeys.create({ name: 'shop backend', scopes: ['links:write'] });
   */
  create(apiKey: NewApiKey, options?: CreateOptions): Promise<CreatedApiKey> {
    return this.api.send('POST! /spaces/{spaceId}/api-keys', { body: apiKey }, options);
  }

  /**
   * Lists API keys.
   *
   * @example
   * for await (const { name, prefix } of gatehouse.apiKeys.list()) console.log(name, prefix);
   */
  list(query?: ListQuery, options?: RequestOptions): List<ApiKeyPage> {
    return this.api.list('GET /spaces/{spaceId}/api-keys', { query }, options);
  }

  /**
   * Returns an API key without the key itself.
   *
   * @example
   * const { scopes } = await gatehouse.apiKeys.get(keyId);
   */
  get(keyId: string, options?: RequestOptions): Promise<ApiKey> {
    return this.api.send('GET /spaces/{spaceId}/api-keys/{keyId}', { params: [keyId] }, options);
  }

  /**
   * Changes the name of an API key.
   *
   * @example
   * await gatehouse.apiKeys.update(keyId, { name: 'billing backend' });
   */
  update(keyId: string, change: ApiKeyChange, options?: RequestOptions): Promise<ApiKey> {
    const input = { params: [keyId], body: change } as const;
    return this.api.send('PATCH /spaces/{spaceId}/api-keys/{keyId}', input, options);
  }

  /**
   * Revokes an API key.
   *
   * @example
   * await gatehouse.apiKeys.delete(keyId);
   */
  delete(keyId: string, options?: RequestOptions): Promise<void> {
    return this.api.send('DELETE /spaces/{spaceId}/api-keys/{keyId}', { params: [keyId] }, options);
  }
}
