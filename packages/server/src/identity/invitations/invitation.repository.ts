import type { Role } from '@gatehouse/contract';
import { recordAction } from '../../platform/audit/index.ts';
import { type Database, inTransaction, runWrites, type Write } from '../../storage/ports/index.ts';
import type { BotAccess } from '../access/access.ts';
import { hasBot } from '../bots/bot.repository.ts';
import { RECOGNISED_MS } from '../one-time-links/one-time-link.rules.ts';

export interface StoredInvitation {
  readonly id: string;
  readonly email: string;
  readonly role: Role;
  /** Unix milliseconds. */
  readonly created_at: number;
  /** Unix milliseconds. */
  readonly expires_at: number;
}

export interface InvitationWrite extends StoredInvitation {
  readonly invited_by: string;
  readonly token_hash: string;
}

export interface InvitationRepository {
  /**
   * Creates an invitation and ends the earlier ones for the same bot and address. Reads nothing about the address, so the
   * time does not reveal whether the address has an account. Returns `false` if the bot has been deleted.
   */
  insert(bot: BotAccess, invitation: InvitationWrite, joined: readonly Write[]): Promise<boolean>;
  /** Returns the pending invitations with IDs greater than `after`, ordered by ID. */
  list(
    bot: BotAccess,
    after: string | null,
    limit: number,
    now: number,
  ): Promise<StoredInvitation[]>;
  /** Returns `false` if the bot has no invitation with this ID. */
  withdraw(bot: BotAccess, invitationId: string, now: number): Promise<boolean>;
}

export function createInvitationRepository(db: Database): InvitationRepository {
  return {
    insert: (bot, invitation, joined) =>
      inTransaction(db, async (trx) => {
        if (!(await hasBot(trx, bot))) return false;
        const { spaceId, botId } = bot;
        const { created_at } = invitation;
        await trx
          .deleteFrom('invitations')
          .where('space_id', '=', spaceId)
          .where('bot_id', '=', botId)
          .where('expires_at', '<', created_at - RECOGNISED_MS)
          .execute();
        await trx
          .updateTable('invitations')
          .set({ ended_at: created_at })
          .where('space_id', '=', spaceId)
          .where('bot_id', '=', botId)
          .where('email', '=', invitation.email)
          .where('ended_at', 'is', null)
          .execute();
        await trx
          .insertInto('invitations')
          .values({ ...invitation, space_id: spaceId, bot_id: botId, ended_at: null })
          .execute();
        await recordAction(trx, {
          action: 'invitation.created',
          spaceId,
          resourceId: invitation.id,
          details: { botId, role: invitation.role },
        });
        await runWrites(trx, joined);
        return true;
      }),
    list: ({ spaceId, botId }, after, limit, now) =>
      db
        .selectFrom('invitations')
        .select(['id', 'email', 'role', 'created_at', 'expires_at'])
        .where('space_id', '=', spaceId)
        .where('bot_id', '=', botId)
        .where('id', '>', after ?? '')
        .where('ended_at', 'is', null)
        .where('expires_at', '>', now)
        .orderBy('id')
        .limit(limit)
        .execute(),
    withdraw: ({ spaceId, botId }, invitationId, now) =>
      inTransaction(db, async (trx) => {
        const found = await trx
          .selectFrom('invitations')
          .select('ended_at')
          .where('space_id', '=', spaceId)
          .where('bot_id', '=', botId)
          .where('id', '=', invitationId)
          .executeTakeFirst();
        if (found === undefined) return false;
        if (found.ended_at !== null) return true;
        await trx
          .updateTable('invitations')
          .set({ ended_at: now })
          .where('space_id', '=', spaceId)
          .where('id', '=', invitationId)
          .execute();
        await recordAction(trx, {
          action: 'invitation.withdrawn',
          spaceId,
          resourceId: invitationId,
        });
        return true;
      }),
  };
}
