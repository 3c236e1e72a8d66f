import type { List } from '../../http/list.ts';
import type { RequestOptions } from '../../options.ts';
import type { ListQuery, SessionPage } from '../../types.ts';
import { Resource } from '../resource.ts';

/** Sessions of the signed-in user. */
export class Sessions extends Resource {
  /**
   * Lists the sessions of the user.
   *
   * @example
   * for await (const { id } of gatehouse.sessions.list()) console.log(id);
   */
  list(query?: ListQuery, options?: RequestOptions): List<SessionPage> {
    return this.api.list('GET /auth/sessions', { query }, options);
  }

  /**
   * Ends a session of the user.
   *
   * @example
   * await gatehouse.sessions.delete(sessionId);
   */
  delete(sessionId: string, options?: RequestOptions): Promise<void> {
    return this.api.send('DELETE /auth/sessions/{sessionId}', { params: [sessionId] }, options);
  }

  /**
   * Ends all sessions of the user except the session of the client.
   *
   * @example
   * await gatehouse.sessions.deleteOthers();
   */
  deleteOthers(options?: RequestOptions): Promise<void> {
    return this.api.send('DELETE /auth/sessions', {}, options);
  }
}
