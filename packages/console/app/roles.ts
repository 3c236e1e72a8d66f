import { ApiError, type Member } from '@gatehouse/client';
import { t } from '../translations/translate.ts';
import { client, session } from './client.ts';
import { type Loaded, useLoaded } from './loading.ts';

export type Role = Member['role'];

/** The roles with their names, from the weakest to the strongest. */
export const roleOptions = () =>
  [
    ['viewer', t('Viewer')],
    ['editor', t('Editor')],
    ['owner', t('Owner')],
  ] as const;

/** Loads the role of the signed-in user on a bot. Administrators have all rights. The service checks each request again. */
export function useOwnRole(botId: number | undefined): Loaded<Role> {
  const user = session.value?.user;
  return useLoaded<Role>(`role ${botId}`, async () => {
    if (botId === undefined || user === undefined) return 'viewer';
    if (user.admin) return 'owner';
    try {
      return (await client.members.get(botId, user.id)).role;
    } catch (error) {
      if (error instanceof ApiError && (error.status === 403 || error.status === 404))
        return 'viewer';
      throw error;
    }
  });
}
