import type { QueryOf } from '../../api.ts';
import type { List } from '../../http/list.ts';
import type { CreateOptions, RequestOptions } from '../../options.ts';
import type {
  CreatedLink,
  KeySet,
  LinkPage,
  LinkRequest,
  LinkWithPayload,
  WidgetSession,
} from '../../types.ts';
import { Resource } from '../resource.ts';

/** Access links. A link gives one user access to the assistant and to a part of the knowledge until it expires. */
export class Links extends Resource {
  /**
   * Creates an access link. Only the result contains the token.
   *
   * @example
   * const { url } = await gatehouse.links.create({
   *   sub: 'customer-42',
   *   ttlSeconds: 3600,
   *   permissionFilter: { department: { in: ['sales', 'support'] } },
   * });
   */
  create(link: LinkRequest = {}, options?: CreateOptions): Promise<CreatedLink> {
    const body = link.botId === undefined ? this.api.inSpace(link, options) : link;
    return this.api.send('POST! /assistant-link', { body }, options);
  }

  /**
   * Lists the links of a space, oldest first.
   *
   * @example
   * for await (const link of gatehouse.links.list({ state: 'active' })) console.log(link.sub);
   */
  list(query?: QueryOf<'GET /assistant-link'>, options?: RequestOptions): List<LinkPage> {
    const inSpace = this.api.inSpace(query, options);
    return this.api.list('GET /assistant-link', { query: inSpace }, options);
  }

  /**
   * Returns a link with its payload.
   *
   * @example
   * const { state, jwtPayload } = await gatehouse.links.get(linkId);
   */
  get(linkId: string, options?: RequestOptions): Promise<LinkWithPayload> {
    return this.api.send('GET /assistant-link/{linkId}', { params: [linkId] }, options);
  }

  /**
   * Revokes a link. The link and its widget sessions stop working immediately.
   *
   * @example
   * await gatehouse.links.revoke(linkId);
   */
  revoke(linkId: string, options?: RequestOptions): Promise<void> {
    return this.api.send('DELETE /assistant-link/{linkId}', { params: [linkId] }, options);
  }

  /**
   * Revokes all active links of a person.
   *
   * @example
   * const { revoked } = await gatehouse.links.revokeAll({ sub: 'customer-42' });
   */
  revokeAll(
    query: QueryOf<'DELETE /assistant-link'>,
    options?: RequestOptions,
  ): Promise<{ revoked: number }> {
    const inSpace = this.api.inSpace(query, options);
    return this.api.send('DELETE /assistant-link', { query: inSpace }, options);
  }

  /**
   * Exchanges the token of a link for a widget session. Needs no credential.
   *
   * @example
   * const { accessToken } = await new Gatehouse({ url }).links.exchange(linkToken);
   * const assistant = new Gatehouse({ url, token: accessToken, spaceId });
   */
  exchange(linkToken: string, options?: RequestOptions): Promise<WidgetSession> {
    return this.api.send('POST /assistant-link/exchange', { body: { linkToken } }, options);
  }

  /**
   * Returns the public keys that verify widget sessions.
   *
   * @example
   * const { keys } = await gatehouse.links.keySet();
   */
  keySet(options?: RequestOptions): Promise<KeySet> {
    return this.api.send('GET /.well-known/jwks.json', {}, options);
  }
}
