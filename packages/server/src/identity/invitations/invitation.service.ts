import { randomUUIDv7 } from 'node:crypto';
import type { ApiError, Invitation, NewInvitation } from '@gatehouse/contract';
import { notFound, type Page, toPage } from '../../http/index.ts';
import type { Clock } from '../../lib/scheduling/index.ts';
import type { JoinedWrites } from '../../storage/ports/index.ts';
import { forbidden, roleOnBot } from '../access/access.errors.ts';
import type { BotAccess, UserCaller } from '../access/access.ts';
import { tokenHash } from '../access/credential.rules.ts';
import { newLinkToken, VALID_MS } from '../one-time-links/one-time-link.rules.ts';
import { foldEmail } from '../users/user.rules.ts';
import type { InvitationRepository, StoredInvitation } from './invitation.repository.ts';

export interface InvitationServiceDeps {
  readonly repository: InvitationRepository;
  readonly clock: Clock;
}

/** The token is not stored. */
export interface MadeInvitation {
  readonly invitation: Invitation;
  readonly token: string;
}

export interface Invitations {
  /** Invites a person, whether or not the address has an account. */
  create(
    bot: BotAccess,
    inviter: UserCaller,
    invitation: NewInvitation,
    joined: JoinedWrites<MadeInvitation>,
  ): Promise<MadeInvitation>;
  list(bot: BotAccess, after: string | null, limit: number): Promise<Page<Invitation>>;
  /** Idempotent. Throws 404 `spaces.invitation-not-found`. */
  withdraw(bot: BotAccess, invitationId: string): Promise<void>;
}

export function createInvitations({ repository, clock }: InvitationServiceDeps): Invitations {
  return {
    create: async (bot, inviter, { email, role }, joined) => {
      const token = newLinkToken();
      const now = clock();
      const row: StoredInvitation = {
        id: randomUUIDv7(),
        email: foldEmail(email),
        role,
        created_at: now,
        expires_at: now + VALID_MS.invitation,
      };
      const secrets = { invited_by: inviter.userId, token_hash: tokenHash(token) };
      const made = { invitation: format(row), token };
      const inserted = await repository.insert(bot, { ...row, ...secrets }, joined(made));
      if (!inserted) throw forbidden(roleOnBot('owner'));
      return made;
    },
    list: async (bot, after, limit) => {
      const rows = await repository.list(bot, after, limit + 1, clock());
      return toPage(rows, limit, (row) => row.id, format);
    },
    withdraw: async (bot, invitationId) => {
      if (!(await repository.withdraw(bot, invitationId.toLowerCase(), clock())))
        throw noSuchInvitation();
    },
  };
}

function format({ id, email, role, created_at, expires_at }: StoredInvitation): Invitation {
  return {
    id,
    email,
    role,
    createdAt: new Date(created_at).toISOString(),
    expiresAt: new Date(expires_at).toISOString(),
  };
}

function noSuchInvitation(): ApiError {
  return notFound('spaces.invitation-not-found', 'The bot has no invitation with this ID.');
}
