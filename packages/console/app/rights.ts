import type { ShownSpace } from '@gatehouse/client';
import { computed } from '@preact/signals';
import { session } from './client.ts';
import { currentSpace } from './space.ts';

/**
 * A right that a page needs. `edit`: edit rights on the space. `audit`: the role owner on every assistant of the space. `conversations`:
 * the right to read conversations. `administrator`: an administrator of the installation.
 */
export type Right = 'edit' | 'audit' | 'conversations' | 'administrator';

/** The rights of the user on the current space. No rights until the space is loaded. The service checks each request again. */
const spaceRights = computed(() => currentSpace.value?.rights ?? null);

/** Reports whether the user may change a space. */
export function mayEditSpace({ rights }: Pick<ShownSpace, 'rights'>): boolean {
  return rights?.role === 'editor' || rights?.role === 'owner';
}

/** Reports whether the user may change the current space. */
export const mayEdit = computed(
  () => currentSpace.value !== null && mayEditSpace(currentSpace.value),
);

/**
 * Reports whether the user may change the filter of the current space and who reads its conversations, read its audit, and delete the
 * space.
 */
export const ownsSpace = computed(() => spaceRights.value?.ownsEveryBot === true);

const isAdministrator = computed(() => session.value?.user.admin === true);

/** Reports whether the user has a right. */
export function hasRight(right: Right): boolean {
  switch (right) {
    case 'edit':
      return mayEdit.value;
    case 'audit':
      return ownsSpace.value;
    case 'conversations':
      return spaceRights.value?.readsConversations === true;
    case 'administrator':
      return isAdministrator.value;
  }
}
