import { recordAction } from '../../platform/audit/index.ts';
import type { Database, OneTimeLinkRow } from '../../storage/ports/index.ts';
import { inTransaction } from '../../storage/ports/index.ts';
import { isLinked } from '../users/linked-user.repository.ts';
import { RECOGNISED_MS } from './one-time-link.rules.ts';

export type NewLink = Pick<OneTimeLinkRow, 'id' | 'token_hash' | 'created_at' | 'expires_at'>;

export type LinkUser = { readonly id: string } | { readonly email: string };

/** Reasons why a user gets no link. A user who is linked to an OpenID provider has no password to reset. */
export type UnusableUser = 'unknown-user' | 'disabled-user' | 'linked-user';

export interface OneTimeLinkRepository {
  /** Creates a link and ends the earlier links of the user with the same purpose. */
  issue(
    purpose: 'reset' | 'sign-in',
    user: LinkUser,
    link: NewLink,
  ): Promise<'issued' | UnusableUser>;
  /** Creates a setup link and ends the earlier ones, unless an administrator exists. */
  issueSetup(link: NewLink): Promise<'issued' | 'administrator-exists'>;
  hasAdministrator(): Promise<boolean>;
}

export function createOneTimeLinkRepository(db: Database): OneTimeLinkRepository {
  return {
    issue: (purpose, user, link) =>
      inTransaction(db, async (trx) => {
        const [column, value] = 'id' in user ? ['id', user.id] : ['email', user.email];
        const found = await trx
          .selectFrom('users')
          .select(['id', 'disabled_at'])
          .where(column as 'id' | 'email', '=', value)
          .executeTakeFirst();
        if (found === undefined) return 'unknown-user';
        if (found.disabled_at !== null) return 'disabled-user';
        if (purpose === 'reset' && (await isLinked(trx, found.id))) return 'linked-user';
        await trx
          .updateTable('one_time_links')
          .set({ ended_at: link.created_at })
          .where('user_id', '=', found.id)
          .where('purpose', '=', purpose)
          .where('ended_at', 'is', null)
          .execute();
        await insert(trx, { ...link, purpose, user_id: found.id });
        await recordAction(trx, {
          action: `${purpose}-link.created`,
          spaceId: null,
          resourceId: found.id,
          details: creationDetails(link.id),
        });
        return 'issued';
      }),
    issueSetup: (link) =>
      inTransaction(db, async (trx) => {
        if (await hasAdministrator(trx)) return 'administrator-exists';
        await trx
          .updateTable('one_time_links')
          .set({ ended_at: link.created_at })
          .where('purpose', '=', 'setup')
          .where('ended_at', 'is', null)
          .execute();
        await insert(trx, { ...link, purpose: 'setup', user_id: null });
        await recordAction(trx, { action: 'setup-link.created', spaceId: null, resourceId: null });
        return 'issued';
      }),
    hasAdministrator: () => hasAdministrator(db),
  };
}

/** Returns the details with which the audit names a link. The redemption of a reset link finds its creator by them. */
export function creationDetails(linkId: string) {
  return { link: linkId };
}

async function insert(trx: Database, row: Omit<OneTimeLinkRow, 'ended_at'>): Promise<void> {
  await trx
    .deleteFrom('one_time_links')
    .where('expires_at', '<', row.created_at - RECOGNISED_MS)
    .execute();
  await trx
    .insertInto('one_time_links')
    .values({ ...row, ended_at: null })
    .execute();
}

/** Reports whether an enabled administrator exists. */
export async function hasAdministrator(db: Database): Promise<boolean> {
  const row = await db
    .selectFrom('users')
    .select('id')
    .where('is_admin', '=', 1)
    .where('disabled_at', 'is', null)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Ends the reset and sign-in links of a user. */
export async function endLinksOf(trx: Database, userId: string, now: number): Promise<void> {
  await trx
    .updateTable('one_time_links')
    .set({ ended_at: now })
    .where('user_id', '=', userId)
    .where('ended_at', 'is', null)
    .execute();
}
