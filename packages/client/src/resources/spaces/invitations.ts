import type { List } from '../../http/list.ts';
import type { CreateOptions, RequestOptions } from '../../options.ts';
import type { CreatedInvitation, InvitationPage, ListQuery, NewInvitation } from '../../types.ts';
import { Resource } from '../resource.ts';

/** Invitations of people who may not have an account yet. */
export class Invitations extends Resource {
  /**
   * Invites a person. Only the result contains the URL to send to the person.
   *
   * @example
   * const { url } = await gatehouse.invitations.create(botId, {
   *   email: 'ada@shop.example',
   *   role: 'editor',
   * });
   */
  create(
    botId: number,
    invitation: NewInvitation,
    options?: CreateOptions,
  ): Promise<CreatedInvitation> {
    const input = { params: [botId], body: invitation } as const;
    return this.api.send('POST! /bots/{botId}/members', input, options);
  }

  /**
   * Lists the open invitations of a bot.
   *
   * @example
   * for await (const { email } of gatehouse.invitations.list(botId)) console.log(email);
   */
  list(botId: number, query?: ListQuery, options?: RequestOptions): List<InvitationPage> {
    return this.api.list('GET /bots/{botId}/invitations', { params: [botId], query }, options);
  }

  /**
   * Withdraws an invitation.
   *
   * @example
   * await gatehouse.invitations.delete(botId, invitationId);
   */
  delete(botId: number, invitationId: string, options?: RequestOptions): Promise<void> {
    const input = { params: [botId, invitationId] } as const;
    return this.api.send('DELETE /bots/{botId}/invitations/{invitationId}', input, options);
  }
}
