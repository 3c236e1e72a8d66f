import type { List } from '../../http/list.ts';
import type { RequestOptions } from '../../options.ts';
import type { Member, MemberPage, NewMember, PeopleQuery } from '../../types.ts';
import { Resource } from '../resource.ts';

/** Members of a bot and their roles. */
export class Members extends Resource {
  /**
   * Lists the members of a bot. `search` finds a part of the name or of the email address.
   *
   * @example
   * for await (const { email, role } of gatehouse.members.list(botId)) console.log(email, role);
   */
  list(botId: number, query?: PeopleQuery, options?: RequestOptions): List<MemberPage> {
    return this.api.list('GET /bots/{botId}/members', { params: [botId], query }, options);
  }

  /**
   * Returns a member.
   *
   * @example
   * const { role } = await gatehouse.members.get(botId, userId);
   */
  get(botId: number, userId: string, options?: RequestOptions): Promise<Member> {
    const input = { params: [botId, userId] } as const;
    return this.api.send('GET /bots/{botId}/members/{userId}', input, options);
  }

  /**
   * Adds a member, or changes the role of a member.
   *
   * @example
   * await gatehouse.members.put(botId, userId, { role: 'editor' });
   */
  put(botId: number, userId: string, member: NewMember, options?: RequestOptions): Promise<Member> {
    const input = { params: [botId, userId], body: member } as const;
    return this.api.send('PUT /bots/{botId}/members/{userId}', input, options);
  }

  /**
   * Removes a member.
   *
   * @example
   * await gatehouse.members.delete(botId, userId);
   */
  delete(botId: number, userId: string, options?: RequestOptions): Promise<void> {
    const input = { params: [botId, userId] } as const;
    return this.api.send('DELETE /bots/{botId}/members/{userId}', input, options);
  }
}
