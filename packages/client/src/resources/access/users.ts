import type { List } from '../../http/list.ts';
import type { CreateOptions, RequestOptions } from '../../options.ts';
import type {
  ListQuery,
  NewUser,
  PeopleQuery,
  ResetLink,
  SessionPage,
  User,
  UserChange,
  UserPage,
} from '../../types.ts';
import { Resource } from '../resource.ts';

/** Users of the installation. Requires an administrator. */
export class Users extends Resource {
  /**
   * Creates a user.
   *
   * @example
   * const { id } = await gatehouse.users.create({
   *   email: 'alan@shop.example',
   *   name: 'Alan',
   *   password: 'correct horse battery staple',
   * });
   */
  create(user: NewUser, options?: CreateOptions): Promise<User> {
    return this.api.send('POST! /users', { body: user }, options);
  }

  /**
   * Lists users. `search` finds a part of the name or of the email address.
   *
   * @example
   * for await (const { id, email } of gatehouse.users.list({ search: 'ada' })) console.log(id, email);
   */
  list(query?: PeopleQuery, options?: RequestOptions): List<UserPage> {
    return this.api.list('GET /users', { query }, options);
  }

  /**
   * Returns a user.
   *
   * @example
   * const { name, disabled } = await gatehouse.users.get(userId);
   */
  get(userId: string, options?: RequestOptions): Promise<User> {
    return this.api.send('GET /users/{userId}', { params: [userId] }, options);
  }

  /**
   * Changes a user.
   *
   * @example
   * await gatehouse.users.update(userId, { disabled: true });
   */
  update(userId: string, change: UserChange, options?: RequestOptions): Promise<User> {
    return this.api.send('PATCH /users/{userId}', { params: [userId], body: change }, options);
  }

  /**
   * Unlinks a user from the single sign-on provider.
   *
   * @example
   * await gatehouse.users.unlink(userId);
   */
  unlink(userId: string, options?: RequestOptions): Promise<void> {
    return this.api.send('DELETE /users/{userId}/single-sign-on', { params: [userId] }, options);
  }

  /**
   * Removes the second factor of a user who has lost it.
   *
   * @example
   * await gatehouse.users.removeSecondFactor(userId);
   */
  removeSecondFactor(userId: string, options?: RequestOptions): Promise<void> {
    return this.api.send('DELETE /users/{userId}/second-factor', { params: [userId] }, options);
  }

  /**
   * Creates a link with which a user can set a password.
   *
   * @example
   * const { url } = await gatehouse.users.createResetLink(userId);
   */
  createResetLink(userId: string, options?: RequestOptions): Promise<ResetLink> {
    return this.api.send('POST /users/{userId}/reset-link', { params: [userId] }, options);
  }

  /**
   * Lists the sessions of a user.
   *
   * @example
   * for await (const { id } of gatehouse.users.listSessions(userId)) console.log(id);
   */
  listSessions(userId: string, query?: ListQuery, options?: RequestOptions): List<SessionPage> {
    return this.api.list('GET /users/{userId}/sessions', { params: [userId], query }, options);
  }

  /**
   * Ends all sessions of a user.
   *
   * @example
   * await gatehouse.users.deleteSessions(userId);
   */
  deleteSessions(userId: string, options?: RequestOptions): Promise<void> {
    return this.api.send('DELETE /users/{userId}/sessions', { params: [userId] }, options);
  }
}
